//! Segments that arrive late or twice at the next of several bottlenecks in a row.

use crate::parking_lot::crossing;
use crate::*;

/// Everything, but for what no run gets to see.
const ALL: f64 = 1.0 - 1e-12;

/// Hops of 1 Gbit/s, 12 us a packet, 1 ms apart, where this happens behind each.
fn hops(disorder: &[DisorderSpec], flows: Vec<FlowSpec>) -> Spec {
    let first = Spec { warmup_ns: 0, ..spec(1000, 10_000, 10, flows) };
    let link = |disorder| LinkSpec { disorder, ..first.forward.clone() };
    let further = disorder[1..].iter().map(|&disorder| HopSpec { delay_ns: MS, link: link(disorder) });
    Spec { forward: link(disorder[0]), hops: further.collect(), ..first.clone() }
}

fn late(late_probability: f64, late_ns: u64) -> DisorderSpec {
    DisorderSpec { late_probability, late_ns, double_probability: 0.0 }
}

/// A lone segment is late behind each hop that it crosses, 5, 7 and 11 ms, and nowhere else.
#[test]
fn a_segment_is_late_behind_every_hop_it_crosses() {
    let disorder = [late(ALL, 5 * MS), late(ALL, 7 * MS), late(ALL, 11 * MS)];
    for (enter, leave, late_ms) in [(1, 3, 23), (1, 2, 12), (2, 3, 18), (1, 1, 5), (3, 3, 11)] {
        let lone = FlowSpec { bytes: Some(1448), ..flow("reno", 100) };
        let records = run(&hops(&disorder, vec![crossing(enter, leave, lone)]));
        let transmissions_ns = 12_000 * u64::from(1 + leave - enter);
        let expected_s = (100 * MS + transmissions_ns + late_ms * MS) as f64 * 1e-9;
        assert_near(records.flows[0].completed_s, expected_s, 1e-9, &format!("from hop {enter} to {leave}"));
    }
}

/// Every segment is doubled behind the first hop, and each of the two behind the second: the hops carry n, 2n and 4n. Of the flow's books
/// none of it is seen: it sends each packet once, and delivers it once.
#[test]
fn a_copy_takes_room_at_the_hops_behind() {
    let twice = DisorderSpec { double_probability: ALL, ..DisorderSpec::default() };
    let flow = FlowSpec { bytes: Some(5000 * 1448), window_packets: Some(30), ..flow("reno", 40) };
    let records = run(&hops(&[twice, twice, DisorderSpec::default()], vec![flow]));
    let carried: Vec<u64> = records.links.iter().map(|link| link.totals.delivered_bytes / 1500).collect();
    assert_eq!(carried, [5000, 10_000, 20_000]);
    let row = &records.flows[0];
    assert_eq!((row.at_end.sent, row.at_end.retransmitted, row.at_end.delivered, row.lost_packets), (5000, 0, 5000, 0));
}

/// As behind one link: a first hop of 12 Mbit/s sends a packet in a millisecond, and one that is 2.5 ms late is overtaken by two, which is no
/// loss; of those that are 30 ms late the first few are sent again, until RACK's window has grown, and every reduction is undone.
#[test]
fn the_order_that_one_hop_disturbs_is_disturbed_behind_the_next() {
    let disturbed = |late_ns| {
        let flow = FlowSpec { window_packets: Some(50), ..flow("reno", 40) };
        let mut spec = Spec { duration_ns: 60 * SECOND, ..hops(&[late(0.02, late_ns), DisorderSpec::default()], vec![flow]) };
        spec.forward.rate_bps = 12_000_000;
        run(&spec)
    };
    let little = disturbed(5 * MS / 2);
    let row = &little.flows[0];
    assert_eq!((row.at_end.retransmitted, row.at_end.loss_episodes, row.lost_packets), (0, 0, 0));
    let much = disturbed(30 * MS);
    let row = &much.flows[0];
    let (late, again) = (0.02 * row.at_end.sent as f64, row.at_end.retransmitted as f64);
    assert!(again > 0.0 && again < 0.05 * late, "{again} sent again, {late} late");
    assert_eq!(row.lost_packets, 0);
    assert_eq!(row.at_end.undos, row.at_end.loss_episodes, "{:?}", row.at_end);
}
