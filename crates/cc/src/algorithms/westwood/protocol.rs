//! Westwood+'s description for the registry.

use super::bandwidth::WINDOW_MIN_MS;
use super::Westwood;
use crate::algorithms::of_linux61;
use crate::parameter::{Constant, Protocol, Values, Variant};

const V61: &str = "linux-6.1";

/// The registry's description.
pub const PROTOCOL: Protocol = Protocol {
    name: "westwood",
    aliases: &["westwood+", "westwoodplus"],
    family: "loss-based with bandwidth estimate",
    year: 2001,
    source: "Mascolo et al. 2001; Grieco/Mascolo 2004; Linux 6.1",
    summary: "Reno that backs off to its measured bandwidth times the smallest RTT.",
    signals: &["loss", "ecn", "rate", "rtt"],
    variants: &[Variant { name: V61, aliases: &[], summary: "Linux's integers.", exact_kernel: true }],
    parameters: &[],
    constants: &[
        Constant { name: "window_min", variant: V61, value: WINDOW_MIN_MS as f64 * 1e-3, unit: "s" },
        Constant { name: "filter", variant: V61, value: 0.875, unit: "1" },
    ],
    profiles: &of_linux61(V61),
};

/// The state of a new connection.
pub fn build(_: &Values) -> Westwood {
    Westwood::new()
}
