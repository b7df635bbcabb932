//! Adaptive Reno's description for the registry.

use super::Areno;
use crate::algorithms::{borrowed_by_all, switch};
use crate::parameter::{Parameter, Protocol, Values, Variant};

const PAPER: &str = "paper";

/// The registry's description.
pub const PROTOCOL: Protocol = Protocol {
    name: "areno",
    aliases: &["adaptive-reno", "tcp-ar"],
    family: "loss- and delay-based",
    year: 2005,
    source: "Shimonishi/Hama/Murase 2005 and 2006",
    summary: "Reno plus a probe window that grows with the bandwidth while the path is idle, and backs off by 1/(1 + c).",
    signals: &["loss", "ecn", "rtt", "rate"],
    variants: &[Variant { name: PAPER, aliases: &[], summary: "As the ports have it.", exact_kernel: false }],
    parameters: &[
        Parameter {
            name: "alpha",
            unit: "1",
            min: 1.0,
            max: 100.0,
            defaults: &[(PAPER, 10.0)],
            doc: "How fast the probe's growth falls with congestion.",
        },
        Parameter {
            name: "m",
            unit: "segments/s per segment",
            min: 1.0,
            max: 1e6,
            defaults: &[(PAPER, 1e3)],
            doc: "Bandwidth for which the probe may grow by one segment per RTT.",
        },
        Parameter {
            name: "a",
            unit: "1",
            min: 0.0,
            max: 0.999,
            defaults: &[(PAPER, 0.85)],
            doc: "Weight of the past in the RTT at losses.",
        },
        switch("total", &[(PAPER, 0.0)], "The printed increase is that of both windows together: the probe's is one less."),
    ],
    constants: &[],
    profiles: &borrowed_by_all(PAPER),
};

/// The state of a new connection.
pub fn build(values: &Values) -> Box<Areno> {
    Box::new(Areno::new(values))
}
