//! Copa's description for the registry.

use super::delays::NEARLY_EMPTY;
use super::Copa;
use crate::algorithms::borrowed_by_all;
use crate::parameter::{Constant, Parameter, Protocol, Values, Variant};

pub(super) const PAPER: &str = "paper";
const DEFAULT_MODE: &str = "default-mode";

/// The registry's description.
pub const PROTOCOL: Protocol = Protocol {
    name: "copa",
    aliases: &[],
    family: "delay-based",
    year: 2018,
    source: "Arun/Balakrishnan 2018",
    summary: "Aims at the rate 1/(delta x queueing delay), and competes when somebody keeps the queue full.",
    signals: &["rtt", "loss"],
    variants: &[
        Variant { name: PAPER, aliases: &[], summary: "Switches to a competitive mode.", exact_kernel: false },
        Variant { name: DEFAULT_MODE, aliases: &["mvfst"], summary: "Default mode only.", exact_kernel: false },
    ],
    parameters: &[
        Parameter {
            name: "empty_within",
            unit: "RTTs",
            min: 1.0,
            max: 1e3,
            defaults: &[(PAPER, 5.0)],
            doc: "Competes after so long without a nearly empty queue.",
        },
        Parameter {
            name: "delta",
            unit: "1/segment",
            min: 0.004,
            max: 1.0,
            defaults: &[(PAPER, 0.5), (DEFAULT_MODE, 0.5)],
            doc: "Inverse of the segments to keep queued; in competitive mode the largest value.",
        },
    ],
    constants: &[
        Constant { name: "rtt_min_window", variant: PAPER, value: 10.0, unit: "s" },
        Constant { name: "nearly_empty", variant: PAPER, value: NEARLY_EMPTY, unit: "1" },
    ],
    profiles: &borrowed_by_all(PAPER),
};

/// The state of a new connection.
pub fn build(values: &Values) -> Box<Copa> {
    Box::new(Copa::new(values))
}
