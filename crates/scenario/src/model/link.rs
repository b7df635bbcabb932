//! Links: rate, queue, loss, and what changes in time.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};
use serde_json::{json, Map, Value};

use super::{by_default, is_default, two_parts, LossModel};

/// The discipline of a link that names none.
pub const DROP_TAIL: &str = "drop-tail";

/// One link: its rate, its queue and that queue's discipline, random loss.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Link {
    /// IP bits per second.
    pub rate_bps: f64,
    /// Queue limit in 1500-byte packets.
    #[serde(default)]
    pub queue_packets: Option<u64>,
    /// Queue limit in bytes.
    #[serde(default)]
    pub queue_bytes: Option<u64>,
    /// Queue limit as time at the link's rate, seconds.
    #[serde(default)]
    pub queue_s: Option<f64>,
    /// Queue limit as a fraction of the bandwidth-delay product; one where no limit is given.
    #[serde(default)]
    pub queue_bdp: Option<f64>,
    /// Step of congestion marks in 1500-byte packets.
    #[serde(default, skip_serializing_if = "is_default")]
    pub mark_packets: Option<u64>,
    /// Step of congestion marks in bytes.
    #[serde(default, skip_serializing_if = "is_default")]
    pub mark_bytes: Option<u64>,
    /// Step of congestion marks as time at the link's rate, seconds.
    #[serde(default, skip_serializing_if = "is_default")]
    pub mark_s: Option<f64>,
    /// Step of congestion marks as a fraction of the bandwidth-delay product.
    #[serde(default, skip_serializing_if = "is_default")]
    pub mark_bdp: Option<f64>,
    /// Queue discipline.
    #[serde(default = "drop_tail", skip_serializing_if = "is_drop_tail")]
    pub discipline: String,
    /// The discipline's own parameters.
    #[serde(default, skip_serializing_if = "is_default")]
    pub discipline_parameters: BTreeMap<String, f64>,
    /// Whether the packet being serialised does not count against the limit.
    #[serde(default)]
    pub excludes_in_service: bool,
    /// Independent loss of each packet.
    #[serde(default)]
    pub loss_probability: f64,
    /// Models of loss with a memory.
    #[serde(default, skip_serializing_if = "is_default")]
    pub losses: Vec<LossModel>,
    /// Rates that follow, each from its time on.
    #[serde(default, skip_serializing_if = "is_default")]
    pub rate_steps: Vec<RateStep>,
    /// Times in which nothing is transmitted.
    #[serde(default, skip_serializing_if = "is_default")]
    pub outages: Vec<Outage>,
    /// Propagation besides the base RTT, each from its time on.
    #[serde(default, skip_serializing_if = "is_default")]
    pub delay_steps: Vec<DelayStep>,
    /// Sizes of the queue that follow its first, each from its time on.
    #[serde(default, skip_serializing_if = "is_default")]
    pub queue_steps: Vec<QueueStep>,
    /// Milliseconds at which 1500 bytes may leave, in place of a rate.
    #[serde(default, skip_serializing_if = "is_default")]
    pub trace_ms: Vec<u64>,
    /// Probability that a data packet arrives late.
    #[serde(default, skip_serializing_if = "is_default")]
    pub reorder_probability: f64,
    /// How late, seconds.
    #[serde(default, skip_serializing_if = "is_default")]
    pub reorder_s: f64,
    /// Probability that a data packet arrives twice.
    #[serde(default, skip_serializing_if = "is_default")]
    pub duplicate_probability: f64,
}

impl Link {
    /// A link of so many IP bits per second, and all else by default.
    pub fn of(rate_bps: f64) -> Link {
        Link { rate_bps, ..by_default(json!({ "rate_bps": 0.0 })) }
    }

    /// The same link without loss, changes in time, or disorder.
    pub(crate) fn undisturbed(&self) -> Link {
        Link {
            loss_probability: 0.0,
            losses: vec![],
            rate_steps: vec![],
            outages: vec![],
            delay_steps: vec![],
            queue_steps: vec![],
            trace_ms: vec![],
            reorder_probability: 0.0,
            reorder_s: 0.0,
            duplicate_probability: 0.0,
            ..self.clone()
        }
    }
}

/// A further forward link.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(try_from = "Map<String, Value>")]
pub struct Hop {
    /// The link.
    #[serde(flatten)]
    pub link: Link,
    /// Propagation to it from the hop before, seconds; part of the base RTT of the flows that cross both.
    pub delay_s: f64,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Way {
    #[serde(default)]
    delay_s: f64,
}

impl TryFrom<Map<String, Value>> for Hop {
    type Error = serde_json::Error;

    fn try_from(table: Map<String, Value>) -> Result<Hop, serde_json::Error> {
        let (Way { delay_s }, link) = two_parts(table, &["delay_s"])?;
        Ok(Hop { link, delay_s })
    }
}

/// A new rate.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct RateStep {
    /// From when on, seconds.
    pub at_s: f64,
    /// IP bits per second.
    pub rate_bps: f64,
}

/// A new delay.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct DelayStep {
    /// From when on, seconds.
    pub at_s: f64,
    /// Propagation besides the base RTT, seconds.
    pub extra_s: f64,
}

/// A new size of the queue, in one of its units.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct QueueStep {
    /// From when on, seconds.
    pub at_s: f64,
    /// 1500-byte packets.
    #[serde(default, skip_serializing_if = "is_default")]
    pub queue_packets: Option<u64>,
    /// Bytes.
    #[serde(default, skip_serializing_if = "is_default")]
    pub queue_bytes: Option<u64>,
    /// Time at the link's rate, seconds.
    #[serde(default, skip_serializing_if = "is_default")]
    pub queue_s: Option<f64>,
    /// Fraction of the bandwidth-delay product.
    #[serde(default, skip_serializing_if = "is_default")]
    pub queue_bdp: Option<f64>,
}

/// A time in which nothing is transmitted, or in which a processor does nothing.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Outage {
    /// From when on, seconds.
    pub at_s: f64,
    /// How long, seconds.
    pub length_s: f64,
}

fn drop_tail() -> String {
    DROP_TAIL.into()
}

fn is_drop_tail(name: &str) -> bool {
    name == DROP_TAIL
}
