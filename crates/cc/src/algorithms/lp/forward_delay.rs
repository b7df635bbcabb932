//! The forward delay as TCP-LP keeps it in Linux: smoothed, with its extremes, and what of their range is tolerated.
//!
//! Source: Kuzmanovic/Knightly, INFOCOM 2003; Linux 6.1 `tcp_lp.c`. Milliseconds; the kernel's unsigned numbers wrap.

/// Of the range of delays, this much is tolerated.
pub(super) const PERCENT: u32 = 15;

/// The smoothed delay, 0 before the first sample, and its extremes.
#[derive(Clone, Copy, Debug)]
pub(super) struct ForwardDelay {
    smoothed_x8: u32,
    min: u32,
    max: u32,
    /// The largest ever, held back: `max` is the second largest.
    reserve: u32,
}

impl ForwardDelay {
    pub(super) const fn new() -> ForwardDelay {
        ForwardDelay { smoothed_x8: 0, min: u32::MAX, max: 0, reserve: 0 }
    }

    pub(super) fn on_sampled(&mut self, delay: u32) {
        self.min = self.min.min(delay);
        if delay > self.reserve && delay > self.max {
            self.max = if self.reserve == 0 { delay } else { self.reserve };
            self.reserve = delay;
        } else {
            self.max = self.max.max(delay);
        }
        self.smoothed_x8 = match self.smoothed_x8 {
            0 => delay << 3,
            old => old.wrapping_add(delay).wrapping_sub(old >> 3),
        };
    }

    pub(super) fn is_tolerated(&self) -> bool {
        let range = self.max.wrapping_sub(self.min);
        self.smoothed_x8 >> 3 < self.min.wrapping_add(PERCENT.wrapping_mul(range) / 100)
    }

    /// After a reaction the present delay is the new smallest, twice it the largest.
    pub(super) fn learn_again(&mut self) {
        self.min = self.smoothed_x8 >> 3;
        self.max = self.smoothed_x8 >> 2;
        self.reserve = self.max;
    }

    /// Smoothed, smallest and largest, in seconds.
    pub(super) fn variables(&self, out: &mut [f64]) {
        let known = self.smoothed_x8 != 0;
        for (cell, delay) in out.iter_mut().zip([self.smoothed_x8 >> 3, self.min, self.max]) {
            *cell = if known { f64::from(delay) * 1e-3 } else { f64::NAN };
        }
    }
}
