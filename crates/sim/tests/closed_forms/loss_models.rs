//! Loss with a memory, seen from a flow.

use crate::*;

fn lossy(model: LossModelSpec, seconds: u64) -> Spec {
    let mut spec = Spec { warmup_ns: 0, ..spec(100, 1000, seconds, vec![flow("reno", 40)]) };
    spec.forward.losses = vec![LossSpec { among: AmongSpec::Data, model }];
    spec.record_drops = true;
    spec
}

/// Mathis, Semke, Mahdavi and Ott (CCR 27(3), 1997), equation 3: with one loss per 1/p packets the window swings between W/2 and W, so that
/// 3/8 W^2 b packets go from one to the next, where an ACK stands for b = 2 and the window counts every packet (byte counting): b = 1. The
/// mean window is 3/4 W = sqrt(3/(2p)). A loss is heard of a round trip late, a segment more; recovery holds the window for a round trip of
/// the W/2 that an epoch lasts, W = 115: 2 % each.
#[test]
fn reno_under_periodic_loss_swings_as_mathis_says() {
    let every = 5_000;
    let mut spec = lossy(LossModelSpec::Periodic { every, first: 100 }, 300);
    spec.warmup_ns = 30 * SECOND;
    let records = run(&spec);
    let row = &records.flows[0];
    assert_near(row.mean_cwnd(), (1.5 * every as f64).sqrt(), 0.04, "mean window");
    assert_eq!(records.links[0].totals.lost, 1 + (row.at_end.sent - 100) / every);
    assert_no_timeouts(&records);
}

/// The third and the fortieth packet of the flow are lost, and nothing else.
#[test]
fn a_script_loses_what_is_on_it() {
    let spec = lossy(LossModelSpec::Scripted { flow: Some(0), packets: vec![3, 40] }, 5);
    let records = run(&spec);
    let row = &records.flows[0];
    assert_eq!((row.lost_packets, row.at_end.retransmitted, records.links[0].totals.lost), (2, 2, 2));
    let drops = records.events.iter().filter(|event| event.kind == EventKind::Drop).count();
    assert_eq!(drops, 2);
}

/// A second with probability 0.2: 5 s between losses on average, geometric, so that the deviation of the mean of n is sqrt(0.8)/0.2/sqrt(n)
/// seconds. A flow at any rate meets the same number of losses: this one sends 2000 to 8000 packets a second.
#[test]
fn loss_by_the_clock_comes_as_often_at_any_rate() {
    for mbit_s in [24, 96] {
        let mut spec = lossy(LossModelSpec::Timed { interval_ns: SECOND, probability: 0.2 }, 3600);
        spec.forward.rate_bps = mbit_s * 1_000_000;
        let lost = run(&spec).links[0].totals.lost as f64;
        let expected = 3600.0 * 0.2;
        let error = (3600.0_f64 * 0.2 * 0.8).sqrt();
        assert!((lost - expected).abs() < 4.0 * error, "{lost} losses, {expected} expected");
    }
}

/// Cumulative ACKs stand in for those that are lost: a third of them may go, and a window limited by the receiver, far from any queue, is
/// never cut. Fewer ACKs move the data in larger bursts, nothing else.
#[test]
fn lost_acks_alone_retransmit_nothing() {
    let mut spec = Spec { warmup_ns: 0, ..spec(100, 1000, 60, vec![FlowSpec { window_packets: Some(100), ..flow("reno", 40) }]) };
    let mut reverse = spec.forward.clone();
    reverse.losses = vec![LossSpec { among: AmongSpec::Acks, model: LossModelSpec::Periodic { every: 3, first: 3 } }];
    spec.reverse = Some(reverse);
    let records = run(&spec);
    let (row, back) = (&records.flows[0], records.links[1].totals);
    assert_eq!((row.at_end.retransmitted, row.at_end.timeouts, row.lost_packets), (0, 0, 0));
    assert!(back.lost > 10_000 && (back.lost as f64 / (back.lost + back.accepted) as f64 - 1.0 / 3.0).abs() < 1e-4, "{back:?}");
    // 100 packets in 40 ms and what the window's last segments wait for a delayed ACK: within 3 %.
    assert_near(row.window_goodput_bytes() as f64 / 1448.0 / 60.0, 100.0 / 0.04, 0.03, "packets per second");
}
