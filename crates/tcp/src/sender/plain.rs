//! A plain ACK: in order, nothing lost, SACKed or retransmitted. The kernel's steps without the scoreboard's.

use cc::{AckArrival, CongestionControl, PlainAck, RttSample};
use units::{Duration, Time};

use super::acks::Sampled;
use super::way::Manner;
use super::Sender;
use crate::rate::Change;
use crate::{Ack, Sack, Wire};

/// A sender that only the window holds back.
const LEAN: u8 = 0;
/// One that asks before each segment.
const CAREFUL: u8 = 1;
/// The same, whose algorithm wants rate samples.
const RATED: u8 = 2;

impl<C: CongestionControl> Sender<C> {
    /// An ACK arrives. Returns [`Sender::deadline`] as it is then.
    #[inline(always)]
    pub fn on_ack(&mut self, now: Time, ack: Ack, sack: Option<&Sack>, wire: &mut impl Wire) -> Time {
        if ack.has_sack {
            return self.on_sacked_ack(now, ack, sack, wire);
        }
        self.account(now);
        let is_advance = ack.cumulative > self.c.una && self.ecn.is_known(&ack);
        if is_advance && self.way.is_usual(self.c.una) {
            return self.on_usual_ack(ack, wire);
        }
        // A copy, for otherwise every ACK would lie in memory for the sake of these calls.
        let ack = Ack { ..ack };
        if is_advance && self.way.is_short(self.c.una) {
            return match self.manner {
                Manner::Steady => self.on_steady_ack(ack, wire),
                Manner::Paced => self.on_paced_ack(ack, wire),
                _ => self.on_classic_ack(ack, wire),
            };
        }
        let plain = is_advance && self.is_open_and_clean() && !self.probe.is_out() && !self.rack.awaits_sample();
        if plain && self.manner.is_careful() {
            self.on_plain_careful_ack(ack, wire);
        } else if plain {
            self.on_plain_lean_ack(ack, wire);
        } else {
            self.on_troubled_ack(ack, None, wire);
        }
        self.deadline()
    }

    /// One with SACK information. Out of line, for the others need not know where that lies.
    #[inline(never)]
    fn on_sacked_ack(&mut self, now: Time, ack: Ack, sack: Option<&Sack>, wire: &mut impl Wire) -> Time {
        self.account(now);
        if let Some((seq, sent)) = sack.and_then(|sack| self.take_next_sacked(&ack, sack)) {
            self.on_next_sacked(&ack, seq, sent, wire);
        } else if let Some(sent) = sack.and_then(|sack| self.take_answered_repair(&ack, sack)) {
            self.on_repair_answered(&ack, sent, wire);
        } else {
            self.on_troubled_ack(ack, sack, wire);
        }
        self.deadline()
    }

    /// A plain ACK to a sender about which nothing is special: the same steps without the questions.
    #[inline(always)]
    fn on_usual_ack(&mut self, ack: Ack, wire: &mut impl Wire) -> Time {
        let age = self.take_usual_ack::<true>(ack, wire);
        // Step 11.
        let has_sent = self.transmit_usually(wire);
        self.arm_usually(age, has_sent)
    }

    /// The same with an older stack.
    #[inline(never)]
    fn on_classic_ack(&mut self, ack: Ack, wire: &mut impl Wire) -> Time {
        let age = self.take_usual_ack::<false>(ack, wire);
        // Step 11.
        let has_sent = self.transmit_usually(wire);
        self.arm_as_classic(age, has_sent)
    }

    /// Steps 2 to 10, with the stack `OF_TODAY` or an older one. Returns how long ago the last of the segments that are acknowledged was sent.
    #[inline(always)]
    pub(super) fn take_usual_ack<const OF_TODAY: bool>(&mut self, ack: Ack, wire: &mut impl Wire) -> Duration {
        // Step 2.
        let (acked, sampled) = self.advance_usually(ack.cumulative);
        // Steps 4 and 5.
        let rtt = if OF_TODAY { self.sample_rtt_usually(sampled) } else { self.sample_rtt_by_clock(sampled) };
        let in_flight = self.c.in_flight + acked;
        let is_done = self.tell_usually(|| PlainAck { rtt, forward: ack.delay, echoed: ack.echo, acked, in_flight });
        // Steps 9 and 10.
        if is_done {
        } else if self.w.in_slow_start() {
            self.grow_in_slow_start(acked, wire);
        } else {
            self.c.cwnd_limited = self.limits.is_window_filled();
            let acked = if OF_TODAY { acked } else { self.counting.worth_in_avoidance(acked) };
            self.cc.on_acked(&mut self.w, &self.c, acked);
            assert!(self.w.cwnd >= 1.0, "cwnd {} fell below one segment at {:?}", self.w.cwnd, self.c.now);
            if self.needs.transport_rate && self.w.in_slow_start() {
                self.resume_rate();
            }
        }
        if OF_TODAY {
            rtt
        } else {
            self.c.now - sampled.last
        }
    }

    /// Step 2 of a plain ACK: how many segments it acknowledges, and when the first and the last of them were sent.
    #[inline(always)]
    pub(super) fn advance_usually(&mut self, cumulative: u64) -> (u32, Sampled) {
        let acked = (cumulative - self.c.una) as u32;
        let (first, last) = self.board.sent_between(self.c.una, cumulative - 1);
        self.c.una = cumulative;
        self.c.in_flight = (self.c.nxt - self.c.una) as u32;
        self.c.delivered += u64::from(acked);
        self.rack.on_next_delivered(&self.c, cumulative - 1, last);
        (acked, Sampled { first, last })
    }

    /// Few ACKs find a sender in slow start. Of a usual one an application that pauses does not want to know.
    #[inline(never)]
    fn grow_in_slow_start(&mut self, acked: u32, wire: &mut impl Wire) {
        self.c.cwnd_limited = self.limits.is_window_used(&self.w);
        let acked = self.counting.worth(acked, true, self.c.ca_state);
        self.cc.on_acked(&mut self.w, &self.c, acked);
        if !self.w.in_slow_start() {
            wire.on_slow_start_exit(self.c.now, self.w.cwnd);
        } else if self.needs.transport_rate {
            self.resume_rate();
        }
        assert!(self.w.cwnd >= 1.0, "cwnd {} fell below one segment at {:?}", self.w.cwnd, self.c.now);
    }

    /// Step 10 where the law has just returned to slow start.
    #[inline(never)]
    fn resume_rate(&mut self) {
        self.refresh_pacing_rate();
    }

    #[inline(always)]
    fn on_plain_ack<const KIND: u8>(&mut self, ack: Ack, wire: &mut impl Wire) {
        let in_flight = self.c.in_flight;
        let acked = (ack.cumulative - self.c.una) as u32;
        let first = self.board.sent_at(self.c.una);
        let last = self.board.sent_at(ack.cumulative - 1);
        // Step 2.
        self.c.una = ack.cumulative;
        self.c.in_flight = (self.c.nxt - self.c.una) as u32;
        self.c.delivered += u64::from(acked);
        self.rack.on_next_delivered(&self.c, ack.cumulative - 1, last);
        // Steps 4 and 5.
        let rtt = self.sample_rtt(Sampled { first, last });
        let is_timed = self.has_timestamps;
        self.tell_rtt(|| {
            let (forward, echoed) = (is_timed.then_some(ack.delay), is_timed.then_some(ack.echo));
            RttSample { acked, rtt: Some(rtt), forward, echoed, in_flight }
        });
        if KIND != LEAN && self.packets.is_some() {
            self.tell_packets();
        }
        self.tell_arrival(&AckArrival { slow_path: self.limits.is_window_news(), ece: false });
        // Steps 9 and 10.
        if KIND == RATED {
            if let Some(rates) = self.rates.as_deref_mut() {
                rates.on_delivered(ack.cumulative - 1, last);
            }
            self.steer_by_rate(Change { acked, lost: 0, rtt: Some(rtt), prior_in_flight: in_flight }, wire);
        } else {
            self.grow(acked, wire);
            self.refresh_pacing_rate();
        }
        // Step 11. Sending arms a probe, but never moves a retransmission timer that already runs.
        let pipe = self.c.in_flight;
        let has_sent = if KIND == LEAN {
            self.transmit_at_once(pipe, wire)
        } else {
            self.pacer.release();
            self.transmit_one_by_one(pipe, wire)
        } > 0;
        if !(has_sent && self.probe.is_possible(self.c.ca_state)) {
            self.arm_after_progress();
        }
    }

    /// Out of line, as the next, so that usual ACKs do not pay for it.
    #[inline(never)]
    fn on_plain_lean_ack(&mut self, ack: Ack, wire: &mut impl Wire) {
        self.on_plain_ack::<LEAN>(ack, wire);
    }

    #[inline(never)]
    fn on_plain_careful_ack(&mut self, ack: Ack, wire: &mut impl Wire) {
        if let Some(packets) = self.packets.as_deref_mut() {
            (self.c.una..ack.cumulative).for_each(|seq| packets.on_delivered(seq));
        }
        if self.needs.control.is_by_rate() {
            self.on_plain_ack::<RATED>(ack, wire);
        } else {
            self.on_plain_ack::<CAREFUL>(ack, wire);
        }
    }
}
