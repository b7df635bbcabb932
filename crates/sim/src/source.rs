//! A source of datagrams: packets at its link, by the clock, whatever becomes of them.
//!
//! It stands at its link, and a packet counts as delivered when its last bit leaves that: the sender hears of nothing, and nothing that
//! happens later changes anything. One event per packet.

use net::{Packet, Queued, Ring, Verdict};
use units::Time;

use crate::core::Engine;
use crate::link::{Link, Load};
use crate::observer::Observer;
use crate::pace::Pace;
use crate::records::{Event, EventKind, SourceColumns, SourceRow};
use crate::spec::{Direction, Spec, UdpSpec};

/// Packets of a source.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct SourceTotals {
    /// Sent.
    pub sent: u64,
    /// Of those, how many have left the link.
    pub delivered: u64,
}

/// A source in the engine.
#[derive(Clone, Debug)]
pub(crate) struct Source {
    pub(crate) link: usize,
    packet: Packet,
    pace: Pace,
    /// When the next packet reaches the link; never if there is none.
    pub(crate) due: Time,
    end: Time,
    /// When packets on the link leave it, in order.
    leaving: Ring<Time>,
    pub(crate) lost: u64,
    totals: SourceTotals,
    /// When the counters at the beginning of the measurement window are taken, and those.
    window_at: Time,
    at_window: SourceTotals,
    next_sample: Time,
    sample_ns: u64,
    samples: Vec<(Time, u64)>,
}

impl Source {
    /// Source `given` of a run; `number` follows the flows'.
    pub(crate) fn new(given: &UdpSpec, number: usize, spec: &Spec) -> Source {
        let samples = if spec.sample_ns == 0 { Time::NEVER } else { Time(given.start_ns.next_multiple_of(spec.sample_ns)) };
        Source {
            link: if given.direction == Direction::Forward { given.hops.links(spec).0 } else { spec.hops.len() + 1 },
            packet: Packet { bytes: given.packet_bytes, ecn_capable: false, flow: number as u32, is_ack: false },
            pace: Pace::new(given),
            due: Time(given.start_ns),
            end: Time(given.stop_ns.unwrap_or(u64::MAX).min(spec.duration_ns)),
            leaving: Ring::default(),
            lost: 0,
            totals: SourceTotals::default(),
            window_at: Time(spec.warmup_ns.max(given.start_ns)),
            at_window: SourceTotals::default(),
            next_sample: samples,
            sample_ns: spec.sample_ns,
            samples: Vec::new(),
        }
    }

    /// A packet of it leaves the link at `departs`.
    pub(crate) fn packet_departs(&mut self, departs: Time) {
        self.leaving.push(departs);
    }

    /// Takes the samples and snapshots that fall due by `until`, and counts what has left by then.
    fn settle(&mut self, until: Time) {
        loop {
            let next = self.next_sample.min(self.window_at);
            self.count(next.min(until));
            if next > until {
                return;
            }
            if self.window_at == next {
                self.at_window = self.totals;
                self.window_at = Time::NEVER;
            }
            if self.next_sample == next {
                self.samples.push((next, self.totals.delivered));
                self.next_sample = next + Time(self.sample_ns);
            }
        }
    }

    fn count(&mut self, until: Time) {
        while self.leaving.pop_if(|&departs| departs <= until).is_some() {
            self.totals.delivered += 1;
        }
    }

    /// The packet that is due reaches the link; whether it was refused.
    fn send<const LATE: bool>(&mut self, link: &mut Link, source: usize) -> bool {
        let (now, packet) = (self.due, self.packet);
        self.settle(now);
        self.totals.sent += 1;
        let next = self.pace.next(now, packet.bytes);
        self.due = if next < self.end { next } else { Time::NEVER };
        if let (true, Some(served)) = (LATE, &mut link.served) {
            let Packet { bytes, ecn_capable, flow, .. } = packet;
            let load = Load::Datagram { source };
            served.offer(now, Queued { bytes, ecn_capable, is_l4s: false, is_marked: false, key: 2 * flow, arrived: now, load });
            return false;
        }
        match link.fifo.offer(now, packet) {
            Verdict::Departs(departs) | Verdict::DepartsMarked(departs) => self.leaving.push(departs),
            Verdict::Dropped | Verdict::Lost => {
                self.lost += 1;
                return true;
            }
        }
        false
    }
}

impl<O: Observer, const LATE: bool> Engine<'_, O, LATE> {
    /// Sends the packet that is due at a source, and more while they come before `bound`; returns the time of its next.
    #[inline(never)]
    pub(crate) fn run_source(&mut self, index: usize, bound: u64, look_at: u64) -> u64 {
        loop {
            let now = self.sources[index].due;
            if self.link_samples.next <= now {
                self.sample_links(now);
            }
            let source = &mut self.sources[index];
            let link = source.link;
            if source.send::<LATE>(&mut self.links[link], index) && self.spec.record_drops {
                self.note_of_source(now, index, link as i32, EventKind::Drop);
            }
            self.events += 1;
            let next = self.sources[index].due.0;
            if next >= bound || self.events >= look_at {
                return next;
            }
        }
    }

    pub(crate) fn note_of_source(&mut self, at: Time, index: usize, link: i32, kind: EventKind) {
        let flow = (self.spec.flows.len() + index) as i32;
        self.records.events.push(Event { t_ns: at.0, flow, link, kind, value: f64::NAN, value2: f64::NAN });
    }

    /// At the end of the run: the sources' rows, samples, starts and stops.
    pub(crate) fn close_sources(&mut self) {
        let spec = self.spec;
        for (index, given) in spec.traffic.iter().enumerate() {
            self.note_of_source(Time(given.start_ns), index, -1, EventKind::Start);
            if let Some(stop) = given.stop_ns.filter(|&stop| stop <= spec.duration_ns) {
                self.note_of_source(Time(stop), index, -1, EventKind::Stop);
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
