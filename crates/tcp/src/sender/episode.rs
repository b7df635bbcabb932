//! Congestion episodes: how one begins, ends and is undone. Here alone the algorithm is asked for `ssthresh`.

use cc::{CaEvent, CaState, CongestionControl};

use super::Sender;
use crate::rack::Detection;
use crate::recovery::{current_ssthresh, is_reduction};
use crate::{Reduction, Wire};

impl<C: CongestionControl> Sender<C> {
    pub(super) fn enter(&mut self, state: CaState) {
        self.cc.on_state_changed(&mut self.w, &self.c, state);
        self.c.ca_state = state;
    }

    /// Linux `tcp_enter_recovery`. What marks began is never undone.
    pub(super) fn enter_recovery(&mut self, is_marked: bool, wire: &mut impl Wire) {
        self.clear_episode_stamp();
        let begins = !is_reduction(self.c.ca_state);
        self.arm_undo((begins && !is_marked).then(|| current_ssthresh(&self.w)));
        if begins {
            self.begin_reduction(CaState::Recovery, wire);
        } else {
            self.enter(CaState::Recovery);
        }
    }

    /// Linux `tcp_enter_cwr`: one reduction per window, never undone.
    pub(super) fn enter_cwr(&mut self, wire: &mut impl Wire) {
        self.undo.forbid();
        if self.c.ca_state < CaState::Cwr {
            self.undo.disarm();
            self.begin_reduction(CaState::Cwr, wire);
        }
    }

    /// Step 6: the probe repaired a loss that nothing else told of. One reduction, at once.
    pub(super) fn on_probe_repaired(&mut self, wire: &mut impl Wire) {
        self.undo.disarm();
        self.begin_reduction(CaState::Cwr, wire);
        self.end_reduction();
        self.keep_open();
    }

    /// A reduction begins, in state `to`.
    fn begin_reduction(&mut self, to: CaState, wire: &mut impl Wire) {
        self.recovery.begin_reduction(&self.c, self.board.sacked_out());
        self.probe.forget();
        self.w.cnt = 0;
        self.c.prior_cwnd = self.w.cwnd;
        self.ecn.on_reduced();
        self.w.ssthresh = self.cc.ssthresh(&mut self.w, &self.c);
        self.rtt.on_backed_off(&self.c);
        self.enter(to);
        if self.recovery.falls_at_once() {
            self.w.cwnd = self.w.ssthresh;
        }
        self.totals.loss_episodes += 1;
        wire.on_loss_episode(self.c.now, Reduction { cwnd: self.c.prior_cwnd, ssthresh: self.w.ssthresh });
    }

    /// The episode is over.
    pub(super) fn end_reduction(&mut self) {
        if self.recovery.end_reduction(&mut self.w, &self.c, self.undo.is_armed()) {
            self.limits.on_window_set(self.c.now);
            self.cc.on_event(&mut self.w, &self.c, CaEvent::ReductionCompleted);
        }
    }

    /// Linux `tcp_enter_loss`: the retransmission timer expired.
    pub(super) fn enter_loss(&mut self, wire: &mut impl Wire) {
        if !self.c.selective_acks {
            self.board.forget_duplicates();
        }
        let rack = Some(&self.rack).filter(|_| self.detection == Detection::Time);
        self.board.mark_timed_out(&self.c, rack);
        if self.c.ca_state <= CaState::Disorder {
            self.reordering.on_overestimated(self.board.sacked_out());
        }
        self.report_losses();
        let state = self.c.ca_state;
        let is_first = state == CaState::Loss && !self.recovery.has_just_expired();
        if state < CaState::Cwr || self.recovery.is_over(&self.c) || is_first {
            let prior = if is_reduction(state) { self.w.ssthresh } else { current_ssthresh(&self.w) };
            self.arm_undo(Some(prior));
            self.c.prior_cwnd = self.w.cwnd;
            self.w.ssthresh = self.cc.ssthresh(&mut self.w, &self.c);
            self.cc.on_event(&mut self.w, &self.c, CaEvent::TimedOut);
        }
        self.rtt.on_backed_off(&self.c);
        self.totals.timeouts += 1;
        wire.on_timeout(self.c.now, self.c.prior_cwnd);
        self.publish_in_flight();
        self.w.cwnd = f64::from(self.c.in_flight + 1);
        self.limits.on_window_set(self.c.now);
        self.w.cnt = 0;
        self.ecn.on_reduced();
        self.enter(CaState::Loss);
        self.recovery.on_timed_out(&self.c, state < CaState::Recovery);
        self.probe.forget();
    }

    /// An episode begins whose undo restores `prior_ssthresh` and the window, if any.
    fn arm_undo(&mut self, prior_ssthresh: Option<f64>) {
        let outstanding = self.board.retrans_out() + u32::from(self.probe.is_again_out());
        self.undo.arm(&self.c, outstanding, prior_ssthresh);
    }

    /// The episode was spurious: the window of before comes back, unless congestion was marked since.
    pub(super) fn restore(&mut self, wire: &mut impl Wire) {
        if let Some(ssthresh) = self.undo.restored_ssthresh() {
            self.w.cwnd = self.cc.undo(&mut self.w, &self.c);
            if ssthresh > self.w.ssthresh {
                self.w.ssthresh = ssthresh;
                self.ecn.on_restored();
            }
        }
        self.limits.on_window_set(self.c.now);
        self.undo.disarm();
        self.rack.on_undone();
        self.totals.undos += 1;
        wire.on_undo(self.c.now, self.w.cwnd);
    }

    /// What was held to be lost was not.
    pub(super) fn forget_losses(&mut self) {
        self.board.unmark_lost(self.c.una);
        self.publish_in_flight();
    }

    /// Nothing outstanding was retransmitted: the next retransmission is the first of an episode (Linux `tcp_retrans_stamp_cleanup`).
    pub(super) fn clear_episode_stamp(&mut self) {
        if !self.board.was_repaired(self.c.una) {
            self.undo.forget_retransmissions();
        }
    }

    /// Open, or Disorder while something is missing.
    pub(super) fn keep_open(&mut self) {
        let state = if self.board.is_troubled(self.c.una) { CaState::Disorder } else { CaState::Open };
        if self.c.ca_state != state {
            self.enter(state);
            self.recovery.on_state_entered(&self.c);
        }
    }
}
