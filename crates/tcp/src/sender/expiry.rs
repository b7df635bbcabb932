//! What happens when a timer expires or the pacing gate opens, and when the timer is armed.

use cc::{CaState, CongestionControl};
use units::{Duration, Time};

use super::Sender;
use crate::recovery::Brought;
use crate::timers::{probe_wait, Kind};
use crate::Wire;

/// What an expired timer leaves to do.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Then {
    /// Step 11.
    Transmit,
    /// Nothing until an ACK arrives or a timer expires.
    Wait,
}

impl<C: CongestionControl> Sender<C> {
    /// The deadline has come. Returns [`Sender::deadline`] as it is then.
    #[inline(always)]
    pub fn on_deadline(&mut self, now: Time, wire: &mut impl Wire) -> Time {
        if self.way.is_short(self.c.una) && self.timers.expires() > now {
            return self.on_short_gate(now, wire);
        }
        self.on_any_deadline(now, wire);
        self.deadline()
    }

    #[inline(never)]
    fn on_any_deadline(&mut self, now: Time, wire: &mut impl Wire) {
        self.arm_late_probe();
        self.account(now);
        if self.timers.expires() > now {
            return self.on_gate(wire);
        }
        if self.on_expired(wire) == Then::Transmit && !self.is_opening() {
            self.recover_and_transmit(wire);
            self.look_for_trouble();
        }
    }

    /// The pacing gate opens, whatever is with the timer: for who drives the two apart.
    pub fn on_gate_opened(&mut self, now: Time, wire: &mut impl Wire) {
        self.arm_late_probe();
        self.account(now);
        self.on_gate(wire);
    }

    fn on_gate(&mut self, wire: &mut impl Wire) {
        if self.is_open_and_clean() {
            // Nothing may be lost.
            self.pacer.release();
            self.transmit_one_by_one(self.c.in_flight, wire);
            return;
        }
        self.recover_and_transmit(wire);
        self.note_window_at_gate();
        self.look_for_trouble();
    }

    #[inline(never)]
    fn on_expired(&mut self, wire: &mut impl Wire) -> Then {
        match self.timers.on_expired() {
            Kind::Retransmission => return self.on_retransmission_timeout(wire),
            Kind::Probe | Kind::LaterProbe => self.on_probe_timeout(wire),
            Kind::Reordering => return self.on_reordering_timeout(wire),
            Kind::Opening => self.on_syn_timeout(wire),
            Kind::Window => self.on_window_timeout(wire),
        }
        Then::Transmit
    }

    /// The first outstanding segment alone leaves, whatever the window; whether that is full now is not asked (Linux `tcp_retransmit_timer`). With
    /// nothing outstanding it was the device that was waited for.
    fn on_retransmission_timeout(&mut self, wire: &mut impl Wire) -> Then {
        if self.c.una == self.c.nxt {
            return Then::Transmit;
        }
        self.enter_loss(wire);
        self.recovery.count_expiry();
        if self.retransmit(self.c.una, wire) {
            self.rtt.back_off();
            self.timers.restart_retransmission(&self.c, &self.rtt);
        } else {
            self.timers.retry_retransmission(&self.c);
        }
        self.publish_in_flight();
        self.look_for_trouble();
        Then::Wait
    }

    /// RFC 8985 section 7.3: one new segment, or the last one again.
    fn on_probe_timeout(&mut self, wire: &mut impl Wire) {
        if self.c.una == self.c.nxt {
            return;
        }
        if !self.probe.is_out() && self.send_probe(wire) {
            self.publish_in_flight();
            self.timers.restart_retransmission(&self.c, &self.rtt);
        } else {
            self.arm_retransmission();
        }
    }

    /// Returns whether one left: then a full timeout follows it.
    fn send_probe(&mut self, wire: &mut impl Wire) -> bool {
        if !self.is_admitted(wire) {
            return false;
        }
        let is_new = self.limits.can_send_new(&self.c);
        if is_new {
            self.send_new(wire);
        } else {
            self.send_again(self.c.nxt - 1, wire);
            self.board.on_probed(self.c.nxt - 1, self.c.now);
        }
        self.probe.on_sent(&self.c, !is_new);
        true
    }

    /// What is lost by now is sent again; new data wait for an ACK, and whether the window is full is not asked (Linux `tcp_rack_reo_timeout`).
    fn on_reordering_timeout(&mut self, wire: &mut impl Wire) -> Then {
        let before = self.c.in_flight;
        self.board.mark_late(&self.rack, &self.c, &self.reordering);
        self.publish_in_flight();
        self.report_losses();
        let has_lost = self.c.in_flight != before;
        if has_lost && self.c.ca_state != CaState::Recovery {
            self.enter_recovery(false, wire);
            self.recovery.reduce(&mut self.w, &self.c, Brought { delivered: 1, lost: 0, advances: false });
        }
        if self.c.una < self.c.nxt {
            self.arm_retransmission();
        }
        if has_lost {
            self.repair(wire);
        }
        self.look_for_trouble();
        Then::Wait
    }

    /// Step 8: a probe if one may be sent, else the retransmission timer, a full timeout from now.
    #[inline(always)]
    pub(super) fn arm_after_progress(&mut self) {
        if self.c.una == self.c.nxt {
            self.timers.disarm();
            self.await_device();
            self.watch_window();
        } else if self.probe.is_possible(self.c.ca_state) {
            self.timers.arm_probe(&self.c, self.c.now + self.rtt.rto());
        } else {
            self.arm_retransmission();
        }
    }

    /// After new data was sent.
    #[inline(always)]
    pub(super) fn arm_after_sending(&mut self, was_idle: bool) {
        if self.probe.is_possible(self.c.ca_state) {
            self.timers.arm_probe(&self.c, self.head_timeout(self.c.now));
        } else if self.timers.wants_retransmission(was_idle) {
            self.arm_retransmission();
        }
    }

    /// Steps 8 and 11 of a usual ACK, the last of whose segments took `rtt` by an exact clock. Returns when the timer expires.
    ///
    /// What is outstanding was sent after that segment: where the timeout of one as old comes after the probe, so does the head's.
    #[inline(always)]
    pub(super) fn arm_usually(&mut self, rtt: Duration, has_sent: bool) -> Time {
        if self.c.una == self.c.nxt {
            return self.arm_for_nothing();
        }
        let (wait, rto) = (probe_wait(&self.c), self.rtt.rto());
        if rtt + wait <= rto {
            return self.timers.arm_probe_in(wait, &self.c);
        }
        // The timeout may come before the probe.
        let (now, from) = (self.c.now, if has_sent { self.board.sent_at(self.c.una) } else { self.c.now });
        let left = if from + rto > now { from + rto - now } else { Duration::FOREVER };
        self.timers.arm_probe_in(wait.min(left), &self.c)
    }

    /// The same of a stack that may send no probes.
    #[inline(always)]
    pub(super) fn arm_as_classic(&mut self, rtt: Duration, has_sent: bool) -> Time {
        if self.probe.is_on() || self.c.una == self.c.nxt {
            return self.arm_usually(rtt, has_sent);
        }
        self.arm_retransmission();
        self.timers.expires()
    }

    /// Nothing is outstanding.
    #[inline(never)]
    fn arm_for_nothing(&mut self) -> Time {
        self.arm_after_progress();
        self.timers.expires()
    }

    /// When the timeout of the first outstanding segment is over; never if it is already at `now`.
    #[inline(always)]
    fn head_timeout(&self, now: Time) -> Time {
        let timeout = self.board.sent_at(self.c.una) + self.rtt.rto();
        if timeout > now {
            timeout
        } else {
            Time::NEVER
        }
    }

    /// A probe that was put off is armed, as if when the last segment was sent. Before anything that is not of a steady sender.
    #[inline]
    pub(super) fn arm_late_probe(&mut self) {
        if self.timers.is_probe_put_off() {
            self.arm_probe_after_last();
        }
    }

    /// A probe follows the last segment sent.
    #[inline(never)]
    pub(super) fn arm_probe_after_last(&mut self) {
        let from = self.c.last_sent;
        self.timers.arm_probe_from(from, &self.c, self.head_timeout(from));
    }

    #[inline]
    fn arm_retransmission(&mut self) {
        self.timers.arm_retransmission(&self.c, &self.rtt, self.board.sent_at(self.c.una));
    }

    /// The device is full of other flows' segments, and no ACK will come: asks again after a timeout (Linux's probe timer).
    pub(super) fn await_device(&mut self) {
        let is_full = self.care.as_ref().and_then(|care| care.device.as_ref()).is_some_and(|device| device.is_full());
        if self.c.una == self.c.nxt && is_full {
            self.timers.restart_retransmission(&self.c, &self.rtt);
        }
    }
}
