//! The smallest value of the last while, exactly: values that can still become the smallest, in order of time.

use std::collections::VecDeque;

use units::{Duration, Time};

/// A minimum over a sliding window of time. For a maximum, negate.
#[derive(Clone, Debug, Default)]
pub(crate) struct SlidingMin {
    /// When, and what: rising in both.
    rising: VecDeque<(Time, f64)>,
}

impl SlidingMin {
    /// A new value; those older than `span` are forgotten. Returns the smallest.
    pub(crate) fn on_sampled(&mut self, value: f64, now: Time, span: Duration) -> f64 {
        while self.rising.back().is_some_and(|&(_, old)| old >= value) {
            self.rising.pop_back();
        }
        self.rising.push_back((now, value));
        while self.rising.front().is_some_and(|&(at, _)| now.since(at) > span) {
            self.rising.pop_front();
        }
        self.rising.front().map_or(value, |&(_, smallest)| smallest)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_smallest_of_the_last_ten_milliseconds() {
        let mut least = SlidingMin::default();
        let rows =
            [(0, 5.0, 5.0), (4, 3.0, 3.0), (6, 4.0, 3.0), (14, 9.0, 3.0), (15, 8.0, 4.0), (16, 7.0, 4.0), (17, 8.0, 7.0), (40, 9.0, 9.0)];
        for (ms, value, smallest) in rows {
            assert_eq!(least.on_sampled(value, Time::from_ms(ms), Duration::from_ms(10)), smallest, "at {ms} ms");
        }
    }
}
