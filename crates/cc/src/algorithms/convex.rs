//! Convex: slowly away from the window kept, ever faster: beta w + c T^3.
//!
//! Source: Leith/Shorten, "Next Generation TCP: Open Questions", 2008, II.B.
//! Units, state and departures: those of the law, in `synthetic.rs`; here the cubic starts flat at beta w.

use super::synthetic::{Synthetic, PAPER, PARAMETERS};
use super::{borrows, runs};
use crate::parameter::{Protocol, Values, Variant};

/// The registry's description.
pub const PROTOCOL: Protocol = Protocol {
    name: "convex",
    aliases: &[],
    family: "synthetic",
    year: 2008,
    source: "Leith/Shorten 2008, II.B",
    summary: "beta w + c T^3: slow after a loss, fastest before the next.",
    signals: &["loss", "ecn", "time"],
    variants: &[Variant { name: PAPER, aliases: &["linux-2.6.23"], summary: "The function as we read it.", exact_kernel: false }],
    parameters: PARAMETERS,
    constants: &[],
    profiles: &[
        borrows("linux-6.1", PAPER),
        borrows("linux-6.12", PAPER),
        runs("linux-2.6.23", PAPER),
        borrows("altaimd-2.6.6", PAPER),
        borrows("linux-2.4", PAPER),
        borrows("rfc", PAPER),
    ],
};

/// The state of a new connection.
pub fn build(values: &Values) -> Box<Synthetic> {
    Box::new(Synthetic::new(values, false))
}
