//! Sources of datagrams in the engine.

use net::Link;
use units::Time;

use super::observer::Audience;
use super::run::Engine;
use crate::parts::load::Load;
use crate::records::{EventKind, SourceColumns, SourceRow};
use crate::spec::Direction;

impl<O: Audience, L: Link<Load>> Engine<'_, O, L> {
    /// Sends the packet that is due at a source, and more while they come before `bound`; returns the time of its next.
    #[inline(never)]
    pub(crate) fn run_source(&mut self, index: usize, bound: u64, look_at: u64) -> u64 {
        loop {
            let now = self.sources[index].due;
            if self.links_at <= now {
                self.sample_links(now);
            }
            if L::LATE && self.sources[index].is_sampled_by(now) {
                self.settle_links(now);
            }
            let source = &mut self.sources[index];
            source.send(&mut self.links[source.link], &mut self.around);
            self.events += 1;
            let next = source.due.0;
            if next >= bound || self.events >= look_at || !self.around.changed.is_empty() {
                return next;
            }
        }
    }

    /// At the end of the run: the sources' rows, samples, starts and stops.
    pub(crate) fn close_sources(&mut self) {
        let spec = self.spec;
        for (index, given) in spec.traffic.iter().enumerate() {
            self.around.note(Time(given.start_ns), spec.flows.len() + index, EventKind::Start);
            if let Some(stop) = given.stop_ns.filter(|&stop| stop <= spec.duration_ns) {
                self.around.note(Time(stop), spec.flows.len() + index, EventKind::Stop);
            }
            let flow = (self.spec.flows.len() + index) as u32;
            let source = &mut self.sources[index];
            source.settle(Time(spec.duration_ns));
            let from = spec.warmup_ns.max(given.start_ns);
            let to = spec.duration_ns.min(given.stop_ns.unwrap_or(u64::MAX));
            self.records.sources.push(SourceRow {
                flow,
                is_reverse: given.direction == Direction::Reverse,
                start_s: given.start_ns as f64 * 1e-9,
                stop_s: given.stop_ns.map_or(f64::NAN, |stop| stop as f64 * 1e-9),
                packet_bytes: given.packet_bytes,
                lost_packets: source.lost,
                window_s: to.saturating_sub(from) as f64 * 1e-9,
                at_window: source.at_window,
                at_end: source.totals,
            });
            let SourceColumns { t_ns, flow: flows, delivered_bytes } = &mut self.records.source_samples;
            for (at, delivered) in std::mem::take(&mut source.samples) {
                t_ns.push(at.0);
                flows.push(flow);
                delivered_bytes.push(delivered * given.payload_bytes());
            }
        }
    }
}
