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

fn size(s: u64, limit: u64) -> QueueStep {
    QueueStep { at_ns: s * SECOND, queue: QueueSpec { unit: QueueUnit::Packets, limit } }
}

/// 1200 datagrams a second at a link for 1000, whose queue of 300 has other sizes later; a flow that says nothing.
fn overfilled(seconds: u64, queue_steps: Vec<QueueStep>) -> Spec {
    let silent = FlowSpec { start_ns: seconds * SECOND - 1, ..flow("reno", 40) };
    let mut spec = Spec { warmup_ns: 0, sample_ns: 10 * MS, ..spec(12, 300, seconds, vec![silent]) };
    spec.forward.changes.queue_steps = queue_steps;
    let (direction, hops) = (Direction::Forward, StretchSpec::default());
    spec.traffic = vec![UdpSpec { rate_bps: 14_400_000, wave: None, packet_bytes: 1500, start_ns: 0, stop_ns: None, direction, hops }];
    spec
}

/// A queue that shrinks keeps what stands in it, as Linux's pfifo under `tc qdisc change`: 200 datagrams a second above the rate of 1000 fill a
/// queue of 300, which from 5 s on holds 100. Nothing is dropped for the step itself; what arrives is refused until 200 have left, for 0.2 s in
/// which all 1200 a second are; then 200 a second are again, and a queue of 400 from 10 s on takes 300 more, for 1.5 s.
#[test]
fn a_queue_that_shrinks_keeps_what_stands_in_it() {
    let spec = overfilled(13, vec![size(5, 100), size(10, 400)]);
    let samples = &run(&spec).link_samples;
    let at = |t: u64| samples.t_ns.iter().position(|&sample| sample == t).expect("a sampling time");
    let (queue, dropped) = (|t| samples.queue_packets[at(t)] as i64, |t| samples.dropped[at(t)] as i64);
    let near = |found: i64, expected: i64, what: &str| assert!((found - expected).abs() <= 3, "{what}: {found}, not {expected}");
    near(queue(5 * SECOND - 10 * MS), 300, "full");
    near(queue(5 * SECOND + 100 * MS), 200, "half of what is too much has left");
    near(queue(5 * SECOND + 200 * MS), 100, "all of it");
    near(queue(9 * SECOND), 100, "full at the smaller size");
    near(queue(11 * SECOND + 500 * MS), 400, "full at the larger size");
    near(dropped(5 * SECOND + 10 * MS) - dropped(5 * SECOND - 10 * MS), 2 + 12, "the step drops nothing itself");
    near(dropped(5 * SECOND + 200 * MS) - dropped(5 * SECOND), 240, "all that arrive while it is too long");
    near(dropped(9 * SECOND) - dropped(6 * SECOND), 600, "what is above the rate");
    near(dropped(11 * SECOND + 400 * MS) - dropped(10 * SECOND), 0, "while it grows");
}

/// The same with a queue that holds its packets until they are served: drop-head makes room for what arrives, so the first arrival after the step
/// costs all that is too much.
#[test]
fn drop_head_takes_out_what_is_too_much_when_a_packet_arrives() {
    let mut spec = overfilled(8, vec![size(5, 100)]);
    spec.forward.discipline = Some(DisciplineChoice { name: "drop-head".into(), parameters: Default::default() });
    let samples = &run(&spec).link_samples;
    let at = |t: u64| samples.t_ns.iter().position(|&sample| sample == t).expect("a sampling time");
    let (before, after) = (at(5 * SECOND - 10 * MS), at(5 * SECOND + 10 * MS));
    assert!((298..=300).contains(&samples.queue_packets[before]), "{}", samples.queue_packets[before]);
    assert!((98..=100).contains(&samples.queue_packets[after]), "{}", samples.queue_packets[after]);
    let dropped = samples.dropped[after] - samples.dropped[before];
    assert!((200..=208).contains(&dropped), "{dropped}");
}

/// The receiver's window is ample for the largest queue, too. Four times the 20 packets of the path and the 20 of the first queue are 160, of which at
/// most 140 wait: a queue that becomes 600 long is filled beyond that.
#[test]
fn the_receivers_window_knows_the_largest_queue() {
    let mut spec = spec(12, 20, 30, vec![FlowSpec { start_ns: SECOND, ..flow("scalable", 20) }]);
    (spec.warmup_ns, spec.sample_ns) = (20 * SECOND, 10 * MS);
    spec.forward.changes.queue_steps = vec![size(2, 600)];
    let most = run(&spec).links[0].totals.window_max_packets;
    assert!((200..=600).contains(&most), "{most}");
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
