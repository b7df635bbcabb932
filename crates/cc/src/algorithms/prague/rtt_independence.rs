//! Prague's reduced dependence on the RTT: some rounds after slow start, a flow of a shorter round trip behaves like one of 25 ms.
//!
//! Source: draft-briscoe-iccrg-prague-congestion-control-04; the Linux reference.

use units::{Duration, Time};

use crate::parameter::Values;
use crate::{Connection, Window};

/// The target RTT, and how long it has not counted yet.
#[derive(Clone, Copy, Debug)]
pub(super) struct RttIndependence {
    target: Duration,
    /// Rounds since slow start from which it counts.
    transition: f64,
    rounds: f64,
}

impl RttIndependence {
    pub(super) fn new(values: &Values) -> RttIndependence {
        let target = Duration::from_secs_f64(values.get("rtt_target"));
        RttIndependence { target, transition: values.get("rtt_transition"), rounds: 0.0 }
    }

    /// A round outside of slow start is over.
    pub(super) fn on_round(&mut self) {
        self.rounds += 1.0;
    }

    /// Whether the round trip counts as the target's: not in slow start, nor soon after it.
    fn applies(&self, w: &Window) -> bool {
        !w.in_slow_start() && self.rounds >= self.transition
    }

    /// Segments per round trip: one per target RTT, and at the rate that one segment more has there.
    pub(super) fn increase(&self, w: &Window, c: &Connection) -> f64 {
        let ratio = f64::from(c.srtt8_us) / 8e6 / self.target.as_secs_f64();
        if self.applies(w) && ratio < 1.0 {
            ratio * ratio
        } else {
            1.0
        }
    }

    /// What happens once per round trip happened less than a target RTT ago, at `last`.
    pub(super) fn is_early(&self, w: &Window, c: &Connection, last: Time) -> bool {
        self.applies(w) && c.now.since(last) < self.target
    }
}
