//! The delay filters of LEDBAT: the base delay of the last ten minutes, and the smallest of the last four samples (RFC 6817, 2.4.2).

use units::Time;

/// Minutes whose minima the base delay is the smallest of.
pub(super) const BASE_HISTORY: usize = 10;
/// Samples of which the current delay is the smallest.
pub(super) const CURRENT_FILTER: usize = 4;

const MINUTE_MS: u64 = 60_000;

/// Delays in seconds.
#[derive(Clone, Copy, Debug)]
pub(super) struct Delays {
    /// The minutes' minima, the latest last.
    base_s: [f64; BASE_HISTORY],
    minute: u64,
    current_s: [f64; CURRENT_FILTER],
    next: usize,
}

impl Default for Delays {
    fn default() -> Delays {
        Delays { base_s: [f64::INFINITY; BASE_HISTORY], minute: 0, current_s: [f64::INFINITY; CURRENT_FILTER], next: 0 }
    }
}

impl Delays {
    pub(super) fn on_sampled(&mut self, delay_s: f64, now: Time) {
        let minute = now.as_ms() / MINUTE_MS;
        if minute != self.minute {
            // Minutes without samples take no place.
            self.minute = minute;
            self.base_s.rotate_left(1);
            self.base_s[BASE_HISTORY - 1] = delay_s;
        }
        let latest = &mut self.base_s[BASE_HISTORY - 1];
        *latest = latest.min(delay_s);
        self.current_s[self.next] = delay_s;
        self.next = (self.next + 1) % CURRENT_FILTER;
    }

    /// The base delay; infinite before the first sample.
    pub(super) fn base_s(&self) -> f64 {
        self.base_s.iter().copied().fold(f64::INFINITY, f64::min)
    }

    /// What is queued; none before the first sample.
    pub(super) fn queueing_s(&self) -> Option<f64> {
        let current_s = self.current_s.iter().copied().fold(f64::INFINITY, f64::min);
        (current_s < f64::INFINITY).then(|| current_s - self.base_s())
    }

    /// Names of what [`Delays::variables`] writes.
    pub(super) const VARIABLES: &'static [&'static str] = &["queueing_s", "base_delay_s"];

    /// NaN before the first sample.
    pub(super) fn variables(&self, out: &mut [f64]) {
        let queueing_s = self.queueing_s();
        out[0] = queueing_s.unwrap_or(f64::NAN);
        out[1] = queueing_s.map_or(f64::NAN, |_| self.base_s());
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn sampled(delays: &mut Delays, rows: &[(u64, f64)]) -> (f64, f64) {
        for &(s, delay_s) in rows {
            delays.on_sampled(delay_s, Time::from_ms(1_000 * s));
        }
        (delays.base_s(), delays.queueing_s().expect("a sample"))
    }

    #[test]
    fn the_base_is_that_of_ten_minutes_and_the_current_delay_that_of_four_samples() {
        let mut delays = Delays::default();
        assert_eq!(delays.queueing_s(), None);
        assert_eq!(sampled(&mut delays, &[(0, 0.5), (1, 0.25), (2, 0.75), (3, 1.0), (4, 1.25)]), (0.25, 0.0));
        assert_eq!(sampled(&mut delays, &[(5, 1.5)]), (0.25, 0.5));
        // Nine minutes later the first minute still counts, ten minutes later it does not.
        let later = |minutes: u64| [(60 * minutes, 1.0), (60 * minutes + 1, 2.0), (60 * minutes + 2, 2.0), (60 * minutes + 3, 2.0)];
        for minutes in 1..=9 {
            assert_eq!(sampled(&mut delays, &later(minutes)), (0.25, 0.75), "minute {minutes}");
        }
        assert_eq!(sampled(&mut delays, &later(10)), (1.0, 0.0));
    }
}
