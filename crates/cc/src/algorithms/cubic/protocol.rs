//! CUBIC's description for the registry.

use super::{Cubic, CubicReal};
use crate::algorithms::{borrows, runs, switch};
use crate::parameter::{Either, Parameter, Protocol, Values, Variant};

pub(super) const V61: &str = "linux-6.1";
const NOHYSTART: &str = "nohystart";
pub(super) const V2623: &str = "2.6.23";
const RFC: &str = "rfc9438";
const KEEP: f64 = 717.0 / 1024.0;
const OLD_KEEP: f64 = 819.0 / 1024.0;
const SCALE: f64 = 41.0 / 102.4;

/// The registry's description.
pub const PROTOCOL: Protocol = Protocol {
    name: "cubic",
    aliases: &[],
    family: "loss-based high-speed",
    year: 2005,
    source: "Ha/Rhee/Xu 2008; RFC 9438; Linux 6.1 and 2.6.23",
    summary: "A cubic function of the time since the last loss: the Internet's default.",
    signals: &["loss", "ecn", "time", "rtt"],
    variants: &[
        Variant { name: V61, aliases: &[], summary: "Linux's integers, HyStart on.", exact_kernel: true },
        Variant { name: NOHYSTART, aliases: &[], summary: "Linux's integers, HyStart off.", exact_kernel: true },
        Variant { name: V2623, aliases: &["linux-2.6.23"], summary: "Keeps 0.8, at most 160 segments/s, no HyStart.", exact_kernel: false },
        Variant { name: RFC, aliases: &["rfc"], summary: "RFC 9438 with a real-valued window.", exact_kernel: false },
    ],
    parameters: &[
        Parameter {
            name: "beta",
            unit: "1",
            min: 0.1,
            max: 0.95,
            defaults: &[(V61, KEEP), (NOHYSTART, KEEP), (V2623, OLD_KEEP), (RFC, 0.7)],
            doc: "Fraction of the window kept on loss.",
        },
        Parameter {
            name: "c",
            unit: "segments/s^3",
            min: 0.01,
            max: 100.0,
            defaults: &[(V61, SCALE), (NOHYSTART, SCALE), (V2623, SCALE), (RFC, 0.4)],
            doc: "Steepness of the cubic; the integer variants round it to 1/102.4.",
        },
        switch(
            "fast_convergence",
            &[(V61, 1.0), (NOHYSTART, 1.0), (V2623, 1.0), (RFC, 1.0)],
            "Aim lower after a loss below the last maximum.",
        ),
        switch("tcp_friendliness", &[(V61, 1.0), (NOHYSTART, 1.0), (V2623, 1.0), (RFC, 1.0)], "Never slower than Reno would be."),
        Parameter { name: "s_max", unit: "segments per 100 ms", min: 1.0, max: 1e4, defaults: &[(V2623, 16.0)], doc: "Largest increase." },
    ],
    constants: &[],
    profiles: &[
        runs(V61, V61),
        runs("linux-6.12", V61),
        runs("linux-2.6.23", V2623),
        borrows("altaimd-2.6.6", V2623),
        borrows("linux-2.4", V2623),
        runs("rfc", RFC),
    ],
};

/// The state of a new connection.
pub fn build(values: &Values) -> Either<Cubic, Box<CubicReal>> {
    match values.variant() {
        RFC => Either::Second(Box::new(CubicReal::new(values))),
        _ => Either::First(Cubic::new(values)),
    }
}
