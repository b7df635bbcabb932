//! LEDBAT++'s slowdowns: from time to time the window falls to two segments for two round trips, so that the base delay shows.
//!
//! Source: draft-irtf-iccrg-ledbat-plus-plus-06.

use units::{Duration, Time};

use super::WINDOW_MIN;
use crate::{CaState, Connection, Window};

/// Round trips from the end of slow start to the first slowdown, and spent at two segments.
const SLOW_RTTS: u64 = 2;
/// The next slowdown comes after this many times the last one.
const PERIOD: u64 = 9;

#[derive(Clone, Copy, Debug)]
enum Phase {
    /// The first slow start.
    Starting,
    /// Until the next slowdown.
    Steady { until: Time },
    /// At two segments.
    Slowed { since: Time, until: Time, from: f64 },
    /// In slow start, back to the window from which the slowdown began.
    Returning { since: Time, from: f64 },
}

/// Whether there are any, and where in their period the flow is.
#[derive(Clone, Copy, Debug)]
pub(super) struct Slowdowns {
    enabled: bool,
    phase: Phase,
}

impl Slowdowns {
    pub(super) fn new(enabled: bool) -> Slowdowns {
        Slowdowns { enabled, phase: Phase::Starting }
    }

    /// Before the first slowdown is even planned.
    pub(super) fn is_starting(&self) -> bool {
        matches!(self.phase, Phase::Starting)
    }

    /// The window from which the slowdown began, until the flow is back there: what the threshold then may be at most.
    pub(super) fn began_from(&self) -> Option<f64> {
        match self.phase {
            Phase::Slowed { from, .. } | Phase::Returning { from, .. } => Some(from),
            _ => None,
        }
    }

    /// Moves the window in and out of slowdowns. True while it is held.
    pub(super) fn turn(&mut self, w: &mut Window, c: &Connection) -> bool {
        let rtts = |n: u64| Duration::from_us(n * u64::from(c.srtt8_us >> 3));
        if let Some(from) = self.began_from() {
            // A reduction undone gives back a threshold from before the slowdown, perhaps an infinite one.
            w.ssthresh = w.ssthresh.min(from);
        }
        self.phase = match self.phase {
            _ if !self.enabled || c.ca_state == CaState::Loss => return false,
            Phase::Starting if !w.in_slow_start() => Phase::Steady { until: c.now + rtts(SLOW_RTTS) },
            Phase::Steady { until } if c.now >= until && !w.in_slow_start() => {
                w.ssthresh = w.cwnd.max(WINDOW_MIN);
                w.cwnd = WINDOW_MIN;
                Phase::Slowed { since: c.now, until: c.now + rtts(SLOW_RTTS), from: w.ssthresh }
            }
            Phase::Slowed { since, until, from } if c.now >= until => Phase::Returning { since, from },
            Phase::Returning { since, .. } if !w.in_slow_start() => Phase::Steady { until: c.now + c.now.since(since) * PERIOD },
            same => same,
        };
        matches!(self.phase, Phase::Slowed { .. })
    }
}
