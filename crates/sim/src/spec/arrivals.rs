//! Transfers that come and go, as the engine takes them.

use serde::{Deserialize, Serialize};

use super::flow::FlowSpec;
use super::law::Law;

/// How much arrives.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case", deny_unknown_fields)]
pub enum Offered {
    /// Share of the rate of the first link that carries the data, counted in IP bits sent once.
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
    /// Payload bytes of a transfer.
    pub sizes: Law,
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

/// Sessions of people who look at pages: a closed loop. A page's objects are transferred each over a connection of its own, so many at
/// once; then the session thinks.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct SessionSpec {
    /// What transfers are like, but for their size and times: sessions take these in turn.
    pub flows: Vec<FlowSpec>,
    /// How many sessions.
    pub count: u32,
    /// Objects of a page.
    pub objects: Law,
    /// How many of them are transferred at once.
    #[serde(default = "one")]
    pub connections: u32,
    /// Payload bytes of an object.
    pub sizes: Law,
    /// Largest object, payload bytes: larger ones are cut there; none for no limit.
    #[serde(default)]
    pub max_bytes: Option<u64>,
    /// Nanoseconds from the end of a page to the begin of the next, and before the first.
    pub think: Law,
    /// From when on sessions think about their first page.
    #[serde(default)]
    pub start_ns: u64,
    /// Until when pages begin; none for the end of the run.
    #[serde(default)]
    pub stop_ns: Option<u64>,
}

fn one() -> u32 {
    1
}
