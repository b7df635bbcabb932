//! A steady sender: that of a law which is told delivery rates, where nothing is in trouble and nothing else about it is special.
//!
//! Its ACKs are plain, and take the steps of a plain one. Its segments leave one by one, each as the pacing gate opens; so do those of a paced
//! sender. The tail loss probe is put off by each of them, and the gate opens long before: so the probe is armed by an ACK, and anew only where
//! it may matter.

use cc::CongestionControl;
use units::{Duration, Time};

use super::acks::Sampled;
use super::Sender;
use crate::limits::Use;
use crate::rate::Change;
use crate::timers::probe_wait;
use crate::{Ack, Range, Wire};

impl<C: CongestionControl> Sender<C> {
    /// An ACK that advances the window. Returns when the sender is due.
    #[inline(never)]
    pub(super) fn on_steady_ack(&mut self, ack: Ack, wire: &mut impl Wire) -> Time {
        let prior_in_flight = self.c.in_flight;
        // Steps 2 and 4.
        let (acked, Sampled { first, last }) = self.advance_usually(ack.cumulative);
        let rtt = self.sample_rtt_usually(Sampled { first, last });
        // Steps 9 and 10.
        let change = Change { acked, lost: 0, rtt: Some(rtt), prior_in_flight };
        match self.rates.as_deref_mut() {
            Some(rates) if !rates.is_behind() => {
                let sample = rates.take_next_sample(&mut self.c, change, ack.cumulative - 1, last);
                self.steer_by_sample(&sample, wire);
            }
            _ => self.steer_apart(change, (ack.cumulative - 1, last), wire),
        }
        // Step 11.
        let has_sent = self.send_steadily::<true>(wire);
        let expires = self.arm_steadily(rtt, has_sent);
        expires.min(self.pacer.wakes_at())
    }

    /// Steps 9 and 10 where the sample is of more than this ACK. Out of line: the sample of the others need then not lie in memory.
    #[cold]
    #[inline(never)]
    fn steer_apart(&mut self, change: Change, (seq, sent): (u64, Time), wire: &mut impl Wire) {
        if let Some(rates) = self.rates.as_deref_mut() {
            rates.on_delivered(seq, sent);
        }
        self.steer_by_rate(change, wire);
    }

    /// The timer where a probe may be armed, and until when that one stands. The probe follows each segment that is sent until the timeout of
    /// one as old as the last that was acknowledged comes before it. What is sent alone is given longer.
    #[inline(always)]
    pub(super) fn arm_steadily(&mut self, rtt: Duration, has_sent: bool) -> Time {
        let (wait, rto) = (probe_wait(&self.c), self.rtt.rto());
        let is_early = self.c.nxt - self.c.una >= 2 && rtt + wait <= rto;
        let (expires, stands_until) = if is_early {
            let expires = self.timers.arm_probe_in(wait, &self.c);
            (expires, expires.min(self.c.now + (rto - wait - rtt)))
        } else {
            (self.arm_usually(rtt, has_sent), Time::ZERO)
        };
        self.way.probe_stands_until = stands_until;
        expires
    }

    /// The pacing gate opens. Returns when the sender is due.
    #[inline(always)]
    pub(super) fn on_steady_gate(&mut self, now: Time, wire: &mut impl Wire) -> Time {
        self.account(now);
        let has_sent = self.send_steadily::<true>(wire);
        self.arm_at_gate(has_sent)
    }

    /// The timer after the gate opened. Returns when the sender is due.
    #[inline(always)]
    pub(super) fn arm_at_gate(&mut self, has_sent: bool) -> Time {
        let opens = self.pacer.wakes_at();
        if opens < self.way.probe_stands_until {
            if has_sent {
                self.timers.put_probe_off();
            }
            return opens;
        }
        if has_sent {
            self.arm_probe_after_last();
        } else {
            self.arm_late_probe();
        }
        self.deadline()
    }

    /// Step 11: new segments, as the pacing gate opens. Whether any left. Arms no timer.
    #[inline(always)]
    pub(super) fn send_steadily<const RATED: bool>(&mut self, wire: &mut impl Wire) -> bool {
        let window = self.w.segments();
        let room = self.limits.room(&self.c, window.saturating_sub(self.c.in_flight));
        let mut sent = 0;
        while sent < room && self.pacer.is_open(self.c.now) {
            self.send_next::<RATED>(wire);
            sent += 1;
        }
        if sent < room {
            self.pacer.block();
        } else {
            self.pacer.release();
            self.note_exhaustion();
        }
        self.limits.on_used(&self.c, Use { filled: self.c.in_flight >= window || (!RATED && self.is_held_by_gate()), sent });
        sent > 0
    }

    #[inline(always)]
    fn send_next<const RATED: bool>(&mut self, wire: &mut impl Wire) {
        let lost = self.board.lost();
        let seq = self.c.nxt;
        if RATED {
            let Some(rates) = self.rates.as_deref_mut().filter(|_| self.c.in_flight > 0) else { return self.send_first(wire) };
            rates.on_next_sent(&self.c, lost);
        } else if self.c.in_flight == 0 {
            return self.send_first(wire);
        }
        self.pacer.on_sent(self.c.now, self.c.mss, self.c.pacing_rate);
        self.board.on_next_sent(&self.c);
        self.c.nxt += 1;
        self.c.in_flight += 1;
        self.c.last_sent = self.c.now;
        self.totals.sent += 1;
        if self.ecn.takes_announcement() {
            wire.announce_reduction();
        }
        wire.send_train(self.c.now, Range::of(seq));
    }

    /// Nothing was outstanding.
    #[inline(never)]
    fn send_first(&mut self, wire: &mut impl Wire) {
        self.send_new(wire);
    }
}
