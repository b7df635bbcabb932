//! Simulated time: instants, in integer nanoseconds since the start of the run, and the spans between them.

use std::ops::{Add, AddAssign, Div, Mul, Rem, Sub};

/// An instant of simulated time, in integer nanoseconds since the start of the run: when something was sent, arrives or falls due.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Time(pub u64);

/// A span of simulated time, in integer nanoseconds: an RTT, a delay, a timeout, a serialisation time.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Duration(pub u64);

impl Time {
    /// The beginning of every run.
    pub const ZERO: Time = Time(0);
    /// Later than anything that happens: the deadline of a timer that is not armed.
    pub const NEVER: Time = Time(u64::MAX);

    /// `us` microseconds after the start.
    pub const fn from_us(us: u64) -> Time {
        Time(us * 1_000)
    }

    /// `ms` milliseconds after the start.
    pub const fn from_ms(ms: u64) -> Time {
        Time(ms * 1_000_000)
    }

    /// Whole microseconds since the start, rounded down: the resolution of the kernel's timestamps of segments.
    pub const fn as_us(self) -> u64 {
        self.0 / 1_000
    }

    /// Whole milliseconds since the start, rounded down: a kernel tick at HZ = 1000.
    pub const fn as_ms(self) -> u64 {
        self.0 / 1_000_000
    }

    /// Whether the millisecond of this instant is over at the other.
    pub const fn is_ms_before(self, other: Time) -> bool {
        // Divided only where it matters.
        self.0 < other.0 && self.as_ms() < other.as_ms()
    }

    /// Seconds since the start as a real number.
    pub fn as_secs_f64(self) -> f64 {
        seconds(self.0)
    }

    /// The span from `earlier` to `self`, zero when `earlier` is later.
    pub const fn since(self, earlier: Time) -> Duration {
        Duration(self.0.saturating_sub(earlier.0))
    }

    /// `self + span`, or [`Time::NEVER`] when that does not fit.
    pub const fn saturating_add(self, span: Duration) -> Time {
        Time(self.0.saturating_add(span.0))
    }

    /// The instant `span` before `self`, or [`Time::ZERO`] when that would be before the start.
    pub const fn saturating_sub(self, span: Duration) -> Time {
        Time(self.0.saturating_sub(span.0))
    }

    /// How many whole ticks have passed since the start. The tick must not be zero.
    pub const fn ticks(self, tick: Duration) -> u64 {
        self.0 / tick.0
    }

    /// The first whole multiple of `tick` after the start that is not before `self`. The tick must not be zero.
    pub const fn next_multiple_of(self, tick: Duration) -> Time {
        Time(self.0.next_multiple_of(tick.0))
    }
}

impl Duration {
    /// No time at all.
    pub const ZERO: Duration = Duration(0);
    /// The shortest span there is.
    pub const NANOSECOND: Duration = Duration(1);
    /// Longer than any span of a run: the smallest of no samples.
    pub const FOREVER: Duration = Duration(u64::MAX);

    /// `self - other`, or [`Duration::ZERO`] when `other` is longer.
    pub const fn saturating_sub(self, other: Duration) -> Duration {
        Duration(self.0.saturating_sub(other.0))
    }

    /// `self - other`, if `other` is not longer.
    pub fn checked_sub(self, other: Duration) -> Option<Duration> {
        self.0.checked_sub(other.0).map(Duration)
    }

    /// `times` times as long, or [`Duration::FOREVER`] when that does not fit.
    pub const fn saturating_mul(self, times: u64) -> Duration {
        Duration(self.0.saturating_mul(times))
    }

    /// `us` microseconds.
    pub const fn from_us(us: u64) -> Duration {
        Duration(us * 1_000)
    }

    /// `ms` milliseconds.
    pub const fn from_ms(ms: u64) -> Duration {
        Duration(ms * 1_000_000)
    }

    /// `s` seconds, rounded to the nearest nanosecond. `s` must be finite and not negative.
    pub fn from_secs_f64(s: f64) -> Duration {
        debug_assert!(s.is_finite() && s >= 0.0);
        Duration((s * 1e9).round() as u64)
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
        seconds(self.0)
    }
}

fn seconds(ns: u64) -> f64 {
    debug_assert!(ns <= i64::MAX as u64, "neither never nor forever has seconds");
    // Signed, for the conversion is then one instruction.
    ns as i64 as f64 * 1e-9
}

impl Add<Duration> for Time {
    type Output = Time;
    fn add(self, span: Duration) -> Time {
        Time(self.0 + span.0)
    }
}

impl AddAssign<Duration> for Time {
    fn add_assign(&mut self, span: Duration) {
        self.0 += span.0;
    }
}

impl Sub for Time {
    type Output = Duration;
    fn sub(self, earlier: Time) -> Duration {
        Duration(self.0 - earlier.0)
    }
}

impl Sub<Duration> for Time {
    type Output = Time;
    fn sub(self, span: Duration) -> Time {
        Time(self.0 - span.0)
    }
}

impl Add for Duration {
    type Output = Duration;
    fn add(self, other: Duration) -> Duration {
        Duration(self.0 + other.0)
    }
}

impl AddAssign for Duration {
    fn add_assign(&mut self, other: Duration) {
        self.0 += other.0;
    }
}

impl Sub for Duration {
    type Output = Duration;
    fn sub(self, other: Duration) -> Duration {
        Duration(self.0 - other.0)
    }
}

impl Mul<u64> for Duration {
    type Output = Duration;
    fn mul(self, times: u64) -> Duration {
        Duration(self.0 * times)
    }
}

impl Div<u64> for Duration {
    type Output = Duration;
    fn div(self, parts: u64) -> Duration {
        Duration(self.0 / parts)
    }
}

/// How many whole spans fit.
impl Div for Duration {
    type Output = u64;
    fn div(self, span: Duration) -> u64 {
        self.0 / span.0
    }
}

/// What is left over of them.
impl Rem for Duration {
    type Output = Duration;
    fn rem(self, span: Duration) -> Duration {
        Duration(self.0 % span.0)
    }
}
