//! P-TCP: sixteen Reno connections as one application.

use crate::*;

const STREAMS: usize = 16;

/// Sixteen connections, started within 10 ms as an application's are, then `others`.
fn application(others: Vec<FlowSpec>) -> Vec<FlowSpec> {
    let stream = |number: usize| FlowSpec { start_ns: number as u64 * 10 * MS / 16, jitter_ns: MS, ..flow("ptcp", 60) };
    (0..STREAMS).map(stream).chain(others).collect()
}

/// 1.31/sqrt(p) is Reno's mean window under random loss; sixteen of them, each with its own losses, have sixteen times that: 2096 segments at
/// p = 1e-4. (Periodic loss, 1.2247: 1960.) Within 5 %: 1600 s of stream time hold some 1600 losses, whose intervals' spread makes 2.5 % of a
/// standard error at most, and recoveries cost a round trip of some 65.
#[test]
fn streams_add_up_under_random_loss() {
    let mut spec = spec(10_000, 100_000, 150, application(vec![]));
    spec.forward.loss_probability = 1e-4;
    let records = run(&spec);
    let window: f64 = records.flows.iter().map(sim::FlowRow::mean_cwnd).sum();
    assert_near(window, 16.0 * 131.0, 0.05, "segments of all streams");
}

/// Against one Reno connection: 16 : 1, so Jain's index of the two applications is 17^2/(2 (16^2 + 1)) = 0.562 and the asymmetry 15/17.
/// Connections of one RTT share evenly in the mean; how evenly in 400 s, the seeds' spread says: within a third.
#[test]
fn an_application_takes_what_its_streams_take() {
    let reno = FlowSpec { jitter_ns: MS, ..flow("reno", 60) };
    let records = run(&spec(100, 500, 600, application(vec![reno])));
    let delivered: Vec<f64> = records.flows.iter().map(|row| (row.at_end.delivered - row.at_window.delivered) as f64).collect();
    let application: f64 = delivered[..STREAMS].iter().sum();
    assert_near(application / delivered[STREAMS], 16.0, 0.33, "shares");
}

#[test]
fn the_engine_takes_connections_one_by_one() {
    let whole = FlowSpec { parameters: [("streams".to_owned(), 4.0)].into(), ..flow("ptcp", 60) };
    let error = sim::run(&dumbbell(100, 500, 1, vec![whole]), || false).expect_err("not a connection");
    assert!(error.to_string().contains("give each of its connections as a flow"), "{error}");
}
