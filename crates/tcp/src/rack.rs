//! Which segments are lost: RACK (RFC 8985), the SACK count of RFC 6675, forward acknowledgement, or duplicate ACKs alone.

use cc::{CaState, CongestionControl};
use units::Time;

use crate::scoreboard::{EVER_RETRANSMITTED, LOST, RETRANSMITTED, SACKED};
use crate::sender::{Progress, Sender};
use crate::LossDetection;

/// Duplicate ACKs, or segments SACKed above, that prove a loss (RFC 5681).
pub(crate) const DUPTHRESH: u32 = 3;

/// The most recently sent segment known to be delivered.
#[derive(Clone, Debug, Default)]
pub(crate) struct Rack {
    sent: Time,
    end: u64,
    pub(crate) rtt: Time,
    /// A segment was once delivered after one sent later.
    pub(crate) reordering_seen: bool,
}

impl Rack {
    /// Segment `seq`, last sent at `sent`, was delivered. An ACK too early for a retransmission is of the original.
    #[inline]
    pub(crate) fn on_delivered(&mut self, seq: u64, sent: Time, now: Time, retransmitted: bool, rtt_min: Time) {
        let rtt = now - sent;
        if retransmitted && rtt < rtt_min {
            return;
        }
        self.rtt = rtt;
        if (sent, seq + 1) > (self.sent, self.end) {
            (self.sent, self.end) = (sent, seq + 1);
        }
    }

    /// [`Rack::on_delivered`] when nothing above was delivered and `seq` was sent once.
    #[inline]
    pub(crate) fn on_next_delivered(&mut self, seq: u64, sent: Time, now: Time) {
        self.rtt = now - sent;
        if sent >= self.sent {
            (self.sent, self.end) = (sent, seq + 1);
        }
    }

    /// Whether a segment was sent before one that has been delivered.
    fn is_after(&self, sent: Time, seq: u64) -> bool {
        (self.sent, self.end) > (sent, seq + 1)
    }
}

impl<C: CongestionControl> Sender<C> {
    /// Marks what is proven lost; returns whether a reordering timer was armed instead of the RTO.
    pub(crate) fn detect_losses(&mut self, progress: &Progress) -> bool {
        if self.uses_rack() {
            let wait = self.detect_by_time();
            if wait > Time::ZERO {
                self.arm_reorder(wait);
            }
            return wait > Time::ZERO;
        }
        if self.spec.options.sack {
            let by_distance = self.spec.options.loss_detection == LossDetection::Fack && !self.rack.reordering_seen;
            self.mark_holes_below(if by_distance { self.fack_bound() } else { self.count_bound() });
        } else if self.c.ca_state == CaState::Recovery && progress.acked > 0 || self.board.sacked_out >= DUPTHRESH {
            // NewReno (RFC 6582): a partial ACK, or the third duplicate, proves the head lost.
            if self.board.flags(self.c.una) & (LOST | RETRANSMITTED) == 0 && self.c.una < self.recovery_end() {
                self.board.mark_lost(self.c.una);
            }
        }
        false
    }

    /// Below which segment NewReno repairs: the recovery point once in Recovery, everything outstanding before.
    fn recovery_end(&self) -> u64 {
        if self.c.ca_state == CaState::Recovery {
            self.recovery_point
        } else {
            self.c.nxt
        }
    }

    /// RFC 8985 section 6.2 step 5. Returns how long the latest suspect must still be given, zero for none.
    pub(crate) fn detect_by_time(&mut self) -> Time {
        let deadline = |sender: &Self, sent: Time| sent + sender.rack.rtt + sender.reordering_window();
        let mut wait = Time::ZERO;
        let mut unresolved = false;
        let mut seq = self.board.classified_until.max(self.c.una);
        while seq < self.c.nxt && self.rack.is_after(self.board.sent_at(seq), seq) {
            let flags = self.board.flags(seq);
            if flags & SACKED != 0 {
                seq = self.board.sacked.containing(seq).map_or(seq + 1, |range| range.1);
                continue;
            }
            if flags & (LOST | EVER_RETRANSMITTED) == 0 {
                let due = deadline(self, self.board.sent_at(seq));
                if due <= self.c.now {
                    self.board.mark_lost(seq);
                } else {
                    wait = wait.max(due - self.c.now);
                    unresolved = true;
                }
            }
            seq += 1;
            if !unresolved {
                self.board.classified_until = seq;
            }
        }
        wait.max(self.detect_lost_retransmissions())
    }

    /// Retransmissions are lost by the same rule, in the order they were sent.
    fn detect_lost_retransmissions(&mut self) -> Time {
        while let Some(&(seq, sent)) = self.board.retransmissions.front() {
            let current = seq >= self.c.una && self.board.flags(seq) & RETRANSMITTED != 0 && self.board.sent_at(seq) == sent;
            if current {
                if !self.rack.is_after(sent, seq) {
                    break;
                }
                let due = sent + self.rack.rtt + self.reordering_window();
                if due > self.c.now {
                    return due - self.c.now;
                }
                self.board.mark_lost(seq);
            }
            self.board.retransmissions.pop_front();
        }
        Time::ZERO
    }

    /// RFC 8985 section 6.2 step 4, with Linux's step of one: nothing while losses are being repaired and no reordering
    /// was ever seen, else a quarter of the minimum RTT.
    pub(crate) fn reordering_window(&self) -> Time {
        let in_trouble = self.c.ca_state >= CaState::Recovery || self.board.sacked_out >= DUPTHRESH;
        if !self.rack.reordering_seen && in_trouble {
            return Time::ZERO;
        }
        Time(self.rtt.min().0 / 4).min(self.rtt.srtt())
    }

    /// RFC 6675 IsLost: three segments SACKed above.
    fn count_bound(&self) -> u64 {
        let mut above = 0;
        for (from, to) in self.board.sacked.descending() {
            let missing = u64::from(DUPTHRESH) - above;
            if to - from >= missing {
                return to - missing;
            }
            above += to - from;
        }
        0
    }

    /// Forward acknowledgement: more than three segments from the highest SACKed one, what is missing between counted in.
    fn fack_bound(&self) -> u64 {
        if self.board.sacked_out == 0 {
            return 0;
        }
        self.board.highest_sacked.saturating_sub(u64::from(DUPTHRESH))
    }

    /// What is neither SACKed nor known lost below `bound` is lost.
    fn mark_holes_below(&mut self, bound: u64) {
        let mut seq = self.board.classified_until.max(self.c.una);
        while seq < bound {
            match self.board.sacked.containing(seq) {
                Some((_, to)) => seq = to,
                None => {
                    if self.board.flags(seq) & (LOST | EVER_RETRANSMITTED) == 0 {
                        self.board.mark_lost(seq);
                    }
                    seq += 1;
                }
            }
        }
        self.board.classified_until = self.board.classified_until.max(bound);
    }

    /// Without SACK no more segments can have arrived out of order than are outstanding and not lost.
    pub(crate) fn limit_counted_duplicates(&mut self) {
        let out = (self.c.nxt - self.c.una) as u32;
        self.board.sacked_out = self.board.sacked_out.min(out.saturating_sub(self.board.lost_out));
    }

    /// Without SACK each duplicate ACK stands for one segment delivered out of order (RFC 6582; Linux's emulation).
    pub(crate) fn count_duplicate(&mut self, progress: &mut Progress) {
        let out = (self.c.nxt - self.c.una) as u32;
        if progress.acked > 0 {
            // The retransmission that filled the hole counts itself; the rest of the advance had been counted before.
            let counted = (progress.acked as u32).saturating_sub(1).min(self.board.sacked_out);
            let counted = if self.board.sacked_out == 0 { 0 } else { counted };
            self.board.sacked_out -= counted;
            progress.delivered = progress.acked as u32 - counted;
            self.c.delivered += u64::from(progress.delivered);
        } else if out > 0 && self.board.sacked_out + self.board.lost_out.max(1) < out {
            self.board.sacked_out += 1;
            self.c.delivered += 1;
            progress.delivered = 1;
        }
    }
}
