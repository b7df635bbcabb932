//! What lies between hops: which packets go on behind a link, and those on their way to the next.

use std::collections::VecDeque;

use net::{Disorder, Fate, Packet};
use units::{Duration, Stream, Time};

use super::disorder::drawn;
use super::load::{Content, Load};
use crate::spec::{FlowSpec, HopSpec, NamedLink, Spec, StretchSpec};

/// A packet on its way to the next hop.
#[derive(Clone, Debug)]
pub(crate) struct Passing {
    /// When it is there.
    pub(crate) at: Time,
    pub(crate) packet: Packet,
    pub(crate) load: Load,
}

/// The way from one hop to the next. Its packets keep their order, for all travel equally long; those that the link before it made late
/// keep theirs among themselves.
#[derive(Clone, Debug)]
struct Gap {
    delay: Duration,
    /// What happens to the order of segments on it.
    disorder: Option<Disorder>,
    under_way: VecDeque<Passing>,
    late: VecDeque<Passing>,
}

impl Gap {
    /// A packet is at the far end of the link before at `passing.at`; says how often it goes on.
    fn take(&mut self, mut passing: Passing) -> u32 {
        passing.at += self.delay;
        let fate = match (&mut self.disorder, &passing.load.content) {
            (Some(disorder), Content::Segment(_)) => disorder.draw(),
            _ => Fate { late_by: Duration::ZERO, copies: 1 },
        };
        passing.at += fate.late_by;
        let line = if fate.late_by > Duration::ZERO { &mut self.late } else { &mut self.under_way };
        for _ in 1..fate.copies {
            line.push_back(passing.clone());
        }
        line.push_back(passing);
        fate.copies
    }

    /// Whether the next is a late one: of two at one time that is the one which left first.
    fn is_late_next(&self) -> bool {
        !self.late.is_empty() && front(&self.late) <= front(&self.under_way)
    }
}

fn front(line: &VecDeque<Passing>) -> Time {
    line.front().map_or(Time::NEVER, |passing| passing.at)
}

/// Where a party's packets leave the row of hops.
#[derive(Clone, Copy, Debug)]
struct Exit {
    link: u32,
    /// Propagation between its first and last hop, taken from the way behind it; a datagram has no such way.
    between: Duration,
}

/// The gaps of a run, none if it has one bottleneck.
#[derive(Clone, Debug)]
pub(crate) struct Gaps {
    /// Gap number i follows link number i.
    gaps: Vec<Gap>,
    /// Of flows, and of the transfers that have the slots behind them; empty without gaps, as are the others.
    of_flows: Vec<Exit>,
    of_sources: Vec<Exit>,
    /// Of the kinds of transfers.
    of_kinds: Vec<Exit>,
}

impl Gaps {
    pub(crate) fn new(spec: &Spec) -> Gaps {
        let gap = |(hop, link): (&HopSpec, NamedLink)| {
            let stream = || Stream::named(spec.seed, format_args!("{}/disorder", link.stream));
            Gap {
                delay: Duration(hop.delay_ns),
                disorder: drawn(&link.spec.disorder, stream),
                under_way: VecDeque::new(),
                late: VecDeque::new(),
            }
        };
        let gaps: Vec<Gap> = spec.hops.iter().zip(spec.links()).map(gap).collect();
        let exit = |stretch: StretchSpec, between_ns| Exit { link: stretch.links(spec).1 as u32, between: Duration(between_ns) };
        if gaps.is_empty() {
            return Gaps { gaps, of_flows: Vec::new(), of_sources: Vec::new(), of_kinds: Vec::new() };
        }
        let of_flow = |flow: &FlowSpec| exit(flow.hops, flow.hops.between_ns(spec));
        let kinds = spec.arrivals.iter().flat_map(|source| &source.flows).chain(spec.sessions.iter().flat_map(|source| &source.flows));
        Gaps {
            gaps,
            of_flows: spec.flows.iter().map(|flow| of_flow(flow)).collect(),
            of_sources: spec.traffic.iter().map(|source| exit(source.hops, 0)).collect(),
            of_kinds: kinds.map(of_flow).collect(),
        }
    }

    /// Flow `index` is a transfer of this kind from now on.
    pub(crate) fn on_born(&mut self, index: usize, kind: u32) {
        let Some(&exit) = self.of_kinds.get(kind as usize) else { return };
        match self.of_flows.get_mut(index) {
            Some(earlier) => *earlier = exit,
            None => self.of_flows.push(exit),
        }
    }

    /// How many there are.
    pub(crate) fn len(&self) -> usize {
        self.gaps.len()
    }

    /// Whether a packet at the far end of `link` goes no further; then by how much earlier it counts as there, a segment by what its flow's
    /// base RTT holds between the hops.
    #[inline]
    pub(crate) fn leaves(&self, link: usize, load: &Load) -> Option<Duration> {
        // Behind the last hop, and behind the reverse link, nothing is left to cross.
        if self.gaps.is_empty() || link > self.gaps.len() {
            return Some(Duration::ZERO);
        }
        let exits = if let Content::Datagram = load.content { &self.of_sources } else { &self.of_flows };
        let exit = exits[load.owner as usize];
        (exit.link as usize == link).then_some(exit.between)
    }

    /// Takes a packet that is at the far end of `link` on its way to the next hop; says how often it goes on.
    pub(crate) fn pass_on(&mut self, link: usize, passing: Passing) -> u32 {
        self.gaps[link].take(passing)
    }

    /// When the next packet in `gap` reaches the link behind it.
    pub(crate) fn next_at(&self, gap: usize) -> Time {
        let gap = &self.gaps[gap];
        front(&gap.late).min(front(&gap.under_way))
    }

    /// That packet.
    pub(crate) fn take(&mut self, gap: usize) -> Option<Passing> {
        let gap = &mut self.gaps[gap];
        let line = if gap.is_late_next() { &mut gap.late } else { &mut gap.under_way };
        line.pop_front()
    }
}
