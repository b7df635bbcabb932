//! What leaves the sender: retransmissions, then new data, while `pipe < cwnd`.

use cc::{CaState, CongestionControl};

use crate::rack::DUPTHRESH;
use crate::sender::{Sender, Wire};

impl<C: CongestionControl> Sender<C> {
    /// Step 10 when something may be lost.
    pub(crate) fn recover_and_transmit(&mut self, wire: &mut impl Wire) {
        self.publish_in_flight();
        self.pacer.release();
        let probing = std::mem::take(&mut self.probing_for_spurious_timeout);
        if !probing && self.c.ca_state >= CaState::Recovery {
            self.retransmit_lost(wire);
        }
        self.transmit(wire);
    }

    fn retransmit_lost(&mut self, wire: &mut impl Wire) {
        while self.c.in_flight < self.w.segments() && self.pacer.may_send(self.c.now) {
            let Some(seq) = self.board.next_lost(self.c.una) else { return };
            self.retransmit(seq, wire);
            if self.in_reduction() {
                self.reduction.sent += 1;
            }
            if seq == self.c.una {
                self.arm_after_head_retransmission();
            }
        }
    }

    /// Sends `seq` again, whatever the window.
    pub(crate) fn retransmit(&mut self, seq: u64, wire: &mut impl Wire) {
        self.board.on_retransmitted(seq, self.c.now);
        self.undo.on_retransmitted(self.c.now);
        self.c.in_flight += 1;
        self.c.last_sent = self.c.now;
        self.totals.sent += 1;
        self.totals.retransmitted += 1;
        self.pacer.on_sent(self.c.now, self.c.mss, self.c.pacing_rate);
        wire.send(self.c.now, seq);
    }

    /// Step 10: new data. Returns whether any left; then the timer is armed.
    #[inline]
    pub(crate) fn transmit(&mut self, wire: &mut impl Wire) -> bool {
        let window = self.w.segments();
        let out_before = self.c.nxt - self.c.una;
        let nxt_before = self.c.nxt;
        for _ in 0..self.room(window) {
            if !self.pacer.may_send(self.c.now) {
                break;
            }
            self.send_new(wire);
        }
        let sent = self.c.nxt - nxt_before;
        if self.in_reduction() {
            self.reduction.sent += sent;
        }
        self.note_window_use(window, sent);
        if sent > 0 {
            self.arm_after_sending(out_before == 0);
        }
        sent > 0
    }

    /// New segments that window, receiver and application allow.
    #[inline]
    fn room(&self, window: u32) -> u64 {
        let pipe = self.c.in_flight + self.pipe_hidden_from_limited_transmit();
        let out = self.c.nxt - self.c.una;
        let allowed = self.limit.saturating_sub(self.c.nxt).min(self.spec.window.saturating_sub(out));
        allowed.min(u64::from(window.saturating_sub(pipe)))
    }

    /// Without limited transmit the first duplicate ACKs release nothing.
    #[inline]
    fn pipe_hidden_from_limited_transmit(&self) -> u32 {
        if self.c.ca_state == CaState::Disorder && !self.spec.options.limited_transmit {
            self.board.sacked_out.min(DUPTHRESH - 1)
        } else {
            0
        }
    }

    /// The application has data and the receiver has room.
    #[inline]
    pub(crate) fn can_send_new(&self) -> bool {
        self.c.nxt < self.limit && self.c.nxt - self.c.una < self.spec.window
    }

    /// Sends the next new segment, whatever the window.
    #[inline(always)]
    pub(crate) fn send_new(&mut self, wire: &mut impl Wire) {
        let seq = self.c.nxt;
        self.board.on_sent(self.c.una, seq, self.c.now);
        self.c.nxt += 1;
        self.c.in_flight += 1;
        self.c.last_sent = self.c.now;
        self.totals.sent += 1;
        self.pacer.on_sent(self.c.now, self.c.mss, self.c.pacing_rate);
        wire.send(self.c.now, seq);
    }

    /// Linux `tcp_cwnd_validate`: was the window the limit during the last round trip?
    #[inline]
    fn note_window_use(&mut self, window: u32, sent: u64) {
        let filled = self.c.in_flight >= window;
        if !filled && sent == 0 {
            return;
        }
        let out = self.c.nxt - self.c.una;
        if filled || self.c.una >= self.usage_end || (!self.window_filled && out > self.most_out) {
            self.window_filled = filled;
            self.most_out = out;
            self.usage_end = self.c.nxt;
        }
    }
}
