//! An ACK that reports one segment more behind a hole, above all that is SACKed, and nothing else: nearly every ACK while a loss is found and
//! repaired.
//!
//! It takes the steps of any ACK in trouble, of which most have nothing to do: the window does not move, no repair is answered, nothing is
//! undone, no mark is told of. So it is with senders that only the window holds back.

use cc::{AckArrival, CaState, CongestionControl, RttSample};
use units::Time;

use super::acks::Sampled;
use super::way::Manner;
use super::Sender;
use crate::rack::{Delivery, Detection};
use crate::recovery::{is_reduction, Brought};
use crate::{Ack, Sack, Wire};

impl<C: CongestionControl> Sender<C> {
    /// The segment that the ACK reports, when it was sent, if that is all the ACK says. Step 1 is done then.
    #[inline]
    pub(super) fn take_next_sacked(&mut self, ack: &Ack, sack: &Sack) -> Option<(u64, Time)> {
        let is_in_repair = match self.c.ca_state {
            CaState::Open | CaState::Disorder => true,
            CaState::Recovery => !self.recovery.is_over(&self.c),
            _ => false,
        };
        let says_no_more = ack.cumulative == self.c.una && sack.duplicate.is_none() && self.ecn.is_known(ack);
        let is_simple = self.repairs_by_window() && is_in_repair && says_no_more && !self.probe.is_out();
        if !is_simple || self.undo.is_spurious_by_duplicates() || self.c.srtt8_us == 0 {
            return None;
        }
        self.board.take_next_sacked(&self.c, sack)
    }

    /// All further steps, of an ACK that reported `seq`, sent once, at `sent`.
    #[inline(always)]
    pub(super) fn on_next_sacked(&mut self, ack: &Ack, seq: u64, sent: Time, wire: &mut impl Wire) {
        if self.manner == Manner::Usual && self.detection == Detection::Time {
            self.on_segment_sacked::<true>(ack, seq, sent, wire);
        } else {
            self.on_lean_next_sacked(ack, seq, sent, wire);
        }
    }

    /// Out of line, so that usual senders do not pay for it.
    #[inline(never)]
    fn on_lean_next_sacked(&mut self, ack: &Ack, seq: u64, sent: Time, wire: &mut impl Wire) {
        self.on_segment_sacked::<false>(ack, seq, sent, wire);
    }

    #[inline(always)]
    fn on_segment_sacked<const USUAL: bool>(&mut self, ack: &Ack, seq: u64, sent: Time, wire: &mut impl Wire) {
        let in_flight = self.c.in_flight;
        let lost_before = self.board.lost();
        // Step 2.
        self.rack.on_delivered(&self.c, Delivery { seq, sent, retransmitted: false });
        self.c.delivered += 1;
        self.c.in_flight -= 1;
        self.recovery.takes_first_answer();
        let extends_timer = sent < self.board.sent_at(self.c.una);
        // Steps 4 and 5.
        let sampled = Sampled { first: sent, last: sent };
        let rtt = if USUAL { self.sample_rtt_usually(sampled) } else { self.sample_rtt(sampled) };
        self.rack.adapt(&self.c, sent);
        let has_echo = self.has_echo(false, ack);
        self.tell_rtt(|| {
            let (forward, echoed) = (has_echo.then_some(ack.delay), has_echo.then_some(ack.echo));
            RttSample { acked: 0, rtt: Some(rtt), forward, echoed, in_flight }
        });
        if !USUAL {
            self.tell_arrival(&AckArrival { slow_path: true, ece: false });
        }
        // Step 7.
        let was_open = self.c.ca_state == CaState::Open;
        if was_open {
            self.undo.forget_retransmissions();
        }
        let armed = if USUAL { self.find_late() } else { self.find_behind_sacked() };
        self.tell_lost_packets();
        let lost = (self.board.lost() - lost_before) as u32;
        if lost > 0 {
            self.publish_in_flight();
        }
        if self.c.ca_state <= CaState::Disorder {
            if self.board.lost_out() > 0 {
                self.enter_recovery(false, wire);
            } else {
                self.clear_episode_stamp();
                self.keep_open();
            }
        }
        // Step 8.
        if extends_timer && !armed {
            self.arm_after_progress();
        }
        // Steps 9 and 10.
        if is_reduction(self.c.ca_state) {
            self.recovery.reduce(&mut self.w, &self.c, Brought { delivered: 1, lost, advances: false });
        } else if self.reordering.is_high() {
            self.grow(1, wire);
        }
        self.refresh_pacing_rate();
        // Step 11.
        self.repair_and_transmit_here(wire);
        if was_open {
            self.look_for_trouble();
        }
    }
}
