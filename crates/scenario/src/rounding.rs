//! From real numbers to the integers that the engine takes.

/// A time in whole nanoseconds, ties to even.
pub(crate) fn ns(seconds: f64) -> u64 {
    whole(seconds * 1e9)
}

/// The nearest integer, ties to even.
pub(crate) fn whole(value: f64) -> u64 {
    value.round_ties_even() as u64
}
