//! Links that change in time, seen from a flow.

use crate::*;

/// A window that the receiver limits, sampled every 10 ms.
fn limited(window: u64, seconds: u64) -> Spec {
    let flow = FlowSpec { window_packets: Some(window), ..flow("reno", 40) };
    Spec { warmup_ns: 0, sample_ns: 10 * MS, ..spec(12, 1000, seconds, vec![flow]) }
}

/// Bytes that left the bottleneck in a span, by its samples.
fn delivered(records: &Records, from_ns: u64, to_ns: u64) -> u64 {
    let samples = &records.link_samples;
    let at = |t| samples.delivered_bytes[samples.t_ns.iter().position(|&sample| sample == t).expect("a sampling time")];
    at(to_ns) - at(from_ns)
}

/// 60 packets are under way: more than any of the rates needs, so that the queue is never empty. 12, 6 and 24 Mbit/s are 1000, 500 and 2000
/// packets a second; a packet is counted when it has left, so each span holds one more or less.
#[test]
fn a_full_link_delivers_the_integral_of_its_rate() {
    let mut spec = limited(200, 12);
    let step = |s: u64, mbit_s: u64| RateStep { at_ns: s * SECOND, rate_bps: mbit_s * 1_000_000 };
    spec.forward.changes.rate_steps = vec![step(4, 6), step(8, 24)];
    spec.warmup_ns = SECOND;
    let records = run(&spec);
    let packets = |from, to| delivered(&records, from * SECOND, to * SECOND) as f64 / 1500.0;
    for (from, to, expected) in [(1, 4, 3000.0), (4, 8, 2000.0), (8, 12, 8000.0)] {
        assert!((packets(from, to) - expected).abs() <= 1.0, "{} packets from {from} to {to} s", packets(from, to));
    }
    assert_near(records.links[0].utilisation(), 1.0, 1e-4, "utilisation");
}

/// A list of 7 opportunities in 10 ms, one of them double: 700 packets a second, as long as the queue is never empty; every one is used.
#[test]
fn a_full_trace_link_delivers_exactly_the_traces_bytes() {
    let mut spec = limited(200, 20);
    spec.forward.changes.trace_ms = vec![1, 2, 3, 3, 7, 8, 10];
    spec.warmup_ns = SECOND;
    let records = run(&spec);
    assert_eq!(delivered(&records, SECOND, 20 * SECOND), 19 * 700 * 1500);
    assert_eq!(records.links[0].utilisation(), 1.0);
    assert_eq!(records.flows[0].at_end.retransmitted, 0);
}

/// The window of 20 packets needs 40 ms and its serialisation; from 5 s on 20 ms more: 20/0.041 and 20/0.061 packets a second. In a round the
/// packets leave as they are acknowledged, two at a time, so that a round takes 2 ms more or less of serialisation: 2 ms of 41.
#[test]
fn a_longer_way_adds_to_the_round_trip() {
    let mut spec = limited(20, 15);
    spec.forward.changes.delay_steps =
        vec![DelayStep { at_ns: 5 * SECOND, extra_ns: 20 * MS }, DelayStep { at_ns: 10 * SECOND, extra_ns: 0 }];
    let records = run(&spec);
    let rate = |from, to| delivered(&records, from * SECOND, to * SECOND) as f64 / 1500.0 / (to - from) as f64;
    assert_near(rate(1, 5), 20.0 / 0.041, 0.05, "before");
    assert_near(rate(6, 10), 20.0 / 0.061, 0.04, "on the longer way");
    assert_near(rate(11, 15), 20.0 / 0.041, 0.05, "after");
    let row = &records.flows[0];
    assert_eq!((row.at_end.retransmitted, row.at_end.timeouts), (0, 0));
}

/// Nothing leaves in the outage of three seconds; the first timeout comes within it, an RTO of 240 ms or a little more after its beginning.
/// What waits in the queue is delivered, in order, as soon as the link is back: the timeout was spurious, and is undone.
#[test]
fn an_outage_delivers_nothing_and_times_out() {
    let mut spec = limited(20, 20);
    spec.forward.changes.outages = vec![Outage { at_ns: 5 * SECOND, length_ns: 3 * SECOND }];
    let records = run(&spec);
    assert_eq!(delivered(&records, 5 * SECOND, 8 * SECOND), 0);
    let first = records.events.iter().find(|event| event.kind == EventKind::Timeout).expect("a timeout").t_ns;
    assert!(first > 5 * SECOND + 200 * MS && first < 5 * SECOND + 600 * MS, "first timeout at {first} ns");
    assert!(delivered(&records, 8 * SECOND, 8 * SECOND + 100 * MS) >= 20 * 1500);
    assert_eq!(records.links[0].totals.dropped, 0);
    assert!(records.flows[0].at_end.undos >= 1, "{:?}", records.flows[0].at_end);
}

/// The receiver's window is ample for the greatest rate, not the first: four times what 2 Mbit/s and the queue hold, 467 packets, would carry
/// 28 % of the later 200 Mbit/s, whose path holds 1667.
#[test]
fn the_receivers_window_knows_the_greatest_rate() {
    let mut spec = spec(2, 100, 30, vec![FlowSpec { start_ns: 2 * SECOND, ..flow("scalable", 100) }]);
    spec.warmup_ns = 15 * SECOND;
    spec.forward.changes.rate_steps = vec![RateStep { at_ns: SECOND, rate_bps: 200_000_000 }];
    let utilisation = run(&spec).links[0].utilisation();
    assert!(utilisation > 0.7, "{utilisation}");
}
