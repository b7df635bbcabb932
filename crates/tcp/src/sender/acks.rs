//! An ACK that is not plain, and the steps that all ACKs share.

use cc::{AckArrival, CaState, CongestionControl, PlainAck, RttSample, RttSamples};
use units::{Duration, Time};

use super::Sender;
use crate::clock::{Flight, Timed};
use crate::progress::Progress;
use crate::rack::Delivery;
use crate::rate::Change;
use crate::recovery::{is_reduction, Brought};
use crate::scoreboard::{Sending, EVER_RETRANSMITTED, SACKED};
use crate::{Ack, Range, Sack, Wire};

/// Send times of the segments that RTT samples are taken of.
#[derive(Clone, Copy, Debug)]
pub(super) struct Sampled {
    /// For the timeout: of the segment sent first.
    pub(super) first: Time,
    /// For the algorithm: of the one sent last.
    pub(super) last: Time,
}

impl<C: CongestionControl> Sender<C> {
    /// Whether the peer's timestamps are newer than any before, from the next ACK on. Until this is called they are, with timestamps.
    pub fn on_stamp_told(&mut self, is_newer: bool) {
        self.ecn.on_stamp_told(is_newer && self.has_timestamps);
    }

    /// All steps, in their order: each stands before what does it.
    #[inline(never)]
    pub(super) fn on_troubled_ack(&mut self, ack: Ack, sack: Option<&Sack>, wire: &mut impl Wire) {
        if ack.is_syn_ack() {
            return self.on_answered(&ack, wire);
        }
        self.arm_late_probe();
        let in_flight = self.c.in_flight;
        let lost_before = self.board.lost();
        let mut progress = Progress { echo: ack.echo, highest_before: self.board.highest(self.c.una), ..Progress::default() };
        let is_old = ack.cumulative < self.c.una;
        let is_answer = !is_old && self.c.una < self.c.nxt;
        // 1.
        if let Some(sack) = sack {
            self.mark_sacked(sack, &mut progress);
        }
        // 2.
        self.advance(ack.cumulative.max(self.c.una), &mut progress);
        // 3.
        if !is_old {
            progress.ece = self.ecn.take_marks(&mut self.c, &ack, &progress);
        }
        self.publish_in_flight();
        progress.is_first = self.recovery.takes_first_answer();
        if !is_answer {
            return self.on_stray_ack(ack, sack, &mut progress, wire);
        }
        // 4, with RACK's window.
        let extends_timer = self.extends_timer(&progress);
        let rtt = self.sampled(&progress).map(|sampled| self.sample_rtt(sampled));
        if let Some(latest) = progress.latest_sent {
            self.rack.adapt(&self.c, latest);
        }
        // 5.
        let has_echo = self.has_echo(progress.acked > 0, &ack);
        let (forward, echoed) = (has_echo.then_some(ack.delay), has_echo.then_some(ack.echo));
        self.tell_rtt(|| RttSample { acked: progress.acked as u32, rtt, forward, echoed, in_flight });
        self.tell_packets();
        self.tell_arrival(&self.arrival(sack, &progress));
        // 6.
        if self.probe.on_acked(ack.cumulative, &progress) {
            self.on_probe_repaired(wire);
        }
        // 7.
        let alerted = self.is_alert(&progress);
        let armed = alerted && self.alert(&mut progress, wire);
        if alerted {
            self.publish_in_flight();
        }
        // 8.
        if (progress.acked > 0 || extends_timer) && !armed {
            self.arm_after_progress();
        }
        // 9.
        progress.lost = (self.board.lost() - lost_before) as u32;
        self.steer(Change { acked: progress.delivered, lost: progress.lost, rtt, prior_in_flight: in_flight }, &progress, wire);
        // 10.
        self.refresh_pacing_rate();
        // 11.
        if alerted {
            self.repair_and_transmit(wire);
        } else {
            self.recover_and_transmit(wire);
        }
        self.look_for_trouble();
    }

    /// An ACK from before another, or one when nothing is outstanding: what it says of duplicates, and an old one of SACKed segments, is
    /// taken in (steps 6, 7 and 11), but no time is taken from it, and the algorithm does not grow the window by it.
    fn on_stray_ack(&mut self, ack: Ack, sack: Option<&Sack>, progress: &mut Progress, wire: &mut impl Wire) {
        self.tell_packets();
        let is_old = ack.cumulative < self.c.una;
        if !is_old {
            self.tell_arrival(&self.arrival(sack, progress));
            if self.probe.on_acked(ack.cumulative, progress) {
                self.on_probe_repaired(wire);
            }
        }
        if progress.duplicate || (is_old && sack.is_some()) {
            self.alert(progress, wire);
            self.publish_in_flight();
            self.report_losses();
        }
        self.recover_and_transmit(wire);
        self.look_for_trouble();
    }

    /// Header prediction knows no connection state: whatever is under way, a plain advance is fast (Linux `tcp_rcv_established`).
    fn arrival(&self, sack: Option<&Sack>, progress: &Progress) -> AckArrival {
        AckArrival { slow_path: sack.is_some() || progress.ece || self.limits.is_window_news(), ece: progress.ece }
    }

    /// Step 1.
    fn mark_sacked(&mut self, sack: &Sack, progress: &mut Progress) {
        // It comes first: what these blocks report for the first time is no duplicate's reordering.
        if let Some(seq) = sack.duplicate {
            self.on_duplicate(seq, progress);
        }
        match self.board.newly_sacked_on_top(&self.c, sack) {
            Some(range) => self.on_range_sacked(range, progress),
            None => self.mark_blocks_sacked(sack, progress),
        }
        if self.c.ca_state != CaState::Loss || self.undo.is_armed() {
            self.note_overtaken(progress);
        }
    }

    /// Where more than the first block may bring something.
    #[inline(never)]
    fn mark_blocks_sacked(&mut self, sack: &Sack, progress: &mut Progress) {
        let blocks = self.board.take_unreported(&self.c, sack);
        let mut sacked = self.board.lend_sacked();
        for block in blocks.into_iter().filter(|block| !block.is_empty()) {
            sacked.fill(block, |range| self.on_range_sacked(range, progress));
        }
        self.board.take_back(sacked);
    }

    #[inline]
    fn on_range_sacked(&mut self, range: Range, progress: &mut Progress) {
        (range.from..range.to).for_each(|seq| self.on_sacked(seq, progress));
    }

    fn on_sacked(&mut self, seq: u64, progress: &mut Progress) {
        let highest_before = self.board.highest_sacked();
        let Sending { sent, flags } = self.board.mark_sacked(seq);
        let retransmitted = flags & EVER_RETRANSMITTED != 0;
        self.rack.on_delivered(&self.c, Delivery { seq, sent, retransmitted });
        if !retransmitted {
            if seq < highest_before {
                progress.on_overtaken(seq);
            }
            progress.original_delivered |= seq < self.recovery.point();
            progress.first_sacked.get_or_insert(sent);
            progress.last_sacked = Some(sent);
        }
        self.on_delivered(seq, sent, progress);
        progress.sacked += 1;
    }

    /// The receiver reported that `seq` arrived twice (Linux `tcp_dsack_seen`). What was not sent twice is no news of ours.
    fn on_duplicate(&mut self, seq: u64, progress: &mut Progress) {
        if !self.duplicates.take(self.totals.retransmitted) {
            return;
        }
        progress.duplicate = true;
        progress.duplicate_of_probe = self.probe.is_duplicate_of(seq);
        progress.delivered += 1;
        self.c.delivered += 1;
        if self.reordering.has_been_seen() && !progress.duplicate_of_probe {
            self.rack.on_needless_retransmission();
        }
        let flags = if seq < self.c.una { EVER_RETRANSMITTED } else { self.board.flags(seq) };
        if flags & EVER_RETRANSMITTED != 0 {
            self.undo.on_duplicate(seq);
            if flags & SACKED != 0 {
                progress.on_overtaken(seq);
            }
        }
        if seq >= self.c.una {
            self.board.on_duplicate(seq);
        }
    }

    /// The lowest segment that was overtaken tells of the degree of reordering.
    fn note_overtaken(&mut self, progress: &mut Progress) {
        if let Some(seq) = progress.overtaken.take() {
            self.reordering.on_overtaken(seq, self.board.highest(self.c.una));
        }
    }

    /// Step 2: segments below `una` leave the window. One below what had been SACKed before this ACK was reordered.
    fn advance(&mut self, una: u64, progress: &mut Progress) {
        assert!(una <= self.c.nxt, "ACK {una} above snd_nxt {}", self.c.nxt);
        let mut seq = self.c.una;
        while seq < una {
            self.on_acknowledged(seq, progress);
            seq = self.board.remove_sacked(Range { from: seq + 1, to: una });
        }
        progress.acked = una - self.c.una;
        if progress.acked == 0 {
            return;
        }
        self.c.una = una;
        self.recovery.forget_expiries();
        self.board.on_advanced(una);
        if self.c.selective_acks {
            self.note_overtaken(progress);
        } else {
            progress.delivered = self.board.count_acknowledged(&self.c, &mut self.reordering, progress.acked);
            progress.original_delivered &= !progress.retransmission_acked;
            self.c.delivered += u64::from(progress.delivered);
        }
    }

    fn on_acknowledged(&mut self, seq: u64, progress: &mut Progress) {
        let Sending { sent, flags } = self.board.remove(seq);
        let retransmitted = flags & EVER_RETRANSMITTED != 0;
        progress.retransmission_acked |= retransmitted;
        if flags & SACKED != 0 {
            return;
        }
        if !retransmitted {
            progress.first_acked.get_or_insert(sent);
            progress.last_acked = Some(sent);
            if seq < progress.highest_before {
                progress.on_overtaken(seq);
            }
            progress.original_delivered |= seq < self.recovery.point();
        }
        if self.c.selective_acks {
            self.on_delivered(seq, sent, progress);
            // An echo of the time before says that the original arrived.
            if !(retransmitted && self.has_timestamps && progress.echo.is_ms_before(sent)) {
                self.rack.on_delivered(&self.c, Delivery { seq, sent, retransmitted });
            }
        } else {
            self.note_delivered(seq, sent);
        }
    }

    /// `seq`, sent last at `sent`, is known to have arrived from now on.
    fn on_delivered(&mut self, seq: u64, sent: Time, progress: &mut Progress) {
        self.note_delivered(seq, sent);
        self.c.delivered += 1;
        progress.delivered += 1;
        progress.latest_sent = progress.latest_sent.max(Some(sent));
    }

    /// Whether the timeout starts anew though the window did not move: what was SACKed had been sent before the head.
    fn extends_timer(&self, progress: &Progress) -> bool {
        let is_before_head = |sent: Time| self.c.nxt > self.c.una && sent < self.board.sent_at(self.c.una);
        progress.acked == 0 && progress.first_sacked.is_some_and(is_before_head)
    }

    /// Step 4, which segments: none that was sent twice, unless timestamps tell which of them is answered.
    fn sampled(&self, progress: &Progress) -> Option<Sampled> {
        let is_clear = !progress.retransmission_acked;
        let first = progress.first_acked.filter(|_| is_clear).or(progress.first_sacked);
        let last = progress.last_sacked.or(progress.last_acked.filter(|_| is_clear));
        if let (Some(first), Some(last)) = (first, last) {
            return Some(Sampled { first, last });
        }
        if progress.acked == 0 || !self.has_timestamps {
            return None;
        }
        let sent = self.sent_by_stamp(progress.echo);
        Some(Sampled { first: sent, last: sent })
    }

    /// When the segment left whose timestamp is echoed: it ticks in milliseconds.
    pub(super) fn sent_by_stamp(&self, echo: Time) -> Time {
        let rtt = Duration::from_ms((self.c.now.as_ms() - echo.as_ms()).max(1));
        self.c.now.saturating_sub(rtt)
    }

    /// Step 4. Returns what the algorithm sees of the RTT.
    #[inline(always)]
    pub(super) fn sample_rtt(&mut self, sampled: Sampled) -> Duration {
        let timed = self.timed(sampled);
        self.rtt.on_sampled(&mut self.c, timed.first);
        self.note_timed(timed)
    }

    /// What the stack's clock shows.
    #[inline(always)]
    fn timed(&mut self, Sampled { first, last }: Sampled) -> Timed {
        self.rtt.timed([first, last].map(|sent| Flight { sent, answered: self.c.now }))
    }

    #[inline(always)]
    fn note_timed(&mut self, timed: Timed) -> Duration {
        self.rtt.on_min_sampled(&mut self.c, timed.stamped);
        self.totals.rtt_sum_ns += timed.stamped.0;
        self.totals.rtt_samples += 1;
        if self.needs.has_exact_rtt() {
            timed.stamped
        } else {
            timed.last
        }
    }

    /// [`Sender::sample_rtt`] of a usual ACK, by an exact clock.
    #[inline(always)]
    pub(super) fn sample_rtt_usually(&mut self, Sampled { first, last }: Sampled) -> Duration {
        let [longest, rtt] = [first, last].map(|sent| self.c.now - sent);
        self.rtt.on_min_sampled(&mut self.c, rtt);
        self.rtt.on_next_sampled(&mut self.c, longest);
        self.totals.rtt_sum_ns += rtt.0;
        self.totals.rtt_samples += 1;
        rtt
    }

    /// [`Sender::sample_rtt`] of a classic ACK, by whatever clock.
    #[inline(always)]
    pub(super) fn sample_rtt_by_clock(&mut self, sampled: Sampled) -> Duration {
        if self.rtt.is_exact() {
            return self.sample_rtt_usually(sampled);
        }
        let timed = self.timed(sampled);
        self.rtt.on_next_sampled(&mut self.c, timed.first);
        self.note_timed(timed)
    }

    /// Only an ACK that moves the window echoes a segment that it answers (RFC 7323 4.3). Before any has, a duplicate echoes the handshake, if the peer
    /// says when that was.
    #[inline]
    pub(super) fn has_echo(&self, moves_window: bool, ack: &Ack) -> bool {
        self.has_timestamps && (moves_window || (self.c.una == 0 && ack.echo > Time::ZERO))
    }

    /// Step 5: the RTT sample, if the algorithm wants any.
    #[inline(always)]
    pub(super) fn tell_rtt(&mut self, sample: impl FnOnce() -> RttSample) {
        if self.needs.rtt_samples != RttSamples::Unused {
            self.cc.on_rtt_sampled(&mut self.w, &self.c, &sample());
        }
    }

    /// Steps 5, 9 and 10 of a usual ACK for a law that takes them in one call; step 5 for the others. Whether all are done.
    #[inline(always)]
    pub(super) fn tell_usually(&mut self, ack: impl FnOnce() -> PlainAck) -> bool {
        if self.needs.rtt_samples == RttSamples::Unused {
            return false;
        }
        if self.needs.rtt_samples.is_with_acks() && !self.w.in_slow_start() {
            return self.tell_at_once(&ack());
        }
        self.cc.on_rtt_sampled(&mut self.w, &self.c, &ack().rtt_sample());
        false
    }

    /// Out of line, for laws of our own need two short calls.
    #[inline(never)]
    fn tell_at_once(&mut self, ack: &PlainAck) -> bool {
        let is_filled = self.limits.is_window_filled();
        if !self.cc.on_plain_ack(&mut self.w, &self.c, ack, is_filled) {
            return false;
        }
        self.c.cwnd_limited = is_filled;
        assert!(self.w.cwnd >= 1.0, "cwnd {} fell below one segment at {:?}", self.w.cwnd, self.c.now);
        if self.needs.transport_rate && self.w.in_slow_start() {
            self.refresh_pacing_rate();
        }
        true
    }

    /// Step 5: what the ACK looked like, if the algorithm wants to know.
    #[inline(always)]
    pub(super) fn tell_arrival(&mut self, arrival: &AckArrival) {
        if self.needs.ack_arrivals {
            self.limits.on_window_known();
            self.cc.on_ack_arrived(&mut self.w, &self.c, arrival);
        }
    }

    /// Step 9.
    fn steer(&mut self, change: Change, progress: &Progress, wire: &mut impl Wire) {
        if self.needs.control.is_by_rate() {
            self.report_losses();
            self.steer_by_rate(change, wire);
        } else if is_reduction(self.c.ca_state) {
            self.recovery.reduce(&mut self.w, &self.c, Brought::by(progress));
        } else if !self.recovery.is_frozen(&self.c) && (progress.acked > 0 || (self.reordering.is_high() && progress.sacked > 0)) {
            self.grow(progress.delivered, wire);
        }
    }

    /// Step 9: growth by `delivered` segments, counted as the byte-counting mode says.
    #[inline(always)]
    pub(super) fn grow(&mut self, delivered: u32, wire: &mut impl Wire) {
        let in_slow_start = self.w.in_slow_start();
        self.c.cwnd_limited = self.limits.is_window_used(&self.w);
        let acked = self.counting.worth(delivered, in_slow_start, self.c.ca_state);
        self.cc.on_acked(&mut self.w, &self.c, acked);
        self.limits.on_window_set(self.c.now);
        if in_slow_start && !self.w.in_slow_start() {
            wire.on_slow_start_exit(self.c.now, self.w.cwnd);
        }
        assert!(self.w.cwnd >= 1.0, "cwnd {} fell below one segment at {:?}", self.w.cwnd, self.c.now);
    }
}
