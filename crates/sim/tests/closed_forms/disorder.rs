//! Segments that arrive late or twice, seen from a flow.

use crate::*;

/// A window of 50 packets, one in 50 of them late.
fn late(late_ns: u64, seed: u64) -> Records {
    let flow = FlowSpec { window_packets: Some(50), ..flow("reno", 40) };
    let mut spec = Spec { warmup_ns: 0, seed, ..spec(12, 1000, 60, vec![flow]) };
    spec.forward.disorder = DisorderSpec { late_probability: 0.02, late_ns, double_probability: 0.0 };
    run(&spec)
}

/// At 1 ms a packet, one that is 2.5 ms late is overtaken by two: three duplicate ACKs would be needed, and RACK waits a quarter of the RTT.
#[test]
fn little_disorder_is_no_loss() {
    let row = &late(5 * MS / 2, 1).flows[0];
    assert_eq!((row.at_end.retransmitted, row.at_end.loss_episodes, row.lost_packets), (0, 0, 0));
}

/// 30 ms late: more than RACK's reordering window, a quarter of the 40 ms RTT. Late segments are sent again though nothing was lost; the
/// receiver reports each as a duplicate, and the window grows by a quarter of the RTT for it, once per round trip (RFC 8985 6.2 step 4): of some
/// thousand late segments only the first few are sent again. Every reduction is undone.
#[test]
fn much_disorder_is_mistaken_for_loss_and_undone() {
    for seed in 1..=3 {
        let records = late(30 * MS, seed);
        let row = &records.flows[0];
        assert_eq!((row.lost_packets, records.links[0].totals.lost), (0, 0));
        let late = 0.02 * row.at_end.sent as f64;
        let again = row.at_end.retransmitted as f64;
        assert!(again > 0.0 && again < 0.05 * late, "{again} sent again, {late} late");
        // The last reduction may be under way when the run ends.
        let reductions: Vec<_> =
            records.events.iter().filter(|event| matches!(event.kind, EventKind::LossEpisode | EventKind::Undo)).collect();
        let under_way = u64::from(reductions.last().is_some_and(|event| event.kind == EventKind::LossEpisode));
        assert_eq!(row.at_end.undos + under_way, row.at_end.loss_episodes, "{:?}", row.at_end);
    }
}

/// Copies are nothing to a sender with SACK: it retransmits nothing and delivers what it would without them, every packet once.
#[test]
fn copies_change_nothing_but_the_acks() {
    let books = |double_probability| {
        let flow = FlowSpec { bytes: Some(20_000 * 1448), window_packets: Some(30), ..flow("reno", 40) };
        let mut spec = Spec { warmup_ns: 0, ..spec(12, 1000, 60, vec![flow]) };
        spec.forward.disorder = DisorderSpec { double_probability, ..DisorderSpec::default() };
        run(&spec).flows[0].clone()
    };
    let (plain, doubled) = (books(0.0), books(0.05));
    assert_eq!((doubled.at_end.retransmitted, doubled.at_end.sent, doubled.at_end.delivered), (0, 20_000, 20_000));
    assert_near(doubled.completed_s, plain.completed_s, 0.02, "time of the transfer");
}
