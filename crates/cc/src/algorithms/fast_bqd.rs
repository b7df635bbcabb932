//! FAST with backward queueing delay taken out: only what queues on the forward path counts.
//!
//! Source: an idea in Hegde et al. 2004, never described further; the law is FAST's, in `fast/`.
//! Units: as FAST.
//! State: as FAST, and the smallest and the smoothed forward delay.
//! Departures: the reading is ours: avgRTT is baseRTT plus the smoothed excess of the forward delay over its minimum. Clocks run at
//! the same speed, so no skew is estimated.

use super::borrows;
use super::fast::{self, Fast};
use crate::parameter::{Protocol, Values};

/// The registry's description.
pub const PROTOCOL: Protocol = Protocol {
    name: "fast-bqd",
    aliases: &[],
    family: "delay-based",
    year: 2004,
    source: "Hegde et al. 2004",
    summary: "FAST that a queue on the way back leaves alone.",
    signals: &["owd", "rtt", "loss", "ecn"],
    variants: fast::PROTOCOL.variants,
    parameters: fast::PROTOCOL.parameters,
    constants: fast::PROTOCOL.constants,
    profiles: &[
        borrows("linux-6.1", fast::PAPER),
        borrows("linux-6.12", fast::PAPER),
        borrows("linux-2.6.23", fast::PAPER),
        borrows("altaimd-2.6.6", fast::PAPER),
        borrows("linux-2.4", fast::FIXED),
        borrows("rfc", fast::PAPER),
    ],
};

/// The state of a new connection.
pub fn build(values: &Values) -> Box<Fast> {
    Box::new(Fast::forward_only(values))
}
