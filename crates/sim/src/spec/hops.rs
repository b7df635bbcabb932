//! Several bottlenecks in a row (a parking lot): what a scenario says of them.
//!
//! The forward links are hops, counted from 1, the scenario's first link. A packet enters at one hop and leaves behind the same or a later
//! one. Propagation between hops is part of a flow's base RTT: what it needs there is taken from the quarter behind its last hop.

use serde::{Deserialize, Serialize};

use super::link::LinkSpec;

/// A further forward link.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct HopSpec {
    /// Propagation to it from the hop before.
    #[serde(default)]
    pub delay_ns: u64,
    /// The link.
    pub link: LinkSpec,
}

/// The hops that packets cross in forward direction.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct StretchSpec {
    /// Number of the first, counted from 1; none for the first of all.
    pub enter: Option<u32>,
    /// Number of the last; none for the last of all.
    pub leave: Option<u32>,
}
