//! A scenario as people write it, in SI units; every part is plain data whose absent fields are defaults.
//!
//! The order of the fields is the one in which a scenario is shown, and what scenarios did not always have is left out where it is
//! the default, so that no older scenario is renamed.

mod flow;
mod host;
mod law;
mod link;
mod losses;
mod scenario;
mod sources;
mod traffic;

pub use flow::{Flow, ParameterValue};
pub use host::Host;
pub use law::{Law, LawKind};
pub use link::{DelayStep, Hop, Link, Outage, QueueStep, RateStep, DROP_TAIL};
pub use losses::{LossKind, LossModel};
pub use scenario::Scenario;
pub use sources::{Arrivals, Offered, Pages, Sessions, Source, SHAPE};
pub use traffic::{Udp, UdpKind};

use serde::de::DeserializeOwned;
use serde_json::{Map, Value};

/// IP bytes of a full packet.
pub const PACKET_BYTES: u32 = 1500;

/// The profile of flows that name none, where the scenario names none either.
pub const PROFILE: &str = "linux-6.1";

fn is_default<T: Default + PartialEq>(value: &T) -> bool {
    *value == T::default()
}

fn is_one(value: &u32) -> bool {
    *value == 1
}

fn is_packet(value: &u32) -> bool {
    *value == PACKET_BYTES
}

fn one() -> u32 {
    1
}

fn packet() -> u32 {
    PACKET_BYTES
}

/// A part of which only these fields are given: each other is what it is when a file does not name it.
fn by_default<T: DeserializeOwned>(given: Value) -> T {
    serde_json::from_value(given).expect("the fields that a part cannot be without")
}

/// Reads two parts of one table: the fields named, and the others. Neither part then lets an unknown field pass.
fn two_parts<A: DeserializeOwned, B: DeserializeOwned>(mut table: Map<String, Value>, first: &[&str]) -> Result<(A, B), serde_json::Error> {
    let own: Map<String, Value> = first.iter().filter_map(|&name| table.remove_entry(name)).collect();
    Ok((serde_json::from_value(Value::Object(own))?, serde_json::from_value(Value::Object(table))?))
}
