//! FAST's description for the registry.

use super::alpha::{ALPHA, DOWN, UP};
use super::Fast;
use crate::algorithms::{borrows, runs};
use crate::parameter::{Constant, Parameter, Protocol, Values, Variant};

pub(in crate::algorithms) const PAPER: &str = "paper";
pub(in crate::algorithms) const FIXED: &str = "fixed-alpha";

/// The registry's description.
pub const PROTOCOL: Protocol = Protocol {
    name: "fast",
    aliases: &[],
    family: "delay-based",
    year: 2004,
    source: "Jin/Wei/Low 2004; Hegde et al. 2004; Li/Leith/Shorten 2007 Table II",
    summary: "Keeps alpha segments of its own in the queue.",
    signals: &["rtt", "loss", "ecn"],
    variants: &[
        Variant {
            name: PAPER,
            aliases: &["altaimd-2.6.6"],
            summary: "alpha 8, 20 or 200 by the achieved rate (2007 benchmark).",
            exact_kernel: false,
        },
        Variant { name: FIXED, aliases: &["linux-2.4"], summary: "alpha given (100 or 200 in the 2004 study).", exact_kernel: false },
    ],
    parameters: &[
        Parameter {
            name: "gamma",
            unit: "1",
            min: 0.01,
            max: 1.0,
            defaults: &[(PAPER, 0.5), (FIXED, 0.5)],
            doc: "Part of the way taken by an update.",
        },
        Parameter { name: "alpha", unit: "segments", min: 1.0, max: 1e5, defaults: &[(FIXED, 200.0)], doc: "Own segments to keep queued." },
        Parameter {
            name: "mi_threshold",
            unit: "s",
            min: 0.0,
            max: 1.0,
            defaults: &[(PAPER, 0.000_75), (FIXED, 0.000_75)],
            doc: "A smaller queueing delay counts as none.",
        },
        Parameter {
            name: "period",
            unit: "RTTs",
            min: 1.0,
            max: 8.0,
            defaults: &[(PAPER, 2.0), (FIXED, 2.0)],
            doc: "Round trips between updates; at least 20 ms.",
        },
        Parameter {
            name: "pacing",
            unit: "segments",
            min: 0.0,
            max: 64.0,
            defaults: &[(PAPER, 1.0), (FIXED, 1.0)],
            doc: "Segments that leave back to back, the others spread by a timer: 1 paces each, 3 is burst control; 0: as the ACKs come.",
        },
    ],
    constants: &[
        Constant { name: "alpha_low", variant: PAPER, value: ALPHA[0], unit: "segments" },
        Constant { name: "alpha_middle", variant: PAPER, value: ALPHA[1], unit: "segments" },
        Constant { name: "alpha_high", variant: PAPER, value: ALPHA[2], unit: "segments" },
        Constant { name: "up_from_low", variant: PAPER, value: UP[0], unit: "kB/s" },
        Constant { name: "up_from_middle", variant: PAPER, value: UP[1], unit: "kB/s" },
        Constant { name: "down_from_middle", variant: PAPER, value: DOWN[1], unit: "kB/s" },
        Constant { name: "down_from_high", variant: PAPER, value: DOWN[2], unit: "kB/s" },
    ],
    profiles: &[
        borrows("linux-6.1", PAPER),
        borrows("linux-6.12", PAPER),
        borrows("linux-2.6.23", PAPER),
        runs("altaimd-2.6.6", PAPER),
        runs("linux-2.4", FIXED),
        borrows("rfc", PAPER),
    ],
};

/// The state of a new connection.
pub fn build(values: &Values) -> Box<Fast> {
    Box::new(Fast::new(values))
}
