//! A source of datagrams: packets at its link, by the clock, whatever becomes of them.
//!
//! It stands at its first link, and a packet counts as delivered when its last bit leaves its last one: the sender is told nothing, and
//! nothing that happens later changes anything. One event per packet, and one more at each further hop.

use net::{Answer, Link, Packet, Ring};
use units::{Duration, Time};

use super::around::{Around, Noted};
use super::gaps::Passing;
use super::load::{Content, Load};
use super::pace::Pace;
use super::party::Party;
use crate::records::SourceTotals;
use crate::spec::{Direction, Spec, UdpSpec};

/// A source in the engine.
#[derive(Clone, Debug)]
pub(crate) struct Source {
    pub(crate) link: usize,
    /// Its number among the sources.
    index: u32,
    packet: Packet,
    pace: Pace,
    /// When the next packet reaches the link; never if there is none.
    pub(crate) due: Time,
    end: Time,
    /// When packets on the link leave it, in order.
    leaving: Ring<Time>,
    pub(crate) lost: u64,
    pub(crate) totals: SourceTotals,
    /// When the counters at the beginning of the measurement window are taken, and those.
    window_at: Time,
    pub(crate) at_window: SourceTotals,
    next_sample: Time,
    sample_ns: u64,
    pub(crate) samples: Vec<(Time, u64)>,
}

impl Source {
    /// Source `given`, number `index` of a run; flows and sources are counted together in records.
    pub(crate) fn new(given: &UdpSpec, index: usize, spec: &Spec) -> Source {
        let number = spec.flows.len() + index;
        let samples = if spec.sample_ns == 0 { Time::NEVER } else { Time(given.start_ns.next_multiple_of(spec.sample_ns)) };
        Source {
            index: index as u32,
            link: if given.direction == Direction::Forward { given.hops.links(spec).0 } else { spec.hops.len() + 1 },
            packet: Packet::data(given.packet_bytes, number as u32),
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

    /// Samples or snapshots fall due by `until`: it must know what has left by then.
    pub(crate) fn is_sampled_by(&self, until: Time) -> bool {
        self.next_sample.min(self.window_at) <= until
    }

    /// Takes the samples and snapshots that fall due by `until`, and counts what has left by then.
    pub(crate) fn settle(&mut self, until: Time) {
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
                self.next_sample = next + Duration(self.sample_ns);
            }
        }
    }

    fn count(&mut self, until: Time) {
        while self.leaving.pop_if(|&departs| departs <= until).is_some() {
            self.totals.delivered += 1;
        }
    }

    /// The packet that is due reaches `link`.
    pub(crate) fn send<L: Link<Load>>(&mut self, link: &mut L, around: &mut Around) {
        let (now, packet) = (self.due, self.packet);
        self.settle(now);
        self.totals.sent += 1;
        let next = self.pace.next(now, packet.bytes);
        self.due = if next < self.end { next } else { Time::NEVER };
        let before = link.next_at();
        let load = Load { owner: self.index, content: Content::Datagram };
        match link.offer(now, packet, load.clone()) {
            Answer::Departs(at) | Answer::DepartsMarked { at, .. } => self.depart(Passing { at, packet, load }, around),
            Answer::Waits => {
                if before == Time::NEVER || link.is_brimming() {
                    around.changed.push(Party::Link(self.link));
                }
            }
            Answer::Dropped | Answer::Lost => {
                self.lost += 1;
                around.note_drop(now, Noted { flow: Some(self.packet.flow as usize), link: self.link });
            }
        }
    }

    /// A packet leaves its first link.
    fn depart(&mut self, passing: Passing, around: &mut Around) {
        let link = self.link;
        if let Some(between) = around.gaps.leaves(link, &passing.load) {
            return self.packet_departs(passing.at - between);
        }
        let was_next = around.gaps.next_at(link);
        around.gaps.pass_on(link, passing);
        if around.gaps.next_at(link) != was_next {
            around.changed.push(Party::Gap(link));
        }
    }
}
