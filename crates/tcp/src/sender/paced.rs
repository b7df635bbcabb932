//! A paced sender: one that has more than the window to ask, where nothing is in trouble and nothing else about it is special. Its law is not
//! told delivery rates.
//!
//! Its ACKs take the steps of usual ones, and its segments leave as those of a steady sender do. Its stack may be an older one.

use cc::CongestionControl;
use units::Time;

use super::way::Manner;
use super::Sender;
use crate::{Ack, Wire};

impl<C: CongestionControl> Sender<C> {
    /// An ACK that advances the window. Returns when the sender is due.
    #[inline(never)]
    pub(super) fn on_paced_ack(&mut self, ack: Ack, wire: &mut impl Wire) -> Time {
        let age = self.take_usual_ack::<false>(ack, wire);
        // Step 10.
        self.c.pacing_rate = self.pacing_rate();
        // Step 11.
        let has_sent = self.send_steadily::<false>(wire);
        let expires = if self.probe.is_on() { self.arm_steadily(age, has_sent) } else { self.arm_as_classic(age, has_sent) };
        expires.min(self.pacer.wakes_at())
    }

    /// The pacing gate of a sender whose ACKs have a short way opens. Returns when the sender is due.
    #[inline(always)]
    pub(super) fn on_short_gate(&mut self, now: Time, wire: &mut impl Wire) -> Time {
        if self.manner == Manner::Steady {
            self.on_steady_gate(now, wire)
        } else {
            self.on_paced_gate(now, wire)
        }
    }

    #[inline(never)]
    fn on_paced_gate(&mut self, now: Time, wire: &mut impl Wire) -> Time {
        self.account(now);
        let has_sent = self.send_steadily::<false>(wire);
        if self.probe.is_on() {
            return self.arm_at_gate(has_sent);
        }
        if has_sent {
            self.arm_after_sending(false);
        }
        self.deadline()
    }
}
