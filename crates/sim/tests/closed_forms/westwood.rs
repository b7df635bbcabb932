//! Westwood+ returns to the bandwidth-delay product, whatever the buffer.

use crate::*;

/// 20 Mbit/s and 60 ms hold 100 packets; the smallest RTT is 60.6 ms, in ticks 61: 101.7. The estimate's two poles are rounded down, each
/// by up to 7 of 2413 bytes/ms (0.6 % together), and the window that spans a recovery at half the peak, which leaves the link idle for
/// half of the time at worst, enters with an eighth of an eighth, then once more smoothed (under 2 %): 98.5 .. 101.7, in whole segments.
/// Every segment behind the hole is acknowledged at once: compressed ACKs come later and lower the estimate further.
#[test]
fn recovery_ends_at_the_pipe() {
    for buffer in [35, 50, 80, 100, 200] {
        let transport = [("ack_compression".to_owned(), false.into())].into();
        let mut spec = spec(20, buffer, 240, vec![FlowSpec { transport, ..flow("westwood", 60) }]);
        spec.sample_ns = 100 * MS;
        let records = run(&spec);
        assert_no_timeouts(&records);
        let episodes = back_offs(&spec, &records, 0);
        assert!(episodes.len() > 4, "{} episodes with {buffer}", episodes.len());
        let samples = records.flow_samples.columns();
        for episode in &episodes {
            // A second later recovery is over and the next loss far.
            let after = samples.t_ns.iter().position(|&t| t as f64 * 1e-9 > episode.at_s + 1.0);
            if let Some(row) = after {
                assert!((98.0..=101.0).contains(&samples.ssthresh[row]), "back to {} with {buffer}", samples.ssthresh[row]);
            }
        }
    }
}

/// Reno's fluid utilisation at a third of a pipe of buffer is 0.928. A flow that returns to a full pipe loses, of the 36 round trips of
/// an epoch, a third of the one spent at half the peak (68 of 100: 1 %), and the up to three segments by which the estimate falls short,
/// regained in three round trips (0.2 %); a burst at the end of recovery may cost another round trip's third: 0.975 or more.
#[test]
fn a_small_buffer_is_used_better_than_by_reno() {
    let records = run(&spec(20, 35, 240, vec![flow("westwood", 60)]));
    let utilisation = records.links[0].utilisation();
    assert!(utilisation >= 0.975, "{utilisation}");
}
