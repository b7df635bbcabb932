//! What leaves the sender: retransmissions, then new data, while `pipe < cwnd`.

use cc::{CaState, CongestionControl};

use crate::rack::DUPTHRESH;
use crate::sender::{Sender, Wire};

impl<C: CongestionControl> Sender<C> {
    /// Step 10 when something may be lost.
    #[inline(never)]
    pub(crate) fn recover_and_transmit(&mut self, wire: &mut impl Wire) {
        self.publish_in_flight();
        self.pacer.release();
        let probing = std::mem::take(&mut self.probing_for_spurious_timeout);
        if !probing && self.c.ca_state >= CaState::Recovery {
            self.retransmit_lost(wire);
        }
        let sent = self.transmit(self.c.in_flight + self.pipe_hidden_from_limited_transmit(), wire);
        if self.in_reduction() {
            self.reduction.sent += sent;
        }
    }

    fn retransmit_lost(&mut self, wire: &mut impl Wire) {
        while self.c.in_flight < self.w.segments() && self.pacer.may_send(self.c.now) {
            let Some(seq) = self.board.next_lost(self.c.una) else { return };
            if !self.retransmit(seq, wire) {
                return;
            }
            if self.in_reduction() {
                self.reduction.sent += 1;
            }
            if seq == self.c.una {
                self.arm_after_head_retransmission();
            }
        }
    }

    /// Sends `seq` again, whatever the window; false if the device is full.
    pub(crate) fn retransmit(&mut self, seq: u64, wire: &mut impl Wire) -> bool {
        if !self.is_admitted(wire) {
            return false;
        }
        self.note_rated_sending(seq);
        self.board.on_retransmitted(seq, self.c.now);
        self.undo.on_retransmitted(self.c.now);
        self.c.in_flight += 1;
        self.c.last_sent = self.c.now;
        self.totals.sent += 1;
        self.totals.retransmitted += 1;
        self.pacer.on_sent(self.c.now, self.c.mss, self.c.pacing_rate);
        wire.resend(self.c.now, seq);
        true
    }

    /// Step 10: new data beside `pipe` segments. Returns how many segments left; if any did, the timer is armed.
    pub(crate) fn transmit(&mut self, pipe: u32, wire: &mut impl Wire) -> u64 {
        if self.is_careful {
            self.transmit_one_by_one(pipe, wire)
        } else {
            self.transmit_at_once(pipe, wire)
        }
    }

    /// Step 10 of a sender that only the window holds back.
    #[inline(always)]
    pub(crate) fn transmit_at_once(&mut self, pipe: u32, wire: &mut impl Wire) -> u64 {
        let window = self.w.segments();
        let was_idle = self.c.nxt == self.c.una;
        let sent = self.send_train(self.room(window.saturating_sub(pipe)), wire);
        self.note_sending::<false>(window, was_idle, sent)
    }

    /// Step 10 of a sender that asks before each segment.
    #[inline(always)]
    pub(crate) fn transmit_one_by_one(&mut self, pipe: u32, wire: &mut impl Wire) -> u64 {
        let window = self.w.segments();
        let was_idle = self.c.nxt == self.c.una;
        let sent = self.send_one_by_one(window.saturating_sub(pipe), wire);
        self.note_sending::<true>(window, was_idle, sent)
    }

    #[inline(always)]
    fn note_sending<const CAREFUL: bool>(&mut self, window: u32, was_idle: bool, sent: u64) -> u64 {
        self.note_window_use::<CAREFUL>(window, sent);
        if sent > 0 {
            self.arm_after_sending(was_idle);
        }
        sent
    }

    /// Up to `free` new segments, as the pacing gate opens; returns how many.
    #[inline(always)]
    fn send_one_by_one(&mut self, free: u32, wire: &mut impl Wire) -> u64 {
        if self.care.is_some() {
            return self.send_carefully(free, wire);
        }
        let room = self.room(free);
        let mut sent = 0;
        while sent < room {
            if !self.pacer.may_send(self.c.now) {
                return sent;
            }
            self.send_new(wire);
            sent += 1;
        }
        self.note_application_limit();
        room
    }

    /// The same as the receiver follows, in bursts, and as the device takes them.
    #[inline(never)]
    fn send_carefully(&mut self, free: u32, wire: &mut impl Wire) -> u64 {
        self.follow_receiver();
        let room = self.in_bursts(self.room(free));
        for sent in 0..room {
            if !self.pacer.may_send(self.c.now) || !self.is_admitted(wire) {
                return sent;
            }
            self.send_new(wire);
        }
        self.note_application_limit();
        room
    }

    /// How many of `free` segments receiver and application allow.
    #[inline]
    fn room(&self, free: u32) -> u64 {
        let out = self.c.nxt - self.c.una;
        let allowed = self.limit.saturating_sub(self.c.nxt).min(self.spec.window.saturating_sub(out));
        allowed.min(u64::from(free))
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
    #[inline]
    pub(crate) fn send_new(&mut self, wire: &mut impl Wire) {
        self.note_rated_sending(self.c.nxt);
        self.pacer.on_sent(self.c.now, self.c.mss, self.c.pacing_rate);
        self.send_train(1, wire);
    }

    /// Sends the next `segments` new segments at once, without asking; returns their number.
    #[inline(always)]
    fn send_train(&mut self, segments: u64, wire: &mut impl Wire) -> u64 {
        if segments == 0 {
            return 0;
        }
        let first = self.c.nxt;
        self.board.on_sent(self.c.una, first, first + segments, self.c.now);
        self.c.nxt += segments;
        self.c.in_flight += segments as u32;
        self.c.last_sent = self.c.now;
        self.totals.sent += segments;
        if self.ecn.cwr_due {
            self.ecn.cwr_due = false;
            wire.announce_reduction();
        }
        wire.send_train(self.c.now, first, segments);
        segments
    }

    /// Linux `tcp_cwnd_validate`: was the window the limit during the last round trip? What only pacing holds back counts as sent: in
    /// Linux it would wait below TCP, in flight (RFC 9002 7.8 says the same). A law of the rate paces below its window on purpose, and asks for the window alone (draft-ietf-ccwg-bbr, C.is_cwnd_limited).
    #[inline]
    fn note_window_use<const CAREFUL: bool>(&mut self, window: u32, sent: u64) {
        let holds_back = |sender: &Self| (sender.pacer.is_blocked() && !sender.needs.steering.is_by_rate()) || sender.is_deferring();
        let filled = self.c.in_flight >= window || (CAREFUL && holds_back(self));
        if !filled && sent == 0 {
            return;
        }
        let out = self.c.nxt - self.c.una;
        if filled || self.c.una >= self.usage_end || (!self.window_filled && out > self.most_out) {
            self.window_filled = filled;
            self.most_out = out;
            self.usage_end = self.c.nxt;
        }
        if self.watches_use {
            self.validate_window();
        }
    }
}
