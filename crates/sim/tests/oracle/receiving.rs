//! What happens at receivers, and how their ACKs come back.

use tcp::{Ack, Ecn, EcnBits, Opening, Sack};
use units::{Duration, Time};

use super::agenda::Kind;
use super::engine::Textbook;
use super::link::Load;

impl Textbook<'_> {
    pub(super) fn on_segment(&mut self, now: Time, index: usize, (seq, sent): (u64, Time), ecn: Option<EcnBits>) {
        let flow = &mut self.flows[index];
        if seq == Opening::Ack.seq() {
            let felt_after = if flow.ack_link.is_some() { flow.quarter } else { flow.rtt - flow.quarter };
            self.agenda.add(now + felt_after, index, Kind::Forgotten, None);
        } else {
            flow.under_way -= 1;
        }
        let (mode, receiver) = (self.flows[index].ecn, &mut self.flows[index].receiver);
        if !matches!(mode, Ecn::Auto | Ecn::Off) && seq < Opening::Syn.seq() {
            if let Some(ack) = receiver.on_ecn_bits(ecn.unwrap_or_default()) {
                self.acknowledge(now, index, ack, None);
            }
        }
        let receiver = &mut self.flows[index].receiver;
        if let Some(ack) = receiver.on_segment(tcp::Arrival { at: now, seq, sent }) {
            let sack = ack.has_sack.then_some(*receiver.sack());
            self.acknowledge(now, index, ack, sack);
        }
        self.await_receiver(index);
        self.tell_client(now, index, seq);
    }

    pub(super) fn on_delayed_ack(&mut self, now: Time, index: usize) {
        if self.flows[index].receiver.deadline() == now {
            let receiver = &mut self.flows[index].receiver;
            let ack = receiver.on_deadline();
            let sack = ack.has_sack.then_some(*receiver.sack());
            self.acknowledge(now, index, ack, sack);
            self.await_receiver(index);
        }
    }

    /// Puts the receiver's timer on the agenda.
    fn await_receiver(&mut self, index: usize) {
        let deadline = self.flows[index].receiver.deadline();
        if deadline < Time::NEVER {
            self.agenda.add(deadline, index, Kind::DelayedAck, None);
        }
    }

    /// The receiver sends an ACK.
    fn acknowledge(&mut self, now: Time, index: usize, ack: Ack, sack: Option<Sack>) {
        self.send_back(now, index, Load::Ack { ack, sack });
    }

    /// Something leaves where the receiver is.
    pub(super) fn send_back(&mut self, now: Time, index: usize, load: Load) {
        let flow = &mut self.flows[index];
        flow.under_way += 1;
        if flow.ack_link.is_some() {
            self.agenda.add(now + flow.quarter, index, Kind::Crossing, Some(load));
        } else {
            let travels = flow.rtt - flow.quarter;
            self.bring_back(now + travels, index, load);
        }
    }

    /// Only propagation and jitter lie between an ACK and its sender; it never overtakes the one ahead of it.
    pub(super) fn bring_back(&mut self, at: Time, index: usize, load: Load) {
        let flow = &mut self.flows[index];
        let jitter = if flow.jitter_ns > 0 { flow.jitter.up_to(flow.jitter_ns) } else { 0 };
        flow.last_arrival = flow.last_arrival.max(at + Duration(jitter));
        let at = flow.host.map_or(flow.last_arrival, |host| self.hosts[host].tick(flow.last_arrival, flow.quarter));
        self.agenda.add(at, index, Kind::Ack, Some(load));
    }
}
