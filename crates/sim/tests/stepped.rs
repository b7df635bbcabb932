//! A run in steps is the run without them, and a window that is set from outside is kept.

mod common;

use serde_json::json;
use sim::{run, Act, Action, Agents, Reading, Spec, Stepped, Stride, COLUMNS};
use units::Duration;

/// 8 Mbit/s, 1000-byte packets of 960 bytes of payload, 100 ms: 100 packets fill the path, and a packet takes a millisecond at the link.
const RTT_S: f64 = 0.1;
const SERVICE_S: f64 = 0.001;
const PAYLOAD_BITS: f64 = 960.0 * 8.0;

fn spec(queue: u64) -> Spec {
    let flow = json!({ "algorithm": "reno", "rtt_ns": 100_000_000, "mss_bytes": 960, "packet_bytes": 1000 });
    Spec::from_json(
        &json!({
            "seed": 1,
            "duration_ns": 20_000_000_000_u64,
            "forward": { "rate_bps": 8_000_000, "queue": { "unit": "packets", "limit": queue } },
            "flows": [flow],
        })
        .to_string(),
    )
    .expect("a scenario")
}

fn agents(act: Act, is_paced: bool) -> Agents {
    Agents { flows: vec![0], action: Some(Action { act, window_max: 1024.0, is_paced }), stride: Stride::Rtts(1.0) }
}

fn column(row: &Reading, name: &str) -> f64 {
    row[COLUMNS.iter().position(|column| *column == name).expect("a column")]
}

/// The window at which `Act::Window` puts 2 to the power of `log`.
fn window(log: f64) -> [[f64; 2]; 1] {
    [[log / 5.0 - 1.0, 0.0]]
}

/// Random scenarios, in 37 steps each: with flows of several paths, a reverse link, samples and losses; then queues that decide late, hops, and transfers.
#[test]
fn a_run_in_steps_has_the_records_of_the_whole_run() {
    let kinds: [fn(u64) -> Spec; 3] = [common::scenario, common::scenario_with_hops, common::scenario_with_arrivals];
    for (kind, scenario) in kinds.into_iter().enumerate() {
        for index in 0..40 {
            let given = scenario(index);
            let given = Spec { sample_ns: given.duration_ns / 50, record_drops: true, ..given };
            let whole = run(&given, || false).expect("the scenario is accepted");
            let stride = Stride::Time(Duration(given.duration_ns / 37));
            let (mut stepped, _) = Stepped::new(given, Agents { flows: vec![], action: None, stride }).expect("the scenario is accepted");
            let mut steps = 1;
            while !stepped.is_over() {
                stepped.step(&[]).expect("it goes on");
                steps += 1;
            }
            assert!((37..=38).contains(&steps), "{steps}");
            let in_steps = stepped.finish().expect("it ends");
            assert_eq!(format!("{whole:?}"), format!("{in_steps:?}"), "scenario {index} of kind {kind}");
        }
    }
}

/// Below what fills the path a window has its own rate, `cwnd / RTT`, and no queue.
#[test]
fn a_small_window_has_its_rate_and_no_queue() {
    let (mut stepped, first) = Stepped::new(spec(1000), agents(Act::Window, false)).expect("accepted");
    assert_eq!(column(&first[0], "cwnd_packets"), 10.0, "until something is set the initial window stands");
    let mut row = first[0];
    (0..20).for_each(|_| row = stepped.step(&window(5.0)).expect("goes on")[0]);
    // 32 packets per round trip; ACKs come two by two, so that one more or less falls into a step.
    let rate_bps = 32.0 * PAYLOAD_BITS / column(&row, "rtt_min_s");
    assert!((column(&row, "rate_bps") / rate_bps - 1.0).abs() < 2.0 / 32.0, "{row:?}");
    // A burst of two waits for itself alone; of the first window there is nothing left.
    assert!(column(&row, "rtt_s") < RTT_S + 3.0 * SERVICE_S, "{row:?}");
    assert_eq!(column(&row, "lost_packets"), 0.0);
    assert_eq!(column(&row, "log_window"), 5.0);
}

/// What is more than the path holds waits: the RTT is `cwnd` services, the rate the link's.
#[test]
fn a_large_window_stands_in_the_queue() {
    let (mut stepped, _) = Stepped::new(spec(1000), agents(Act::Window, false)).expect("accepted");
    let mut row = [0.0; COLUMNS.len()];
    (0..60).for_each(|_| row = stepped.step(&window(8.0)).expect("goes on")[0]);
    assert!((column(&row, "rtt_s") / (256.0 * SERVICE_S) - 1.0).abs() < 0.02, "{row:?}");
    assert!((column(&row, "rate_bps") / (PAYLOAD_BITS / SERVICE_S) - 1.0).abs() < 0.03, "{row:?}");
    assert!((column(&row, "latency_ratio") - (column(&row, "rtt_s") / column(&row, "rtt_min_s") - 1.0)).abs() < 1e-9, "{row:?}");
}

/// A queue of 20 packets beside 100 on the path: of a window of 256 more than half are lost at first, and no loss makes the window smaller.
#[test]
fn losses_are_read_and_change_nothing() {
    let (mut stepped, _) = Stepped::new(spec(20), agents(Act::Window, false)).expect("accepted");
    let rows: Vec<_> = (0..40).map(|_| stepped.step(&window(8.0)).expect("goes on")[0]).collect();
    let lost: f64 = rows.iter().map(|row| column(row, "lost_packets")).sum();
    let records = stepped.finish().expect("it ends");
    assert!(lost > 100.0 && lost <= records.flows[0].at_end.sent as f64, "{lost}");
    assert!(rows.iter().any(|row| column(row, "loss") > 0.3), "{rows:?}");
    assert!(records.flows[0].at_end.loss_episodes > 0);
    let kept = rows.iter().filter(|row| column(row, "cwnd_packets") == 256.0).count();
    assert!(kept * 10 >= rows.len() * 8, "a timeout alone takes the window, until the next ACK: {kept} of {}", rows.len());
}

/// Half of what `cwnd / RTT` would be, and with it half of the window is under way.
#[test]
fn a_paced_flow_leaves_at_its_rate() {
    let (mut stepped, _) = Stepped::new(spec(1000), agents(Act::Window, true)).expect("accepted");
    let mut row = [0.0; COLUMNS.len()];
    // 4 to the power of -1/2 is a half.
    (0..30).for_each(|_| row = stepped.step(&[[6.0 / 5.0 - 1.0, -0.5]]).expect("goes on")[0]);
    let rate_bps = 32.0 * PAYLOAD_BITS / column(&row, "rtt_s");
    assert!((column(&row, "rate_bps") / rate_bps - 1.0).abs() < 0.05, "{row:?}");
}

/// Octaves are doublings of what was set last.
#[test]
fn a_factor_doubles_and_halves() {
    let (mut stepped, _) = Stepped::new(spec(1000), agents(Act::Factor { octaves: 1.0 }, false)).expect("accepted");
    let mut set = |action: f64| column(&stepped.step(&[[action, 0.0]]).expect("goes on")[0], "cwnd_packets");
    assert_eq!([set(1.0), set(1.0), set(-1.0), set(0.0), set(-1.0), set(-1.0)], [20.0, 40.0, 20.0, 20.0, 10.0, 5.0]);
    let ends: Vec<f64> = (0..20).map(|_| set(1.0)).collect();
    assert_eq!(ends[19], 1024.0, "no window is larger than the largest");
    let ends: Vec<f64> = (0..20).map(|_| set(-7.0)).collect();
    assert_eq!(ends[19], 1.0, "no action is below -1, no window below one segment");
}

/// The reading of a flow with a law of its own: Reno's window over time, from its own records.
#[test]
fn a_law_of_its_own_is_read() {
    let given = spec(100);
    let whole = run(&given, || false).expect("accepted");
    let watched = Agents { action: None, ..agents(Act::Window, false) };
    let (mut stepped, first) = Stepped::new(given, watched).expect("accepted");
    let mut rows = first;
    while !stepped.is_over() {
        rows.extend(stepped.step(&[]).expect("goes on"));
    }
    let delivered: f64 = rows.iter().map(|row| column(row, "delivered_packets")).sum();
    // The last quarter of a base RTT, 25 packets, belongs to the ACKs that are on their way to the sender when the run ends.
    let after = whole.flows[0].at_end.delivered - delivered as u64;
    assert!((24..=26).contains(&after), "{after}");
    let steps_s: f64 = rows.iter().map(|row| column(row, "step_s")).sum();
    assert!((steps_s - 20.0).abs() < 0.2, "{steps_s}");
}

#[test]
fn what_cannot_be_acted_for_is_refused() {
    let refused = |given: Spec, flows: Vec<usize>| {
        let agents = Agents { flows, ..agents(Act::Window, false) };
        Stepped::new(given, agents).map(|_| ()).expect_err("refused").to_string()
    };
    assert_eq!(refused(spec(10), vec![1]), "agents: 1 is not allowed; the scenario has 1 flows");
    let short = Spec { duration_ns: 50_000_000, ..spec(10) };
    assert_eq!(refused(short, vec![0]), "duration: 0.05 is not allowed; give flows that are acted for the time of a few round trips");
}
