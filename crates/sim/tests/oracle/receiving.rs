//! What happens at receivers, and how their ACKs come back.

use tcp::{Ack, Bare, Ecn, EcnBits, Opening, Sack};
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
        if let Some(Bare::Heard { .. }) = Bare::of(seq) {
            return self.tell_client(now, index, seq);
        }
        if seq == Bare::Probe.seq() {
            let answer = receiver.on_window_probed(now);
            self.acknowledge_if_any(now, index, answer);
            return self.await_receiver(index);
        }
        if !matches!(mode, Ecn::Auto | Ecn::Off) && seq < Opening::Syn.seq() {
            let flushed = receiver.on_ecn_bits(ecn.unwrap_or_default());
            self.acknowledge_if_any(now, index, flushed);
        }
        let receiver = &mut self.flows[index].receiver;
        let arrival = tcp::Arrival { at: now, seq, sent };
        let ack = if receiver.buffer().is_some() { receiver.on_segment_kept(arrival) } else { receiver.on_segment(arrival) };
        self.acknowledge_if_any(now, index, ack);
        self.read_if_due(now, index);
        self.await_receiver(index);
        self.tell_client(now, index, seq);
    }

    /// Whoever is to read now reads.
    fn read_if_due(&mut self, now: Time, index: usize) {
        while self.flows[index].receiver.reads_at() <= now {
            let ack = self.flows[index].receiver.on_read();
            self.acknowledge_if_any(now, index, ack);
        }
    }

    pub(super) fn on_read(&mut self, now: Time, index: usize) {
        if self.flows[index].receiver.reads_at() == now {
            self.read_if_due(now, index);
            self.await_receiver(index);
        }
    }

    fn acknowledge_if_any(&mut self, now: Time, index: usize, ack: Option<Ack>) {
        let Some(ack) = ack else { return };
        let receiver = &mut self.flows[index].receiver;
        if receiver.buffer().is_some() && !ack.is_special() {
            let (ack, sack) = receiver.offered_with(ack);
            return self.acknowledge(now, index, ack, Some(sack));
        }
        let sack = ack.has_sack.then_some(*receiver.sack());
        self.acknowledge(now, index, ack, sack);
    }

    pub(super) fn on_delayed_ack(&mut self, now: Time, index: usize) {
        if self.flows[index].receiver.deadline() == now {
            if self.flows[index].receiver.puts_off() {
                return self.await_receiver(index);
            }
            let ack = self.flows[index].receiver.on_deadline();
            self.acknowledge_if_any(now, index, Some(ack));
            self.await_receiver(index);
        }
    }

    /// Puts the receiver's timer on the agenda.
    fn await_receiver(&mut self, index: usize) {
        let deadline = self.flows[index].receiver.deadline();
        if deadline < Time::NEVER {
            self.agenda.add(deadline, index, Kind::DelayedAck, None);
        }
        let reads_at = self.flows[index].receiver.reads_at();
        if reads_at < Time::NEVER {
            self.agenda.add(reads_at, index, Kind::Read, None);
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
