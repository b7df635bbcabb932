//! Compound TCP's description for the registry.

use super::tube::{FIXED, GAMMA, GAMMA_SHARE};
use super::Ctcp;
use crate::algorithms::{borrows, runs, switch};
use crate::parameter::{Constant, Parameter, Protocol, Values, Variant};

const DRAFT: &str = "draft";
pub(super) const VISTA: &str = "vista";

/// The registry's description.
pub const PROTOCOL: Protocol = Protocol {
    name: "ctcp",
    aliases: &["compound"],
    family: "loss- and delay-based",
    year: 2006,
    source: "Tan et al. 2006; draft-sridharan-tcpm-ctcp-02; Leith et al. 2008",
    summary: "Reno plus a delay window that grows like win^0.75/8 until gamma segments are queued.",
    signals: &["loss", "ecn", "rtt"],
    variants: &[
        Variant {
            name: DRAFT,
            aliases: &["linux-2.6.23", "tube"],
            summary: "gamma tuned by emulation (TUBE), as in the Linux patch of 2008.",
            exact_kernel: false,
        },
        Variant { name: FIXED, aliases: &["infocom06"], summary: "gamma given.", exact_kernel: false },
        Variant {
            name: VISTA,
            aliases: &[],
            summary: "The draft, with the anomalies reported of Windows Vista to switch on.",
            exact_kernel: false,
        },
    ],
    parameters: &[
        Parameter {
            name: "gamma",
            unit: "segments",
            min: 1.0,
            max: 1e4,
            defaults: &[(DRAFT, 30.0), (FIXED, 30.0), (VISTA, 30.0)],
            doc: "Backlog from which dwnd shrinks; with TUBE the first value.",
        },
        Parameter {
            name: "lambda",
            unit: "1",
            min: 0.0,
            max: 1.0,
            defaults: &[(DRAFT, 0.25), (VISTA, 0.25)],
            doc: "Weight of a new measurement of gamma.",
        },
        Parameter {
            name: "alpha",
            unit: "1",
            min: 0.001,
            max: 10.0,
            defaults: &[(DRAFT, 0.125), (FIXED, 0.125), (VISTA, 0.125)],
            doc: "The sum grows by alpha win^k per round trip.",
        },
        Parameter { name: "k", unit: "1", min: 0.0, max: 1.0, defaults: &[(DRAFT, 0.75), (FIXED, 0.75), (VISTA, 0.75)], doc: "See alpha." },
        Parameter {
            name: "eta",
            unit: "1",
            min: 0.0,
            max: 10.0,
            defaults: &[(DRAFT, 1.0), (FIXED, 1.0), (VISTA, 1.0)],
            doc: "dwnd shrinks by eta times the backlog per round trip.",
        },
        Parameter {
            name: "low_window",
            unit: "segments",
            min: 2.0,
            max: 1e4,
            defaults: &[(DRAFT, 38.0), (FIXED, 38.0), (VISTA, 38.0)],
            doc: "Reno below.",
        },
        Parameter {
            name: "wnd_increase",
            unit: "segments per RTT",
            min: 0.01,
            max: 1.0,
            defaults: &[(VISTA, 1.0)],
            doc: "Increase of the loss window; later flows of Vista SP1 had less than 1.",
        },
        switch("backoff_to_one", &[(VISTA, 0.0)], "One segment after each loss, as Vista before SP1."),
    ],
    constants: &[
        Constant { name: "gamma_min", variant: DRAFT, value: GAMMA.0, unit: "segments" },
        Constant { name: "gamma_max", variant: DRAFT, value: GAMMA.1, unit: "segments" },
        Constant { name: "gamma_share", variant: DRAFT, value: GAMMA_SHARE, unit: "1" },
    ],
    profiles: &[
        borrows("linux-6.1", DRAFT),
        borrows("linux-6.12", DRAFT),
        runs("linux-2.6.23", DRAFT),
        borrows("altaimd-2.6.6", DRAFT),
        borrows("linux-2.4", DRAFT),
        borrows("rfc", DRAFT),
    ],
};

/// The state of a new connection.
pub fn build(values: &Values) -> Box<Ctcp> {
    Box::new(Ctcp::new(values))
}
