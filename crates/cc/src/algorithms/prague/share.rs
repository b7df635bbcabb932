//! Prague's alpha: the smoothed share of marked segments, once per round trip of at least the target's length.
//!
//! Source: draft-briscoe-iccrg-prague-congestion-control-04; the Linux reference.

use units::Time;

use super::rtt_independence::RttIndependence;
use crate::algorithms::observation_window::{ObservationWindow, Observed};
use crate::{Connection, Window};

/// alpha, and what is counted for it.
#[derive(Clone, Copy, Debug)]
pub(super) struct Share {
    pub(super) alpha: f64,
    g: f64,
    observed: ObservationWindow,
    alpha_at: Time,
    /// A mark was seen: there is a queue that marks.
    seen: bool,
}

impl Share {
    pub(super) fn new(g: f64) -> Share {
        Share { alpha: 0.0, g, observed: ObservationWindow::default(), alpha_at: Time::ZERO, seen: false }
    }

    pub(super) fn start(&mut self, c: &Connection) {
        self.observed = ObservationWindow::starting(c);
    }

    /// True for the first mark of all.
    pub(super) fn on_marked(&mut self) -> bool {
        !std::mem::replace(&mut self.seen, true)
    }

    /// alpha = (1 - g) alpha + g F, at the end of a round.
    pub(super) fn close_round(&mut self, w: &Window, c: &Connection, independence: &mut RttIndependence) {
        if !self.observed.is_over(c) || independence.is_early(w, c, self.alpha_at) {
            return;
        }
        let Some(Observed { delivered, marked }) = self.observed.close(c) else { return };
        if self.seen {
            let f = (marked as f64 / delivered.max(1) as f64).min(1.0);
            self.alpha += self.g * (f - self.alpha);
            self.alpha_at = c.now;
        }
        if !w.in_slow_start() {
            independence.on_round();
        }
    }
}
