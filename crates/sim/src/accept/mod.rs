//! The one place where a scenario is checked.

mod arrivals;
mod changes;
mod flow;
mod hops;
mod hosts;
mod laws;
mod link;
mod losses;
mod options;
mod receive;
mod refusal;
mod requests;
mod sizes;
mod traffic;
mod writes;

pub use arrivals::{AcceptedSource, Loop};
pub use flow::AcceptedFlow;
pub(crate) use flow::GUEST_WINDOW;
pub use link::AcceptedLink;
pub(crate) use options::described_options;
pub(crate) use refusal::{time_max, ALIVE_MAX};

use arrivals::{accept_sources, most_transfers_and_sources};
use changes::Most;
use flow::{accept_flow, accept_packet, ample_window, Run};
use hops::accept_hops;
use hosts::accept_hosts;
use link::accept_link;
use refusal::{refuse, seconds};
use traffic::accept_traffic;

use cc::{Guests, NO_GUESTS};
use endpoint::{Stacks, NO_STACKS};

use crate::error::SpecError;
use crate::limits::{DURATION_S, MOST_FLOWS, RTT_S};
use crate::spec::Spec;

/// A scenario that can be run.
#[derive(Clone, Debug)]
pub struct Accepted<'a> {
    /// As given.
    pub spec: &'a Spec,
    /// The links that exist: forward, further hops, and reverse if real.
    pub links: Vec<AcceptedLink>,
    /// The flows.
    pub flows: Vec<AcceptedFlow<'a>>,
    /// The sources of transfers.
    pub sources: Vec<AcceptedSource<'a>>,
}

/// Checks a scenario and resolves its algorithms and options.
///
/// # Errors
/// The first field that is out of range, with its value and what is allowed.
pub fn accept(spec: &Spec) -> Result<Accepted<'_>, SpecError> {
    accept_with(spec, &NO_GUESTS)
}

/// As [`accept`], where algorithms may also be these guests.
///
/// # Errors
/// As [`accept`].
pub fn accept_with<'a>(spec: &'a Spec, guests: &'a Guests) -> Result<Accepted<'a>, SpecError> {
    accept_beside(spec, guests, &NO_STACKS)
}

/// As [`accept_with`], where flows may also be these stacks'.
///
/// # Errors
/// As [`accept`].
pub fn accept_beside<'a>(spec: &'a Spec, guests: &'a Guests, stacks: &'a Stacks) -> Result<Accepted<'a>, SpecError> {
    if !DURATION_S.holds_ns(spec.duration_ns) {
        return refuse("duration", seconds(spec.duration_ns), format!("give {DURATION_S}"));
    }
    if spec.warmup_ns >= spec.duration_ns {
        return refuse("warmup", seconds(spec.warmup_ns), "give less than the duration");
    }
    if spec.sample_ns != 0 && spec.sample_ns < 1000 {
        return refuse("sample", seconds(spec.sample_ns), "give 0 or at least 1 us");
    }
    if (spec.flows.is_empty() && spec.arrivals.is_empty() && spec.sessions.is_empty()) || spec.flows.len() as u64 > MOST_FLOWS {
        return refuse("flows", spec.flows.len(), format!("give 1 to {MOST_FLOWS} flows"));
    }
    // Flows' clocks run behind by a part of their base RTT; links, ways between hops, sources and transfers may have events too.
    let parties = spec.flows.len() + spec.traffic.len() + 2 * (1 + spec.hops.len()) + most_transfers_and_sources(spec);
    let latest = time_max(parties).saturating_sub((RTT_S.high.value() * 1e9) as u64);
    if spec.duration_ns > latest {
        return refuse("duration", seconds(spec.duration_ns), format!("give at most {} with so many sessions", seconds(latest)));
    }
    accept_hosts(spec)?;
    accept_hops(spec)?;
    let links = spec.links().iter().map(|link| accept_link(link, spec)).collect::<Result<Vec<_>, _>>()?;
    accept_traffic(spec)?;
    let run = Run { spec, guests, stacks };
    let mut flows = spec.flows.iter().enumerate().map(|(index, flow)| accept_flow(index, flow, &run)).collect::<Result<Vec<_>, _>>()?;
    let most: Vec<Most> = links.iter().zip(spec.links()).map(|(link, given)| Most::of(link.fifo.rate, given.spec)).collect();
    for (index, flow) in flows.iter().enumerate() {
        accept_packet(format_args!("flows[{index}]"), flow.spec, &links, spec)?;
    }
    let mut sources = accept_sources(&run, &links)?;
    for flow in flows.iter_mut().chain(sources.iter_mut().flat_map(|source| &mut source.kinds)) {
        let (first, last) = flow.spec.hops.links(spec);
        let crossed = (first..=last).chain(spec.reverse_link()).map(|link| (&links[link], &most[link]));
        if flow.spec.window_packets.is_none() {
            flow.receives = flow.receives.min(ample_window(crossed, flow.spec));
        }
    }
    Ok(Accepted { spec, links, flows, sources })
}
