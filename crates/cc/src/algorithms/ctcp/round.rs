//! CTCP's round: what was sent in it, and the part of that which was queued, by the smallest RTT of the round.
//!
//! Source: Tan et al., INFOCOM 2006. Units: segments; seconds.

use crate::Connection;

/// A round with fewer RTT samples decides nothing.
const SAMPLES_MIN: u32 = 3;

/// The round so far, and baseRTT.
#[derive(Clone, Copy, Debug)]
pub(super) struct Round {
    base_s: f64,
    /// Smallest RTT of this round, and how many samples it is of.
    min_s: f64,
    samples: u32,
    end: u64,
}

/// A round that is over.
#[derive(Clone, Copy, Debug)]
pub(super) struct Closed {
    /// win: the segments sent in it.
    pub(super) sent: f64,
    /// 1 - baseRTT/rtt; none after too few samples.
    pub(super) queued: Option<f64>,
}

impl Round {
    pub(super) fn new() -> Round {
        Round { base_s: f64::INFINITY, min_s: f64::INFINITY, samples: 0, end: 0 }
    }

    #[inline]
    pub(super) fn on_sampled(&mut self, rtt_s: f64) {
        self.base_s = self.base_s.min(rtt_s);
        self.min_s = self.min_s.min(rtt_s);
        self.samples += 1;
    }

    #[inline]
    pub(super) fn is_over(&self, c: &Connection) -> bool {
        c.una > self.end
    }

    /// The next one begins.
    pub(super) fn restart(&mut self, c: &Connection) {
        *self = Round { base_s: self.base_s, end: c.nxt, ..Round::new() };
    }

    /// Ends this round and begins the next.
    pub(super) fn close(&mut self, c: &Connection) -> Closed {
        let sent = c.nxt.saturating_sub(self.end) as f64;
        let queued = (self.samples >= SAMPLES_MIN).then(|| 1.0 - self.base_s / self.min_s);
        self.restart(c);
        Closed { sent, queued }
    }
}
