//! The window of data over which DCTCP and Prague count marks (RFC 8257, 3.3): about a round trip.

use crate::Connection;

/// Where it ends, and what had been delivered and marked when it began.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct ObservationWindow {
    end: u64,
    delivered: u64,
    marked: u64,
}

impl ObservationWindow {
    pub(super) fn starting(c: &Connection) -> ObservationWindow {
        ObservationWindow { end: c.nxt, delivered: c.delivered, marked: c.delivered_ce }
    }

    #[inline]
    pub(super) fn is_over(&self, c: &Connection) -> bool {
        c.una >= self.end
    }

    /// Segments delivered and marked, if the window of data is over; a new one then begins.
    #[inline]
    pub(super) fn close(&mut self, c: &Connection) -> Option<(u64, u64)> {
        if !self.is_over(c) {
            return None;
        }
        let counted = (c.delivered - self.delivered, c.delivered_ce - self.marked);
        *self = ObservationWindow::starting(c);
        Some(counted)
    }
}
