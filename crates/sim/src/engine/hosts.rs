//! Hosts in the engine.

use net::Link;
use units::Time;

use super::observer::Audience;
use super::run::Engine;
use crate::parts::flow::Flow;
use crate::parts::host::{clocks, Machine};
use crate::parts::load::Load;
use crate::parts::wire::PathWire;

impl<O: Audience, L: Link<Load>> Engine<'_, O, L> {
    /// What is due at the receiver of flow `index`, or at its host, happens. What follows at the host before `until` may happen too.
    #[inline(never)]
    pub(crate) fn handle_pending(&mut self, index: usize, now: Time, until: Time) {
        let path = &mut self.flows[index].path;
        if path.is_hosted && path.is_calm_beside_host(now) {
            return self.run_host(index, now, until);
        }
        self.events += 1;
        if path.is_receiver_due(now) {
            path.commit_pending();
        } else if let Some(heard) = path.take_hearing(now) {
            let link = &mut self.links[path.data_link()];
            PathWire { path, link, around: &mut self.around, flow: index }.send_bare(now, heard);
        } else {
            path.forget_opening(now);
        }
    }

    /// At the end of the run: the samples of the processors, in their own clocks.
    pub(crate) fn close_machines(&mut self) {
        let columns = &mut self.records.host_samples;
        let clocks = clocks(self.spec);
        for ((index, machine), clock) in std::mem::take(&mut self.around.machines).into_iter().enumerate().zip(clocks) {
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
        let fresh = self.around.machines[side.host].clone();
        if self.around.machines.len() <= side.machine {
            self.around.machines.resize(side.machine + 1, Machine::default());
        }
        self.around.machines[side.machine] = fresh;
    }

    /// What is due at the host of flow `index` happens, and what follows there before `until` and before anything else happens to the flow.
    #[inline]
    fn run_host(&mut self, index: usize, mut now: Time, until: Time) {
        let Flow { agenda, path, sender, .. } = &mut self.flows[index];
        let until = until.min(agenda.calm_until).min(agenda.wake);
        let outstanding = sender.connection().nxt - sender.connection().una;
        let link = &mut self.links[path.data_link()];
        let mut wire = PathWire { path, link, around: &mut self.around, flow: index };
        loop {
            self.events += 1;
            now = wire.run_host(now, outstanding);
            let is_next = now < until && now < wire.path.arriving_at() && now < wire.path.crossing_at();
            if !is_next || !wire.path.is_calm_beside_host(now) || !wire.around.changed.is_empty() {
                break;
            }
        }
        wire.path.refresh_host();
    }
}
