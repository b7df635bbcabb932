//! CUBIC's Reno-friendly region: the window is never smaller than that of a Reno which keeps as much on loss.
//!
//! Source: Ha/Rhee/Xu 2008, the TCP-friendly region (W_tcp); Linux 6.1. Units: segments.

use crate::Window;

/// Eight times the part of a window whose acknowledgement raises such a Reno by one segment: (1 + beta)/(3 (1 - beta)), `beta` in 1024ths.
pub(super) fn step_x8(beta: u32) -> u32 {
    8 * (1024 + beta) / 3 / (1024 - beta)
}

/// The window Reno would have.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct RenoWindow {
    w_est: u32,
    /// Segments acknowledged that have not raised it yet.
    acked: u32,
}

impl RenoWindow {
    /// At the beginning of an epoch.
    pub(super) fn starting(w: &Window, acked: u32) -> RenoWindow {
        RenoWindow { w_est: w.segments(), acked }
    }

    #[inline]
    pub(super) fn on_acked(&mut self, acked: u32) {
        self.acked = self.acked.saturating_add(acked);
    }

    /// Lets it grow. Returns the segments per increment that suffice to catch up with it; none while it is not ahead.
    pub(super) fn advance(&mut self, w: &Window, step_x8: u32) -> Option<u32> {
        let cwnd = w.segments();
        let step = ((u64::from(cwnd) * u64::from(step_x8)) >> 3).max(1) as u32;
        if self.acked > step {
            // The window rises by one whenever the count exceeds a step; a count equal to a step stays.
            let rises = (self.acked - 1) / step;
            self.acked -= rises * step;
            self.w_est += rises;
        }
        (self.w_est > cwnd).then(|| cwnd / (self.w_est - cwnd))
    }
}
