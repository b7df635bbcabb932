//! What is allowed, in numbers that more than one check needs, and how a refusal is said.

use crate::error::SpecError;

pub(crate) const HOUR_NS: u64 = 3_600_000_000_000;
/// Longest run.
pub(crate) const DURATION_MAX_NS: u64 = 24 * HOUR_NS;
pub(crate) const RTT_MAX_NS: u64 = 10_000_000_000;
/// Flows and sources of datagrams.
pub(crate) const FLOWS_MAX: usize = 1_000_000;
pub(crate) const RATE_MAX_BPS: u64 = 1_000_000_000_000;
pub(crate) const QUEUE_MAX_PACKETS: u64 = 100_000_000;
/// Transfers alive at once.
pub(crate) const ALIVE_MAX: usize = 100_000;

/// The latest time that can be told apart from never where so many parties have events: a time and a party's number share 64 bits.
pub(crate) fn time_max(parties: usize) -> u64 {
    (u64::MAX >> parties.next_power_of_two().trailing_zeros()) - 1
}

pub(crate) fn refuse<T>(field: impl Into<String>, value: impl ToString, allowed: &str) -> Result<T, SpecError> {
    Err(SpecError { field: field.into(), value: value.to_string(), allowed: allowed.into() })
}

pub(crate) fn seconds(ns: u64) -> String {
    format!("{} s", ns as f64 / 1e9)
}
