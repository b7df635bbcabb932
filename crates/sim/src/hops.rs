//! Several bottlenecks in a row (a parking lot): what a scenario says of them, and what it may.
//!
//! The forward links are hops, counted from 1, the scenario's first link. A packet enters at one hop and leaves behind the same or a later
//! one. Propagation between hops is part of a flow's base RTT: what it needs there is taken from the quarter behind its last hop.

use serde::{Deserialize, Serialize};

use crate::accept::{refuse, seconds, AcceptedLink, RTT_MAX_NS};
use crate::error::SpecError;
use crate::spec::{LinkSpec, QueueUnit, Spec};

/// So many, and numbers of links stay small.
const HOPS_MAX: usize = 64;

/// A further forward link.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct HopSpec {
    /// Propagation to it from the hop before.
    #[serde(default)]
    pub delay_ns: u64,
    /// The link.
    pub link: LinkSpec,
}

/// The hops that packets cross in forward direction.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct StretchSpec {
    /// Number of the first, counted from 1; none for the first of all.
    pub enter: Option<u32>,
    /// Number of the last; none for the last of all.
    pub leave: Option<u32>,
}

impl StretchSpec {
    /// Numbers of its first and last link in the run.
    pub fn links(&self, spec: &Spec) -> (usize, usize) {
        let last = self.leave.map_or(spec.hops.len(), |leave| leave as usize - 1);
        (self.enter.map_or(0, |enter| enter as usize - 1), last)
    }

    /// Propagation between its first and its last hop, nanoseconds.
    pub fn between_ns(&self, spec: &Spec) -> u64 {
        let (first, last) = self.links(spec);
        spec.hops[first..last].iter().map(|hop| hop.delay_ns).sum()
    }
}

/// A link of a scenario with its names.
#[derive(Clone, Debug)]
pub struct NamedLink<'a> {
    /// Field of the scenario.
    pub field: String,
    /// Name in the records.
    pub name: String,
    /// What the names of its random streams begin with: no link's draws depend on which others there are.
    pub stream: String,
    /// The link as given.
    pub spec: &'a LinkSpec,
}

impl Spec {
    /// The links in the order of their numbers: forward, further hops, reverse if real.
    pub fn links(&self) -> Vec<NamedLink<'_>> {
        let named = |field: String, name: String, stream: String, spec| NamedLink { field, name, stream, spec };
        let forward = named("bottleneck".into(), "forward".into(), "link0".into(), &self.forward);
        let hops = self.hops.iter().enumerate().map(|(index, hop)| {
            let name = format!("forward{}", index + 2);
            named(format!("hops[{index}]"), name.clone(), name, &hop.link)
        });
        let reverse = self.reverse.iter().map(|link| named("reverse".into(), "reverse".into(), "link1".into(), link));
        std::iter::once(forward).chain(hops).chain(reverse).collect()
    }

    /// Number of the reverse link, if it is real.
    pub fn reverse_link(&self) -> Option<usize> {
        self.reverse.as_ref().map(|_| self.hops.len() + 1)
    }
}

/// Refuses hops that cannot be.
pub(crate) fn accept_hops(spec: &Spec) -> Result<(), SpecError> {
    if spec.hops.len() > HOPS_MAX {
        return refuse("hops", spec.hops.len(), &format!("give at most {HOPS_MAX} hops after the bottleneck"));
    }
    for (index, hop) in spec.hops.iter().enumerate() {
        if hop.delay_ns > RTT_MAX_NS {
            return refuse(format!("hops[{index}].delay"), seconds(hop.delay_ns), "give at most 10 s");
        }
    }
    Ok(())
}

/// With more than one hop every forward link has events of its own; refuses what such a link cannot do.
pub(crate) fn accept_hop_links(spec: &Spec, links: &mut [AcceptedLink]) -> Result<(), SpecError> {
    if spec.hops.is_empty() {
        return Ok(());
    }
    for (link, named) in links.iter_mut().zip(spec.links()).take(1 + spec.hops.len()) {
        let (given, field) = (named.spec, |what: &str| format!("{}.{what}", named.field));
        for (what, size) in [("queue", Some(given.queue)), ("mark", given.mark)] {
            if link.changes.service.is_some() && size.is_some_and(|size| size.unit == QueueUnit::Ns) {
                let allowed = "give packets or bytes: with several hops, a link whose rate changes cannot know how long its queue takes";
                return refuse(field(what), "a limit in time", allowed);
            }
        }
        link.discipline.get_or_insert(net::DisciplineSpec::DROP_TAIL);
    }
    Ok(())
}

/// Refuses a stretch that does not exist; `path` is whose it is.
pub(crate) fn accept_stretch(path: &str, stretch: StretchSpec, spec: &Spec) -> Result<(), SpecError> {
    let hops = 1 + spec.hops.len() as u32;
    let enter = stretch.enter.unwrap_or(1);
    if !(1..=hops).contains(&enter) {
        return refuse(format!("{path}.enter"), enter, &format!("give a hop's number, 1 to {hops}"));
    }
    let leave = stretch.leave.unwrap_or(hops);
    if !(enter..=hops).contains(&leave) {
        return refuse(format!("{path}.leave"), leave, &format!("give a hop's number not before the first, {enter} to {hops}"));
    }
    Ok(())
}

/// Refuses a base RTT that the way between the hops does not fit into.
pub(crate) fn accept_base_rtt(path: &str, rtt_ns: u64, between_ns: u64) -> Result<(), SpecError> {
    if between_ns > rtt_ns / 4 {
        let allowed = format!("give at least four times the {} between the flow's first and last hop", seconds(between_ns));
        return refuse(format!("{path}.rtt"), seconds(rtt_ns), &allowed);
    }
    Ok(())
}
