//! Prague's description for the registry.

use super::fractional::WINDOW_MIN;
use super::Prague;
use crate::algorithms::borrowed_by_all;
use crate::parameter::{Constant, Parameter, Protocol, Values, Variant};

const DRAFT: &str = "draft";

/// The registry's description.
pub const PROTOCOL: Protocol = Protocol {
    name: "prague",
    aliases: &[],
    family: "ECN-based",
    year: 2021,
    source: "De Schepper/Tilmans/Briscoe/Goel, draft-briscoe-iccrg-prague-congestion-control-04",
    summary: "DCTCP that moves on every ACK and shares equally below 25 ms.",
    signals: &["ecn", "loss", "rtt"],
    variants: &[Variant { name: DRAFT, aliases: &[], summary: "The draft, with the Linux reference's defaults.", exact_kernel: false }],
    parameters: &[
        Parameter { name: "g", unit: "1", min: 1e-4, max: 1.0, defaults: &[(DRAFT, 0.0625)], doc: "Weight of the latest round in alpha." },
        Parameter {
            name: "rtt_target",
            unit: "s",
            min: 0.0,
            max: 0.1,
            defaults: &[(DRAFT, 0.025)],
            doc: "Shorter round trips behave like one of this length; 0 for none.",
        },
        Parameter {
            name: "rtt_transition",
            unit: "RTTs",
            min: 0.0,
            max: 1e6,
            defaults: &[(DRAFT, 4.0)],
            doc: "Rounds after slow start before they do.",
        },
    ],
    constants: &[Constant { name: "window_min", variant: DRAFT, value: WINDOW_MIN, unit: "segments" }],
    profiles: &borrowed_by_all(DRAFT),
};

/// The state of a new connection.
pub fn build(values: &Values) -> Box<Prague> {
    Box::new(Prague::new(values))
}
