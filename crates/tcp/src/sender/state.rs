//! The state machine of an ACK that is not plain: Open, Disorder, CWR, Recovery, Loss.

use cc::{CaState, CongestionControl};
use units::Duration;

use super::Sender;
use crate::progress::Progress;
use crate::rack::Detection;
use crate::Wire;

impl<C: CongestionControl> Sender<C> {
    /// Whether the ACK needs the state machine at all.
    pub(super) fn is_alert(&self, progress: &Progress) -> bool {
        progress.is_duplicate_ack() || progress.sacked > 0 || progress.duplicate || progress.ece || self.c.ca_state != CaState::Open
    }

    /// Step 7. Returns whether the reordering timer was armed.
    pub(super) fn alert(&mut self, progress: &Progress, wire: &mut impl Wire) -> bool {
        if progress.ece {
            self.undo.forbid();
        }
        if self.c.ca_state == CaState::Open {
            self.undo.forget_retransmissions();
        } else if self.recovery.is_over(&self.c) {
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
            CaState::Cwr if self.c.una > self.recovery.point() => {
                self.end_reduction();
                self.enter(CaState::Open);
            }
            CaState::Recovery => {
                if !self.c.selective_acks {
                    self.board.forget_duplicates();
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
        if self.undo.is_spurious(progress) {
            self.restore(wire);
        }
        self.enter(CaState::Open);
    }

    fn alert_in_recovery(&mut self, progress: &Progress, wire: &mut impl Wire) -> bool {
        if self.undo.is_spurious_by_echo(progress) {
            // An original was acknowledged: nothing was lost. With retransmissions in flight, wait for them.
            if self.board.retrans_out() > 0 {
                return false;
            }
            self.clear_episode_stamp();
            self.forget_losses();
            self.restore(wire);
            self.keep_open();
            return false;
        }
        if self.undo.is_spurious_by_duplicates() {
            self.restore(wire);
            self.keep_open();
            return false;
        }
        self.detect_losses(progress)
    }

    fn alert_in_loss(&mut self, progress: &Progress, wire: &mut impl Wire) -> bool {
        self.repair_timeout(progress, wire);
        let lost_again = self.board.lost_again();
        let armed = self.detect_losses(progress);
        if self.c.ca_state == CaState::Open || self.board.lost_again() > lost_again {
            return self.alert_outside(progress, wire) || armed;
        }
        armed
    }

    /// Linux `tcp_process_loss`, with forward RTO recovery (RFC 5682).
    fn repair_timeout(&mut self, progress: &Progress, wire: &mut impl Wire) {
        let recovered = self.recovery.is_over(&self.c);
        let is_spurious = progress.acked > 0 && self.undo.is_spurious(progress);
        if is_spurious || (self.recovery.is_timeout_spurious(progress) && self.undo.is_armed()) {
            return self.undo_timeout(wire);
        }
        let can_send_new = self.limits.can_send_new(&self.c);
        if self.recovery.probe_timeout(&self.c, progress, can_send_new) || !recovered {
            return;
        }
        if !self.c.selective_acks {
            self.board.forget_duplicates();
        }
        self.conclude(progress, wire);
    }

    fn undo_timeout(&mut self, wire: &mut impl Wire) {
        self.forget_losses();
        self.restore(wire);
        self.recovery.on_timeout_undone();
        self.enter(CaState::Open);
    }

    fn alert_outside(&mut self, progress: &Progress, wire: &mut impl Wire) -> bool {
        if self.c.ca_state <= CaState::Disorder && self.undo.is_spurious_by_duplicates() {
            self.restore(wire);
        }
        let armed = self.detect_losses(progress);
        self.publish_in_flight();
        if self.board.lost_out() == 0 {
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

    /// Marks what is proven lost; returns whether a reordering timer was armed instead of the RTO.
    fn detect_losses(&mut self, progress: &Progress) -> bool {
        match self.detection {
            Detection::Time => {
                let wait = self.board.mark_late(&self.rack, &self.c);
                if wait > Duration::ZERO {
                    self.timers.arm_reordering(&self.c, wait);
                }
                return wait > Duration::ZERO;
            }
            Detection::Distance if !self.rack.has_seen_reordering() => self.board.mark_by_distance(&self.c),
            Detection::Count | Detection::Distance => self.board.mark_by_count(&self.c),
            Detection::Duplicates => self.board.mark_head(&self.c, progress, self.recovery.point()),
        }
        false
    }
}
