//! A flow's way through its host: its segments on the way to their link, its ACKs on the way to their sender, and what happens when.

use net::Packet;
use tcp::{Ack, EcnBits};
use units::Time;

use crate::core::Engine;
use crate::flow::Flow;
use crate::host::{clocks, Leaving, Machine, Side};
use crate::observer::Observer;
use crate::path::{Delivery, Path};
use crate::wire::PathWire;

impl Path {
    /// The same with its sender on a host.
    pub(crate) fn on_host(mut self, side: Option<Side>) -> Path {
        let Some(side) = side else { return self };
        self.is_watched |= side.holds_segments;
        self.is_hosted = true;
        self.rare.get_or_insert_with(Box::default).side = Some(side);
        self
    }

    /// The flow's part of its host.
    pub(crate) fn side(&mut self) -> Option<&mut Side> {
        self.rare.as_mut()?.side.as_mut()
    }

    /// The ACK will reach the host at `at`, plus jitter, and wait there for a tick or the processor.
    #[inline(never)]
    pub(crate) fn deliver_to_host(&mut self, at: Time, ack: Ack) {
        let at = self.arrival(at);
        let Some(side) = self.side() else { return };
        let delivery = Delivery::new(side.ticks.not_before(at), ack);
        if side.has_cpu {
            side.coming.push_back(delivery);
            self.refresh_beyond();
        } else {
            self.arriving.push(delivery);
        }
    }
}

impl<const LATE: bool> PathWire<'_, LATE> {
    /// Whether the host's device takes one more segment, which is then its next.
    pub(crate) fn ask_device(&mut self, now: Time) -> bool {
        let packet = self.path.packet();
        let Some(side) = self.path.side() else { return true };
        side.admitted = self.machines[side.machine].take_segment(now, packet);
        side.admitted.is_some()
    }

    /// The sender hands a segment to its host.
    pub(crate) fn enter_host(&mut self, now: Time, seq: u64, packet: Packet, cwr: bool) {
        let Some(side) = self.path.side() else { return };
        let admitted = side.admitted.take().or_else(|| self.machines[side.machine].take_segment(now, packet));
        let at = admitted.expect("a device that may be full is asked first");
        side.leaving.push_back(Leaving { at, seq, sent: now, ecn_capable: packet.ecn_capable, bits: EcnBits { ce: false, cwr } });
        self.path.refresh_beyond();
    }

    /// A segment has left the host.
    fn leave_host(&mut self, segment: Leaving) {
        let Leaving { at, seq, sent, ecn_capable, bits } = segment;
        let packet = Packet { ecn_capable, ..self.path.packet() };
        self.reach_link(at, (seq, sent), packet, bits.cwr);
    }
}

impl<O: Observer, const LATE: bool> Engine<'_, O, LATE> {
    /// What is due at the receiver of flow `index`, or at its host, happens.
    pub(crate) fn handle_pending(&mut self, index: usize, now: Time) {
        let path = &mut self.flows[index].path;
        if path.is_receiver_due(now) {
            path.commit_pending();
        } else {
            self.run_host(index, now);
        }
    }

    /// At the end of the run: the samples of the processors, in their own clocks.
    pub(crate) fn close_machines(&mut self) {
        let columns = &mut self.records.host_samples;
        let clocks = clocks(self.spec);
        for ((index, machine), clock) in std::mem::take(&mut self.machines).into_iter().enumerate().zip(clocks) {
            for (at, busy_ns) in machine.cpu.map_or(Vec::new(), |cpu| cpu.close(Time(self.spec.duration_ns) + clock)) {
                columns.t_ns.push((at - clock).0);
                columns.host.push(index as u32);
                columns.busy_ns.push(busy_ns);
            }
        }
    }

    /// Flow `index`, a transfer, begins: if it is to have a host of its own, that is new and idle.
    pub(crate) fn give_host(&mut self, index: usize) {
        let Some(side) = self.flows[index].path.side() else { return };
        if !self.spec.hosts[side.host].per_transfer {
            return;
        }
        side.machine = self.spec.hosts.len() + index - self.spec.flows.len();
        let fresh = self.machines[side.host].clone();
        if self.machines.len() <= side.machine {
            self.machines.resize(side.machine + 1, Machine::default());
        }
        self.machines[side.machine] = fresh;
    }

    #[inline(never)]
    fn run_host(&mut self, index: usize, now: Time) {
        let Flow { path, sender, .. } = &mut self.flows[index];
        let (link, events, machines) = (&mut self.links[path.data_link()], &mut self.records.events, &mut self.machines);
        let Some(side) = path.side() else { return };
        if side.comes_at() <= now {
            let Some(delivery) = side.coming.pop_front() else { return };
            let outstanding = sender.connection().nxt - sender.connection().una;
            let at = machines[side.machine].take_ack(now, delivery.ack().has_sack, outstanding);
            path.arriving.push(Delivery::new(at, delivery.ack()));
        } else {
            let Some(segment) = side.leaving.pop_front() else { return };
            let mut wire = PathWire::<LATE> { path, link, events, machines, flow: index, spec: self.spec };
            wire.leave_host(segment);
        }
        self.flows[index].path.refresh_beyond();
    }
}
