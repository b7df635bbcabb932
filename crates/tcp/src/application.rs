//! An application that writes in pieces, and what that does to a window that is not used.
//!
//! Two rules of Linux, both tied to `tcp_slow_start_after_idle` and neither applied to an algorithm that controls all itself. Idle restart (`tcp_cwnd_restart`): the
//! first data after a silence longer than the retransmission timeout finds the window halved once per timeout, down to the initial window.
//! Validation (RFC 2861; `tcp_cwnd_application_limited`): a window that was not filled for a timeout moves half-way to what was used of it. In
//! both ssthresh remembers three quarters of the window there was. RFC 5681 4.1 knows the first alone, and goes to the restart window at once.

use cc::{CaEvent, CaState, CongestionControl};
use units::Time;

use crate::sender::{Sender, Wire};
use crate::IdleRestart;

/// What was used of the window since it was last full.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Usage {
    /// Most segments outstanding (Linux `snd_cwnd_used`).
    used: u64,
    /// When the window was last full, or last set (Linux `snd_cwnd_stamp`).
    since: Time,
}

impl<C: CongestionControl> Sender<C> {
    /// The same with an application that has written nothing yet, and will by [`Sender::on_written`].
    pub fn waiting(mut self) -> Sender<C> {
        self.limit = 0;
        self.watches_use = true;
        self.usage = Some(Box::default());
        self
    }

    /// The application has written `segments` in all, counted from the first.
    pub fn on_written(&mut self, now: Time, segments: u64, wire: &mut impl Wire) {
        self.account(now);
        self.note_application_limit();
        self.limit = self.limit.max(segments.min(self.spec.segments));
        if self.c.nxt == self.limit {
            return;
        }
        if self.c.una == self.c.nxt && self.c.nxt > 0 {
            self.restart_after_idle();
            // For a law of the rate the event comes with the segment.
            if !self.needs.steering.is_by_rate() {
                self.cc.on_event(&mut self.w, &self.c, CaEvent::TxStarted);
            }
        }
        if self.c.ca_state == CaState::Open && self.board.is_clean(self.c.una) {
            self.pacer.release();
            self.transmit(self.c.in_flight, wire);
        } else {
            self.recover_and_transmit(wire);
        }
    }

    /// The application writes no more for now; all it has written was sent, for it wrote as fast as that.
    pub fn on_paused(&mut self) {
        self.limit = self.limit.min(self.c.nxt);
    }

    fn restart_after_idle(&mut self) {
        let (idle, rto) = (self.c.now - self.c.last_sent, self.rtt.rto());
        let rule = self.spec.options.idle_restart;
        if rule == IdleRestart::None || self.needs.steering.is_full() || idle <= rto {
            return;
        }
        self.cc.on_event(&mut self.w, &self.c, CaEvent::WindowRestarted);
        let cwnd = self.w.segments();
        let least = self.spec.options.initial_window.min(cwnd);
        if rule == IdleRestart::Rfc5681 {
            self.w.cwnd = f64::from(least);
            return;
        }
        self.remember_window();
        // Not halved for the timeout that is not over.
        let timeouts = (idle.0 - 1) / rto.0;
        self.w.cwnd = f64::from(cwnd.checked_shr(timeouts.min(32) as u32).unwrap_or(0).max(least));
        if let Some(usage) = &mut self.usage {
            **usage = Usage { used: 0, since: self.c.now };
        }
    }

    fn remember_window(&mut self) {
        if !self.in_reduction() {
            self.w.ssthresh = self.current_ssthresh();
        }
    }

    /// The window was set for another reason.
    pub(crate) fn note_window_set(&mut self) {
        if let Some(usage) = &mut self.usage {
            usage.since = self.c.now;
        }
    }

    /// Linux `tcp_cwnd_validate`, second half: something was sent, or the window is full.
    #[cold]
    pub(crate) fn validate_window(&mut self) {
        let is_used = self.window_filled || (self.w.in_slow_start() && self.w.cwnd < 2.0 * self.most_out as f64);
        let (now, rto, out) = (self.c.now, self.rtt.rto(), self.c.nxt - self.c.una);
        let Some(usage) = self.usage.as_deref_mut() else { return };
        if is_used {
            *usage = Usage { used: 0, since: now };
            return;
        }
        usage.used = usage.used.max(out);
        if self.spec.options.idle_restart != IdleRestart::Linux || self.needs.steering.is_full() || now - usage.since < rto {
            return;
        }
        usage.since = now;
        // With more to send it is not the application that limits.
        if self.c.ca_state != CaState::Open || self.c.nxt < self.limit {
            return;
        }
        let used = std::mem::take(&mut usage.used).max(u64::from(self.spec.options.initial_window));
        let cwnd = u64::from(self.w.segments());
        if used < cwnd {
            self.remember_window();
            self.w.cwnd = ((cwnd + used) / 2) as f64;
        }
    }
}
