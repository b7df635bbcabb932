//! The end of a run: its rows.

use net::Link;
use tcp::SenderTotals;
use units::Time;

use super::observer::Audience;
use super::run::Engine;
use crate::accept::GUEST_WINDOW;
use crate::parts::flow::Flow;
use crate::parts::load::Load;
use crate::records::{ExchangeRow, FlowRow, FrameRow, LinkRow, Records};
use crate::spec::{Direction, FlowSpec, Spec};

/// Protocol and variant.
type Name = (&'static str, &'static str);

/// So many flows have their row before their memory is given back.
const FLOWS_AT_ONCE: usize = 4096;

impl<O: Audience, L: Link<Load>> Engine<'_, O, L> {
    pub(super) fn finish(mut self) -> Records {
        self.close();
        self.take_rows();
        self.close_stacks();
        let Engine { mut records, around, .. } = self;
        records.events = around.events;
        sort(&mut records);
        records
    }

    /// The same of a run that is only lent: its rows are taken from it.
    pub(super) fn finish_lent(&mut self) -> Records {
        self.close();
        self.records.flows = (0..self.spec.flows.len()).map(|index| self.flow_row(index, self.names.at(index))).collect();
        self.close_stacks();
        let mut records = std::mem::take(&mut self.records);
        records.events = std::mem::take(&mut self.around.events);
        sort(&mut records);
        records
    }

    /// Every row but those of the flows and the events.
    fn close(&mut self) {
        let spec = self.spec;
        (0..self.links.len()).for_each(|link| self.empty_link(link));
        for index in 0..self.flows.len() {
            self.sample_flow(index, self.flows[index].agenda.end);
        }
        self.sample_links(Time(spec.duration_ns));
        self.close_sources();
        self.close_machines();
        let window_ns = spec.duration_ns - spec.warmup_ns;
        self.records.links = self
            .links
            .iter_mut()
            .map(|link| LinkRow { totals: link.totals(), window_ns, capacity_bytes: link.window_capacity_bytes() })
            .collect();
        self.records.link_names = spec.links().into_iter().map(|link| link.name).collect();
        self.records.exchanges = self.close_clients();
        self.records.frames = self.close_viewers();
        self.arrivals.count_unfinished(&self.flows, &mut self.records.transfers);
        let by_transfers: u64 = self.records.transfers.rows.iter().map(|row| u64::from(row.sent)).sum();
        let datagrams: u64 = self.records.sources.iter().map(|row| row.at_end.sent).sum();
        self.records.data_packets = by_transfers + datagrams;
        self.records.core_events = self.events;
    }

    /// The rows of the flows, from the last flow to the first: the memory of those that have their row is given back on the way. With very
    /// many flows all of them and all of their rows would be the most that a run takes.
    fn take_rows(&mut self) {
        let flows = self.spec.flows.len();
        let mut rows = Vec::with_capacity(flows);
        for index in (0..flows).rev() {
            rows.push(self.flow_row(index, self.names.at(index)));
            self.flows.truncate(index);
            if index % FLOWS_AT_ONCE == 0 {
                self.flows.shrink_to_fit();
            }
        }
        rows.reverse();
        self.records.flows = rows;
        // Sorting events needs memory of its own.
        self.flows = Vec::new();
    }

    /// The rows of whole stacks take the places of their flows'; then all packets are counted.
    fn close_stacks(&mut self) {
        for index in 0..self.stacks.len() {
            let number = self.stacks[index].flow;
            let idle = &self.records.flows[number];
            self.records.flows[number] = self.close_stack(index, &self.spec.flows[number], (idle.algorithm, idle.variant));
        }
        self.records.data_packets += self.records.flows.iter().map(|row| row.at_end.sent).sum::<u64>();
    }
}

impl<O: Audience, L: Link<Load>> Engine<'_, O, L> {
    fn flow_row(&self, index: usize, name: Name) -> FlowRow {
        flow_row(&self.flows[index], self.at_window.get(index).copied().unwrap_or_default(), &self.spec.flows[index], name, self.spec)
    }

    /// The exchanges of all clients, if there are any.
    fn close_clients(&mut self) -> Option<Vec<ExchangeRow>> {
        let end = Time(self.spec.duration_ns);
        let clients: Vec<_> = self.flows.iter_mut().filter_map(|flow| flow.path.close_client(end)).collect();
        if clients.is_empty() {
            return None;
        }
        let mut rows = clients.concat();
        rows.sort_by_key(|row| (row.start_ns, row.flow));
        Some(rows)
    }
}

impl<O: Audience, L: Link<Load>> Engine<'_, O, L> {
    /// The frames of all viewers, if there are any.
    fn close_viewers(&mut self) -> Option<Vec<FrameRow>> {
        let end = Time(self.spec.duration_ns);
        let viewers: Vec<_> = self.flows.iter_mut().filter_map(|flow| flow.path.close_viewer(end)).collect();
        if viewers.is_empty() {
            return None;
        }
        let mut rows = viewers.concat();
        rows.sort_by_key(|row| (row.start_ns, row.flow));
        Some(rows)
    }
}

/// Of one stored time, events of links come before those of flows: these are stored in the sender's clock.
fn sort(records: &mut Records) {
    records.events.sort_by_key(|event| (event.t_ns, event.link < 0));
}

fn flow_row(flow: &Flow, at_window: SenderTotals, given: &FlowSpec, (algorithm, variant): Name, spec: &Spec) -> FlowRow {
    let access = flow.path.access_delay();
    let completed_ns = if flow.completed == Time::NEVER { u64::MAX } else { flow.completed.saturating_sub(access).0 };
    let from = spec.warmup_ns.max(given.start_ns);
    let to = spec.duration_ns.min(given.stop_ns.unwrap_or(u64::MAX)).min(if given.bytes.is_some() { completed_ns } else { u64::MAX });
    FlowRow {
        algorithm,
        variant,
        is_reverse: given.direction == Direction::Reverse,
        start_s: given.start_ns as f64 * 1e-9,
        stop_s: given.stop_ns.map_or(f64::NAN, |stop| stop as f64 * 1e-9),
        completed_s: if completed_ns == u64::MAX { f64::NAN } else { completed_ns as f64 * 1e-9 },
        mss_bytes: given.mss_bytes,
        packet_bytes: given.packet_bytes,
        lost_packets: flow.path.lost,
        marked_packets: flow.path.marked,
        host: given.host,
        send_stalls: flow.sender.send_stalls(),
        receive_window_bytes: receive_window_bytes(flow, given),
        receive_limited_s: if given.receive.is_some() { flow.sender.receive_limited(flow.agenda.end).as_secs_f64() } else { f64::NAN },
        window_s: to.saturating_sub(from) as f64 * 1e-9,
        at_window,
        at_end: flow.totals(flow.agenda.end),
        own: None,
    }
}

/// The largest window that the receiver offered, as the scenario says it where it does.
fn receive_window_bytes(flow: &Flow, given: &FlowSpec) -> Option<u64> {
    if let Some(buffer) = flow.path.receiver.buffer() {
        return Some(buffer.largest_window());
    }
    let packets = flow.sender.receive_window();
    let given_bytes = given.window_bytes.filter(|_| given.window_packets == Some(packets));
    // What bounds a law from outside is no receiver's.
    let is_offered = packets < GUEST_WINDOW || given.window_packets.is_some();
    is_offered.then(|| given_bytes.unwrap_or(packets.saturating_mul(given.mss_bytes.into())))
}
