//! Which segments are lost: by time (RACK, RFC 8985), by what is SACKed above (RFC 6675, forward acknowledgement), or by duplicate ACKs alone.

use cc::{CaState, Connection};
use units::{Duration, Time};

use super::{Scoreboard, Sending, EVER_RETRANSMITTED, FOUND_LATE, LOST, RETRANSMITTED, SACKED};
use crate::progress::Progress;
use crate::rack::Rack;
use crate::reordering::{Reordering, DUPTHRESH};
use crate::Range;

impl Scoreboard {
    /// RFC 8985 section 6.2 step 5. Returns how long the latest suspect must still be given, zero for none.
    pub(crate) fn mark_late(&mut self, rack: &Rack, c: &Connection, reordering: &Reordering) -> Duration {
        let loss_delay = rack.loss_delay(c, reordering, self.sacked_out);
        let mut wait = Duration::ZERO;
        let mut unresolved = false;
        let mut seq = self.classified_until.max(c.una);
        while seq < c.nxt {
            let Sending { sent, flags } = self.outstanding(seq);
            if flags & SACKED != 0 {
                seq = self.sacked.containing(seq).map_or(seq + 1, |range| range.to);
                if !unresolved {
                    self.classified_until = seq;
                }
                continue;
            }
            if flags & (LOST | EVER_RETRANSMITTED | FOUND_LATE) == 0 {
                if !rack.is_after(seq, sent) {
                    break;
                }
                let due = sent + loss_delay;
                if due <= c.now {
                    self.find_late(seq);
                } else {
                    wait = wait.max(due - c.now);
                    unresolved = true;
                }
            }
            seq += 1;
            if !unresolved {
                self.classified_until = seq;
            }
        }
        wait.max(self.mark_late_retransmissions(rack, c, loss_delay))
    }

    fn find_late(&mut self, seq: u64) {
        self.mark_lost(seq);
        self.set(seq, FOUND_LATE);
    }

    /// Segments sent again are lost by the same rule, in the order in which they were.
    fn mark_late_retransmissions(&mut self, rack: &Rack, c: &Connection, loss_delay: Duration) -> Duration {
        let mut wait = Duration::ZERO;
        let mut waiting = 0;
        while let Some(&(seq, sent)) = self.retransmissions.get(waiting) {
            if self.is_under_way_again(c, seq, sent) {
                if !rack.is_after(seq, sent) {
                    break;
                }
                let due = sent + loss_delay;
                if due > c.now {
                    wait = due - c.now;
                } else {
                    self.find_late(seq);
                }
            }
            if wait > Duration::ZERO {
                waiting += 1;
            } else {
                self.retransmissions.pop_front();
            }
        }
        wait
    }

    /// What was sent again at `sent` is the latest transmission of `seq`, and neither known to have arrived nor to be lost.
    fn is_under_way_again(&self, c: &Connection, seq: u64, sent: Time) -> bool {
        let Sending { sent: latest, flags } = self.outstanding(seq);
        seq >= c.una && latest == sent && flags & (SACKED | FOUND_LATE) == 0 && flags & (LOST | RETRANSMITTED) != LOST
    }

    /// RFC 6675 IsLost: three segments SACKed above.
    pub(crate) fn mark_by_count(&mut self, c: &Connection) {
        let mut missing = u64::from(DUPTHRESH);
        let mut bound = 0;
        for Range { from, to } in self.sacked.descending() {
            if to - from >= missing {
                bound = to - missing;
                break;
            }
            missing -= to - from;
        }
        self.mark_holes_below(c, bound);
    }

    /// Forward acknowledgement: more than three segments from the highest SACKed one, what is missing between counted in.
    pub(crate) fn mark_by_distance(&mut self, c: &Connection) {
        let bound = if self.sacked_out == 0 { 0 } else { self.highest_sacked.saturating_sub(u64::from(DUPTHRESH)) };
        self.mark_holes_below(c, bound);
    }

    /// What is neither SACKed nor known lost below `bound` is lost.
    fn mark_holes_below(&mut self, c: &Connection, bound: u64) {
        let mut seq = self.classified_until.max(c.una);
        while seq < bound {
            match self.sacked.containing(seq) {
                Some(range) => seq = range.to,
                None => {
                    if self.flags(seq) & (LOST | EVER_RETRANSMITTED) == 0 {
                        self.mark_lost(seq);
                    }
                    seq += 1;
                }
            }
        }
        self.classified_until = self.classified_until.max(bound);
    }

    /// NewReno (RFC 6582): the third duplicate ACK proves the head lost, and in Recovery a partial one, below `point`. After a timeout nothing does
    /// (Linux `tcp_newreno_mark_lost`).
    pub(crate) fn mark_head(&mut self, c: &Connection, progress: &Progress, reordering: &Reordering, point: u64) {
        let (is_lost, end) = match c.ca_state {
            CaState::Loss => return,
            CaState::Recovery => (progress.acked > 0, point),
            CaState::Open | CaState::Disorder | CaState::Cwr => (self.sacked_out >= reordering.degree(), c.nxt),
        };
        if !is_lost {
            return;
        }
        if self.flags(c.una) & (LOST | RETRANSMITTED) == 0 && c.una < end {
            self.mark_lost(c.una);
        }
    }

    /// After a timeout everything outstanding is lost, except what RACK, where it decides, finds too young.
    pub(crate) fn mark_timed_out(&mut self, c: &Connection, rack: Option<&Rack>) {
        let rack_rtt = rack.map_or(Duration::ZERO, Rack::rtt);
        for seq in c.una..c.nxt {
            if self.flags(seq) & SACKED != 0 {
                continue;
            }
            let is_young = seq != c.una && rack_rtt > Duration::ZERO && self.sent_at(seq) + rack_rtt > c.now;
            if !is_young {
                self.mark_lost(seq);
            }
        }
    }

    /// Without SACK no more segments can have arrived out of order than are outstanding and not lost.
    pub(crate) fn limit_counted_duplicates(&mut self, c: &Connection) {
        let out = (c.nxt - c.una) as u32;
        self.sacked_out = self.sacked_out.min(out.saturating_sub(self.lost_out));
    }

    /// Without SACK: what was counted as delivered out of order is counted anew.
    pub(crate) fn forget_duplicates(&mut self) {
        self.sacked_out = 0;
    }

    /// Without SACK an ACK of `acked` segments: the retransmission that filled the hole counts itself, the rest had been counted by duplicate
    /// ACKs. Returns how many segments this ACK delivered.
    pub(crate) fn count_acknowledged(&mut self, c: &Connection, reordering: &mut Reordering, acked: u64) -> u32 {
        let counted = (acked as u32).saturating_sub(1).min(self.sacked_out);
        self.sacked_out -= counted;
        let most = self.most_counted(c);
        if self.sacked_out > most {
            self.sacked_out = most;
            reordering.on_too_many_duplicates(c, acked);
        }
        acked as u32 - counted
    }

    /// Without SACK each duplicate ACK stands for one segment delivered out of order (RFC 6582; Linux's emulation). Returns how many
    /// segments this ACK delivered.
    pub(crate) fn count_duplicate(&mut self, c: &Connection, reordering: &mut Reordering) -> u32 {
        if self.sacked_out < self.most_counted(c) {
            self.sacked_out += 1;
            return 1;
        }
        reordering.on_too_many_duplicates(c, 0);
        0
    }

    /// Without SACK: one segment at least is missing, or no duplicate ACK would come.
    fn most_counted(&self, c: &Connection) -> u32 {
        ((c.nxt - c.una) as u32).saturating_sub(self.lost_out.max(1))
    }
}
