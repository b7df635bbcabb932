//! H-TCP's description for the registry.

use super::{Htcp, HtcpReal};
use crate::algorithms::{borrows, runs, switch};
use crate::parameter::{Either, Parameter, Protocol, Values, Variant};

pub(super) const V61: &str = "linux-6.1";
const REAL: &str = "altaimd-2.6.6";
pub(super) const BETA08: &str = "beta08";

/// The registry's description.
pub const PROTOCOL: Protocol = Protocol {
    name: "htcp",
    aliases: &["h-tcp"],
    family: "loss-based high-speed",
    year: 2004,
    source: "Leith/Shorten 2004; draft-leith-tcp-htcp-06; Li/Leith/Shorten 2007 Table II; Linux 6.1",
    summary: "Increase by the time since the last loss, adaptive backoff.",
    signals: &["loss", "ecn", "time", "rtt"],
    variants: &[
        Variant { name: V61, aliases: &["linux-2.6.23"], summary: "Linux's integers.", exact_kernel: true },
        Variant {
            name: REAL,
            aliases: &["rfc", "draft"],
            summary: "Real-valued, time counted from the backoff (2007 benchmark).",
            exact_kernel: false,
        },
        Variant {
            name: BETA08,
            aliases: &[],
            summary: "Linux's integers with the backoff fixed at 0.8 (the 2008 control run).",
            exact_kernel: false,
        },
    ],
    parameters: &[
        switch("rtt_scaling", &[(V61, 1.0), (REAL, 1.0), (BETA08, 1.0)], "Scale the increase by the RTT, relative to 100 ms."),
        switch("bandwidth_switch", &[(V61, 1.0), (REAL, 1.0)], "Back off by half after the throughput has changed."),
        switch("adaptive_backoff", &[(REAL, 1.0)], "Off: always halve."),
        Parameter {
            name: "delta_l",
            unit: "s",
            min: 0.0,
            max: 100.0,
            defaults: &[(REAL, 1.0)],
            doc: "Reno for this long after a backoff.",
        },
        Parameter {
            name: "delta_b",
            unit: "1",
            min: 0.0,
            max: 1.0,
            defaults: &[(REAL, 0.2)],
            doc: "Relative change of throughput that halves.",
        },
        Parameter { name: "t_ref", unit: "s", min: 0.001, max: 10.0, defaults: &[(REAL, 0.1)], doc: "RTT at which scaling does nothing." },
    ],
    constants: &[],
    profiles: &[
        runs(V61, V61),
        runs("linux-6.12", V61),
        runs("linux-2.6.23", V61),
        runs("altaimd-2.6.6", REAL),
        borrows("linux-2.4", REAL),
        runs("rfc", REAL),
    ],
};

/// The state of a new connection.
pub fn build(values: &Values) -> Either<Htcp, Box<HtcpReal>> {
    match values.variant() {
        REAL => Either::Second(Box::new(HtcpReal::new(values))),
        _ => Either::First(Htcp::new(values)),
    }
}
