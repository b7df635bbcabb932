//! Clocks that are wrong: base RTTs and largest RTTs that are taken for too long, and what follows from the laws.

use crate::*;

/// FAST keeps alpha in the queue it sees: with an error e of its base RTT x (q - e) = alpha, beside x q = alpha without (Low, Wang, Paganini and
/// Doyle's persistent congestion). With e = alpha / C, u = q C / alpha obeys 1/u + 1/(u - 1) = 1: u = 2.618, and shares of 61.8 % and 38.2 %.
/// 100 Mbit/s, 50 ms, alpha 50: e is 50 packets of 120 us, and one more, which the true base RTT has. Tolerances as in `equilibrium`.
#[test]
fn a_base_rtt_taken_for_too_long_gains_fast_its_share() {
    let flows = [0.006_12, 0.0].map(|error| FlowSpec {
        variant: Some("fixed-alpha".into()),
        parameters: [("alpha".to_owned(), 50.0)].into(),
        transport: [("min_rtt_error_s".to_owned(), error.into())].into(),
        ..flow("fast", 50)
    });
    let records = run(&spec(100, 2000, 60, flows.into()));
    let golden = (1.0 + 5.0_f64.sqrt()) / 2.0;
    let [wrong, right] = [0, 1].map(|flow| (records.flows[flow].at_end.delivered - records.flows[flow].at_window.delivered) as f64);
    assert_near(wrong / right, golden, 0.02, "rates");
    let queue = records.links[0].mean_queue_packets();
    let expected = 50.0 * (golden + 1.0);
    assert!((expected - 1.5..=expected + 1.0).contains(&queue), "a mean queue of {queue} packets instead of {expected}");
}

/// With samples 2 s too long after a back-off the largest delay is 2.1 s, not 0.1, and a full queue of 0.1 s less than a tenth of it: Illinois
/// gives way by an eighth, where it halves with right samples, and where it ignores those after a loss (Leith et al. 2008, VIII.A).
#[test]
fn rtts_too_long_after_a_loss_make_illinois_give_way_less() {
    for (variant, error, kept) in [("linux-6.1", 0.0, 0.5), ("linux-6.1", 2.0, 0.875), ("s5", 2.0, 0.5)] {
        let transport = [("rtt_error_after_loss_s".to_owned(), error.into())].into();
        let variant = Some(variant.into());
        let spec = spec(10, 83, 240, vec![FlowSpec { variant, transport, ..flow("illinois", 100) }]);
        let records = run(&spec);
        let episodes = back_offs(&spec, &records, 0);
        assert!(episodes.len() > 4, "{} episodes", episodes.len());
        for episode in &episodes {
            // Whole segments, of 166.
            assert_near(episode.ssthresh / episode.cwnd, kept, 0.01, "what is kept");
        }
    }
}
