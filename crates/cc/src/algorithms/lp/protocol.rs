//! TCP-LP's description for the registry.

use super::forward_delay::PERCENT;
use super::{Lp, LpPaper, INFERENCE_RTTS};
use crate::algorithms::early_indication::{delta, inference};
use crate::algorithms::{borrows, runs};
use crate::parameter::{Constant, Either, Protocol, Values, Variant};

const V61: &str = "linux-6.1";
const PAPER: &str = "paper";

/// The registry's description.
pub const PROTOCOL: Protocol = Protocol {
    name: "lp",
    aliases: &["tcp-lp"],
    family: "low priority",
    year: 2003,
    source: "Kuzmanovic/Knightly 2003; Linux 6.1",
    summary: "Reno that gives way to others by the forward delay.",
    signals: &["rtt", "loss", "ecn"],
    variants: &[
        Variant { name: V61, aliases: &[], summary: "Linux's integers, its guess of the peer's clock included.", exact_kernel: true },
        Variant {
            name: PAPER,
            aliases: &["linux-2.4"],
            summary: "The true forward delay; stays in congestion avoidance.",
            exact_kernel: false,
        },
    ],
    parameters: &[delta(&[(PAPER, 0.15)]), inference(&[(PAPER, 3.0)])],
    constants: &[
        Constant { name: "delta", variant: V61, value: PERCENT as f64 / 100.0, unit: "1" },
        Constant { name: "inference", variant: V61, value: INFERENCE_RTTS as f64, unit: "RTTs" },
    ],
    profiles: &[
        runs(V61, V61),
        runs("linux-6.12", V61),
        borrows("linux-2.6.23", V61),
        borrows("altaimd-2.6.6", PAPER),
        runs("linux-2.4", PAPER),
        borrows("rfc", PAPER),
    ],
};

/// The state of a new connection.
pub fn build(values: &Values) -> Either<Lp, LpPaper> {
    match values.variant() {
        PAPER => Either::Second(LpPaper::new(values)),
        _ => Either::First(Lp::new()),
    }
}
