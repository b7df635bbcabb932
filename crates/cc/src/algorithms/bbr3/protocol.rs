//! BBR version 3's description for the registry.

use super::state::{CWND_GAIN, DRAIN_GAIN, STARTUP_GAIN};
use super::{Bbr3, BETA, HEADROOM, LOSS_THRESHOLD};
use crate::algorithms::borrowed_by_all;
use crate::parameter::{Constant, Protocol, Values, Variant};

const DRAFT: &str = "draft";

/// The registry's description.
pub const PROTOCOL: Protocol = Protocol {
    name: "bbr3",
    aliases: &["bbrv3"],
    family: "model-based",
    year: 2023,
    source: "draft-ietf-ccwg-bbr-06",
    summary: "BBR with bounds on rate and in-flight that loss teaches it.",
    signals: &["rate", "rtt", "loss"],
    variants: &[Variant { name: DRAFT, aliases: &["ietf"], summary: "The IETF draft, revision 06.", exact_kernel: false }],
    parameters: &[],
    constants: &[
        Constant { name: "startup_pacing_gain", variant: DRAFT, value: STARTUP_GAIN, unit: "1" },
        Constant { name: "drain_pacing_gain", variant: DRAFT, value: DRAIN_GAIN, unit: "1" },
        Constant { name: "cwnd_gain", variant: DRAFT, value: CWND_GAIN, unit: "1" },
        Constant { name: "loss_threshold", variant: DRAFT, value: LOSS_THRESHOLD, unit: "1" },
        Constant { name: "beta", variant: DRAFT, value: BETA, unit: "1" },
        Constant { name: "headroom", variant: DRAFT, value: HEADROOM, unit: "1" },
        Constant { name: "probe_rtt_interval", variant: DRAFT, value: 5.0, unit: "s" },
        Constant { name: "min_rtt_window", variant: DRAFT, value: 10.0, unit: "s" },
    ],
    profiles: &borrowed_by_all(DRAFT),
};

/// The state of a new connection.
pub fn build(_: &Values) -> Box<Bbr3> {
    Box::default()
}
