//! BIC's description for the registry.

use super::{Bic, BicReal, B};
use crate::algorithms::{borrows, runs, switch};
use crate::parameter::{Constant, Either, Parameter, Protocol, Values, Variant};

const ALL: [&str; 2] = ["linux-6.1", "altaimd-2.6.6"];

/// The registry's description.
pub const PROTOCOL: Protocol = Protocol {
    name: "bic",
    aliases: &[],
    family: "loss-based high-speed",
    year: 2004,
    source: "Xu/Harfoush/Rhee 2004; Li/Leith/Shorten 2007 Table II; Linux 6.1",
    summary: "Binary search towards the window of the last loss.",
    signals: &["loss", "ecn"],
    variants: &[
        Variant {
            name: ALL[0],
            aliases: &["linux-2.6.23"],
            summary: "Linux's integers, Smax 16, delayed-ACK compensation.",
            exact_kernel: true,
        },
        Variant {
            name: ALL[1],
            aliases: &["s1"],
            summary: "Real-valued, Smax 32, low-utilisation rule (2007 benchmark).",
            exact_kernel: false,
        },
    ],
    parameters: &[
        Parameter {
            name: "s_max",
            unit: "segments per RTT",
            min: 1.0,
            max: 1e4,
            defaults: &[(ALL[0], 16.0), (ALL[1], 32.0)],
            doc: "Largest increase.",
        },
        Parameter {
            name: "beta",
            unit: "1",
            min: 0.1,
            max: 0.99,
            defaults: &[(ALL[0], 819.0 / 1024.0), (ALL[1], 0.8)],
            doc: "Fraction of the window kept on loss.",
        },
        Parameter {
            name: "smooth_part",
            unit: "RTTs",
            min: 1.0,
            max: 1e3,
            defaults: &[(ALL[0], 20.0), (ALL[1], 20.0)],
            doc: "Round trips spent on the last B segments (sigma).",
        },
        Parameter {
            name: "low_window",
            unit: "segments",
            min: 0.0,
            max: 1e6,
            defaults: &[(ALL[0], 14.0), (ALL[1], 14.0)],
            doc: "Reno up to here.",
        },
        switch("fast_convergence", &[(ALL[0], 1.0), (ALL[1], 1.0)], "Aim lower after a loss below the last maximum."),
        Parameter {
            name: "low_utilisation",
            unit: "1",
            min: 0.0,
            max: 1.0,
            defaults: &[(ALL[1], 0.15)],
            doc: "Grow at least 5 % per RTT while the relative queueing delay is below this; 0 is off.",
        },
        Parameter { name: "utilisation_check", unit: "s", min: 0.1, max: 100.0, defaults: &[(ALL[1], 2.0)], doc: "Period of that test." },
    ],
    constants: &[Constant { name: "b", variant: ALL[1], value: B as f64, unit: "1" }],
    profiles: &[
        runs("linux-6.1", ALL[0]),
        runs("linux-6.12", ALL[0]),
        runs("linux-2.6.23", ALL[0]),
        runs("altaimd-2.6.6", ALL[1]),
        borrows("linux-2.4", ALL[1]),
        borrows("rfc", ALL[1]),
    ],
};

/// The state of a new connection.
pub fn build(values: &Values) -> Either<Bic, Box<BicReal>> {
    match values.variant() {
        "linux-6.1" => Either::First(Bic::new(values)),
        _ => Either::Second(Box::new(BicReal::new(values))),
    }
}
