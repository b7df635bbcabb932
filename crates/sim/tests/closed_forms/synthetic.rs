//! The synthetic functions of 2008 at a drop-tail buffer: beside T_w nothing decides how long an epoch lasts.

use crate::*;

/// Back-offs at 20 Mbit/s with a buffer that makes the largest window 200 packets at any RTT.
fn episodes(algorithm: &str, rtt_ms: u64) -> Vec<BackOff> {
    let pipe = rtt_ms * 20 / 12;
    let spec = spec(20, 200 - pipe, 240, vec![flow(algorithm, rtt_ms)]);
    let records = run(&spec);
    assert_no_timeouts(&records);
    back_offs(&spec, &records, 0)
}

fn check(algorithm: &str, rtt_ms: u64, tolerance_s: (f64, f64)) {
    let episodes = episodes(algorithm, rtt_ms);
    assert!(episodes.len() > 20, "{} episodes", episodes.len());
    for pair in episodes.windows(2) {
        let t_w = (0.5 * pair[0].cwnd / 0.5).cbrt();
        let error = pair[1].at_s - pair[0].at_s - t_w;
        assert!((tolerance_s.0..=tolerance_s.1).contains(&error), "{error} s more than T_w = {t_w} s: {pair:?}");
    }
}

/// The window that overflows the buffer is heard of a round trip later, and what it has grown by then is part of w: epochs are T_w.
/// The news is three SACKs of packets that are 0.6 ms apart, in ACKs of pairs: 5 ms.
#[test]
fn convex_epochs_last_t_w() {
    for rtt_ms in [30, 60, 90] {
        check("convex", rtt_ms, (-0.005, 0.005));
    }
}

/// The function is flat when the buffer overflows: the overflow comes when it passes a whole segment, not after T_w, and the news
/// of it a round trip of a full buffer later, 0.12 s, in which next to nothing is added to w.
#[test]
fn concave_convex_epochs_last_t_w() {
    for rtt_ms in [30, 60, 90] {
        check("concave-convex", rtt_ms, (0.0, 0.12));
    }
}
