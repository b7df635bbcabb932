//! Vegas' equilibrium: a few segments of its own in the queue.

use crate::*;

/// 20 Mbit/s and 50 ms: a packet takes 0.6 ms, so base = 50.6 ms. The window rests while w (rtt - base)/base, whole, is 2, 3 or 4: with
/// w = 89 the packet that waited least met 1.9 to 4.7 others. The mean adds what is in service, at most 1, and that packets come in
/// pairs, of which the second meets up to one more: 1.9 .. 6.7 in all. Slow start's overshoot is given back at a segment per round trip
/// long before the means begin.
#[test]
fn one_flow_rests_with_two_to_four_segments_queued() {
    let mut spec = spec(20, 1000, 240, vec![flow("vegas", 50)]);
    spec.sample_ns = 100 * MS;
    let records = run(&spec);
    assert_eq!(records.links[0].totals.dropped, 0);
    let queue = records.links[0].mean_queue_packets();
    assert!((1.9..=6.7).contains(&queue), "a mean queue of {queue} packets");
    let samples = records.flow_samples.columns();
    let settled: Vec<f64> = samples.t_ns.iter().zip(&samples.cwnd).filter(|(&t, _)| t >= spec.warmup_ns).map(|(_, &w)| w).collect();
    assert!(settled.len() > 1000 && settled.iter().all(|&w| w == settled[0]), "the window does not rest");
}
