//! The round that Vegas and YeAH measure in Linux: about a round trip, outside of recovery.

use super::round_rtt::RoundRtt;
use crate::{CaState, Connection};

/// Its RTT samples and its end.
#[derive(Clone, Copy, Debug)]
pub(super) struct Round {
    pub(super) rtt: RoundRtt,
    /// Only in Open.
    pub(super) measuring: bool,
    /// The round is over when this segment and one more are acknowledged.
    pub(super) end: u64,
}

impl Round {
    pub(super) const fn new() -> Round {
        Round { rtt: RoundRtt::new(), measuring: true, end: 0 }
    }

    pub(super) fn start(&mut self, c: &Connection) {
        self.end = c.nxt;
        self.rtt.restart();
    }

    pub(super) fn on_state_changed(&mut self, c: &Connection, to: CaState) {
        self.measuring = to == CaState::Open;
        if self.measuring {
            self.start(c);
        }
    }

    /// An idle time forgets everything: the path may have changed.
    pub(super) fn forget(&mut self, c: &Connection) {
        *self = Round { end: c.nxt, ..Round::new() };
    }
}
