//! Applications that write in pieces: what they deliver follows from what they write.

use crate::*;

fn fixed_window(window: u64) -> FlowSpec {
    let mut flow = FlowSpec { window_packets: Some(window), ..flow("reno", 100) };
    flow.transport.insert("idle_restart".into(), "none".into());
    flow.transport.insert("initial_window".into(), window.into());
    flow
}

/// A window of 20 packets per 100 ms, 5 s on and 1 s off: 50 windows in every 6 s. On 100 Mbit/s a round trip is at most 0.36 ms longer than the base
/// RTT (a pair of packets waits for its second), so that the fiftieth window leaves by 49 x 100.36 ms + 2.4 ms < 5 s: exactly 1000 packets per turn.
#[test]
fn on_and_off_deliver_a_window_per_round_trip_while_on() {
    let writes = Some(WritesSpec::OnOff { on_ns: 5 * SECOND, off_ns: SECOND });
    let records = run(&Spec { warmup_ns: 0, ..spec(100, 1000, 60, vec![FlowSpec { writes, ..fixed_window(20) }]) });
    assert_eq!((records.flows[0].at_end.sent, records.flows[0].at_end.delivered), (10_000, 10_000));
    assert!(records.flows[0].completed_s.is_nan());
}

/// The same in reverse, over a real link and beside nothing but its ACKs.
#[test]
fn on_and_off_work_in_reverse() {
    let writes = Some(WritesSpec::OnOff { on_ns: 5 * SECOND, off_ns: SECOND });
    let flow = FlowSpec { writes, direction: Direction::Reverse, ..fixed_window(20) };
    let mut spec = Spec { warmup_ns: 0, ..spec(100, 1000, 60, vec![flow]) };
    spec.reverse = Some(spec.forward.clone());
    assert_eq!(run(&spec).flows[0].at_end.delivered, 10_000);
}

/// Chunks of 1 MB every 2 s, 15 of them in 30 s, on a link that carries one in a fifth of that time: floor(15 MB / 1448) segments, nothing lost.
#[test]
fn chunks_deliver_what_was_written() {
    let writes = Some(WritesSpec::Chunks { rate_bps: 4_000_000, every_ns: 2 * SECOND });
    let mut spec = Spec { warmup_ns: 0, sample_ns: SECOND, ..spec(50, 2000, 30, vec![FlowSpec { writes, ..flow("cubic", 40) }]) };
    let records = run(&spec);
    let totals = records.flows[0].at_end;
    assert_eq!((totals.sent, totals.delivered, totals.retransmitted), (10_359, 10_359, 0));
    // A second after each chunk all of it is there, and nothing of the next: floor(n MB / 1448) segments.
    let columns = records.flow_samples.columns();
    let at_odd_seconds: Vec<u64> = columns.delivered_bytes.iter().skip(1).step_by(2).map(|bytes| bytes / 1448).collect();
    assert_eq!(at_odd_seconds, (1..=15).map(|chunks| chunks * 1_000_000 / 1448).collect::<Vec<u64>>());

    // 2.5 MB: all written with the third chunk, at 4 s, and across before the fourth would come.
    spec.flows[0].bytes = Some(2_500_000);
    let row = &run(&spec).flows[0];
    assert_eq!(row.at_end.delivered, 2_500_000_u64.div_ceil(1448));
    assert!(row.completed_s > 4.1 && row.completed_s < 5.0, "{}", row.completed_s);
}

/// A link of a fifth of the application's rate: the application never limits, and the flow is as one that always has more.
#[test]
fn an_application_that_is_ahead_does_not_limit() {
    let writes = Some(WritesSpec::Chunks { rate_bps: 50_000_000, every_ns: SECOND / 2 });
    let spec = |writes| spec(10, 60, 60, vec![FlowSpec { writes, ..flow("reno", 40) }]);
    let (limited, free) = (run(&spec(writes)), run(&spec(None)));
    assert_eq!(limited.flows[0].at_end.delivered, free.flows[0].at_end.delivered);
}

/// BBR knows 50 Mbit/s, 4167 segments per second, from its first seconds. Chunks of 1 MB leave in 160 ms, and their tails are limited by the application:
/// such samples count only if higher, and the estimate stays. Tolerance: a tenth, for what aggregation of ACKs adds or takes.
#[test]
fn a_law_of_the_rate_does_not_take_the_application_for_the_path() {
    let writes = Some(WritesSpec::Chunks { rate_bps: 4_000_000, every_ns: 2 * SECOND });
    let records = run(&Spec { warmup_ns: 0, sample_ns: 100 * MS, ..spec(50, 2000, 60, vec![FlowSpec { writes, ..flow("bbr", 40) }]) });
    let totals = records.flows[0].at_end;
    assert_eq!(totals.delivered, 30 * 1_000_000 / 1448);
    let columns = records.flow_samples.columns();
    let bw = columns.variables.iter().find(|(name, _)| *name == "bw_segments_s").map(|(_, cells)| cells.clone()).expect("an estimate");
    let late = &bw[bw.len() / 2..];
    assert!(late.iter().all(|&bw| (3900.0..4600.0).contains(&bw)), "{late:?}");
}
