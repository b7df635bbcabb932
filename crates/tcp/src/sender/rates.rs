//! What an algorithm is told of single segments, and of rates: what leaves, arrives and is lost, what of it limits the application, and the rate
//! of pacing.

use cc::{CaEvent, CongestionControl, RateSample, Steering};
use units::{ByteRate, Time};

use super::Sender;
use crate::rate::Change;
use crate::{StackPace, Wire};

impl<C: CongestionControl> Sender<C> {
    /// Before `seq` is sent, new or again.
    #[inline(always)]
    pub(super) fn note_rated_sending(&mut self, seq: u64) {
        if self.packets.is_some() {
            self.tell_sending(seq);
        }
        let Some(rates) = self.rates.as_deref_mut() else { return };
        rates.on_sent(seq, &self.c, self.board.lost());
    }

    #[inline(never)]
    fn tell_sending(&mut self, seq: u64) {
        if let Some(packets) = self.packets.as_deref_mut() {
            let packet = packets.on_sent(seq, &self.c, self.board.lost());
            self.cc.on_packet_sent(&mut self.w, &self.c, &packet);
        }
    }

    /// `seq`, sent last at `sent`, was delivered for the first time.
    pub(super) fn note_delivered(&mut self, seq: u64, sent: Time) {
        if let Some(rates) = self.rates.as_deref_mut() {
            rates.on_delivered(seq, sent);
        }
        if let Some(packets) = self.packets.as_deref_mut() {
            packets.on_delivered(seq);
        }
    }

    /// Step 5: the packets that this ACK delivered, for an algorithm that is told of each.
    pub(super) fn tell_packets(&mut self) {
        let Some(packets) = self.packets.as_deref_mut() else { return };
        // Where there are rate samples, taking one does this.
        if self.rates.is_none() && self.c.delivered >= self.c.app_limited_until {
            self.c.app_limited_until = 0;
        }
        let acked = packets.take_acked();
        for packet in &acked {
            self.cc.on_packet_acked(&mut self.w, &self.c, packet);
        }
        packets.take_back(acked);
    }

    /// A segment is about to be sent while none is in flight (Linux `tcp_event_data_sent`).
    #[cold]
    pub(super) fn on_sending_resumed(&mut self) {
        if self.c.nxt > 0 {
            self.cc.on_event(&mut self.w, &self.c, CaEvent::TxStarted);
            if self.needs.control.is_by_rate() {
                self.refresh_pacing_rate();
            }
        }
    }

    /// The application gave nothing more to send though the window has room: what is delivered until all this is counts as limited by it.
    #[inline]
    pub(super) fn note_application_limit(&mut self) {
        if (self.rates.is_some() || self.packets.is_some()) && self.limits.is_all_sent(&self.c) && self.c.in_flight < self.w.segments() {
            let all_repaired = self.board.lost_out() <= self.board.retrans_out();
            if all_repaired {
                self.mark_application_limited();
            }
        }
    }

    /// The same of an application that writes once: all it has may have been sent. One that writes again is asked when it does, as in Linux
    /// (`tcp_rate_check_app_limited`).
    #[inline]
    pub(super) fn note_exhaustion(&mut self) {
        if self.limits.is_usual() {
            self.note_application_limit();
        }
    }

    fn mark_application_limited(&mut self) {
        self.c.app_limited_until = self.c.delivered + u64::from(self.c.in_flight) + 1;
    }

    /// Segments marked lost since the last time are told to the algorithm, each with what was known when it was sent.
    pub(super) fn report_losses(&mut self) {
        self.tell_lost_packets();
        let newly_lost = self.board.newly_lost();
        let Some(rates) = self.rates.as_deref().filter(|_| !newly_lost.is_empty()) else { return };
        self.c.lost = self.board.lost() - newly_lost.len() as u64;
        for &seq in newly_lost {
            self.c.lost += 1;
            self.cc.on_segment_lost(&mut self.w, &self.c, &rates.lost_segment(&self.c, seq));
        }
        self.on_losses_told();
    }

    /// The same as packets, for an algorithm that is told of each. What it is told of rates comes at its usual time.
    pub(super) fn tell_lost_packets(&mut self) {
        let Some(packets) = self.packets.as_deref_mut() else { return self.count_losses() };
        let is_rated = self.rates.is_some();
        for &seq in packets.newly_lost(self.board.newly_lost()) {
            self.c.lost += u64::from(!is_rated);
            self.cc.on_packet_lost(&mut self.w, &self.c, packets.of(seq));
        }
        packets.on_losses_told(self.board.newly_lost().len());
        if !is_rated {
            self.on_losses_told();
        }
    }

    /// A law that sets the window itself, and is told neither of rates nor of packets, sees how many were lost.
    fn count_losses(&mut self) {
        if self.needs.control.is_full() && self.rates.is_none() {
            self.c.lost = self.board.lost();
        }
    }

    fn on_losses_told(&mut self) {
        self.board.on_losses_told();
        if let Some(packets) = self.packets.as_deref_mut() {
            packets.on_losses_told(0);
        }
    }

    /// Steps 9 and 10 under full control by rate.
    #[inline(always)]
    pub(super) fn steer_by_rate(&mut self, change: Change, wire: &mut impl Wire) {
        let Some(rates) = self.rates.as_deref_mut() else { return };
        let sample = rates.take_sample(&mut self.c, change);
        self.steer_by_sample(&sample, wire);
    }

    #[inline(always)]
    pub(super) fn steer_by_sample(&mut self, sample: &RateSample, wire: &mut impl Wire) {
        self.c.cwnd_limited = self.limits.is_window_filled();
        let in_slow_start = self.w.in_slow_start();
        let Steering { holds_back, pacing_rate } = self.cc.steer(&mut self.w, &self.c, sample);
        if holds_back {
            self.mark_application_limited();
        }
        self.c.pacing_rate = self.rate_of(pacing_rate);
        if in_slow_start && !self.w.in_slow_start() {
            wire.on_slow_start_exit(self.c.now, self.w.cwnd);
        }
        assert!(self.w.cwnd >= 1.0, "cwnd {} fell below one segment at {:?}", self.w.cwnd, self.c.now);
    }

    /// Step 10, where the rate has a reader.
    #[inline]
    pub(super) fn refresh_pacing_rate(&mut self) {
        if self.pacer.is_on() || (self.needs.transport_rate && self.w.in_slow_start()) {
            self.c.pacing_rate = self.pacing_rate();
        }
    }

    /// Step 10 of the SYN-ACK. Linux's own rate is of ten segments then, whatever the initial window: it looks for that afterwards (`tcp_init_transfer`).
    pub(super) fn set_opening_rate(&mut self) {
        self.refresh_pacing_rate();
        if self.pacer.is_on() && !self.recovery.is_answered() && self.cc.pacing_rate(&self.w, &self.c).is_none() {
            let c = &self.c;
            self.c.pacing_rate = StackPace::opening(c.mss, c.srtt8_us).rate();
        }
    }

    /// At which segments are, or would be, paced; zero before the first RTT sample.
    #[inline(always)]
    pub fn pacing_rate(&self) -> ByteRate {
        self.rate_of(self.cc.pacing_rate(&self.w, &self.c))
    }

    /// The rate of the law, if it has one, else the stack's.
    #[inline(always)]
    fn rate_of(&self, law: Option<ByteRate>) -> ByteRate {
        if let Some(rate) = law {
            return rate;
        }
        let (c, w) = (&self.c, &self.w);
        StackPace { mss: c.mss, srtt8_us: c.srtt8_us, cwnd: w.cwnd, ssthresh: w.ssthresh, outstanding: c.nxt - c.una }.rate()
    }
}
