//! The state machine of an ACK that is not plain: Open, Disorder, CWR, Recovery, Loss.

use cc::{CaEvent, CaState, CongestionControl};
use units::Time;

use crate::scoreboard::SACKED;
use crate::sender::{Progress, Sender, Wire};

impl<C: CongestionControl> Sender<C> {
    /// Whether the ACK needs the state machine at all.
    pub(crate) fn is_alert(&self, progress: &Progress) -> bool {
        progress.is_duplicate_ack() || progress.sacked > 0 || progress.duplicate || progress.ece || self.c.ca_state != CaState::Open
    }

    /// Step 6. Returns whether the reordering timer was armed.
    pub(crate) fn alert(&mut self, progress: &mut Progress, wire: &mut impl Wire) -> bool {
        if progress.ece {
            self.undo.forbid();
        }
        if self.c.ca_state == CaState::Open {
            self.undo.first_retransmission = None;
        } else if self.c.una >= self.recovery_point {
            self.leave_reduction(progress, wire);
        }
        match self.c.ca_state {
            CaState::Recovery => self.alert_in_recovery(progress, wire),
            CaState::Loss => self.alert_in_loss(progress, wire),
            _ => self.alert_outside(progress, wire),
        }
    }

    fn leave_reduction(&mut self, progress: &Progress, wire: &mut impl Wire) {
        match self.c.ca_state {
            CaState::Cwr if self.c.una > self.recovery_point => {
                self.end_reduction();
                self.enter(CaState::Open);
            }
            CaState::Recovery => {
                if !self.spec.options.sack {
                    self.board.sacked_out = 0;
                    self.publish_in_flight();
                }
                self.conclude(progress, wire);
                self.end_reduction();
            }
            _ => {}
        }
    }

    /// The recovery point is acknowledged (Linux `tcp_try_undo_recovery`).
    fn conclude(&mut self, progress: &Progress, wire: &mut impl Wire) {
        if self.is_spurious(progress) {
            self.restore(false, wire);
        }
        self.enter(CaState::Open);
    }

    fn alert_in_recovery(&mut self, progress: &Progress, wire: &mut impl Wire) -> bool {
        if progress.acked > 0 && self.spec.options.undo && self.undo.answers_original(progress) {
            // An original was acknowledged: nothing was lost. With retransmissions in flight, wait for them.
            if self.board.retrans_out > 0 {
                return false;
            }
            self.clear_episode_stamp();
            self.restore(true, wire);
            self.keep_open();
            return false;
        }
        if self.is_spurious_by_duplicates() {
            self.restore(false, wire);
            self.keep_open();
            return false;
        }
        self.detect_losses(progress)
    }

    fn alert_in_loss(&mut self, progress: &Progress, wire: &mut impl Wire) -> bool {
        self.repair_timeout(progress, wire);
        let lost_again = self.board.lost_again;
        let armed = self.detect_losses(progress);
        if self.c.ca_state == CaState::Open || self.board.lost_again > lost_again {
            return self.alert_outside(progress, wire) || armed;
        }
        armed
    }

    /// Linux `tcp_process_loss`, with forward RTO recovery (RFC 5682).
    fn repair_timeout(&mut self, progress: &Progress, wire: &mut impl Wire) {
        let recovered = self.c.una >= self.recovery_point;
        if progress.acked > 0 && self.is_spurious(progress) {
            return self.undo_timeout(wire);
        }
        if self.frto {
            // Step 3.b: a segment sent before the timeout and never again has arrived.
            if progress.original_delivered && self.undo.is_armed() {
                return self.undo_timeout(wire);
            }
            if self.c.nxt > self.recovery_point {
                if progress.sacked > 0 || progress.is_duplicate_ack() {
                    self.frto = false;
                }
            } else if progress.acked > 0 && !recovered {
                self.recovery_point = self.c.nxt;
                if self.can_send_new() {
                    self.probing_for_spurious_timeout = true;
                    return;
                }
                self.frto = false;
            }
        }
        if recovered {
            if !self.spec.options.sack {
                self.board.sacked_out = 0;
            }
            self.conclude(progress, wire);
        }
    }

    fn undo_timeout(&mut self, wire: &mut impl Wire) {
        self.restore(true, wire);
        self.frto = false;
        self.expiries = 0;
        self.enter(CaState::Open);
    }

    fn alert_outside(&mut self, progress: &Progress, wire: &mut impl Wire) -> bool {
        if self.c.ca_state <= CaState::Disorder && self.is_spurious_by_duplicates() {
            self.restore(false, wire);
        }
        let armed = self.detect_losses(progress);
        self.publish_in_flight();
        if self.board.lost_out == 0 {
            self.clear_episode_stamp();
            if progress.ece {
                self.enter_cwr(wire);
            }
            if self.c.ca_state != CaState::Cwr {
                self.keep_open();
            }
            return armed;
        }
        self.enter_recovery(wire);
        if progress.ece {
            self.undo.forbid();
        }
        armed
    }

    /// Linux `tcp_enter_recovery`.
    pub(crate) fn enter_recovery(&mut self, wire: &mut impl Wire) {
        self.arm_undo();
        if self.in_reduction() {
            self.enter(CaState::Recovery);
        } else {
            self.begin_reduction(CaState::Recovery, wire);
        }
    }

    /// Linux `tcp_enter_loss`: the retransmission timer expired.
    pub(crate) fn enter_loss(&mut self, wire: &mut impl Wire) {
        self.mark_timed_out();
        self.report_losses();
        let reduced_before = self.c.ca_state >= CaState::Cwr;
        let new_episode = !reduced_before || self.c.una >= self.recovery_point || (self.c.ca_state == CaState::Loss && self.expiries == 0);
        let new_recovery = self.c.ca_state < CaState::Recovery;
        if new_episode {
            self.arm_undo();
            self.c.prior_cwnd = self.w.cwnd;
            self.w.ssthresh = self.cc.ssthresh(&mut self.w, &self.c);
            self.cc.on_event(&mut self.w, &self.c, CaEvent::TimedOut);
        }
        self.rtt.on_backed_off(self.c.now);
        self.totals.timeouts += 1;
        wire.on_timeout(self.c.now, self.c.prior_cwnd);
        self.publish_in_flight();
        self.w.cwnd = f64::from(self.c.in_flight + 1);
        self.note_window_set();
        self.w.cnt = 0;
        self.ecn.on_reduced();
        self.enter(CaState::Loss);
        self.recovery_point = self.c.nxt;
        self.probe_end = 0;
        self.frto = self.spec.options.frto && (new_recovery || self.expiries > 0);
    }

    /// Everything outstanding is lost, except what RACK finds too young.
    fn mark_timed_out(&mut self) {
        let rack = self.uses_rack();
        if !self.spec.options.sack {
            self.board.sacked_out = 0;
        }
        for seq in self.c.una..self.c.nxt {
            if self.board.flags(seq) & SACKED != 0 {
                continue;
            }
            let due = self.board.sent_at(seq) + self.rack.rtt;
            let young = rack && seq != self.c.una && self.rack.rtt > Time::ZERO && due > self.c.now;
            if !young {
                self.board.mark_lost(seq);
            }
        }
    }

    /// A tail loss probe is answered (Linux `tcp_process_tlp_ack`; RFC 8985 section 7.4).
    pub(crate) fn end_probe(&mut self, cumulative: u64, progress: &Progress, wire: &mut impl Wire) {
        if self.probe_end == 0 || cumulative < self.probe_end {
            return;
        }
        if !self.probe_retransmitted || progress.duplicate {
            self.probe_end = 0;
        } else if cumulative > self.probe_end {
            // The probe repaired a loss that nothing else told of: one reduction, at once.
            self.undo.disarm();
            self.begin_reduction(CaState::Cwr, wire);
            self.end_reduction();
            self.keep_open();
        } else if progress.is_duplicate_ack() && progress.sacked == 0 {
            self.probe_end = 0;
        }
    }
}
