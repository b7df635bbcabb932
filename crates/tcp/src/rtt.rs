//! RTT estimation and the retransmission timeout. The smoothed RTT and the minimum are the connection's: the algorithm sees them there.

use cc::Connection;
use units::{Duration, Time};

use crate::clock::{Clock, Flight, Timed};
use crate::{Options, RtoRule};

const RTO_MAX: Duration = Duration::from_ms(120_000);
const RTO_RFC_MIN_US: u32 = 1_000_000;
/// Before the first sample (RFC 6298 2.1).
const RTO_INITIAL_US: u32 = 1_000_000;
/// After a handshake without one (RFC 6298 5.7).
const RTO_UNTIMED_US: u32 = 3_000_000;
/// The minimum RTT is that of the last 300 s (Linux `tcp_min_rtt_wlen`).
const RTT_MIN_WINDOW: Duration = Duration::from_ms(300_000);

/// A sample that is, or may become, the smallest of the window.
#[derive(Clone, Copy, Debug)]
struct Minimum {
    rtt: Duration,
    at: Time,
}

/// The variation of the RTT and the timeout, in the kernel's fixed point: quarters of microseconds; and the minima of late.
#[derive(Clone, Debug)]
pub(crate) struct RttEstimator {
    rule: RtoRule,
    /// Linux: the least of the variation that enters the timeout.
    min_us: u32,
    /// Four times the smoothed mean deviation.
    mdev4_us: u32,
    /// Its largest value in this round trip.
    mdev4_max_us: u32,
    /// Four times the variation that enters the timeout.
    rttvar4_us: u32,
    round_end: u64,
    /// The timeout, not backed off.
    rto_us: u32,
    backoff: u16,
    min: [Minimum; 3],
    /// Until then no sample changes them that is larger than the last.
    min_stands_until: Time,
    /// The clock that times segments, where it does not show every nanosecond as it is.
    clock: Option<Box<Clock>>,
}

impl RttEstimator {
    /// An estimator without samples, with the timeout and the clock of `options`.
    pub(crate) fn new(options: &Options) -> RttEstimator {
        RttEstimator {
            rule: options.rto,
            min_us: Duration::from(options.rto_min_s).as_us() as u32,
            mdev4_us: 0,
            mdev4_max_us: 0,
            rttvar4_us: 0,
            round_end: 0,
            rto_us: RTO_INITIAL_US,
            backoff: 0,
            min: [Minimum { rtt: Duration::FOREVER, at: Time::ZERO }; 3],
            min_stands_until: Time::ZERO,
            clock: Clock::of(options).map(Box::new),
        }
    }

    /// Whether the clock shows every nanosecond, and shows it right.
    #[inline]
    pub(crate) fn is_exact(&self) -> bool {
        self.clock.is_none()
    }

    /// What the stack's clock shows of the segment sent first and of the one sent last.
    #[inline]
    pub(crate) fn timed(&mut self, flights: [Flight; 2]) -> Timed {
        match &mut self.clock {
            Some(clock) => clock.timed(flights),
            None => {
                let [first, last] = flights.map(Flight::rtt);
                Timed { stamped: last, first, last }
            }
        }
    }

    /// The handshake took `rtt`.
    pub(crate) fn on_handshake(&mut self, rtt: Duration) {
        if let Some(clock) = &mut self.clock {
            clock.on_handshake(rtt);
        }
    }

    /// The handshake gave no sample.
    pub(crate) fn on_handshake_untimed(&mut self) {
        self.rto_us = RTO_UNTIMED_US;
    }

    /// The sender backs off.
    pub(crate) fn on_backed_off(&mut self, c: &Connection) {
        if let Some(clock) = &mut self.clock {
            clock.on_backed_off(c);
        }
    }

    /// The timeout, backed off.
    #[inline]
    pub(crate) fn rto(&self) -> Duration {
        let rto = Duration::from_us(self.rto_us.into()).min(RTO_MAX);
        if self.backoff == 0 {
            rto
        } else {
            rto.saturating_mul(1 << self.backoff.min(16)).min(RTO_MAX)
        }
    }

    /// The stack computes the timeout as Linux does.
    pub(crate) fn is_of_linux(&self) -> bool {
        self.rule == RtoRule::Linux
    }

    /// The timer expired: the timeout doubles until the next valid sample.
    pub(crate) fn back_off(&mut self) {
        self.backoff = self.backoff.saturating_add(1);
    }

    /// A valid sample: the smoothed RTT and the timeout.
    #[inline(always)]
    pub(crate) fn on_sampled(&mut self, c: &mut Connection, rtt: Duration) {
        self.backoff = 0;
        let sample = kernel_us(rtt);
        if c.srtt8_us == 0 {
            self.start(sample, c);
        } else {
            match self.rule {
                RtoRule::Linux => self.update_linux(sample, c),
                RtoRule::Rfc6298 => self.update_rfc(sample, c),
            }
        }
        let least_us = if self.rule == RtoRule::Rfc6298 { RTO_RFC_MIN_US } else { 0 };
        self.rto_us = ((c.srtt8_us >> 3) + self.rttvar4_us).max(least_us);
    }

    /// [`RttEstimator::on_sampled`] of a usual stack that has had samples.
    #[inline(always)]
    pub(crate) fn on_next_sampled(&mut self, c: &mut Connection, rtt: Duration) {
        self.backoff = 0;
        self.update_linux(kernel_us(rtt), c);
        self.rto_us = (c.srtt8_us >> 3) + self.rttvar4_us;
    }

    /// A sample for the minimum filter: three staggered minima, as in Nichols's windowed filter.
    #[inline]
    pub(crate) fn on_min_sampled(&mut self, c: &mut Connection, rtt: Duration) {
        if rtt <= self.min[2].rtt || c.now > self.min_stands_until {
            self.update_min(Minimum { rtt, at: c.now });
            c.rtt_min = self.min[0].rtt;
        }
    }

    fn start(&mut self, sample: u32, c: &mut Connection) {
        c.srtt8_us = sample << 3;
        self.mdev4_us = sample << 1;
        self.rttvar4_us = match self.rule {
            RtoRule::Linux => self.mdev4_us.max(self.min_us),
            RtoRule::Rfc6298 => self.mdev4_us,
        };
        self.mdev4_max_us = self.rttvar4_us;
        self.round_end = c.nxt;
    }

    /// Linux: the deviation enters through its maximum over a round, never below the option `rto_min_s`, and decays by a quarter of the
    /// difference per round. A falling RTT moves the deviation eight times slower.
    #[inline]
    fn update_linux(&mut self, sample: u32, c: &mut Connection) {
        let error = sample as i32 - (c.srtt8_us >> 3) as i32;
        c.srtt8_us = (c.srtt8_us as i32 + error) as u32;
        let mut deviation = error.abs() - (self.mdev4_us >> 2) as i32;
        if error < 0 && deviation > 0 {
            deviation >>= 3;
        }
        self.mdev4_us = (self.mdev4_us as i32 + deviation) as u32;
        if self.mdev4_us > self.mdev4_max_us {
            self.mdev4_max_us = self.mdev4_us;
            self.rttvar4_us = self.rttvar4_us.max(self.mdev4_us);
        }
        if c.una > self.round_end {
            if self.mdev4_max_us < self.rttvar4_us {
                self.rttvar4_us -= (self.rttvar4_us - self.mdev4_max_us) >> 2;
            }
            self.round_end = c.nxt;
            self.mdev4_max_us = self.min_us;
        }
    }

    /// RFC 6298 2.3, gains 1/8 and 1/4.
    fn update_rfc(&mut self, sample: u32, c: &mut Connection) {
        let error = sample as i32 - (c.srtt8_us >> 3) as i32;
        let deviation = error.abs() - (self.rttvar4_us >> 2) as i32;
        self.rttvar4_us = (self.rttvar4_us as i32 + deviation) as u32;
        c.srtt8_us = (c.srtt8_us as i32 + error) as u32;
    }

    /// One of the minima, or several, may have to give way.
    #[inline(never)]
    fn update_min(&mut self, sample: Minimum) {
        if sample.rtt <= self.min[0].rtt {
            self.min = [sample; 3];
        } else {
            self.age_min(sample);
        }
        let [first, second, third] = self.min.map(|minimum| minimum.at);
        let span = match (second == first, third == second) {
            (true, _) => RTT_MIN_WINDOW / 4,
            (_, true) => RTT_MIN_WINDOW / 2,
            _ => RTT_MIN_WINDOW,
        };
        self.min_stands_until = first + span;
    }

    /// The minimum stands, but one of those that wait to succeed it may have to give way.
    fn age_min(&mut self, sample: Minimum) {
        let [first, second, third] = &mut self.min;
        if sample.rtt <= second.rtt {
            (*second, *third) = (sample, sample);
        } else if sample.rtt <= third.rtt {
            *third = sample;
        }
        let age = sample.at.since(first.at);
        if age > RTT_MIN_WINDOW {
            self.min = [self.min[1], self.min[2], sample];
            if sample.at.since(self.min[0].at) > RTT_MIN_WINDOW {
                self.min = [self.min[1], self.min[2], sample];
            }
        } else if second.at == first.at && age > RTT_MIN_WINDOW / 4 {
            (*second, *third) = (sample, sample);
        } else if third.at == second.at && age > RTT_MIN_WINDOW / 2 {
            *third = sample;
        }
    }
}

/// A sample in the kernel's unit, never 0.
#[inline]
fn kernel_us(rtt: Duration) -> u32 {
    (rtt.as_us() as u32).max(1)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn estimator(rto: RtoRule) -> RttEstimator {
        RttEstimator::new(&Options { rto, ..Options::of_profile("linux-6.1").expect("a profile") })
    }

    fn after_samples(rule: RtoRule, samples: &[u64]) -> RttEstimator {
        let mut estimator = estimator(rule);
        let mut c = Connection::new(1448);
        for (i, &ms) in samples.iter().enumerate() {
            (c.una, c.nxt) = (i as u64 + 1, i as u64);
            estimator.on_sampled(&mut c, Duration::from_ms(ms));
        }
        estimator
    }

    /// RTO = srtt + max(4 mdev, 200 ms): the floor is on the variance term.
    #[test]
    fn linux_timeout_is_srtt_plus_at_least_200_ms() {
        assert_eq!(after_samples(RtoRule::Linux, &[100]).rto(), Duration::from_ms(300));
        assert_eq!(after_samples(RtoRule::Linux, &[100; 100]).rto(), Duration::from_ms(300));
        assert_eq!(after_samples(RtoRule::Linux, &[20; 100]).rto(), Duration::from_ms(220));
    }

    /// With another least variation, as a route's `rto_min` sets it.
    #[test]
    fn the_least_variation_is_an_option() {
        let least = |seconds: f64| {
            let mut estimator =
                RttEstimator::new(&Options { rto_min_s: seconds.into(), ..Options::of_profile("linux-6.1").expect("a profile") });
            let mut c = Connection::new(1448);
            for i in 0..100 {
                (c.una, c.nxt) = (i + 1, i);
                estimator.on_sampled(&mut c, Duration::from_ms(100));
            }
            estimator.rto()
        };
        assert_eq!(least(0.4), Duration::from_ms(500));
        // From above by quarters of the distance, rounded down: it stays three microseconds away.
        assert_eq!(least(0.01), Duration::from_us(110_003));
    }

    #[test]
    fn rfc_6298_timeout_is_at_least_one_second() {
        assert_eq!(after_samples(RtoRule::Rfc6298, &[100; 50]).rto(), Duration::from_ms(1000));
        // RFC 6298 2.2: first sample R gives RTO = R + 4 * R/2 = 3 R.
        assert_eq!(after_samples(RtoRule::Rfc6298, &[800]).rto(), Duration::from_ms(2400));
    }

    /// RFC 6298 2.3 with 1/8 and 1/4, the variation first: from 800 and 400 ms a sample of 1600 makes 3/4 400 + 1/4 800 = 500, and 900; then
    /// RTO = 900 + 4 * 500.
    #[test]
    fn rfc_6298_smooths_by_an_eighth_and_a_quarter() {
        assert_eq!(after_samples(RtoRule::Rfc6298, &[800, 1600]).rto(), Duration::from_ms(2900));
    }

    #[test]
    fn expiry_doubles_the_timeout_and_a_sample_resets_it() {
        let mut estimator = after_samples(RtoRule::Linux, &[100]);
        estimator.back_off();
        estimator.back_off();
        assert_eq!(estimator.rto(), Duration::from_ms(1200));
        for _ in 0..20 {
            estimator.back_off();
        }
        assert_eq!(estimator.rto(), Duration::from_ms(120_000));
        estimator.on_sampled(&mut Connection::new(1448), Duration::from_ms(100));
        assert_eq!(estimator.rto(), Duration::from_ms(300));
    }

    /// A clock that shows every nanosecond shows this one.
    #[test]
    fn an_exact_clock_shows_nanoseconds() {
        let flight = Flight { sent: Time(7), answered: Time(1_000_008) };
        assert_eq!(estimator(RtoRule::Linux).timed([flight; 2]).last, Duration(1_000_001));
    }

    #[test]
    fn the_minimum_expires_after_300_s() {
        let mut estimator = estimator(RtoRule::Linux);
        let mut c = Connection::new(1448);
        let mut sample_at = |s: u64, ms: u64| {
            c.now = Time::from_ms(s * 1000);
            estimator.on_min_sampled(&mut c, Duration::from_ms(ms));
            c.rtt_min
        };
        sample_at(0, 10);
        for s in 1..301 {
            assert_eq!(sample_at(s, 50), Duration::from_ms(10), "after {s} s");
        }
        assert_eq!(sample_at(301, 50), Duration::from_ms(50));
    }
}
