//! When a kernel whose clock ticks sees that a timer has expired.
//!
//! Source: Linux 6.1 `usecs_to_jiffies`, `calc_wheel_index`: a wait is so many whole ticks, rounded up, from the tick that has passed, and the wheel adds one of
//! its own steps: a tick for waits of less than 63, 8 ticks for less than 504, 64 for less than 4032, and so on. Before Linux 4.8 timers were seen at
//! the tick itself. Units: ticks.

use units::{Duration, Time};

use crate::{LossDetection, Options};

/// Waits of so many ticks at least have the second of the steps.
const FIRST_LEVEL: u64 = 63;
/// Each step is eight times the one before; there are nine.
const SHIFT: u32 = 3;
const LAST_LEVEL: u32 = 8;

/// The clock of a stack's timers.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Ticks {
    /// Nanoseconds, of a tenth of a second at most; zero for a clock that is looked at all the time.
    tick_ns: u32,
    has_wheel: bool,
}

impl Ticks {
    /// That of `options`. A stack with RACK has the wheel: it is as old, within a year.
    pub(crate) fn of(options: &Options) -> Ticks {
        Ticks::each(Duration::from_secs_f64(options.timer_tick_s), options.loss_detection == LossDetection::Rack)
    }

    /// A clock that ticks once in `tick`, with or without the wheel.
    pub(crate) fn each(tick: Duration, has_wheel: bool) -> Ticks {
        Ticks { tick_ns: u32::try_from(tick.0).unwrap_or(u32::MAX), has_wheel }
    }

    /// The clock is looked at all the time.
    #[inline]
    pub(crate) fn is_exact(&self) -> bool {
        self.tick_ns == 0
    }

    /// When a timer that is armed `now` and expires at `deadline` is seen to have expired. Not of an exact clock.
    #[inline(never)]
    pub(crate) fn seen_at(&self, now: Time, deadline: Time) -> Time {
        if !self.has_wheel {
            return deadline.next_multiple_of(Duration(self.tick_ns.into()));
        }
        let tick = u64::from(self.tick_ns);
        let wait = (deadline.0.saturating_sub(now.0)).div_ceil(tick);
        let level = (0..LAST_LEVEL).find(|level| wait < FIRST_LEVEL << (SHIFT * level)).unwrap_or(LAST_LEVEL);
        let step = 1 << (SHIFT * level);
        let expires = now.0 / tick + wait;
        Time((expires / step + 1).saturating_mul(step).saturating_mul(tick))
    }
}

/// The clock, and when it last saw a deadline.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Seen {
    ticks: Ticks,
    at: Time,
}

impl Seen {
    /// By this clock; none by one that is looked at all the time.
    pub(crate) fn by(ticks: Ticks) -> Option<Box<Seen>> {
        (!ticks.is_exact()).then(|| Box::new(Seen { ticks, at: Time::NEVER }))
    }

    /// When a deadline is seen of what was armed at `armed`; of one that it said itself, then.
    pub(crate) fn look(&mut self, armed: Time, deadline: Time) -> Time {
        if self.at != deadline {
            self.at = self.ticks.seen_at(armed, deadline);
        }
        self.at
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Linux `timer.c`: HZ 1000, steps of 1, 8 and 64 ms; what is armed half a millisecond after a tick counts from that tick.
    #[test]
    fn a_thousand_ticks_a_second_are_seen_in_steps_of_1_8_and_64_ms() {
        let ticks = Ticks::each(Duration::from_ms(1), true);
        let seen = |wait_us: u64| ticks.seen_at(Time(10_000_500_000), Time(10_000_500_000 + 1000 * wait_us)).as_ms() - 10_000;
        // 2.4 ms are three ticks, and the fourth sees it.
        assert_eq!([seen(2400), seen(3000), seen(40_000), seen(62_000)], [4, 4, 41, 63]);
        // 10 063 / 8 = 1257.9: 1258 x 8 = 10 064; 10 200 / 8 = 1275: 1276 x 8 = 10 208; 10 504 / 64 = 164.1: 165 x 64 = 10 560.
        assert_eq!([seen(63_000), seen(200_000), seen(503_000), seen(504_000)], [64, 208, 504, 560]);
    }

    /// HZ 250: 300 ms are 75 ticks, 2575 / 8 = 321.9: 322 x 8 = 2576 ticks, 10.304 s. The next step, for 250 ms, is a tick.
    #[test]
    fn with_250_ticks_a_second_steps_are_4_and_32_ms() {
        let ticks = Ticks::each(Duration::from_ms(4), true);
        let seen = |wait_ms: u64| ticks.seen_at(Time::from_ms(10_000), Time::from_ms(10_000 + wait_ms)).as_ms() - 10_000;
        assert_eq!([seen(300), seen(240), seen(40), seen(1)], [304, 244, 44, 8]);
    }

    #[test]
    fn the_clock_before_the_wheel_is_seen_at_its_ticks() {
        let ticks = Ticks::each(Duration::from_ms(10), false);
        assert_eq!(ticks.seen_at(Time::from_ms(3), Time::from_ms(1202)).as_ms(), 1210);
        assert_eq!(ticks.seen_at(Time::from_ms(3), Time::from_ms(1210)).as_ms(), 1210);
    }
}
