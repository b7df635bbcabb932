//! Transfers that come and go, as the engine takes them.

use serde::{Deserialize, Serialize};

use crate::spec::FlowSpec;

/// How large a transfer is: payload bytes, rounded up, at least one.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(tag = "law", rename_all = "lowercase", deny_unknown_fields)]
pub enum SizeLaw {
    /// All alike.
    Fixed {
        /// Payload bytes.
        bytes: u64,
    },
    /// Exponential.
    Exponential {
        /// Mean, payload bytes.
        mean_bytes: f64,
    },
    /// Pareto: larger than x with probability (least / x)^shape.
    Pareto {
        /// Mean, payload bytes.
        mean_bytes: f64,
        /// Index of the tail, above 1.
        shape: f64,
    },
}

/// How much arrives.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case", deny_unknown_fields)]
pub enum Offered {
    /// Share of the rate of the link that carries the data, counted in IP bits sent once.
    Load(f64),
    /// Transfers per second.
    PerSecond(f64),
}

/// Transfers that begin at the times of a Poisson process, whatever became of those before.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ArrivalSpec {
    /// What its transfers are like, but for their size and times: each is one of these, all equally likely.
    pub flows: Vec<FlowSpec>,
    /// How much arrives.
    pub offered: Offered,
    /// Sizes.
    pub sizes: SizeLaw,
    /// Largest transfer, payload bytes: larger ones are cut there; none for no limit.
    #[serde(default)]
    pub max_bytes: Option<u64>,
    /// From when on transfers begin.
    #[serde(default)]
    pub start_ns: u64,
    /// Until when; none for the end of the run.
    #[serde(default)]
    pub stop_ns: Option<u64>,
}
