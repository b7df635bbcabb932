//! What a recovery may have to give back: the window, the bounds, and the state it ended.

use super::{Bbr3, State, WINDOW_MIN};
use crate::{CaState, Connection, Window};

/// Saved at the first loss of a round; the window again when a recovery begins.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Undo {
    cwnd: f64,
    /// The state that a loss ended, until the recovery is over.
    pub(super) state: Option<State>,
    bw_short: f64,
    inflight_short: f64,
    inflight_long: f64,
}

impl Bbr3 {
    /// SaveCwnd.
    pub(super) fn save_cwnd(&mut self, w: &Window, c: &Connection) {
        let is_good = c.ca_state < CaState::Recovery && self.state != State::ProbeRtt;
        self.undo.cwnd = if is_good { w.cwnd } else { self.undo.cwnd.max(w.cwnd) };
    }

    /// RestoreCwnd: the window to return to.
    pub(super) fn restored_cwnd(&self, w: &Window) -> f64 {
        w.cwnd.max(self.undo.cwnd).max(WINDOW_MIN)
    }

    /// SaveStateUponLoss.
    pub(super) fn save_upon_loss(&mut self, w: &Window, c: &Connection) {
        self.save_cwnd(w, c);
        if self.undo.state.is_some() {
            // The loss that ended a state ended the round of losses, too: what is to be given back was saved before it.
            return;
        }
        self.undo.bw_short = self.short.bw;
        self.undo.inflight_short = self.short.inflight;
        self.undo.inflight_long = self.long.inflight;
    }

    /// HandleSpuriousLossDetection, but for the window.
    pub(super) fn handle_spurious_loss(&mut self, c: &Connection) {
        self.short.lost_in_round = false;
        self.pipe.reset(0.0);
        self.short.bw = self.short.bw.max(self.undo.bw_short);
        self.short.inflight = self.short.inflight.max(self.undo.inflight_short);
        self.long.inflight = self.long.inflight.max(self.undo.inflight_long);
        match self.undo.state.take() {
            Some(State::Startup) if self.state != State::Startup => {
                self.pipe.reached = false;
                if self.state != State::ProbeRtt {
                    self.state = State::Startup;
                }
            }
            Some(State::Up) if self.state != State::Up && self.state != State::ProbeRtt => self.start_refill(c),
            _ => {}
        }
    }
}
