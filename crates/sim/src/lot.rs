//! What lies between hops: which packets go on behind a link, and those on their way to the next.

use std::collections::VecDeque;

use net::{Disorder, Fate, Queued};
use units::{Stream, Time};

use crate::hops::{HopSpec, NamedLink, StretchSpec};
use crate::link::Load;
use crate::spec::{FlowSpec, Spec};

/// The way from one hop to the next. Its packets keep their order, for all travel equally long; those that the link before it made late do so
/// among themselves.
#[derive(Clone, Debug)]
struct Gap {
    delay: Time,
    /// What happens to the order of segments on it.
    disorder: Option<Disorder>,
    under_way: VecDeque<(Time, Queued<Load>)>,
    late: VecDeque<(Time, Queued<Load>)>,
}

impl Gap {
    /// A packet is at the far end of the link before; says how often it goes on.
    fn take(&mut self, far_end: Time, packet: Queued<Load>) -> u32 {
        let at = far_end + self.delay;
        let fate = match (&mut self.disorder, &packet.load) {
            (Some(disorder), Load::Segment { .. }) => disorder.draw(),
            _ => Fate { late_by: Time::ZERO, copies: 1 },
        };
        let line = if fate.late_by > Time::ZERO { &mut self.late } else { &mut self.under_way };
        for _ in 1..fate.copies {
            line.push_back((at + fate.late_by, packet.clone()));
        }
        line.push_back((at + fate.late_by, packet));
        fate.copies
    }

    /// Whether the next is a late one: of two at one time that is the one which left first.
    fn is_late_next(&self) -> bool {
        !self.late.is_empty() && front(&self.late) <= front(&self.under_way)
    }
}

fn front(line: &VecDeque<(Time, Queued<Load>)>) -> Time {
    line.front().map_or(Time::NEVER, |&(at, _)| at)
}

/// Where a party's packets leave the row of hops.
#[derive(Clone, Copy, Debug)]
struct Exit {
    link: u32,
    /// Propagation between its first and last hop, taken from the way behind it; a datagram has no such way.
    between: Time,
}

/// The gaps of a run, none if it has one bottleneck.
#[derive(Clone, Debug)]
pub(crate) struct Lot {
    /// Gap number i follows link number i.
    gaps: Vec<Gap>,
    /// Of flows, and of the transfers that have the slots behind them; empty without gaps, as are the others.
    of_flows: Vec<Exit>,
    of_sources: Vec<Exit>,
    /// Of the kinds of transfers.
    of_kinds: Vec<Exit>,
}

impl Lot {
    pub(crate) fn new(spec: &Spec) -> Lot {
        let gap = |(hop, link): (&HopSpec, NamedLink)| {
            let (disorder, stream) = (link.spec.disorder, Stream::named(spec.seed, &format!("{}/disorder", link.stream)));
            Gap { delay: Time(hop.delay_ns), disorder: disorder.draws(stream), under_way: VecDeque::new(), late: VecDeque::new() }
        };
        let gaps: Vec<Gap> = spec.hops.iter().zip(spec.links()).map(gap).collect();
        let exit = |stretch: StretchSpec, between_ns| Exit { link: stretch.links(spec).1 as u32, between: Time(between_ns) };
        if gaps.is_empty() {
            return Lot { gaps, of_flows: Vec::new(), of_sources: Vec::new(), of_kinds: Vec::new() };
        }
        let of_flow = |flow: &FlowSpec| exit(flow.hops, flow.hops.between_ns(spec));
        let kinds = spec.arrivals.iter().flat_map(|source| &source.flows).chain(spec.sessions.iter().flat_map(|source| &source.flows));
        Lot {
            gaps,
            of_flows: spec.flows.iter().map(of_flow).collect(),
            of_sources: spec.traffic.iter().map(|source| exit(source.hops, 0)).collect(),
            of_kinds: kinds.map(of_flow).collect(),
        }
    }

    /// Flow `index` is a transfer of this kind from now on: only where there are gaps.
    pub(crate) fn on_born(&mut self, index: usize, kind: u32) {
        let exit = self.of_kinds[kind as usize];
        match self.of_flows.get_mut(index) {
            Some(earlier) => *earlier = exit,
            None => self.of_flows.push(exit),
        }
    }

    /// How many there are.
    pub(crate) fn gaps(&self) -> usize {
        self.gaps.len()
    }

    /// Whether a packet at the far end of `link` goes no further; then by how much earlier it counts as there, a segment by what its flow's
    /// base RTT holds between the hops.
    #[inline]
    pub(crate) fn leaves(&self, link: usize, packet: &Queued<Load>) -> Option<Time> {
        // Behind the last hop, and behind the reverse link, nothing is left to cross.
        if self.gaps.is_empty() || link > self.gaps.len() {
            return Some(Time::ZERO);
        }
        let exit = match packet.load {
            Load::Segment { flow, .. } | Load::Ack { flow, .. } => self.of_flows[flow],
            Load::Datagram { source } => self.of_sources[source],
        };
        (exit.link as usize == link).then_some(exit.between)
    }

    /// Takes a packet that is at the far end of `link` at `far_end` on its way to the next hop; says how often it goes on.
    pub(crate) fn pass_on(&mut self, link: usize, far_end: Time, packet: Queued<Load>) -> u32 {
        self.gaps[link].take(far_end, packet)
    }

    /// When the next packet in `gap` reaches the link behind it.
    pub(crate) fn next_at(&self, gap: usize) -> Time {
        let gap = &self.gaps[gap];
        front(&gap.late).min(front(&gap.under_way))
    }

    /// That packet.
    pub(crate) fn take(&mut self, gap: usize) -> Option<(Time, Queued<Load>)> {
        let gap = &mut self.gaps[gap];
        let line = if gap.is_late_next() { &mut gap.late } else { &mut gap.under_way };
        line.pop_front()
    }
}
