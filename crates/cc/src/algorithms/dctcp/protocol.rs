//! DCTCP's description for the registry.

use super::{Dctcp, Integers, Reals};
use crate::algorithms::{borrows, runs};
use crate::parameter::{Either, Parameter, Protocol, Values, Variant};

const V61: &str = "linux-6.1";
const RFC: &str = "rfc8257";

/// The registry's description.
pub const PROTOCOL: Protocol = Protocol {
    name: "dctcp",
    aliases: &[],
    family: "ECN-based",
    year: 2010,
    source: "Alizadeh et al. 2010; RFC 8257; Linux 6.1",
    summary: "Reno that backs off by half of the share of marked segments.",
    signals: &["ecn", "loss"],
    variants: &[
        Variant { name: V61, aliases: &[], summary: "Linux's integers.", exact_kernel: true },
        Variant { name: RFC, aliases: &["paper"], summary: "RFC 8257 in real numbers.", exact_kernel: false },
    ],
    parameters: &[
        Parameter {
            name: "g",
            unit: "1",
            min: 1e-4,
            max: 1.0,
            defaults: &[(RFC, 0.0625)],
            doc: "Weight of the latest window of data in alpha.",
        },
        Parameter {
            name: "shift_g",
            unit: "1",
            min: 0.0,
            max: 10.0,
            defaults: &[(V61, 4.0)],
            doc: "That weight as a power of two: 2^-shift_g.",
        },
        Parameter {
            name: "alpha_init",
            unit: "1",
            min: 0.0,
            max: 1.0,
            defaults: &[(V61, 1.0), (RFC, 1.0)],
            doc: "Alpha before the first window of data.",
        },
    ],
    constants: &[],
    profiles: &[
        runs(V61, V61),
        runs("linux-6.12", V61),
        borrows("linux-2.6.23", V61),
        borrows("altaimd-2.6.6", RFC),
        borrows("linux-2.4", V61),
        runs("rfc", RFC),
    ],
};

/// The state of a new connection.
pub fn build(values: &Values) -> Either<Dctcp<Integers>, Dctcp<Reals>> {
    match values.variant() {
        V61 => Either::First(Dctcp::integers(values)),
        _ => Either::Second(Dctcp::reals(values)),
    }
}
