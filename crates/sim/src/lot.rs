//! What lies between hops: which packets go on behind a link, and those on their way to the next.

use std::collections::VecDeque;

use net::Queued;
use units::Time;

use crate::hops::StretchSpec;
use crate::link::Load;
use crate::spec::{FlowSpec, Spec};

/// The way from one hop to the next. Its packets keep their order, for all travel equally long.
#[derive(Clone, Debug)]
struct Gap {
    delay: Time,
    under_way: VecDeque<(Time, Queued<Load>)>,
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
        let gaps: Vec<Gap> = spec.hops.iter().map(|hop| Gap { delay: Time(hop.delay_ns), under_way: VecDeque::new() }).collect();
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

    /// Flow `index` is a transfer of this kind from now on.
    pub(crate) fn on_born(&mut self, index: usize, kind: u32) {
        if self.gaps.is_empty() {
            return;
        }
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

    /// Takes a packet that is at the far end of `link` at `far_end` on its way to the next hop; gives back one that goes no further,
    /// and when: a segment earlier by what its flow's base RTT holds between the hops.
    pub(crate) fn pass_on(&mut self, link: usize, far_end: Time, packet: Queued<Load>) -> Option<(Time, Queued<Load>)> {
        // Behind the last hop, and behind the reverse link, nothing is left to cross.
        if link > self.gaps.len() || self.gaps.is_empty() {
            return Some((far_end, packet));
        }
        let exit = match packet.load {
            Load::Segment { flow, .. } | Load::Ack { flow, .. } => self.of_flows[flow],
            Load::Datagram { source } => self.of_sources[source],
        };
        if exit.link as usize == link {
            return Some((far_end - exit.between, packet));
        }
        let Gap { delay, under_way } = &mut self.gaps[link];
        under_way.push_back((far_end + *delay, packet));
        None
    }

    /// When the next packet in `gap` reaches the link behind it.
    pub(crate) fn next_at(&self, gap: usize) -> Time {
        self.gaps[gap].under_way.front().map_or(Time::NEVER, |&(at, _)| at)
    }

    /// That packet.
    pub(crate) fn take(&mut self, gap: usize) -> Option<(Time, Queued<Load>)> {
        self.gaps[gap].under_way.pop_front()
    }
}
