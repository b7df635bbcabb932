//! Loss recovery: what was lost leaves the window; in the first round a segment is sent for each delivered; afterwards the window of
//! before comes back.

use super::{Bbr, Mode};
use crate::{CaState, Connection, RateSample, Window};

/// The window before trouble, and how far recovery has come.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Recovery {
    /// The state at the last ACK.
    pub(super) state: CaState,
    /// Segments leave as they are delivered.
    pub(super) conserves: bool,
    /// Segments.
    pub(super) saved_cwnd: f64,
}

/// The window after the rules of recovery.
pub(super) struct Recovered {
    /// Segments.
    pub(super) cwnd: f64,
    /// The rules have the last word.
    pub(super) is_final: bool,
}

impl Bbr {
    /// Remembers the window to come back to.
    pub(super) fn save_cwnd(&mut self, w: &Window) {
        let recovery = &mut self.recovery;
        let is_good = recovery.state < CaState::Recovery && self.mode != Mode::ProbeRtt;
        recovery.saved_cwnd = if is_good { w.cwnd } else { recovery.saved_cwnd.max(w.cwnd) };
    }

    /// The window after the rules of recovery.
    pub(super) fn recover(&mut self, w: &Window, c: &Connection, s: &RateSample) -> Recovered {
        let recovery = &mut self.recovery;
        let delivered_out = f64::from(c.in_flight + s.acked);
        let mut cwnd = if s.lost > 0 { (w.cwnd - f64::from(s.lost)).max(1.0) } else { w.cwnd };
        if c.ca_state.max(recovery.state) < CaState::Recovery {
            // Mostly: neither now nor before.
        } else if c.ca_state == CaState::Recovery && recovery.state != CaState::Recovery {
            recovery.conserves = true;
            self.rounds.restart(c.delivered);
            cwnd = delivered_out;
        } else if recovery.state >= CaState::Recovery && c.ca_state < CaState::Recovery {
            cwnd = cwnd.max(recovery.saved_cwnd);
            recovery.conserves = false;
        }
        recovery.state = c.ca_state;
        if recovery.conserves {
            return Recovered { cwnd: cwnd.max(delivered_out), is_final: true };
        }
        Recovered { cwnd, is_final: false }
    }

    /// After a timeout a round begins, and the level of the bandwidth is looked for anew.
    pub(super) fn restart_from_loss(&mut self, c: &Connection) {
        self.recovery.state = CaState::Loss;
        self.pipe.forget_level();
        self.rounds.just_began = true;
        self.on_timeout_for_policer(c);
    }
}
