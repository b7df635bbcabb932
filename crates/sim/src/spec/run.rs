//! A run.

use serde::{Deserialize, Serialize};

use super::arrivals::{ArrivalSpec, SessionSpec};
use super::flow::FlowSpec;
use super::hops::HopSpec;
use super::host::HostSpec;
use super::link::LinkSpec;
use super::shared::Shared;
use super::traffic::UdpSpec;

/// A run.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Spec {
    /// Seed of every random stream.
    pub seed: u64,
    /// Simulated time.
    pub duration_ns: u64,
    /// Part left out of every mean.
    #[serde(default)]
    pub warmup_ns: u64,
    /// Sampling interval; 0 for no samples.
    #[serde(default)]
    pub sample_ns: u64,
    /// Record every ACK.
    #[serde(default)]
    pub per_ack: bool,
    /// Record every drop as an event.
    #[serde(default)]
    pub record_drops: bool,
    /// Record every mark as an event.
    #[serde(default)]
    pub record_marks: bool,
    /// The bottleneck.
    pub forward: LinkSpec,
    /// Further links in a row behind it.
    #[serde(default)]
    pub hops: Vec<HopSpec>,
    /// The reverse link; none when only ACKs use it, and no queue can form.
    #[serde(default)]
    pub reverse: Option<LinkSpec>,
    /// Hosts of senders.
    #[serde(default)]
    pub hosts: Vec<HostSpec>,
    /// The flows. Equal ones may be one: of very many flows most are.
    pub flows: Vec<Shared<FlowSpec>>,
    /// Sources of transfers that come and go.
    #[serde(default)]
    pub arrivals: Vec<ArrivalSpec>,
    /// Sessions of people who look at pages.
    #[serde(default)]
    pub sessions: Vec<SessionSpec>,
    /// Sources of datagrams beside them; numbered after the flows.
    #[serde(default)]
    pub traffic: Vec<UdpSpec>,
}

impl Spec {
    /// Flows over one link, without samples, warm-up or anything beside them.
    pub fn new(forward: LinkSpec, flows: Vec<Shared<FlowSpec>>, duration_ns: u64) -> Spec {
        Spec {
            seed: 1,
            duration_ns,
            warmup_ns: 0,
            sample_ns: 0,
            per_ack: false,
            record_drops: false,
            record_marks: false,
            forward,
            hops: Vec::new(),
            reverse: None,
            hosts: Vec::new(),
            flows,
            arrivals: Vec::new(),
            sessions: Vec::new(),
            traffic: Vec::new(),
        }
    }

    /// Reads a scenario from JSON. Serde's own functions do the same, and each program that calls them compiles a reader of its own.
    ///
    /// # Errors
    /// What is not JSON, or not a scenario: an unknown field, a missing one, a value of another type.
    pub fn from_json(text: &str) -> Result<Spec, serde_json::Error> {
        serde_json::from_str(text)
    }
}
