//! An ACK that is not plain, and the steps that all ACKs share.

use cc::{AckArrival, CongestionControl, RttSample, RttSamples};
use units::{Duration, Time};

use super::Sender;
use crate::clock::Flight;
use crate::progress::Progress;
use crate::rack::Delivery;
use crate::rate::Change;
use crate::recovery::is_reduction;
use crate::scoreboard::{EVER_RETRANSMITTED, RETRANSMITTED, SACKED};
use crate::{Ack, Sack, Wire};

/// Send times of the segments that RTT samples are taken of.
#[derive(Clone, Copy, Debug)]
pub(super) struct Sampled {
    /// For the timeout: of the segment sent first.
    pub(super) first: Time,
    /// For the algorithm: of the one sent last.
    pub(super) last: Time,
}

impl<C: CongestionControl> Sender<C> {
    /// All steps, in their order.
    #[inline(never)]
    pub(super) fn on_troubled_ack(&mut self, ack: Ack, sack: Option<&Sack>, wire: &mut impl Wire) {
        let in_flight = self.c.in_flight;
        let lost_before = self.board.lost();
        let mut progress = Progress { echo: ack.echo, highest_before: self.board.highest_sacked(), ..Progress::default() };
        if let Some(sack) = sack {
            self.mark_sacked(sack, &mut progress);
        }
        self.advance(ack.cumulative.max(self.c.una), &mut progress);
        progress.ece = self.ecn.take_marks(&mut self.c, &ack, &progress);
        self.publish_in_flight();
        let extends_timer = self.extends_timer(&progress);
        let rtt = self.sampled(&progress).map(|sampled| self.sample_rtt(sampled));
        // Only an ACK that moves the window echoes a segment that it answers (RFC 7323 4.3).
        let forward = (progress.acked > 0).then_some(ack.delay);
        let echoed = forward.map(|_| ack.echo);
        self.tell_rtt(|| RttSample { acked: progress.acked as u32, rtt, forward, echoed, in_flight });
        // Header prediction knows no connection state: whatever is under way, a plain advance is fast (Linux `tcp_rcv_established`).
        let slow_path = sack.is_some() || progress.is_duplicate_ack() || progress.ece;
        self.tell_arrival(&AckArrival { slow_path, ece: progress.ece });
        if self.probe.on_acked(ack.cumulative, &progress) {
            self.on_probe_repaired(wire);
        }
        let alerted = self.is_alert(&progress);
        let armed = alerted && self.alert(&progress, wire);
        if alerted {
            self.publish_in_flight();
        }
        if (progress.acked > 0 || extends_timer) && !armed {
            self.arm_after_progress();
        }
        progress.lost = (self.board.lost() - lost_before) as u32;
        self.steer(Change { acked: progress.delivered, lost: progress.lost, rtt, prior_in_flight: in_flight }, &progress, wire);
        self.refresh_pacing_rate();
        self.recover_and_transmit(wire);
        self.look_for_trouble();
    }

    /// Step 1.
    fn mark_sacked(&mut self, sack: &Sack, progress: &mut Progress) {
        if let Some(seq) = sack.duplicate {
            progress.duplicate = true;
            self.undo.on_duplicate(seq);
        }
        let ranges = self.board.newly_sacked(&self.c, sack);
        for range in &ranges {
            (range.from..range.to).for_each(|seq| self.on_sacked(seq, progress));
        }
        self.board.take_back(ranges);
    }

    fn on_sacked(&mut self, seq: u64, progress: &mut Progress) {
        let sent = self.board.sent_at(seq);
        let retransmitted = self.board.flags(seq) & EVER_RETRANSMITTED != 0;
        self.rack.on_delivered(&self.c, Delivery { seq, sent, retransmitted });
        if !retransmitted {
            self.rack.note_order(seq + 1 < self.board.highest_sacked());
            progress.original_delivered |= seq < self.recovery.point();
            progress.first_sacked.get_or_insert(sent);
            progress.last_sacked = Some(sent);
        }
        self.board.mark_sacked(seq);
        if let Some(rates) = self.rates.as_deref_mut() {
            rates.on_delivered(seq, sent);
        }
        self.c.delivered += 1;
        progress.sacked += 1;
        progress.delivered += 1;
    }

    /// Step 2: segments below `una` leave the window. One below what had been SACKed before this ACK was reordered.
    fn advance(&mut self, una: u64, progress: &mut Progress) {
        assert!(una <= self.c.nxt, "ACK {una} above snd_nxt {}", self.c.nxt);
        for seq in self.c.una..una {
            self.on_acknowledged(seq, progress);
        }
        progress.acked = una - self.c.una;
        if progress.acked > 0 {
            self.c.una = una;
            self.recovery.forget_expiries();
            self.board.on_advanced(una);
        }
        if !self.c.selective_acks {
            progress.delivered = self.board.count_duplicate(&self.c, progress.acked);
            self.c.delivered += u64::from(progress.delivered);
        }
    }

    fn on_acknowledged(&mut self, seq: u64, progress: &mut Progress) {
        let sent = self.board.sent_at(seq);
        let flags = self.board.remove(seq);
        let retransmitted = flags & EVER_RETRANSMITTED != 0;
        progress.retransmission_acked |= flags & RETRANSMITTED != 0;
        if flags & SACKED != 0 {
            return;
        }
        if !retransmitted {
            progress.first_acked.get_or_insert(sent);
            progress.last_acked = Some(sent);
            self.rack.note_order(seq + 1 < progress.highest_before);
            progress.original_delivered |= seq < self.recovery.point();
        }
        if let Some(rates) = self.rates.as_deref_mut() {
            rates.on_delivered(seq, sent);
        }
        if self.c.selective_acks {
            self.c.delivered += 1;
            progress.delivered += 1;
        }
        self.rack.on_delivered(&self.c, Delivery { seq, sent, retransmitted });
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
        if progress.acked == 0 {
            return None;
        }
        // Timestamps tick in milliseconds.
        let rtt = Duration::from_ms((self.c.now.as_ms() - progress.echo.as_ms()).max(1));
        let sent = self.c.now.saturating_sub(rtt);
        Some(Sampled { first: sent, last: sent })
    }

    /// Step 4. Returns what the algorithm sees of the RTT.
    #[inline(always)]
    pub(super) fn sample_rtt(&mut self, Sampled { first, last }: Sampled) -> Duration {
        let [first, last] = [first, last].map(|sent| Flight { sent, answered: self.c.now });
        let rtt = self.rtt.stamped(last);
        self.rtt.on_min_sampled(&mut self.c, rtt);
        self.rtt.on_sampled(&mut self.c, self.rtt.measured(first));
        self.totals.rtt_sum_ns += rtt.0;
        self.totals.rtt_samples += 1;
        if self.rtt.is_exact() || self.needs.has_exact_rtt() {
            rtt
        } else {
            self.rtt.measured(last)
        }
    }

    /// [`Sender::sample_rtt`] of a usual ACK.
    #[inline(always)]
    pub(super) fn sample_rtt_usually(&mut self, Sampled { first, last }: Sampled) -> Duration {
        let [longest, rtt] = [first, last].map(|sent| self.c.now - sent);
        self.rtt.on_min_sampled(&mut self.c, rtt);
        self.rtt.on_next_sampled(&mut self.c, longest);
        self.totals.rtt_sum_ns += rtt.0;
        self.totals.rtt_samples += 1;
        rtt
    }

    /// Step 5: the RTT sample, if the algorithm wants any.
    #[inline(always)]
    pub(super) fn tell_rtt(&mut self, sample: impl FnOnce() -> RttSample) {
        if self.needs.rtt_samples != RttSamples::Unused {
            self.cc.on_rtt_sampled(&mut self.w, &self.c, &sample());
        }
    }

    /// Step 5: what the ACK looked like, if the algorithm wants to know.
    #[inline(always)]
    pub(super) fn tell_arrival(&mut self, arrival: &AckArrival) {
        if self.needs.ack_arrivals {
            self.cc.on_ack_arrived(&mut self.w, &self.c, arrival);
        }
    }

    /// Step 9.
    fn steer(&mut self, change: Change, progress: &Progress, wire: &mut impl Wire) {
        if self.needs.control.is_by_rate() {
            self.report_losses();
            self.steer_by_rate(change, wire);
        } else if is_reduction(self.c.ca_state) {
            self.recovery.reduce(&mut self.w, &self.c, progress);
        } else if !self.recovery.is_frozen(&self.c) && (progress.acked > 0 || (self.rack.has_seen_reordering() && progress.delivered > 0)) {
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
        if in_slow_start && !self.w.in_slow_start() {
            wire.on_slow_start_exit(self.c.now, self.w.cwnd);
        }
        assert!(self.w.cwnd >= 1.0, "cwnd {} fell below one segment at {:?}", self.w.cwnd, self.c.now);
    }
}
