//! How a refusal is said, and what of a run's size is the engine's own: see [`limits`](crate::limits) for the rest.

use crate::error::SpecError;

/// Transfers open at once.
pub(crate) const ALIVE_MAX: usize = 100_000;

/// The latest time that differs from never where so many parties have events: a time and a party's number share 64 bits.
pub(crate) fn time_max(parties: usize) -> u64 {
    (u64::MAX >> parties.next_power_of_two().trailing_zeros()) - 1
}

pub(crate) fn refuse<T>(field: impl Into<String>, value: impl ToString, allowed: impl AsRef<str>) -> Result<T, SpecError> {
    Err(SpecError { field: field.into(), value: value.to_string(), allowed: allowed.as_ref().into() })
}

pub(crate) fn seconds(ns: u64) -> String {
    format!("{} s", ns as f64 / 1e9)
}
