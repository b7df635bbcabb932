//! What CUBIC had in Linux 2.6.23 and lost later: a largest increase, and compensation for delayed ACKs.
//!
//! Source: the history of Linux's `tcp_cubic.c`. Units: segments; the delayed-ACK ratio in sixteenths.

use crate::Window;

/// Two segments per ACK.
const DELAYED: u32 = 2 << 4;

/// The two rules' state.
#[derive(Clone, Copy, Debug)]
pub(super) struct Linux2623 {
    /// Largest increase, segments per 100 ms.
    s_max: u32,
    /// Segments per ACK, smoothed.
    delayed_ack: u32,
}

impl Linux2623 {
    pub(super) fn new(s_max: u32) -> Linux2623 {
        Linux2623 { s_max, delayed_ack: DELAYED }
    }

    /// An ACK outside of recovery answers so many segments.
    #[inline]
    pub(super) fn on_sampled(&mut self, acked: u32) {
        self.delayed_ack = self.delayed_ack + acked - (self.delayed_ack >> 4);
    }

    /// Segments per increment at the largest increase.
    pub(super) fn per_segment_min(&self, w: &Window, min_us: u32) -> u32 {
        let min_ms = min_us.div_ceil(1_000).max(1);
        (u64::from(w.segments()) * 100 / (u64::from(self.s_max) * u64::from(min_ms))) as u32
    }

    /// `per_segment` in ACKs.
    pub(super) fn compensated(&self, per_segment: u32) -> u32 {
        (per_segment.saturating_mul(16) / self.delayed_ack.max(1)).max(1)
    }

    /// After a timeout.
    pub(super) fn forget(&mut self) {
        self.delayed_ack = DELAYED;
    }
}
