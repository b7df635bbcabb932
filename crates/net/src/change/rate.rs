//! A rate that steps, down to nothing in an outage: a packet leaves when the integral of the rate over its service is its size.
//!
//! Whole nanoseconds, as on a link of one rate: what does not fill one is handed to the next packet, so that no bit is gained or lost.

use std::ops::Range;

use units::{Duration, Time};

/// Work is counted in units of which a link of 1 bit/s does one in a nanosecond.
const UNITS_PER_BYTE: u128 = 8_000_000_000;

/// The rates, from each time on.
#[derive(Clone, Debug, PartialEq)]
pub struct RateSteps {
    /// When, and bit/s from then on; the first at zero, ascending; the last rate is not zero.
    steps: Vec<(Time, u64)>,
    /// The step that holds.
    current: usize,
    /// Work of packets that have left, not yet done.
    owed: u128,
}

impl RateSteps {
    /// Rates in bit/s from each time on, the first from zero, ascending in time, the last above zero.
    pub fn new(steps: Vec<(Time, u64)>) -> RateSteps {
        RateSteps { steps, current: 0, owed: 0 }
    }

    fn end(&self, step: usize) -> Time {
        self.steps.get(step + 1).map_or(Time::NEVER, |&(at, _)| at)
    }

    /// When a packet of `bytes` leaves that follows one which left at `starts`, or after idle time arrives at `starts`.
    pub fn departure(&mut self, starts: Time, was_idle: bool, bytes: u64) -> Time {
        let owed = if was_idle { 0 } else { self.owed };
        let mut work = u128::from(bytes) * UNITS_PER_BYTE + owed;
        let mut now = starts;
        loop {
            let end = self.end(self.current);
            if end > now {
                let rate = u128::from(self.steps[self.current].1);
                let left = (end - now).0;
                if work < rate * (u128::from(left) + 1) {
                    self.owed = work % rate;
                    return now + Duration((work / rate) as u64);
                }
                work -= rate * u128::from(left);
                now = end;
            }
            self.current += 1;
        }
    }

    pub(super) fn capacity_bytes(&self, span: Range<Time>) -> f64 {
        let parts = self.steps.iter().enumerate().map(|(step, &(at, rate))| {
            let part = self.end(step).min(span.end).since(at.max(span.start));
            u128::from(rate) * u128::from(part.0)
        });
        parts.sum::<u128>() as f64 / UNITS_PER_BYTE as f64
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn steps() -> RateSteps {
        // 12 Mbit/s: a packet in 1 ms. From 2.5 ms on half of it, from 6 to 10 ms nothing, then 12 Mbit/s.
        let us = Time::from_us;
        RateSteps::new(vec![(Time::ZERO, 12_000_000), (us(2500), 6_000_000), (us(6000), 0), (us(10_000), 12_000_000)])
    }

    /// 1, 2, then half of the third at each rate (until 3.5), the fourth until 5.5, of the fifth a quarter before the outage.
    #[test]
    fn a_packet_leaves_when_the_rates_integral_is_its_size() {
        let mut steps = steps();
        let mut now = Time::ZERO;
        let left = [(); 6].map(|()| {
            now = steps.departure(now, false, 1500);
            now
        });
        assert_eq!(left, [1000, 2000, 3500, 5500, 10_750, 11_750].map(Time::from_us));
    }

    #[test]
    fn a_packet_done_as_the_outage_begins_does_not_wait_for_its_end() {
        let mut steps = RateSteps::new(vec![(Time::ZERO, 12_000_000), (Time::from_ms(1), 0), (Time::from_ms(9), 12_000_000)]);
        assert_eq!(steps.departure(Time::ZERO, true, 1500), Time::from_ms(1));
        assert_eq!(steps.departure(Time::from_ms(1), false, 1500), Time::from_ms(10));
    }

    /// 7 and 11 Mbit/s fit no nanosecond: the bits of a millisecond each are 7000 and 11000, to the bit.
    #[test]
    fn remainders_cross_the_steps() {
        let every = |n: u64| (Time::from_ms(n), if n % 2 == 0 { 7_000_000 } else { 11_000_000 });
        let mut steps = RateSteps::new((0..1001).map(every).collect());
        let mut now = Time::ZERO;
        for _ in 0..9000 {
            now = steps.departure(now, false, 125);
        }
        // 9000 packets of 1000 bits in 500 pairs of steps.
        assert_eq!((now, steps.owed), (Time::from_ms(1000), 0));
    }

    #[test]
    fn the_capacity_is_the_integral() {
        let steps = steps();
        assert_eq!(steps.capacity_bytes(Time::ZERO..Time::from_ms(11)), 2.5 * 1500.0 + 1.75 * 1500.0 + 1500.0);
        assert_eq!(steps.capacity_bytes(Time::from_ms(5)..Time::from_ms(8)), 750.0);
    }
}
