//! Samples are taken when a flow's, or a link's, next event has passed the sampling time: between its own events its state does not change.

use net::Link;
use tcp::SenderTotals;
use units::{Duration, Time};

use super::observer::Audience;
use super::run::Engine;
use crate::parts::flow::Flow;
use crate::parts::load::Load;

impl<O: Audience, L: Link<Load>> Engine<'_, O, L> {
    /// Takes the samples and snapshots that fall before an event of flow `index` at `now`.
    #[inline(never)]
    pub(super) fn catch_up(&mut self, index: usize, now: Time) {
        self.sample_flow(index, now);
        if self.links_at <= now {
            self.sample_links(now);
        }
    }

    pub(super) fn sample_flow(&mut self, index: usize, until: Time) {
        let flow = &mut self.flows[index];
        if flow.agenda.window_at <= until {
            note_at_window(&mut self.at_window, self.spec.flows.len(), index, flow);
        }
        let agenda = &mut flow.agenda;
        if agenda.next_sample <= until {
            // Nothing changed since the last event: the rows that fall due differ in their time alone.
            let interval = Duration(self.spec.sample_ns);
            let first = agenda.next_sample;
            agenda.next_sample += interval;
            let mut rows = 1;
            if agenda.next_sample <= until {
                rows += (until - agenda.next_sample) / interval + 1;
                agenda.next_sample = first + interval * rows;
            }
            // A flow that waits for its first RTT sample, in a handshake, has nothing to show.
            if flow.sender.connection().srtt8_us > 0 {
                let first_ns = (first - flow.path.access_delay()).0;
                self.records.flow_samples.push(index, &flow.sender, first_ns, rows);
            }
        }
        flow.agenda.look_ahead();
    }

    #[cold]
    pub(super) fn sample_links(&mut self, until: Time) {
        while self.links_at <= until {
            let t = self.links_at;
            let next = t + Duration(self.spec.sample_ns);
            // Flows' clocks run on for a while after the links'.
            self.links_at = if next.0 > self.spec.duration_ns { Time::NEVER } else { next };
            for (index, link) in self.links.iter_mut().enumerate() {
                let occupancy = link.occupancy(t);
                let samples = &mut self.records.link_samples;
                samples.t_ns.push(t.0);
                samples.link.push(index as u32);
                samples.queue_packets.push(occupancy.packets);
                samples.queue_bytes.push(occupancy.bytes);
                samples.delivered_bytes.push(occupancy.delivered_bytes);
                samples.dropped.push(occupancy.dropped);
                samples.marked.push(occupancy.marked);
            }
        }
    }
}

/// The measurement window of flow `index` of so many begins: if it has sent something, its counters are kept.
#[cold]
#[inline(never)]
fn note_at_window(at_window: &mut Vec<SenderTotals>, flows: usize, index: usize, flow: &mut Flow) {
    let begins = std::mem::replace(&mut flow.agenda.window_at, Time::NEVER);
    flow.agenda.refresh();
    let totals = flow.totals(begins);
    if totals == SenderTotals::default() {
        return;
    }
    if at_window.is_empty() {
        at_window.resize(flows, SenderTotals::default());
    }
    at_window[index] = totals;
}
