//! Illinois's description for the registry.

use super::curves::ALPHA_MIN;
use super::Illinois;
use crate::algorithms::{borrows, runs};
use crate::parameter::{Constant, Parameter, Protocol, Values, Variant};

const V61: &str = "linux-6.1";
pub(super) const BUG: &str = "2.6.23";
const S5: &str = "s5";

/// The registry's description.
pub const PROTOCOL: Protocol = Protocol {
    name: "illinois",
    aliases: &[],
    family: "loss-based high-speed with delay",
    year: 2006,
    source: "Liu/Basar/Srikant 2006, 2008; Leith et al. 2008; Linux 6.1",
    summary: "AIMD whose parameters follow the queueing delay.",
    signals: &["loss", "ecn", "rtt"],
    variants: &[
        Variant { name: V61, aliases: &[], summary: "Linux's integers.", exact_kernel: true },
        Variant { name: BUG, aliases: &[], summary: "With the first kernels' mistaken backoff, to beta w.", exact_kernel: false },
        Variant { name: S5, aliases: &[], summary: "2.6.23 corrected, RTTs after a loss ignored (2008 study).", exact_kernel: false },
    ],
    parameters: &[
        Parameter {
            name: "win_thresh",
            unit: "segments",
            min: 0.0,
            max: 1e6,
            defaults: &[(V61, 15.0), (BUG, 15.0), (S5, 15.0)],
            doc: "Reno below this window.",
        },
        Parameter {
            name: "theta",
            unit: "RTTs",
            min: 1.0,
            max: 1e4,
            defaults: &[(V61, 5.0), (BUG, 5.0), (S5, 5.0)],
            doc: "Round trips of small delay before the increase is largest again.",
        },
        Parameter {
            name: "max_rtt_bias",
            unit: "s",
            min: 0.0,
            max: 10.0,
            defaults: &[(V61, 0.0), (BUG, 0.0), (S5, 0.0)],
            doc: "The largest RTT is taken for this much larger (outliers of a busy host).",
        },
        Parameter {
            name: "ignore_rtt_after_loss",
            unit: "RTTs",
            min: 0.0,
            max: 100.0,
            defaults: &[(V61, 0.0), (BUG, 0.0), (S5, 2.0)],
            doc: "No RTT sample counts for this long after a backoff.",
        },
    ],
    constants: &[
        Constant { name: "alpha_max", variant: V61, value: 10.0, unit: "segments per RTT" },
        Constant { name: "alpha_min", variant: V61, value: ALPHA_MIN as f64 / 128.0, unit: "segments per RTT" },
        Constant { name: "beta_min", variant: V61, value: 0.125, unit: "1" },
        Constant { name: "beta_max", variant: V61, value: 0.5, unit: "1" },
    ],
    profiles: &[
        runs(V61, V61),
        runs("linux-6.12", V61),
        runs("linux-2.6.23", S5),
        borrows("altaimd-2.6.6", V61),
        borrows("linux-2.4", V61),
        borrows("rfc", V61),
    ],
};

/// The state of a new connection.
pub fn build(values: &Values) -> Box<Illinois> {
    Box::new(Illinois::new(values))
}
