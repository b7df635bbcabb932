//! Simulations held against closed forms. Each test's comment says where its tolerance comes from.

mod ack_filter;
mod areno;
mod bbr;
mod bbr3;
mod buffers;
mod changes;
mod conservation;
mod convergence;
mod copa;
mod ctcp;
mod datagrams;
mod dctcp;
mod disorder;
mod equilibrium;
mod fast_bqd;
mod fast_bursts;
mod fast_links;
mod handshakes;
mod hosts;
mod illinois;
mod loss_models;
mod low_priority;
mod parking_lot;
mod parking_lot_disorder;
mod parking_lot_hosts;
mod parking_lot_transfers;
mod prague;
mod ptcp;
mod queues;
mod random_loss;
mod requests;
mod rtt_errors;
mod sawtooth;
mod slow_start;
mod synthetic;
mod timers;
mod transfers;
mod two_way;
mod vegas;
mod video;
mod westwood;
mod writes;

#[path = "../common/build.rs"]
mod build;

use build::{dumbbell, flow, MS};
use sim::{
    AmongSpec, DelayStep, Direction, DisciplineChoice, DisorderSpec, EventKind, FlowSpec, HopSpec, LinkSpec, LossModelSpec, LossSpec,
    Outage, QueueSpec, QueueStep, QueueUnit, RateStep, Records, Spec, StretchSpec, UdpSpec, WaveSpec, WritesSpec,
};

pub(crate) const SECOND: u64 = 1000 * MS;

/// A dumbbell whose means leave out the first third of the run.
pub(crate) fn spec(mbit_s: u64, queue_packets: u64, seconds: u64, flows: Vec<FlowSpec>) -> Spec {
    Spec { warmup_ns: seconds * SECOND / 3, ..dumbbell(mbit_s, queue_packets, seconds, flows) }
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
