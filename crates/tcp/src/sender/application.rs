//! An application that writes in pieces.

use cc::{CaEvent, CongestionControl};
use units::Time;

use super::Sender;
use crate::Wire;

impl<C: CongestionControl> Sender<C> {
    /// The same with an application that has written nothing yet, and will by [`Sender::on_written`].
    pub fn waiting(mut self) -> Sender<C> {
        self.limits.wait();
        self
    }

    /// The application has written `segments` in all, counted from the first.
    pub fn on_written(&mut self, now: Time, segments: u64, wire: &mut impl Wire) {
        self.note_application_limit();
        self.on_written_on(now, segments, wire);
    }

    /// The same of a call that the application has made before: what it hands over is taken bit by bit.
    pub fn on_written_on(&mut self, now: Time, segments: u64, wire: &mut impl Wire) {
        self.arm_late_probe();
        self.account(now);
        self.limits.on_written(segments);
        if self.limits.is_all_sent(&self.c) || self.is_opening() {
            return;
        }
        if self.c.una == self.c.nxt && self.c.nxt > 0 {
            self.restart_after_idle();
        }
        if self.is_open_and_clean() {
            self.pacer.release();
            self.transmit(self.c.in_flight, wire);
        } else {
            self.recover_and_transmit(wire);
        }
        self.watch_window();
        self.look_for_trouble();
    }

    /// The application has written `segments` in all, and writes no more.
    pub fn on_finished(&mut self, now: Time, segments: u64, wire: &mut impl Wire) {
        self.limits.on_written(segments);
        self.limits.on_stopped();
        self.on_written(now, segments, wire);
    }

    /// The application writes no more for now; all it has written was sent, for it wrote as fast as that.
    pub fn on_paused(&mut self) {
        self.limits.on_paused(&self.c);
    }

    /// The application writes no more than it has.
    pub fn on_last_written(&mut self) {
        self.limits.on_stopped();
    }

    /// The application has no more data.
    pub fn on_stopped(&mut self) {
        self.on_paused();
        self.limits.on_stopped();
        self.give_up_opening();
    }

    pub(super) fn restart_after_idle(&mut self) {
        let rto = self.rtt.rto();
        if self.limits.is_restart_due(&self.c, rto) {
            self.cc.on_event(&mut self.w, &self.c, CaEvent::WindowRestarted);
            self.limits.restart(&mut self.w, &self.c, rto);
        }
    }
}
