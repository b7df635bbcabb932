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
    pub(super) fn alert(&mut self, progress: &mut Progress, wire: &mut impl Wire) -> bool {
        if progress.ece {
            self.undo.forbid();
        }
        if self.c.ca_state == CaState::Open {
            self.undo.forget_retransmissions();
        } else if self.recovery.is_over(&self.c) && self.leave_reduction(progress, wire) {
            return false;
        }
        match self.c.ca_state {
            CaState::Recovery => self.alert_in_recovery(progress, wire),
            CaState::Loss => self.alert_in_loss(progress, wire),
            _ => self.alert_outside(progress, wire),
        }
    }

    /// Returns whether the episode stays, and nothing else is to be done.
    fn leave_reduction(&mut self, progress: &Progress, wire: &mut impl Wire) -> bool {
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
                if self.conclude(progress, wire) {
                    return true;
                }
                self.end_reduction();
            }
            _ => {}
        }
        false
    }

    /// The recovery point is acknowledged (Linux `tcp_try_undo_recovery`). Returns whether the state stays, until more than the point is.
    fn conclude(&mut self, progress: &Progress, wire: &mut impl Wire) -> bool {
        if self.is_spurious(progress) {
            self.restore(wire);
        } else {
            self.rack.on_repaired();
        }
        if self.is_held_open() {
            return true;
        }
        self.enter(CaState::Open);
        false
    }

    fn is_spurious(&self, progress: &Progress) -> bool {
        self.undo.is_spurious(&self.c, progress, self.recovery.is_over(&self.c))
    }

    /// Without SACK an episode ends when more than its end is acknowledged, lest duplicate ACKs that are still to come begin another
    /// (RFC 6582 section 4.1).
    fn is_held_open(&mut self) -> bool {
        let is_held = !self.c.selective_acks && self.c.una == self.recovery.point();
        if is_held {
            self.clear_episode_stamp();
        }
        is_held
    }

    fn alert_in_recovery(&mut self, progress: &mut Progress, wire: &mut impl Wire) -> bool {
        if progress.acked == 0 {
            self.count_duplicate(progress);
        } else if self.undo.is_spurious_by_echo(&self.c, progress.echo, self.recovery.is_over(&self.c)) {
            // An original was acknowledged: nothing was lost. With retransmissions in flight, wait for them.
            self.reordering.on_overtaken(self.c.una - progress.acked, self.board.highest(self.c.una));
            if self.board.retrans_out() > 0 {
                self.recovery.put_repairs_off();
                return false;
            }
            self.clear_episode_stamp();
            self.forget_losses();
            self.restore(wire);
            self.keep_open();
        }
        if self.undo_by_duplicates(wire) {
            self.try_to_open(progress, wire);
        }
        let armed = self.detect_losses(progress);
        if self.c.ca_state != CaState::Recovery && self.board.lost_out() > 0 {
            self.enter_recovery(progress.ece, wire);
        }
        armed
    }

    fn alert_in_loss(&mut self, progress: &mut Progress, wire: &mut impl Wire) -> bool {
        self.repair_timeout(progress, wire);
        let lost_again = self.board.lost_again();
        let armed = self.detect_losses(progress);
        if self.c.ca_state == CaState::Open || self.board.lost_again() > lost_again {
            return self.alert_outside(progress, wire) || armed;
        }
        armed
    }

    /// Linux `tcp_process_loss`, with forward RTO recovery (RFC 5682).
    fn repair_timeout(&mut self, progress: &mut Progress, wire: &mut impl Wire) {
        let recovered = self.recovery.is_over(&self.c);
        if progress.acked > 0 && self.is_spurious(progress) {
            return self.undo_timeout(self.c.selective_acks, wire);
        }
        if self.recovery.is_timeout_spurious(progress) {
            return self.undo_timeout(true, wire);
        }
        let can_send_new = self.limits.can_send_new(&self.c);
        if self.recovery.probe_timeout(&self.c, progress, can_send_new) {
            return;
        }
        if recovered {
            self.conclude(progress, wire);
        } else if !self.c.selective_acks && progress.acked > 0 {
            self.board.forget_duplicates();
        } else if self.c.nxt > self.recovery.point() {
            // New data in forward recovery was delivered.
            self.count_duplicate(progress);
        }
    }

    fn undo_timeout(&mut self, opens: bool, wire: &mut impl Wire) {
        self.forget_losses();
        self.restore(wire);
        self.recovery.on_timeout_undone();
        if !self.is_held_open() && opens {
            self.enter(CaState::Open);
        }
    }

    fn alert_outside(&mut self, progress: &mut Progress, wire: &mut impl Wire) -> bool {
        if !self.c.selective_acks && progress.acked > 0 {
            self.board.forget_duplicates();
        }
        self.count_duplicate(progress);
        if self.c.ca_state <= CaState::Disorder {
            self.undo_by_duplicates(wire);
        }
        let armed = self.detect_losses(progress);
        self.publish_in_flight();
        if self.board.lost_out() > 0 {
            self.enter_recovery(progress.ece, wire);
        } else {
            self.try_to_open(progress, wire);
        }
        armed
    }

    /// Without SACK a duplicate ACK tells that something arrived; not so one that tells of the receiver's window (RFC 5681 section 2).
    fn count_duplicate(&mut self, progress: &mut Progress) {
        if !self.c.selective_acks && progress.acked == 0 && !(progress.is_first && self.c.una == 0) && self.c.nxt > self.c.una {
            let delivered = self.board.count_duplicate(&self.c, &mut self.reordering);
            progress.delivered += delivered;
            self.c.delivered += u64::from(delivered);
            if progress.ece {
                self.ecn.on_delivered_marked(&mut self.c, delivered);
            }
        }
    }

    /// Every retransmission arrived twice (Linux `tcp_try_undo_dsack`). Returns whether the episode was undone.
    fn undo_by_duplicates(&mut self, wire: &mut impl Wire) -> bool {
        let is_spurious = self.undo.is_spurious_by_duplicates();
        if is_spurious {
            self.rack.on_undone_by_duplicates();
            self.restore(wire);
        }
        is_spurious
    }

    /// Nothing is lost: congestion marks begin a reduction, else the state is Open or Disorder.
    fn try_to_open(&mut self, progress: &Progress, wire: &mut impl Wire) {
        self.clear_episode_stamp();
        if progress.ece {
            self.enter_cwr(wire);
        }
        if self.c.ca_state != CaState::Cwr {
            self.keep_open();
        }
    }

    /// Marks what is proven lost; returns whether a reordering timer was armed instead of the RTO.
    fn detect_losses(&mut self, progress: &Progress) -> bool {
        let armed = self.find_losses(progress);
        // Before the episode that they begin.
        self.tell_lost_packets();
        armed
    }

    fn find_losses(&mut self, progress: &Progress) -> bool {
        if self.c.una == self.c.nxt {
            return false;
        }
        if self.detection != Detection::Duplicates {
            return self.find_behind_sacked();
        }
        self.board.mark_head(&self.c, progress, &self.reordering, self.recovery.point());
        false
    }

    /// Marks what the SACKed segments prove lost; returns whether a reordering timer was armed.
    #[inline]
    pub(super) fn find_behind_sacked(&mut self) -> bool {
        match self.detection {
            Detection::Time => return self.find_late(),
            Detection::Distance if !self.reordering.has_been_seen() => self.board.mark_by_distance(&self.c),
            Detection::Count | Detection::Distance => self.board.mark_by_count(&self.c),
            // Without SACK they prove nothing.
            Detection::Duplicates => {}
        }
        false
    }

    /// What was sent too long before a segment that is known to have arrived is lost; returns whether a reordering timer was armed.
    #[inline]
    pub(super) fn find_late(&mut self) -> bool {
        if !self.rack.take_advance() {
            return false;
        }
        let wait = self.board.mark_late(&self.rack, &self.c, &self.reordering);
        if wait > Duration::ZERO {
            self.timers.arm_reordering(&self.c, wait);
        }
        wait > Duration::ZERO
    }
}
