//! A link that delivers when a trace says so.
//!
//! Source: mahimahi's `mm-link` (Netravali et al., USENIX ATC 2015). A trace lists milliseconds; each is an opportunity to deliver 1500
//! bytes then, and the list starts over after its last entry. Several small packets share an opportunity, a packet may use the rest of one
//! and the beginning of the next, and an opportunity that finds the queue empty is lost. A packet that arrives at the very time of an
//! opportunity has missed it.

use std::ops::Range;

use units::{Duration, Time};

/// Bytes per opportunity.
pub const OPPORTUNITY_BYTES: u32 = 1500;

/// The opportunities, and how far they are used.
#[derive(Clone, Debug, PartialEq)]
pub struct Trace {
    /// Milliseconds since the beginning of the list, ascending, not all zero.
    at_ms: Vec<u64>,
    /// The opportunity in use, counted over all repetitions, and bytes left of it.
    current: u64,
    left: u32,
}

impl Trace {
    /// Opportunities at these milliseconds, ascending, the last above zero: there the list starts over.
    pub fn new(at_ms: Vec<u64>) -> Trace {
        Trace { at_ms, current: 0, left: OPPORTUNITY_BYTES }
    }

    fn period(&self) -> Duration {
        Duration::from_ms(self.at_ms[self.at_ms.len() - 1])
    }

    fn at(&self, number: u64) -> Time {
        let entries = self.at_ms.len() as u64;
        Time::ZERO + self.period() * (number / entries) + Duration::from_ms(self.at_ms[(number % entries) as usize])
    }

    /// Number of opportunities up to and including `now`.
    fn up_to(&self, now: Time) -> u64 {
        let (passed, period) = (now - Time::ZERO, self.period());
        let (whole, rest) = (passed / period, passed % period);
        let in_rest = self.at_ms.partition_point(|&ms| Duration::from_ms(ms) <= rest) as u64;
        // The last entry of a list falls on the beginning of the next.
        whole * self.at_ms.len() as u64 + in_rest
    }

    fn take(&mut self, number: u64) {
        self.current = number;
        self.left = OPPORTUNITY_BYTES;
    }

    pub(super) fn departure(&mut self, starts: Time, was_idle: bool, bytes: u32) -> Time {
        if was_idle {
            self.take(self.up_to(starts));
        }
        let mut bytes = bytes;
        while bytes > self.left {
            bytes -= self.left;
            self.take(self.current + 1);
        }
        self.left -= bytes;
        self.at(self.current)
    }

    pub(super) fn capacity_bytes(&self, span: Range<Time>) -> f64 {
        (self.up_to(span.end) - self.up_to(span.start)) as f64 * f64::from(OPPORTUNITY_BYTES)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn small_packets_share_and_large_ones_straddle() {
        let mut trace = Trace::new(vec![2, 2, 5, 10]);
        let sizes = [700, 700, 700, 1500, 1500];
        let left = sizes.map(|bytes| trace.departure(Time::ZERO, false, bytes));
        // 100 bytes of the third are in the first opportunity, 600 in the second; then 900 and 600, twice.
        assert_eq!(left, [2, 2, 2, 5, 10].map(Time::from_ms));
    }

    #[test]
    fn the_list_starts_over_and_idle_opportunities_are_lost() {
        let mut trace = Trace::new(vec![3, 10]);
        let ms = Time::from_ms;
        assert_eq!(trace.departure(ms(0), true, 1500), ms(3));
        assert_eq!(trace.departure(ms(3), true, 1500), ms(10));
        assert_eq!(trace.departure(ms(10), false, 1500), ms(13));
        assert_eq!(trace.departure(ms(57), true, 1500), ms(60));
        assert_eq!(trace.departure(ms(60), true, 1500), ms(63));
        assert_eq!(trace.departure(ms(70), true, 1), ms(73));
    }

    /// An entry of zero falls on the last of the list before.
    #[test]
    fn the_capacity_counts_opportunities() {
        let trace = Trace::new(vec![0, 4, 4, 10]);
        let bytes = |from, to| trace.capacity_bytes(Time::from_ms(from)..Time::from_ms(to)) / 1500.0;
        assert_eq!((bytes(0, 4), bytes(4, 10), bytes(0, 10), bytes(0, 100), bytes(9, 21)), (2.0, 2.0, 4.0, 40.0, 6.0));
    }
}
