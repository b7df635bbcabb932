//! Adaptive Reno at a drop-tail buffer.

use crate::*;

/// The RTT at a loss is always that of the full buffer: level 1, half the window. The level is that of one sample, which may be
/// a packet or two of 100 below: 1/(1 + 0.98).
#[test]
fn a_full_buffer_is_level_1() {
    let spec = spec(20, 100, 240, vec![flow("areno", 60)]);
    let records = run(&spec);
    assert_no_timeouts(&records);
    let episodes = back_offs(&spec, &records, 0);
    assert!(episodes.len() > 20, "{} episodes", episodes.len());
    for episode in episodes {
        let kept = episode.ssthresh / episode.cwnd;
        assert!((0.5..=0.506).contains(&kept), "{kept} of {episode:?}");
    }
}
