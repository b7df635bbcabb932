//! Simulations held against closed forms. Each test's comment says where its tolerance comes from.

mod conservation;
mod convergence;
mod random_loss;
mod sawtooth;
mod timers;

use std::collections::BTreeMap;

use sim::{Direction, EventKind, FlowSpec, LinkSpec, QueueSpec, QueueUnit, Records, Spec};

pub(crate) const SECOND: u64 = 1_000_000_000;
pub(crate) const MS: u64 = 1_000_000;

pub(crate) fn flow(algorithm: &str, rtt_ms: u64) -> FlowSpec {
    FlowSpec {
        algorithm: algorithm.into(),
        variant: None,
        profile: "linux-6.1".into(),
        parameters: BTreeMap::new(),
        transport: BTreeMap::new(),
        rtt_ns: rtt_ms * MS,
        start_ns: 0,
        stop_ns: None,
        bytes: None,
        window_packets: None,
        direction: Direction::Forward,
        jitter_ns: 0,
        mss_bytes: 1448,
        packet_bytes: 1500,
    }
}

/// A dumbbell without a real reverse link; the first third of the run is left out of the means.
pub(crate) fn spec(mbit_s: u64, queue_packets: u64, seconds: u64, flows: Vec<FlowSpec>) -> Spec {
    let queue = QueueSpec { unit: QueueUnit::Packets, limit: queue_packets };
    Spec {
        seed: 1,
        duration_ns: seconds * SECOND,
        warmup_ns: seconds * SECOND / 3,
        sample_ns: 0,
        per_ack: false,
        record_drops: false,
        forward: LinkSpec { rate_bps: mbit_s * 1_000_000, queue, excludes_in_service: false, loss_probability: 0.0 },
        reverse: None,
        flows,
    }
}

pub(crate) fn run(spec: &Spec) -> Records {
    sim::run(spec, || false).expect("a legal scenario")
}

/// A back-off: seconds, cwnd before, ssthresh after.
#[derive(Clone, Copy, Debug)]
pub(crate) struct BackOff {
    pub(crate) at_s: f64,
    pub(crate) cwnd: f64,
    pub(crate) ssthresh: f64,
}

/// The back-offs of a flow after the warm-up.
pub(crate) fn back_offs(spec: &Spec, records: &Records, flow: i32) -> Vec<BackOff> {
    let events = records.events.iter();
    let own = events.filter(|event| event.flow == flow && event.kind == EventKind::LossEpisode && event.t_ns >= spec.warmup_ns);
    own.map(|event| BackOff { at_s: event.t_ns as f64 * 1e-9, cwnd: event.value, ssthresh: event.value2 }).collect()
}

pub(crate) fn assert_no_timeouts(records: &Records) {
    for (index, row) in records.flows.iter().enumerate() {
        assert_eq!((row.at_end.timeouts, row.at_end.undos), (0, 0), "timeouts and undos of flow {index}, {}", row.algorithm);
    }
}

/// `|value / expected - 1| <= tolerance`.
#[track_caller]
pub(crate) fn assert_near(value: f64, expected: f64, tolerance: f64, what: &str) {
    assert!((value / expected - 1.0).abs() <= tolerance, "{what}: {value} is not within {tolerance} of {expected}");
}
