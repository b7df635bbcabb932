//! An ACK that answers one repair, and with it what was SACKed right behind, while there are more to come: half of the ACKs in trouble of many flows
//! with small windows.
//!
//! Like one of a segment behind a hole (`sacked.rs`) it takes the steps of any ACK in trouble, of which most have nothing to do: it SACKs nothing
//! that is new, ends no episode, undoes nothing and tells of no mark. So it is with senders that only the window holds back.

use cc::{AckArrival, CaState, CongestionControl, RttSample};
use units::Time;

use super::acks::Sampled;
use super::Sender;
use crate::rack::Delivery;
use crate::recovery::Brought;
use crate::{Ack, Range, Sack, Wire};

impl<C: CongestionControl> Sender<C> {
    /// When the repair was sent that the ACK answers, if that is all it says. What it SACKs is taken in then.
    #[inline]
    pub(super) fn take_answered_repair(&mut self, ack: &Ack, sack: &Sack) -> Option<Time> {
        let moves = self.c.una < ack.cumulative && ack.cumulative < self.recovery.point();
        let says_no_more = moves && sack.duplicate.is_none() && self.ecn.is_known(ack);
        if !says_no_more || self.c.ca_state != CaState::Recovery || !self.repairs_by_window() || !self.has_timestamps || self.probe.is_out()
        {
            return None;
        }
        if self.undo.is_spurious_by_duplicates() || self.undo.is_spurious_by_echo(&self.c, ack.echo, false) {
            return None;
        }
        // An older echo says that the original arrived.
        let sent = self.board.repaired_head(&self.c, ack.cumulative).filter(|&sent| !ack.echo.is_ms_before(sent))?;
        self.board.takes_known(sack).then_some(sent)
    }

    /// All steps of an ACK that answers the repair of the head, sent at `sent`.
    #[inline(never)]
    pub(super) fn on_repair_answered(&mut self, ack: &Ack, sent: Time, wire: &mut impl Wire) {
        let in_flight = self.c.in_flight;
        let lost_before = self.board.lost();
        // Steps 1 and 2.
        let (seq, acked) = (self.c.una, (ack.cumulative - self.c.una) as u32);
        self.c.una = ack.cumulative;
        self.board.remove_head(Range { from: seq, to: ack.cumulative });
        self.recovery.forget_expiries();
        self.rack.on_delivered(&self.c, Delivery { seq, sent, retransmitted: true });
        self.c.delivered += 1;
        self.publish_in_flight();
        self.recovery.takes_first_answer();
        // Steps 4 and 5.
        let stamped = self.sent_by_stamp(ack.echo);
        let rtt = self.sample_rtt(Sampled { first: stamped, last: stamped });
        self.rack.adapt(&self.c, sent);
        self.tell_rtt(|| RttSample { acked, rtt: Some(rtt), forward: Some(ack.delay), echoed: Some(ack.echo), in_flight });
        self.tell_arrival(&AckArrival { slow_path: true, ece: false });
        // Step 7.
        let armed = self.find_behind_sacked();
        self.tell_lost_packets();
        self.publish_in_flight();
        // Step 8.
        if !armed {
            self.arm_after_progress();
        }
        // Steps 9 and 10.
        let lost = (self.board.lost() - lost_before) as u32;
        self.recovery.reduce(&mut self.w, &self.c, Brought { delivered: 1, lost, advances: true });
        self.refresh_pacing_rate();
        // Step 11.
        self.repair_and_transmit_here(wire);
    }
}
