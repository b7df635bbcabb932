//! The whole of it.

use serde::{Deserialize, Serialize};
use serde_json::json;

use super::{by_default, is_default, Arrivals, Flow, Hop, Host, Link, Sessions, Udp, PROFILE};

/// Flows through one bottleneck, or several in a row, and everything that decides the result.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Scenario {
    /// The forward link.
    pub bottleneck: Link,
    /// Further forward links in a row behind it.
    #[serde(default, skip_serializing_if = "is_default")]
    pub hops: Vec<Hop>,
    /// The flows.
    #[serde(default)]
    pub flows: Vec<Flow>,
    /// The reverse link. When absent, ACKs return without a queue; if data goes in reverse, it is a link of the same rate and queue.
    #[serde(default)]
    pub reverse: Option<Link>,
    /// Base round-trip time of flows that name none, seconds.
    #[serde(default)]
    pub rtt_s: Option<f64>,
    /// Length of the run, seconds.
    #[serde(default = "a_minute")]
    pub duration_s: f64,
    /// First part left out of every mean, seconds.
    #[serde(default)]
    pub warmup_s: f64,
    /// Seed of every random draw.
    #[serde(default = "one")]
    pub seed: u64,
    /// Sampling interval, seconds; 0 for none.
    #[serde(default = "ten_milliseconds")]
    pub sample_s: f64,
    /// Largest delay of an ACK, seconds; none for the default rule.
    #[serde(default)]
    pub jitter_s: Option<f64>,
    /// Stack profile of flows that name none.
    #[serde(default = "profile")]
    pub profile: String,
    /// Whether flows and transfers that do not say so begin with a handshake; transfers alone when absent.
    #[serde(default, skip_serializing_if = "is_default")]
    pub handshake: Option<bool>,
    /// The host of the senders: one for each, or one for all if it is shared.
    #[serde(default, skip_serializing_if = "is_default")]
    pub host: Option<Host>,
    /// Record every ACK.
    #[serde(default)]
    pub per_ack: bool,
    /// Record every drop.
    #[serde(default)]
    pub record_drops: bool,
    /// Record every congestion mark.
    #[serde(default, skip_serializing_if = "is_default")]
    pub record_marks: bool,
    /// Sources of transfers that come and go.
    #[serde(default, skip_serializing_if = "is_default")]
    pub arrivals: Vec<Arrivals>,
    /// Sessions of people who look at pages.
    #[serde(default, skip_serializing_if = "is_default")]
    pub sessions: Vec<Sessions>,
    /// Sources of datagrams beside the flows.
    #[serde(default, skip_serializing_if = "is_default")]
    pub traffic: Vec<Udp>,
}

impl Scenario {
    /// Reads a scenario from JSON. Serde's own functions do the same, and each program that calls them compiles a reader of its own.
    ///
    /// # Errors
    /// What is not JSON, or not a scenario: an unknown field, a missing one, a value of another type.
    pub fn from_json(text: &str) -> Result<Scenario, serde_json::Error> {
        serde_json::from_str(text)
    }

    /// No flow yet through this bottleneck, and all else by default.
    pub fn of(bottleneck: Link) -> Scenario {
        Scenario { bottleneck, ..by_default(json!({ "bottleneck": { "rate_bps": 0.0 } })) }
    }

    /// The forward links in order.
    pub(crate) fn forward_links(&self) -> impl Iterator<Item = &Link> {
        std::iter::once(&self.bottleneck).chain(self.hops.iter().map(|hop| &hop.link))
    }

    /// The smallest rate of the forward links, bits per second: what the bandwidth-delay product is computed with.
    pub(crate) fn smallest_rate_bps(&self) -> f64 {
        self.forward_links().map(|link| link.rate_bps).fold(f64::INFINITY, f64::min)
    }
}

fn a_minute() -> f64 {
    60.0
}

fn ten_milliseconds() -> f64 {
    0.01
}

fn one() -> u64 {
    1
}

fn profile() -> String {
    PROFILE.into()
}
