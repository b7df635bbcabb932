//! Where a scenario names its links, flows and kinds of transfers, and their numbers.

use std::fmt;

use super::flow::FlowSpec;
use super::hops::StretchSpec;
use super::link::LinkSpec;
use super::run::Spec;

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

/// Where a scenario names a flow or, in a source, a kind of transfers.
#[derive(Clone, Copy)]
pub(crate) struct Place {
    pub(crate) source: Option<(&'static str, usize)>,
    pub(crate) index: usize,
}

impl fmt::Display for Place {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if let Some((name, number)) = self.source {
            write!(f, "{name}[{number}].")?;
        }
        write!(f, "flows[{}]", self.index)
    }
}

impl Spec {
    /// Flows and kinds of transfers.
    pub(crate) fn everybody(&self) -> impl Iterator<Item = (Place, &FlowSpec)> {
        let own = self.flows.iter().enumerate().map(|(index, flow)| (Place { source: None, index }, &**flow));
        let open = self.arrivals.iter().enumerate().map(|(number, source)| (Some(("arrivals", number)), &source.flows));
        let closed = self.sessions.iter().enumerate().map(|(number, source)| (Some(("sessions", number)), &source.flows));
        let transfers = open.chain(closed);
        own.chain(transfers.flat_map(|(source, flows)| flows.iter().enumerate().map(move |(index, flow)| (Place { source, index }, flow))))
    }
}
