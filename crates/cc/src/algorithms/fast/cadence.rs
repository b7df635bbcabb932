//! When FAST updates: the window moves in one round trip and rests in the next, so that an update sees what the last one did to the delay.
//!
//! Source: Jin/Wei/Low, INFOCOM 2004, IV.C. Units: round trips; seconds.

/// Updates come no closer than this, s.
const PERIOD_MIN_S: f64 = 0.02;

/// Round trips and time since the last update.
#[derive(Clone, Copy, Debug)]
pub(super) struct Cadence {
    /// Round trips between updates.
    period: u32,
    rounds: u32,
    updated_s: f64,
}

impl Cadence {
    pub(super) fn new(period: u32) -> Cadence {
        Cadence { period, rounds: 0, updated_s: 0.0 }
    }

    /// Another round is over. True when the window is to be updated; in slow start it never is.
    pub(super) fn on_round(&mut self, in_slow_start: bool, now_s: f64) -> bool {
        self.rounds += 1;
        if in_slow_start || self.rounds < self.period || now_s - self.updated_s < PERIOD_MIN_S {
            return false;
        }
        self.rounds = 0;
        self.updated_s = now_s;
        true
    }

    /// After a loss a whole period goes by.
    pub(super) fn restart(&mut self) {
        self.rounds = 0;
    }
}
