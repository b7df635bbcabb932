//! The sender's one timer: retransmission, tail loss probe, or reordering.

use cc::{CaState, CongestionControl};
use units::Time;

use crate::scoreboard::SACKED;
use crate::sender::{Progress, Sender, Wire};

/// Linux's floor for probe and reordering timers: two ticks.
const TICKS: Time = Time::from_ms(2);
const RTO_MIN: Time = Time::from_ms(200);
const PROBE_INITIAL: Time = Time::from_ms(1000);

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) enum Kind {
    #[default]
    Retransmission,
    Probe,
    Reordering,
}

/// The timer armed, and when it expires.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Timer {
    pub(crate) kind: Kind,
    pub(crate) deadline: Time,
}

impl Default for Timer {
    fn default() -> Timer {
        Timer { kind: Kind::Retransmission, deadline: Time::NEVER }
    }
}

impl<C: CongestionControl> Sender<C> {
    /// When [`Sender::on_deadline`] must be called; [`Time::NEVER`] for never. May move either way on any event.
    #[inline]
    pub fn deadline(&self) -> Time {
        self.expires().min(self.pacer.wakes_at())
    }

    /// When the timer is seen to have expired: with jiffies, at the tick after.
    #[inline]
    fn expires(&self) -> Time {
        if self.has_jiffies {
            self.tick_after(self.timer.deadline)
        } else {
            self.timer.deadline
        }
    }

    #[inline(never)]
    fn tick_after(&self, deadline: Time) -> Time {
        match &self.care {
            Some(care) if deadline < Time::NEVER => Time(deadline.0.next_multiple_of(care.tick.0)),
            _ => deadline,
        }
    }

    /// The deadline has come.
    pub fn on_deadline(&mut self, now: Time, wire: &mut impl Wire) {
        self.account(now);
        let is_pacing = self.expires() > now;
        if is_pacing && self.c.ca_state == CaState::Open && self.board.is_clean(self.c.una) {
            // The pacing gate opens, and nothing may be lost.
            self.pacer.release();
            self.transmit_one_by_one(self.c.in_flight, wire);
            return;
        }
        if !is_pacing {
            self.on_expired(wire);
        }
        self.recover_and_transmit(wire);
    }

    #[inline(never)]
    fn on_expired(&mut self, wire: &mut impl Wire) {
        self.timer.deadline = Time::NEVER;
        match self.timer.kind {
            Kind::Retransmission => self.on_retransmission_timeout(wire),
            Kind::Probe => self.on_probe_timeout(wire),
            Kind::Reordering => self.on_reordering_timeout(wire),
        }
    }

    fn on_retransmission_timeout(&mut self, wire: &mut impl Wire) {
        if self.c.una == self.c.nxt {
            return;
        }
        self.enter_loss(wire);
        self.expiries += 1;
        self.retransmit(self.c.una, wire);
        self.rtt.back_off();
        self.timer = Timer { kind: Kind::Retransmission, deadline: self.c.now + self.rtt.rto() };
    }

    /// RFC 8985 section 7.3: one new segment, or the last one again.
    fn on_probe_timeout(&mut self, wire: &mut impl Wire) {
        if self.c.una == self.c.nxt {
            return;
        }
        if self.probe_end == 0 {
            self.probe_retransmitted = !self.can_send_new();
            if self.probe_retransmitted {
                let last = self.c.nxt - 1;
                if self.board.flags(last) & SACKED == 0 {
                    self.probe_end = if self.retransmit(last, wire) { self.c.nxt } else { 0 };
                }
            } else if self.is_admitted(wire) {
                self.send_new(wire);
                self.probe_end = self.c.nxt;
            }
            self.publish_in_flight();
        }
        self.arm_retransmission();
    }

    fn on_reordering_timeout(&mut self, wire: &mut impl Wire) {
        let before = self.c.in_flight;
        self.detect_by_time();
        self.publish_in_flight();
        self.report_losses();
        if self.c.in_flight != before && self.c.ca_state != CaState::Recovery {
            self.enter_recovery(wire);
            self.reduce(&Progress { delivered: 1, ..Progress::default() });
        }
        if self.c.una < self.c.nxt {
            self.arm_retransmission();
        }
    }

    /// After progress: a probe if one may be sent, else the retransmission timer, a full timeout from now.
    #[inline]
    pub(crate) fn arm_after_progress(&mut self) {
        if self.c.una == self.c.nxt {
            self.timer.deadline = Time::NEVER;
            self.await_device();
        } else if self.may_probe() {
            self.arm_probe(self.c.now + self.rtt.rto());
        } else {
            self.arm_retransmission();
        }
    }

    /// After new data was sent.
    #[inline(always)]
    pub(crate) fn arm_after_sending(&mut self, was_idle: bool) {
        if self.may_probe() {
            let head_timeout = self.board.sent_at(self.c.una) + self.rtt.rto();
            let latest = if head_timeout > self.c.now { head_timeout } else { Time::NEVER };
            self.arm_probe(latest);
        } else if was_idle || self.timer.kind == Kind::Probe || self.timer.deadline == Time::NEVER {
            self.arm_retransmission();
        }
    }

    #[inline]
    pub(crate) fn may_probe(&self) -> bool {
        self.probes && matches!(self.c.ca_state, CaState::Open | CaState::Cwr)
    }

    /// Two smoothed RTTs after now, not later than the retransmission timeout.
    #[inline]
    fn arm_probe(&mut self, latest: Time) {
        let srtt8 = u64::from(self.rtt.srtt8_us());
        let wait = if srtt8 == 0 {
            PROBE_INITIAL
        } else {
            let margin = if self.c.nxt - self.c.una == 1 { RTO_MIN } else { TICKS };
            Time::from_us(srtt8 >> 2) + margin
        };
        self.timer = Timer { kind: Kind::Probe, deadline: (self.c.now + wait).min(latest) };
    }

    /// A full timeout from now; after a probe or reordering timer, from when the head was sent.
    pub(crate) fn arm_retransmission(&mut self) {
        let rto = self.rtt.rto();
        let deadline = if self.timer.kind == Kind::Retransmission {
            self.c.now + rto
        } else {
            (self.board.sent_at(self.c.una) + rto).max(self.c.now + Time::from_us(1))
        };
        self.timer = Timer { kind: Kind::Retransmission, deadline };
    }

    /// The head was retransmitted: the timer starts anew.
    pub(crate) fn arm_after_head_retransmission(&mut self) {
        if self.timer.kind != Kind::Reordering || self.timer.deadline == Time::NEVER {
            self.timer = Timer { kind: Kind::Retransmission, deadline: self.c.now + self.rtt.rto() };
        }
    }

    pub(crate) fn arm_reorder(&mut self, wait: Time) {
        self.timer = Timer { kind: Kind::Reordering, deadline: self.c.now + wait + TICKS };
    }
}
