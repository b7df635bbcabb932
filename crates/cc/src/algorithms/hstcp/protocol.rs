//! HighSpeed TCP's description for the registry.

use super::formula::{Formula, ALTAIMD_SET, RFC_SET};
use super::table::RFC;
use super::table_altaimd::ALTAIMD;
use super::{HstcpLinux, HstcpReal, Law};
use crate::algorithms::{borrows, runs};
use crate::parameter::{Constant, Either, Parameter, Protocol, Values, Variant};

/// The registry's description.
pub const PROTOCOL: Protocol = Protocol {
    name: "hstcp",
    aliases: &["highspeed"],
    family: "loss-based high-speed",
    year: 2003,
    source: "Floyd, RFC 3649; Li/Leith/Shorten 2007 Table II; Linux 6.1",
    summary: "AIMD whose increase and decrease follow the window, so that the response function is 0.12/p^0.835.",
    signals: &["loss", "ecn"],
    variants: &[
        Variant {
            name: "table-linux",
            aliases: &["linux-6.1", "linux-2.6.23"],
            summary: "Linux's table and integers: one row more aggressive, per ACK.",
            exact_kernel: true,
        },
        Variant { name: "formula", aliases: &["rfc"], summary: "Continuous a(w) and b(w), exact exponents.", exact_kernel: false },
        Variant { name: "table-rfc", aliases: &[], summary: "RFC 3649 appendix B, largest row not above the window.", exact_kernel: false },
        Variant {
            name: "table-altaimd",
            aliases: &["altaimd-2.6.6"],
            summary: "The 2007 benchmark's set: a table generated for low window 31.",
            exact_kernel: false,
        },
    ],
    parameters: &[
        Parameter {
            name: "low_window",
            unit: "segments",
            min: 2.0,
            max: 1e3,
            defaults: &[("formula", RFC_SET.low_window)],
            doc: "Reno up to here.",
        },
        Parameter {
            name: "high_window",
            unit: "segments",
            min: 2e3,
            max: 1e8,
            defaults: &[("formula", RFC_SET.high_window)],
            doc: "Window at high_p.",
        },
        Parameter {
            name: "low_p",
            unit: "1",
            min: 1e-4,
            max: 0.1,
            defaults: &[("formula", RFC_SET.low_p)],
            doc: "Loss rate at low_window.",
        },
        Parameter {
            name: "high_p",
            unit: "1",
            min: 1e-12,
            max: 1e-5,
            defaults: &[("formula", RFC_SET.high_p)],
            doc: "Loss rate at high_window.",
        },
        Parameter {
            name: "high_decrease",
            unit: "1",
            min: 0.01,
            max: 0.5,
            defaults: &[("formula", RFC_SET.high_decrease)],
            doc: "b at high_window.",
        },
    ],
    constants: &[
        Constant { name: "low_window", variant: "table-altaimd", value: ALTAIMD_SET.low_window, unit: "segments" },
        Constant { name: "high_window", variant: "table-altaimd", value: ALTAIMD_SET.high_window, unit: "segments" },
        Constant { name: "high_p", variant: "table-altaimd", value: ALTAIMD_SET.high_p, unit: "1" },
    ],
    profiles: &[
        runs("linux-6.1", "table-linux"),
        runs("linux-6.12", "table-linux"),
        runs("linux-2.6.23", "table-linux"),
        runs("altaimd-2.6.6", "table-altaimd"),
        borrows("linux-2.4", "formula"),
        runs("rfc", "formula"),
    ],
};

/// The state of a new connection.
pub fn build(values: &Values) -> Either<HstcpLinux, HstcpReal> {
    match values.variant() {
        "table-linux" => Either::First(HstcpLinux::default()),
        "table-rfc" => Either::Second(HstcpReal::new(Law::Table(&RFC))),
        "table-altaimd" => Either::Second(HstcpReal::new(Law::Table(&ALTAIMD))),
        _ => Either::Second(HstcpReal::new(Law::Formula(Formula {
            low_window: values.get("low_window"),
            high_window: values.get("high_window"),
            low_p: values.get("low_p"),
            high_p: values.get("high_p"),
            high_decrease: values.get("high_decrease"),
        }))),
    }
}
