//! Concave, then convex: fast back to the window before the loss, flat around it, then ever faster: w + c (T - T_w)^3.
//!
//! Source: Leith/Shorten, "Next Generation TCP: Open Questions", 2008, II.B.
//! Units, state and departures: those of the law, in `synthetic.rs`; here the cubic is flat at w, which it reaches after
//! T_w = cbrt((1 - beta) w/c).

use super::synthetic::{Synthetic, PAPER, PARAMETERS};
use super::{borrows, runs};
use crate::parameter::{Protocol, Values, Variant};

/// The registry's description.
pub const PROTOCOL: Protocol = Protocol {
    name: "concave-convex",
    aliases: &[],
    family: "synthetic",
    year: 2008,
    source: "Leith/Shorten 2008, II.B",
    summary: "w + c (T - T_w)^3: fast after a loss, flat around the last window.",
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
    Box::new(Synthetic::new(values, true))
}
