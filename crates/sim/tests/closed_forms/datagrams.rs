//! Sources of datagrams: what they send is arithmetic, and what the link does to it too.

use crate::*;

/// A constant source beside a flow that starts too late to meet it.
fn source(rate_bps: u64, from_s: u64, to_s: u64) -> UdpSpec {
    let (start_ns, stop_ns) = (from_s * SECOND, Some(to_s * SECOND));
    UdpSpec { rate_bps, wave: None, packet_bytes: 1500, start_ns, stop_ns, direction: Direction::Forward, hops: StretchSpec::default() }
}

fn beside_nothing(mbit_s: u64, queue: u64, seconds: u64, traffic: Vec<UdpSpec>) -> Spec {
    let late = FlowSpec { start_ns: seconds * SECOND - 1, ..flow("reno", 40) };
    Spec { traffic, warmup_ns: 0, sample_ns: SECOND, ..spec(mbit_s, queue, seconds, vec![late]) }
}

/// 6 Mbit/s from 2 s to 5 s: a packet every 2 ms, 1500 of them, each 1 ms on a link of 12 Mbit/s: busy half of three seconds in ten, never
/// more than one in the queue, all out 1 ms after the last, at 4.999 s.
#[test]
fn a_sparse_source_finds_an_empty_link() {
    let records = run(&beside_nothing(12, 1, 10, vec![source(6_000_000, 2, 5)]));
    let (row, link) = (records.sources[0], &records.links[0]);
    assert_eq!((row.at_end.sent, row.at_end.delivered, row.lost_packets), (1500, 1500, 0));
    assert_eq!((link.totals.window_busy_ns, link.totals.window_max_packets), (1_500 * MS, 1));
    // The packet of second n leaves a millisecond later.
    let samples = &records.source_samples;
    assert_eq!(samples.t_ns, (2..=10).map(|t| t * SECOND).collect::<Vec<_>>());
    assert_eq!(samples.delivered_bytes, [0, 500, 1000, 1500, 1500, 1500, 1500, 1500, 1500].map(|packets| packets * 1472));
}

/// At the link's own rate a packet leaves at every millisecond on the dot, the one at a sampling time included: 1000 more every second.
#[test]
fn what_leaves_at_a_sampling_time_is_delivered() {
    let records = run(&beside_nothing(12, 1, 6, vec![source(12_000_000, 2, 5)]));
    assert_eq!(records.source_samples.delivered_bytes, [0, 1000, 2000, 3000, 3000].map(|packets| packets * 1472));
}

/// A burst of 36 Mbit/s into 12 Mbit/s and 100 packets of queue, for 1 s: 3000 packets come, three per millisecond, one leaves in each, so that
/// two in three are refused once the queue is full. 1000 leave during the second and the 100 that wait then after it, to one packet.
#[test]
fn a_burst_fills_the_queue_and_loses_the_rest() {
    let records = run(&Spec { record_drops: true, ..beside_nothing(12, 100, 10, vec![source(36_000_000, 3, 4)]) });
    let (row, totals) = (records.sources[0], records.links[0].totals);
    assert_eq!(row.at_end.sent, 3000);
    assert!(row.at_end.delivered.abs_diff(1100) <= 1, "{} delivered", row.at_end.delivered);
    assert_eq!((row.lost_packets, totals.dropped), (3000 - row.at_end.delivered, row.lost_packets));
    let of_source = |kind| records.events.iter().filter(move |event| event.flow == 1 && event.kind == kind).map(|event| event.t_ns);
    assert_eq!(of_source(EventKind::Drop).count() as u64, row.lost_packets);
    assert_eq!(of_source(EventKind::Start).chain(of_source(EventKind::Stop)).collect::<Vec<_>>(), [3 * SECOND, 4 * SECOND]);
    assert_eq!((totals.window_max_packets, totals.window_delivered_bytes), (100, row.at_end.delivered * 1500));
}

/// What a source takes is missing to a flow that fills the link: 5 of 20 Mbit/s. The queue, 2 BDP, never runs dry, so that nothing else is lost:
/// tolerance is the losses of the source, below 1 %.
#[test]
fn a_flow_has_what_a_source_leaves() {
    let mut spec = spec(20, 134, 90, vec![flow("reno", 40)]);
    spec.traffic = vec![UdpSpec { stop_ns: None, ..source(5_000_000, 0, 1) }];
    let records = run(&spec);
    let (row, tcp) = (records.sources[0], &records.flows[0]);
    let udp_bps = (row.at_end.delivered - row.at_window.delivered) as f64 * 12_000.0 / row.window_s;
    assert_near(udp_bps, 5e6, 0.01, "rate of the source");
    let tcp_bps = (tcp.at_end.delivered - tcp.at_window.delivered) as f64 * 12_000.0 / tcp.window_s;
    assert_near(tcp_bps + udp_bps, 20e6, 0.001, "rate of both");
}

/// With a sine of 4 +- 2 Mbit/s and a period of 30 s a link of 10 Mbit/s carries the mean, and more of it in the first half of the period than
/// in the second: bits by half a period are mean x 15 s + amplitude x 30 s / pi.
#[test]
fn a_sine_of_half_a_minute_carries_its_mean() {
    let wave = Some(WaveSpec { amplitude_bps: 2_000_000, period_ns: 30 * SECOND });
    let records = run(&beside_nothing(10, 10, 120, vec![UdpSpec { wave, packet_bytes: 52, stop_ns: None, ..source(4_000_000, 0, 1) }]));
    let bits_by = |second: usize| records.source_samples.delivered_bytes[second] as f64 / 24.0 * 416.0;
    // A packet in 150 000, and the one on the link.
    assert_near(bits_by(15), 4e6 * 15.0 + 2e6 * 30.0 / std::f64::consts::PI, 2e-5, "half a period");
    assert_near(bits_by(30), 4e6 * 30.0, 2e-5, "a period");
    assert_near(bits_by(120), 4e6 * 120.0, 2e-5, "four periods");
    assert_eq!(records.sources[0].lost_packets, 0);
}

/// Reverse data needs the reverse link, and shares it with the ACKs.
#[test]
fn a_reverse_source_uses_the_reverse_link() {
    let mut spec = beside_nothing(12, 10, 10, vec![UdpSpec { direction: Direction::Reverse, ..source(6_000_000, 2, 5) }]);
    spec.reverse = Some(spec.forward.clone());
    let records = run(&spec);
    assert_eq!(records.sources[0].at_end.delivered, 1500);
    assert_eq!(records.links[1].totals.delivered_bytes, 1500 * 1500);
    assert_eq!(records.links[0].totals.delivered_bytes, 0);
}
