//! LEDBAT's description for the registry.

use super::delay::{BASE_HISTORY, CURRENT_FILTER};
use super::{Ledbat, LedbatPlus, ALLOWED_INCREASE, WINDOW_MIN};
use crate::algorithms::{borrows, runs, switch};
use crate::parameter::{Constant, Either, Parameter, Protocol, Values, Variant};

const RFC: &str = "rfc6817";
const PLUS: &str = "plus-plus";

/// The registry's description.
pub const PROTOCOL: Protocol = Protocol {
    name: "ledbat",
    aliases: &[],
    family: "low priority",
    year: 2009,
    source: "RFC 6817; draft-irtf-iccrg-ledbat-plus-plus",
    summary: "Keeps a target delay in the queue and gives way to everything that queues more.",
    signals: &["owd", "rtt", "loss", "ecn"],
    variants: &[
        Variant { name: RFC, aliases: &["ledbat", "rfc"], summary: "One-way delay, at most 100 ms of it queueing.", exact_kernel: false },
        Variant {
            name: PLUS,
            aliases: &["++"],
            summary: "LEDBAT++: round-trip delay, 60 ms, multiplicative decrease, periodic slowdowns.",
            exact_kernel: false,
        },
    ],
    parameters: &[
        Parameter {
            name: "target",
            unit: "s",
            min: 0.001,
            max: 1.0,
            defaults: &[(RFC, 0.1), (PLUS, 0.06)],
            doc: "Queueing delay aimed at; RFC 6817 allows at most 0.1.",
        },
        Parameter {
            name: "gain",
            unit: "segments per RTT",
            min: 0.01,
            max: 1.0,
            defaults: &[(RFC, 1.0)],
            doc: "Increase at no queueing delay.",
        },
        Parameter {
            name: "c",
            unit: "1",
            min: 0.01,
            max: 10.0,
            defaults: &[(PLUS, 1.0)],
            doc: "Share of the window given up per RTT at twice the target.",
        },
        switch("slow_start", &[(RFC, 0.0), (PLUS, 1.0)], "Start with slow start, until three quarters of the target."),
        switch("slowdowns", &[(PLUS, 1.0)], "Periodic slowdowns, to see the base delay again."),
    ],
    constants: &[
        Constant { name: "base_history", variant: RFC, value: BASE_HISTORY as f64, unit: "minutes" },
        Constant { name: "current_filter", variant: RFC, value: CURRENT_FILTER as f64, unit: "samples" },
        Constant { name: "initial_window", variant: RFC, value: WINDOW_MIN, unit: "segments" },
        Constant { name: "min_window", variant: RFC, value: WINDOW_MIN, unit: "segments" },
        Constant { name: "allowed_increase", variant: RFC, value: ALLOWED_INCREASE, unit: "segments" },
    ],
    profiles: &[
        borrows("linux-6.1", RFC),
        borrows("linux-6.12", RFC),
        borrows("linux-2.6.23", RFC),
        borrows("altaimd-2.6.6", RFC),
        borrows("linux-2.4", RFC),
        runs("rfc", RFC),
    ],
};

/// The state of a new connection.
pub fn build(values: &Values) -> Either<Box<Ledbat>, Box<LedbatPlus>> {
    match values.variant() {
        PLUS => Either::Second(Box::new(LedbatPlus::new(values))),
        _ => Either::First(Box::new(Ledbat::new(values))),
    }
}
