//! The window of data over which DCTCP and Prague count marks (RFC 8257, 3.3): about a round trip.

use crate::Connection;

/// Where it ends, and what had been delivered and marked when it began.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct ObservationWindow {
    end: u64,
    delivered: u64,
    marked: u64,
}

/// Segments delivered in a window of data, and those of them that were marked.
#[derive(Clone, Copy, Debug)]
pub struct Observed {
    pub(super) delivered: u64,
    pub(super) marked: u64,
}

impl ObservationWindow {
    pub(super) fn starting(c: &Connection) -> ObservationWindow {
        ObservationWindow { end: c.nxt, delivered: c.delivered, marked: c.delivered_ce }
    }

    #[inline]
    pub(super) fn is_over(&self, c: &Connection) -> bool {
        c.una >= self.end
    }

    /// What was counted, if the window of data is over; a new one then begins.
    #[inline]
    pub(super) fn close(&mut self, c: &Connection) -> Option<Observed> {
        if !self.is_over(c) {
            return None;
        }
        let counted = Observed { delivered: c.delivered - self.delivered, marked: c.delivered_ce - self.marked };
        *self = ObservationWindow::starting(c);
        Some(counted)
    }
}
