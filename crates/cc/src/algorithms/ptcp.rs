//! P-TCP: one application that spreads its data over n Reno connections. This is the law of one of them.
//!
//! Source: Bullot/Cottrell/Hughes-Jones, "Evaluation of Advanced TCP Stacks on Fast Long-Distance Production Networks", 2003, 2.2.
//! Units: segments.
//! State: Reno's.
//! Departures: none in the law, which is Reno's. The connections are flows of their own, made where a scenario is filled in: the two
//! parameters are the application's and no connection's.

use super::reno;
use crate::parameter::{Either, Parameter, Protocol, Values};

const V61: &str = "linux-6.1";
const RFC: &str = "rfc";

/// The registry's description.
pub const PROTOCOL: Protocol = Protocol {
    name: "ptcp",
    aliases: &["p-tcp"],
    family: "parallel streams",
    year: 2003,
    source: "Bullot/Cottrell/Hughes-Jones 2003",
    summary: "Several Reno connections of one application, opened together.",
    signals: &["loss", "ecn"],
    variants: reno::PROTOCOL.variants,
    parameters: &[
        Parameter {
            name: "streams",
            unit: "connections",
            min: 1.0,
            max: 1024.0,
            defaults: &[(V61, 16.0), (RFC, 16.0)],
            doc: "Connections of the application.",
        },
        Parameter {
            name: "stagger",
            unit: "s",
            min: 0.0,
            max: 10.0,
            defaults: &[(V61, 0.01), (RFC, 0.01)],
            doc: "All connections but the first start at random within this span.",
        },
    ],
    constants: &[],
    profiles: reno::PROTOCOL.profiles,
};

/// The state of a new connection.
pub fn build(values: &Values) -> Either<reno::Reno, reno::RenoReal> {
    match values.variant() {
        V61 => Either::First(reno::Reno),
        _ => Either::Second(reno::RenoReal),
    }
}
