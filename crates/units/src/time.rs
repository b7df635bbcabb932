//! Simulated time: integer nanoseconds since the start of the run.

use std::ops::{Add, AddAssign, Sub};

/// A point in simulated time, or a span of it, in integer nanoseconds.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Time(pub u64);

impl Time {
    /// The beginning of every run.
    pub const ZERO: Time = Time(0);
    /// Later than anything that happens: the deadline of a timer that is not armed.
    pub const NEVER: Time = Time(u64::MAX);

    /// `us` microseconds.
    pub const fn from_us(us: u64) -> Time {
        Time(us * 1_000)
    }

    /// `ms` milliseconds.
    pub const fn from_ms(ms: u64) -> Time {
        Time(ms * 1_000_000)
    }

    /// `s` seconds, rounded to the nearest nanosecond. `s` must be finite and not negative.
    pub fn from_secs_f64(s: f64) -> Time {
        debug_assert!(s.is_finite() && s >= 0.0);
        Time((s * 1e9).round() as u64)
    }

    /// Whole microseconds, rounded down: the resolution of the kernel's RTT samples.
    pub const fn as_us(self) -> u64 {
        self.0 / 1_000
    }

    /// Whole milliseconds, rounded down: a kernel tick at HZ = 1000.
    pub const fn as_ms(self) -> u64 {
        self.0 / 1_000_000
    }

    /// Seconds as a real number.
    pub fn as_secs_f64(self) -> f64 {
        debug_assert!(self.0 <= i64::MAX as u64, "never has no seconds");
        // Signed, for the conversion is then one instruction.
        self.0 as i64 as f64 * 1e-9
    }

    /// The span from `earlier` to `self`, zero when `earlier` is later.
    pub const fn since(self, earlier: Time) -> Time {
        Time(self.0.saturating_sub(earlier.0))
    }

    /// `self + span`, or [`Time::NEVER`] when that does not fit.
    pub const fn saturating_add(self, span: Time) -> Time {
        Time(self.0.saturating_add(span.0))
    }
}

impl Add for Time {
    type Output = Time;
    fn add(self, span: Time) -> Time {
        Time(self.0 + span.0)
    }
}

impl AddAssign for Time {
    fn add_assign(&mut self, span: Time) {
        self.0 += span.0;
    }
}

impl Sub for Time {
    type Output = Time;
    fn sub(self, earlier: Time) -> Time {
        Time(self.0 - earlier.0)
    }
}
