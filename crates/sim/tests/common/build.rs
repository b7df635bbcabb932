//! A scenario to start from: change what the test is about.

use std::collections::BTreeMap;

use sim::{ChangesSpec, Direction, DisorderSpec, FlowSpec, LinkSpec, QueueSpec, QueueUnit, Spec, StretchSpec};

/// A millisecond in nanoseconds.
pub const MS: u64 = 1_000_000;

/// An endless flow of today's Linux, without jitter.
pub fn flow(algorithm: &str, rtt_ms: u64) -> FlowSpec {
    FlowSpec {
        algorithm: algorithm.into(),
        variant: None,
        profile: "linux-6.1".into(),
        parameters: BTreeMap::new(),
        slow_start: None,
        transport: BTreeMap::new(),
        rtt_ns: rtt_ms * MS,
        start_ns: 0,
        handshake: false,
        stop_ns: None,
        bytes: None,
        window_packets: None,
        window_bytes: None,
        direction: Direction::Forward,
        jitter_ns: 0,
        mss_bytes: 1448,
        packet_bytes: 1500,
        host: None,
        writes: None,
        requests: None,
        receive: None,
        hops: StretchSpec::default(),
        stack: None,
        streams: None,
        turn_ns: 0,
    }
}

/// A dumbbell without a real reverse link, samples or warm-up.
pub fn dumbbell(mbit_s: u64, queue_packets: u64, seconds: u64, flows: Vec<FlowSpec>) -> Spec {
    let queue = QueueSpec { unit: QueueUnit::Packets, limit: queue_packets };
    Spec {
        seed: 1,
        duration_ns: seconds * 1000 * MS,
        warmup_ns: 0,
        sample_ns: 0,
        per_ack: false,
        record_drops: false,
        record_marks: false,
        forward: LinkSpec {
            rate_bps: mbit_s * 1_000_000,
            queue,
            excludes_in_service: false,
            loss_probability: 0.0,
            mark: None,
            discipline: None,
            losses: Vec::new(),
            changes: ChangesSpec::default(),
            disorder: DisorderSpec::default(),
        },
        hops: Vec::new(),
        reverse: None,
        hosts: Vec::new(),
        flows: sim::share(flows.into_iter()),
        arrivals: Vec::new(),
        sessions: Vec::new(),
        traffic: Vec::new(),
    }
}
