//! A scenario to start from: change what the test is about.

use sim::{FlowSpec, LinkSpec, QueueSpec, QueueUnit, Spec};

/// A millisecond in nanoseconds.
pub const MS: u64 = 1_000_000;

/// An endless flow of today's Linux, without jitter.
pub fn flow(algorithm: &str, rtt_ms: u64) -> FlowSpec {
    FlowSpec::new(algorithm, rtt_ms * MS)
}

/// A dumbbell without a real reverse link, samples or warm-up.
pub fn dumbbell(mbit_s: u64, queue_packets: u64, seconds: u64, flows: Vec<FlowSpec>) -> Spec {
    let queue = QueueSpec { unit: QueueUnit::Packets, limit: queue_packets };
    Spec::new(LinkSpec::new(mbit_s * 1_000_000, queue), sim::share(flows.into_iter()), seconds * 1000 * MS)
}
