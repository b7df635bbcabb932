//! The RTT's extremes as H-TCP keeps them in Linux: the largest rises slowly, and comes down a little at each loss.
//!
//! Source: Linux 6.1. Milliseconds, rounded up.

use units::Duration;

use crate::CaState;

/// A larger rise of the largest RTT is taken for a spike.
const SPIKE_MS: u32 = 20;

/// Both 0 before the first sample.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct RttRange {
    pub(super) min_ms: u32,
    pub(super) max_ms: u32,
}

impl RttRange {
    #[inline]
    pub(super) fn on_sampled(&mut self, rtt: Duration, state: CaState) {
        let rtt_ms = rtt.as_us().div_ceil(1_000) as u32;
        if self.min_ms == 0 || rtt_ms < self.min_ms {
            self.min_ms = rtt_ms;
        }
        if state == CaState::Open {
            self.max_ms = self.max_ms.max(self.min_ms);
            if rtt_ms > self.max_ms && rtt_ms <= self.max_ms + SPIKE_MS {
                self.max_ms = rtt_ms;
            }
        }
    }

    /// A twentieth of the range is forgotten.
    pub(super) fn decay(&mut self) {
        if self.min_ms > 0 && self.max_ms > self.min_ms {
            self.max_ms = self.min_ms + (self.max_ms - self.min_ms) * 95 / 100;
        }
    }
}
