//! What leaves the sender, step 11: retransmissions, then new data, while `pipe < cwnd`.

use cc::{CaState, CongestionControl};

use super::Sender;
use crate::limits::Use;
use crate::recovery::Turn;
use crate::{Range, Wire};

impl<C: CongestionControl> Sender<C> {
    /// Step 11 when something may be lost.
    pub(super) fn recover_and_transmit(&mut self, wire: &mut impl Wire) {
        self.publish_in_flight();
        self.repair_and_transmit(wire);
    }

    /// The same where the pipe is known as it is.
    #[inline(never)]
    pub(super) fn repair_and_transmit(&mut self, wire: &mut impl Wire) {
        self.repair_and_transmit_here(wire);
    }

    /// The same without a call: for what is nearly every ACK while losses are repaired.
    #[inline(always)]
    pub(super) fn repair_and_transmit_here(&mut self, wire: &mut impl Wire) {
        self.pacer.release();
        let turn = self.recovery.take_turn();
        if turn == Turn::Repairs && self.c.ca_state >= CaState::Recovery {
            self.retransmit_lost(wire);
        }
        let hidden = self.limits.hidden_pipe(self.c.ca_state, self.board.sacked_out());
        let sent = self.transmit(self.c.in_flight + hidden, wire);
        self.recovery.on_sent(&self.c, sent);
        if turn == Turn::NewData && self.c.nxt <= self.recovery.point() {
            self.recovery.give_up_probing();
            self.retransmit_lost(wire);
        }
    }

    /// What is held to be lost leaves once more, as the window has room; new data do not, but by TCP's own timer of pacing, which runs behind every segment.
    pub(super) fn repair(&mut self, wire: &mut impl Wire) {
        self.retransmit_lost(wire);
        if !self.pacer.is_below() && !self.pacer.is_open(self.c.now) {
            self.pacer.block();
        }
    }

    fn retransmit_lost(&mut self, wire: &mut impl Wire) {
        while self.c.in_flight < self.w.segments() && self.pacer.may_send(self.c.now) {
            // Of so many lost as sent again: Linux does not look which.
            if self.board.retrans_out() >= self.board.lost_out() {
                return;
            }
            let Some(seq) = self.board.next_lost(self.c.una) else { return };
            if !self.retransmit(seq, wire) {
                return;
            }
            self.recovery.on_sent(&self.c, 1);
            if seq == self.c.una {
                self.timers.on_head_retransmitted(&self.c, &self.rtt);
            }
        }
    }

    /// Sends `seq` again, whatever the window; false if the device is full.
    pub(super) fn retransmit(&mut self, seq: u64, wire: &mut impl Wire) -> bool {
        if !self.is_admitted(wire) {
            return false;
        }
        self.send_again(seq, wire);
        self.board.on_retransmitted(seq, self.c.now);
        self.undo.on_retransmitted(self.c.now);
        self.c.in_flight += 1;
        true
    }

    /// `seq` leaves once more, for whatever reason.
    pub(super) fn send_again(&mut self, seq: u64, wire: &mut impl Wire) {
        self.note_rated_sending(seq);
        if self.c.in_flight == 0 {
            self.on_sending_resumed();
        }
        self.c.last_sent = self.c.now;
        self.totals.sent += 1;
        self.totals.retransmitted += 1;
        self.pacer.on_sent(self.c.now, self.c.mss, self.c.pacing_rate);
        wire.resend(self.c.now, seq);
    }

    /// Step 11: new data beside `pipe` segments. Returns how many segments left; if any did, the timer is armed.
    pub(super) fn transmit(&mut self, pipe: u32, wire: &mut impl Wire) -> u64 {
        if self.manner.is_careful() {
            self.transmit_one_by_one(pipe, wire)
        } else {
            self.transmit_at_once(pipe, wire)
        }
    }

    /// Step 11 of a sender that only the window holds back.
    #[inline(always)]
    pub(super) fn transmit_at_once(&mut self, pipe: u32, wire: &mut impl Wire) -> u64 {
        let window = self.w.segments();
        let was_idle = self.c.nxt == self.c.una;
        let sent = self.send_train(self.limits.room(&self.c, window.saturating_sub(pipe)), wire);
        self.note_sending::<false>(window, was_idle, sent)
    }

    /// Step 11 of a usual ACK; whether anything was sent. Arms no timer.
    #[inline(always)]
    pub(super) fn transmit_usually(&mut self, wire: &mut impl Wire) -> bool {
        let window = self.w.segments();
        let sent = self.send_train(self.limits.room(&self.c, window.saturating_sub(self.c.in_flight)), wire);
        self.limits.on_used(&self.c, Use { filled: self.c.in_flight >= window, sent });
        sent > 0
    }

    /// Step 11 of a sender that asks before each segment.
    #[inline(always)]
    pub(super) fn transmit_one_by_one(&mut self, pipe: u32, wire: &mut impl Wire) -> u64 {
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
        let room = self.limits.room(&self.c, free);
        let mut sent = 0;
        while sent < room && self.pacer.is_open(self.c.now) {
            self.send_new(wire);
            sent += 1;
        }
        if sent < room {
            self.pacer.block();
        } else {
            self.note_exhaustion();
        }
        sent
    }

    /// The same as the receiver follows, in bursts, and as the device takes them.
    #[inline(never)]
    fn send_carefully(&mut self, free: u32, wire: &mut impl Wire) -> u64 {
        let room = self.room_for_bursts(free);
        for sent in 0..room {
            if !self.pacer.may_send(self.c.now) || !self.is_admitted(wire) {
                return sent;
            }
            self.send_new(wire);
        }
        self.note_exhaustion();
        room
    }

    /// How many of `free` segments the receiver, whose window may grow, and the application allow, as whole bursts.
    fn room_for_bursts(&mut self, free: u32) -> u64 {
        let Some(care) = self.care.as_deref_mut() else { return self.limits.room(&self.c, free) };
        if let Some(window) = care.autotune.as_mut().and_then(|autotune| autotune.on_acked(Range { from: self.c.una, to: self.c.nxt })) {
            self.limits.on_window_offered(window);
        }
        let room = self.limits.room(&self.c, free);
        let at_once = |burst: u64| self.limits.is_last(&self.c, room) || (room < burst && self.c.in_flight == 0);
        care.offload.in_bursts(room, self.w.segments(), at_once)
    }

    /// Whether the device takes one more segment. If not, the window is reduced.
    #[inline]
    pub(super) fn is_admitted(&mut self, wire: &mut impl Wire) -> bool {
        self.care.is_none() || self.ask_device(wire)
    }

    #[inline(never)]
    fn ask_device(&mut self, wire: &mut impl Wire) -> bool {
        let Some(device) = self.care.as_deref_mut().and_then(|care| care.device.as_mut()) else { return true };
        device.on_asked(wire.admit(self.c.now));
        if !device.is_full() {
            return true;
        }
        if self.c.ca_state < CaState::Cwr {
            wire.on_send_stall(self.c.now, self.w.cwnd);
            self.undo.forbid();
            self.enter_cwr(wire);
        }
        self.await_device();
        false
    }

    /// Sends the next new segment, whatever the window.
    #[inline]
    pub(super) fn send_new(&mut self, wire: &mut impl Wire) {
        self.note_rated_sending(self.c.nxt);
        if self.c.in_flight == 0 {
            self.on_sending_resumed();
        }
        self.pacer.on_sent(self.c.now, self.c.mss, self.c.pacing_rate);
        self.send_next_train(1, wire);
    }

    /// Sends the next `segments` new segments at once, without asking; returns their number.
    #[inline(always)]
    fn send_train(&mut self, segments: u64, wire: &mut impl Wire) -> u64 {
        if segments == 0 {
            return 0;
        }
        if self.c.in_flight == 0 {
            self.on_sending_resumed();
        }
        self.send_next_train(segments, wire)
    }

    /// The same, of which the algorithm knows that it begins, if it does.
    #[inline(always)]
    fn send_next_train(&mut self, segments: u64, wire: &mut impl Wire) -> u64 {
        let first = self.c.nxt;
        self.board.on_sent(&self.c, segments);
        self.c.nxt += segments;
        self.c.in_flight += segments as u32;
        self.c.last_sent = self.c.now;
        self.totals.sent += segments;
        if self.ecn.takes_announcement() {
            wire.announce_reduction();
        }
        wire.send_train(self.c.now, Range { from: first, to: first + segments });
        segments
    }

    /// Linux `tcp_cwnd_validate`: was the window the limit during the last round trip? What only pacing holds back counts as sent: in
    /// Linux it would wait below TCP, in flight (RFC 9002 7.8 says the same); not so where TCP itself paces, segment by segment. A law of the rate
    /// paces below its window on purpose, and asks for the window alone (draft-ietf-ccwg-bbr, C.is_cwnd_limited).
    #[inline]
    fn note_window_use<const CAREFUL: bool>(&mut self, window: u32, sent: u64) {
        let filled = self.c.in_flight >= window || (CAREFUL && self.is_held_back());
        if self.limits.on_used(&self.c, Use { filled, sent }) {
            self.limits.validate(&mut self.w, &self.c, self.rtt.rto());
        }
    }

    /// The same when TCP's own timer of pacing has expired: it asks even where nothing waits to be sent (Linux `tcp_tsq_write`).
    pub(super) fn note_window_at_gate(&mut self) {
        if !self.pacer.is_below() && self.c.in_flight >= self.w.segments() && self.limits.on_filled(&self.c) {
            self.limits.validate(&mut self.w, &self.c, self.rtt.rto());
        }
    }

    /// Segments that the window has room for wait for the pacing gate, and count as sent.
    #[inline]
    pub(super) fn is_held_by_gate(&self) -> bool {
        self.pacer.is_below() && self.pacer.is_blocked() && !self.needs.control.is_by_rate()
    }

    /// The same, or they wait for a burst.
    #[inline]
    fn is_held_back(&self) -> bool {
        self.is_held_by_gate() || self.care.as_ref().is_some_and(|care| care.offload.is_deferring())
    }
}
