//! Sources of transfers that come and go: in an open loop (arrivals), in a closed one (sessions).

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};
use sim::Direction;

use super::{is_default, is_one, one, two_parts, Host, Law, LawKind, ParameterValue};

/// Index of the tail of Pareto sizes that name none.
pub const SHAPE: f64 = 1.2;

/// What all sources share: what a transfer is like, but for its size and when it begins.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Source {
    /// `name` or `name:variant`.
    pub algorithm: String,
    /// Where larger transfers are cut, bytes.
    #[serde(default)]
    pub max_bytes: Option<u64>,
    /// Base round-trip times, seconds; the scenario's when there is none.
    #[serde(default)]
    pub rtts_s: Vec<f64>,
    /// When transfers begin to come, seconds.
    #[serde(default)]
    pub start_s: f64,
    /// When no more come, seconds; never when absent.
    #[serde(default)]
    pub stop_s: Option<f64>,
    /// The algorithm's own parameters.
    #[serde(default)]
    pub parameters: BTreeMap<String, ParameterValue>,
    /// Overrides of the profile's transport options.
    #[serde(default)]
    pub transport: BTreeMap<String, Value>,
    /// Cap on the window in packets.
    #[serde(default)]
    pub window_packets: Option<u64>,
    /// Stack profile; the scenario's when absent.
    #[serde(default)]
    pub profile: Option<String>,
    /// Which way the data goes.
    #[serde(default)]
    pub direction: Direction,
    /// Number of the first hop, counted from 1.
    #[serde(default, skip_serializing_if = "is_default")]
    pub enter: Option<u32>,
    /// Number of the last hop.
    #[serde(default, skip_serializing_if = "is_default")]
    pub leave: Option<u32>,
    /// What the host of every transfer's sender is like.
    #[serde(default, skip_serializing_if = "is_default")]
    pub host: Option<Host>,
    /// Whether every transfer begins with a handshake; as the scenario says, or yes, when absent.
    #[serde(default, skip_serializing_if = "is_default")]
    pub handshake: Option<bool>,
}

/// Transfers that begin at the times of a Poisson process, whatever became of those before.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(try_from = "Map<String, Value>")]
pub struct Arrivals {
    /// What all sources have.
    #[serde(flatten)]
    pub source: Source,
    /// What only these have.
    #[serde(flatten)]
    pub own: Offered,
}

/// How much arrives.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Offered {
    /// IP bits sent once, as a share of the link's rate.
    #[serde(default)]
    pub load: Option<f64>,
    /// Transfers per second, instead of a load.
    #[serde(default)]
    pub per_second: Option<f64>,
    /// Law of a transfer's payload.
    #[serde(default)]
    pub sizes: LawKind,
    /// Its mean, bytes.
    pub mean_bytes: f64,
    /// Index of the tail of Pareto sizes.
    #[serde(default)]
    pub shape: Option<f64>,
}

impl TryFrom<Map<String, Value>> for Arrivals {
    type Error = serde_json::Error;

    fn try_from(table: Map<String, Value>) -> Result<Arrivals, serde_json::Error> {
        let (own, source) = two_parts(table, &["load", "per_second", "sizes", "mean_bytes", "shape"])?;
        Ok(Arrivals { source, own })
    }
}

/// Sessions: each transfers a page's objects, each over a connection of its own, then thinks.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(try_from = "Map<String, Value>")]
pub struct Sessions {
    /// What all sources have.
    #[serde(flatten)]
    pub source: Source,
    /// What only these have.
    #[serde(flatten)]
    pub own: Pages,
}

/// Sessions' pages.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Pages {
    /// Number of sessions.
    pub count: u32,
    /// Objects of a page.
    #[serde(default = "one_object")]
    pub objects: Law,
    /// Objects of a page that are transferred at once.
    #[serde(default = "one", skip_serializing_if = "is_one")]
    pub connections: u32,
    /// Payload of an object, bytes.
    #[serde(default = "ten_packets")]
    pub size_bytes: Law,
    /// Seconds from the end of a page to the begin of the next.
    #[serde(default = "a_second")]
    pub think_s: Law,
}

impl TryFrom<Map<String, Value>> for Sessions {
    type Error = serde_json::Error;

    fn try_from(table: Map<String, Value>) -> Result<Sessions, serde_json::Error> {
        let (own, source) = two_parts(table, &["count", "objects", "connections", "size_bytes", "think_s"])?;
        Ok(Sessions { source, own })
    }
}

fn one_object() -> Law {
    Law { law: LawKind::Fixed, mean: 1.0, shape: None }
}

fn ten_packets() -> Law {
    Law { law: LawKind::Pareto, mean: 14_480.0, shape: Some(SHAPE) }
}

fn a_second() -> Law {
    Law { law: LawKind::Exponential, mean: 1.0, shape: None }
}
