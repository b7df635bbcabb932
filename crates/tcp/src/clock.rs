//! The clock that times segments, where it is not exact: it ticks coarsely, or is wrong.
//!
//! A busy host times segments too late. After a loss the work of SACK blocks brings RTT samples that are too long; a flow that has never met
//! its path's queue empty takes its base RTT for too long (Leith et al. 2008, VII and VIII.A). Both errors are given, not modelled:
//! what a processor costs is the host's part. Delays of one way are timed by the network's clock and are exact.

use cc::Connection;
use units::{Duration, Time};

use crate::Options;

/// Round trips after a back-off for which samples are too long.
const TROUBLED_RTTS: u64 = 2;

/// A segment's way there and its answer's way back.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Flight {
    pub(crate) sent: Time,
    pub(crate) answered: Time,
}

impl Flight {
    #[inline]
    pub(crate) fn rtt(self) -> Duration {
        self.answered - self.sent
    }
}

/// What a clock shows of the segment sent first and of the one sent last of those that an ACK answers.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Timed {
    /// The RTT of the last one, with the clock's errors and without its ticks.
    pub(crate) stamped: Duration,
    /// The RTTs of both, in ticks passed, at least one.
    pub(crate) first: Duration,
    pub(crate) last: Duration,
}

/// A tick that is counted for every ACK: without a division, which takes longer than all else that the clock does.
#[derive(Clone, Copy, Debug, Default)]
struct Tick {
    length: Duration,
    /// 2^64 over the length, rounded down; zero for a continuous clock.
    inverse: u64,
}

impl Tick {
    fn of(length: Duration) -> Tick {
        Tick { length, inverse: u64::MAX.checked_div(length.0).unwrap_or(0) }
    }

    /// How many whole ticks have passed at a time below 2^62 ns.
    #[inline]
    fn passed(self, at: Time) -> u64 {
        // What the inverse lacks makes less than a half of a tick: the product is right, or one too small.
        let count = ((u128::from(at.0) * u128::from(self.inverse)) >> 64) as u64;
        count + u64::from(at.0 - count * self.length.0 >= self.length.0)
    }

    /// When the tick began in which a time lies.
    fn begin(self, at: Time) -> Time {
        Time(self.passed(at) * self.length.0)
    }
}

/// The last RTT that was counted in ticks. It stands while neither time leaves its tick.
#[derive(Clone, Copy, Debug, Default)]
struct Shown {
    /// When the ticks began in which the segment was sent and its answer came.
    sent: Time,
    answered: Time,
    /// Of no length before anything was counted, and where the clock is wrong.
    tick: Duration,
    rtt: Duration,
}

impl Shown {
    #[inline]
    fn stands_for(&self, flight: Flight) -> bool {
        let is_within = |at: Time, tick: Time| at.0.wrapping_sub(tick.0) < self.tick.0;
        is_within(flight.sent, self.sent) && is_within(flight.answered, self.answered)
    }
}

/// An inexact clock.
#[derive(Clone, Debug, Default)]
pub(crate) struct Clock {
    /// Its tick; of no length for a continuous one.
    tick: Tick,
    shown: Shown,
    /// How much too long the smallest RTT is, and what that makes of it once there was a handshake.
    least_error: Duration,
    least: Duration,
    /// How much too long samples are for a while after a back-off, and until when.
    error: Duration,
    troubled_until: Time,
}

impl Clock {
    /// The clock of these options, if it is inexact.
    pub(crate) fn of(options: &Options) -> Option<Clock> {
        let tick = Duration::from_secs_f64(options.rtt_granularity_s);
        let [least_error, error] = [options.min_rtt_error_s, options.rtt_error_after_loss_s].map(Duration::from);
        let clock = Clock { tick: Tick::of(tick), least_error, error, ..Clock::default() };
        (tick + least_error + error > Duration::ZERO).then_some(clock)
    }

    /// What it shows of the segments sent first and last.
    #[inline(always)]
    pub(crate) fn timed(&mut self, [first, last]: [Flight; 2]) -> Timed {
        if self.shown.stands_for(last) && self.shown.stands_for(first) {
            return Timed { stamped: last.rtt(), first: self.shown.rtt, last: self.shown.rtt };
        }
        self.count([first, last])
    }

    #[inline(never)]
    fn count(&mut self, [first, last]: [Flight; 2]) -> Timed {
        let stamped = self.stamped(last);
        let last_in_ticks = self.in_ticks(last.sent, stamped);
        // Segments that were sent together are answered together.
        let first_in_ticks = if first == last { last_in_ticks } else { self.in_ticks(first.sent, self.stamped(first)) };
        if self.least_error + self.error == Duration::ZERO {
            let [sent, answered] = [last.sent, last.answered].map(|at| self.tick.begin(at));
            self.shown = Shown { sent, answered, tick: self.tick.length, rtt: last_in_ticks };
        }
        Timed { stamped, first: first_in_ticks, last: last_in_ticks }
    }

    /// The RTT with the clock's errors and without its ticks.
    #[inline]
    fn stamped(&self, flight: Flight) -> Duration {
        let error = if flight.answered < self.troubled_until { self.error } else { Duration::ZERO };
        flight.rtt().max(self.least) + error
    }

    /// `rtt` of what was sent at `sent` in ticks passed, at least one.
    #[inline]
    fn in_ticks(&self, sent: Time, rtt: Duration) -> Duration {
        if self.tick.length == Duration::ZERO {
            return rtt;
        }
        self.tick.length * (self.tick.passed(sent + rtt) - self.tick.passed(sent)).max(1)
    }

    /// The handshake took `rtt`: from now on no sample is shorter than that and the error of the smallest.
    pub(crate) fn on_handshake(&mut self, rtt: Duration) {
        if self.least_error > Duration::ZERO {
            self.least = rtt + self.least_error;
        }
    }

    /// The sender backs off.
    pub(crate) fn on_backed_off(&mut self, c: &Connection) {
        let srtt = Duration::from_us(u64::from(c.srtt8_us >> 3));
        self.troubled_until = c.now + srtt * TROUBLED_RTTS;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn options() -> Options {
        Options::of_profile("linux-6.1").expect("a profile")
    }

    fn clock(options: &Options) -> Clock {
        Clock::of(options).expect("an inexact clock")
    }

    /// Sent and answered at these milliseconds: what is shown.
    fn shown(clock: &mut Clock, sent: u64, now: u64) -> u64 {
        let flight = Flight { sent: Time::from_ms(sent), answered: Time::from_ms(now) };
        clock.timed([flight, Flight { sent: Time::ZERO, ..flight }]).first.as_ms()
    }

    /// The difference of two counters of jiffies, for one ACK after another: whatever was shown before.
    #[test]
    fn what_stands_is_what_would_be_counted() {
        let mut clock = clock(&Options { rtt_granularity_s: 0.01, ..options() });
        let mut draws = units::Stream::named(1, "flights");
        let (mut now, mut repeated) = (Time::ZERO, 0);
        for _ in 0..10_000 {
            now += Duration::from_us(draws.below(4_000));
            let [first, last] = [(); 2].map(|()| Time(now.0.saturating_sub(draws.below(30_000_000))));
            repeated += u32::from(clock.shown.stands_for(Flight { sent: last, answered: now }));
            let timed = clock.timed([first, last].map(|sent| Flight { sent, answered: now }));
            let passed = |sent: Time| Duration::from_ms(((now.as_ms() / 10 - sent.as_ms() / 10) * 10).max(10));
            assert_eq!(
                [timed.first, timed.last, timed.stamped],
                [passed(first), passed(last), now - last],
                "{first:?} and {last:?} to {now:?}"
            );
        }
        assert!((1_000..9_000).contains(&repeated), "{repeated}");
    }

    /// Next to whole ticks, early and after ten years, of any length.
    #[test]
    fn ticks_are_counted_to_the_nanosecond() {
        for length in [1, 3, 1_000_000, 10_000_000, 1_000_000_007] {
            let tick = Tick::of(Duration(length));
            for count in [0, 1, 999, 315_360_000_000_000_000 / length] {
                let at = Time(count * length);
                assert_eq!([tick.passed(at), tick.passed(at + Duration(length - 1))], [count; 2], "{count} of {length} ns");
            }
        }
    }

    /// With HZ = 100 a jiffy is 10 ms, and Linux 2.4 takes no sample of less than one.
    #[test]
    fn a_coarse_clock_counts_ticks() {
        let mut clock = clock(&Options { rtt_granularity_s: 0.01, ..options() });
        for (sent, now, expected) in [(0, 109, 100), (9, 111, 110), (101, 104, 10), (100, 200, 100)] {
            assert_eq!(shown(&mut clock, sent, now), expected, "{sent} to {now}");
        }
    }

    /// A handshake of 100 ms and an error of 20: 120 at least, and what is longer as it is.
    #[test]
    fn no_sample_is_shorter_than_the_base_rtt_with_its_error() {
        let mut clock = clock(&Options { min_rtt_error_s: 0.02.into(), ..options() });
        clock.on_handshake(Duration::from_ms(100));
        assert_eq!([100, 119, 120, 121].map(|now| shown(&mut clock, 0, now)), [120, 120, 120, 121]);
    }

    /// Smoothed RTT 100 ms, backed off at 1 s: samples are 300 ms too long until 1.2 s.
    #[test]
    fn samples_are_too_long_for_two_round_trips_after_a_back_off() {
        let mut clock = clock(&Options { rtt_error_after_loss_s: 0.3.into(), ..options() });
        clock.on_backed_off(&Connection { now: Time::from_ms(1000), srtt8_us: 800_000, ..Connection::new(1448) });
        let at = |now| shown(&mut clock, now - 100, now);
        assert_eq!([1000, 1199, 1200, 1500].map(at), [400, 400, 100, 100]);
    }
}
