//! Prague's fractional window: cwnd follows it in whole segments, one per ACK, so that reductions do not stop the ACK clock.
//!
//! Source: draft-briscoe-iccrg-prague-congestion-control-04; the Linux reference. Units: segments.

use units::ByteRate;

use crate::{Connection, Window};

/// The smallest window.
pub(super) const WINDOW_MIN: f64 = 2.0;

/// The window with its fraction; cwnd is the next whole number above it.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Fractional(pub(super) f64);

impl Fractional {
    /// Moves cwnd by a segment at most.
    pub(super) fn lead(self, w: &mut Window) {
        let goal = self.0.ceil().max(WINDOW_MIN);
        if w.cwnd > goal {
            w.cwnd = (w.cwnd - 1.0).max(goal);
            w.ssthresh = w.cwnd;
        } else if w.cwnd < goal {
            w.cwnd = (w.cwnd + 1.0).min(goal);
        }
    }

    /// The window falls by this part; cwnd follows.
    pub(super) fn reduce(&mut self, w: &mut Window, part: f64) {
        self.0 = (self.0 * (1.0 - part)).max(WINDOW_MIN);
        w.ssthresh = self.0.ceil();
    }

    /// Bytes per second: the window per round trip, twice that in slow start.
    pub(super) fn pacing_rate(self, w: &Window, c: &Connection) -> Option<ByteRate> {
        let factor = if w.cwnd < (w.ssthresh / 2.0).floor() { 2.0 } else { 1.0 };
        let window = self.0.floor().max(f64::from(c.in_flight));
        let rate = || (factor * window * f64::from(c.mss) * 8e6 / f64::from(c.srtt8_us)) as u64;
        (c.srtt8_us > 0).then(|| ByteRate(rate().max(1)))
    }
}
