//! Sources of transfers, checked.

use units::Rate;

use super::flow::{accept_flow, accept_packet, AcceptedFlow, Run};
use super::laws::accept_law;
use super::link::AcceptedLink;
use super::refusal::{refuse, seconds, ALIVE_MAX};
use crate::error::SpecError;
use crate::laws::Whole;
use crate::limits::{CONNECTIONS, LOAD, MEAN_BYTES, MOST_KINDS, MOST_SOURCES, OBJECTS, PER_SECOND, SESSION_COUNT, THINK_S, TRANSFER_BYTES};
use crate::spec::{ArrivalSpec, Direction, FlowSpec, Law, Offered, SessionSpec, Spec};

/// The most that may have events at once because of a scenario's sources.
pub(crate) fn most_transfers_and_sources(spec: &Spec) -> usize {
    let sources = spec.arrivals.len() + spec.sessions.iter().map(|given| given.count as usize).sum::<usize>();
    sources + if sources > 0 { ALIVE_MAX } else { 0 }
}

/// How a source's transfers begin.
#[derive(Clone, Copy, Debug)]
pub enum Loop<'a> {
    /// Poisson.
    Open(&'a ArrivalSpec),
    /// Sessions.
    Closed(&'a SessionSpec),
}

/// A source that can be built.
#[derive(Clone, Debug)]
pub struct AcceptedSource<'a> {
    /// Its kinds of transfers.
    pub kinds: Vec<AcceptedFlow<'a>>,
    /// Mean time from one transfer's begin to the next in an open loop, nanoseconds.
    pub mean_gap_ns: f64,
    /// As given.
    pub spec: Loop<'a>,
}

/// The sources of a scenario with these links: open loops, then closed ones.
pub(crate) fn accept_sources<'a>(run: &Run<'a>, links: &[AcceptedLink]) -> Result<Vec<AcceptedSource<'a>>, SpecError> {
    let spec = run.spec;
    for (field, count) in [("arrivals", spec.arrivals.len()), ("sessions", spec.sessions.len())] {
        if count as u64 > MOST_SOURCES {
            return refuse(field, count, format!("give at most {MOST_SOURCES} sources"));
        }
    }
    let open = spec.arrivals.iter().enumerate().map(|(index, given)| accept_open(&format!("arrivals[{index}]"), given, run, links));
    let closed = spec.sessions.iter().enumerate().map(|(index, given)| accept_closed(&format!("sessions[{index}]"), given, run, links));
    open.chain(closed).collect()
}

fn accept_open<'a>(path: &str, given: &'a ArrivalSpec, run: &Run<'a>, links: &[AcceptedLink]) -> Result<AcceptedSource<'a>, SpecError> {
    let field = |name: &str| format!("{path}.{name}");
    let kinds = accept_kinds(path, &given.flows, run, links)?;
    accept_span(&field, (given.start_ns, given.stop_ns), run.spec.duration_ns)?;
    accept_sizes(&field, given.sizes, given.max_bytes)?;
    let first = match given.flows[0].direction {
        Direction::Forward => given.flows[0].hops.links(run.spec).0,
        Direction::Reverse => 1 + run.spec.hops.len(),
    };
    let link = &links[first];
    Ok(AcceptedSource { kinds, mean_gap_ns: mean_gap_ns(&field, given, link.fifo.rate)?, spec: Loop::Open(given) })
}

fn accept_closed<'a>(path: &str, given: &'a SessionSpec, run: &Run<'a>, links: &[AcceptedLink]) -> Result<AcceptedSource<'a>, SpecError> {
    let field = |name: &str| format!("{path}.{name}");
    let kinds = accept_kinds(path, &given.flows, run, links)?;
    accept_span(&field, (given.start_ns, given.stop_ns), run.spec.duration_ns)?;
    accept_sizes(&field, given.sizes, given.max_bytes)?;
    if !SESSION_COUNT.holds(given.count.into()) {
        return refuse(field("count"), given.count, format!("give {SESSION_COUNT} sessions"));
    }
    if !CONNECTIONS.holds(given.connections.into()) {
        return refuse(field("connections"), given.connections, format!("give {CONNECTIONS}"));
    }
    accept_law(&field("objects"), given.objects, 1.0, OBJECTS)?;
    accept_law(&field("think"), given.think, 1e9, THINK_S)?;
    Ok(AcceptedSource { kinds, mean_gap_ns: f64::INFINITY, spec: Loop::Closed(given) })
}

fn accept_span(field: &dyn Fn(&str) -> String, (start_ns, stop_ns): (u64, Option<u64>), duration_ns: u64) -> Result<(), SpecError> {
    if start_ns >= duration_ns {
        return refuse(field("start"), seconds(start_ns), "give a time before the end of the run");
    }
    match stop_ns.filter(|&stop| stop <= start_ns) {
        Some(stop) => refuse(field("stop"), seconds(stop), "give a time after the source's start"),
        None => Ok(()),
    }
}

fn accept_kinds<'a>(path: &str, flows: &'a [FlowSpec], run: &Run<'a>, links: &[AcceptedLink]) -> Result<Vec<AcceptedFlow<'a>>, SpecError> {
    let field = format!("{path}.flows");
    if flows.is_empty() || flows.len() as u64 > MOST_KINDS {
        return refuse(field, flows.len(), format!("give 1 to {MOST_KINDS} kinds of transfers"));
    }
    let mut kinds = Vec::with_capacity(flows.len());
    for (index, flow) in flows.iter().enumerate() {
        if flow.start_ns != 0 || flow.stop_ns.is_some() || flow.bytes.is_some() || flow.writes.is_some() || flow.requests.is_some() {
            return refuse(field, &flow.algorithm, "start, stop, bytes, writes and requests do not belong to transfers");
        }
        if flow.receive.is_some() {
            return refuse(field, &flow.algorithm, "receivers' buffers do not belong to transfers");
        }
        let shared = |flow: &FlowSpec| (flow.direction, flow.mss_bytes, flow.packet_bytes, flow.hops);
        if shared(flow) != shared(&flows[0]) {
            return refuse(field, &flow.algorithm, "give all transfers of a source one direction, one packet size and the same hops");
        }
        let accepted = accept_flow(index, flow, run);
        kinds.push(accepted.map_err(|error| SpecError { field: format!("{path}.{}", error.field), ..error })?);
        accept_packet(format_args!("{path}.flows[{index}]"), flow, links, run.spec)?;
    }
    Ok(kinds)
}

fn accept_sizes(field: &dyn Fn(&str) -> String, sizes: Law, max_bytes: Option<u64>) -> Result<(), SpecError> {
    if let Some(max) = max_bytes.filter(|&max| !TRANSFER_BYTES.holds(max as f64)) {
        return refuse(field("max"), max, format!("give {TRANSFER_BYTES}"));
    }
    accept_law(&field("sizes"), sizes, 1.0, MEAN_BYTES)
}

/// Load is IP bits sent once, over the link's rate.
fn mean_gap_ns(field: &dyn Fn(&str) -> String, given: &ArrivalSpec, Rate(rate_bps): Rate) -> Result<f64, SpecError> {
    let flow = &given.flows[0];
    let mean_bits = Whole::new(given.sizes, given.max_bytes).mean_segments(flow.mss_bytes) * f64::from(flow.packet_bytes) * 8.0;
    let (name, value, per_second) = match given.offered {
        Offered::Load(load) if !LOAD.holds(load) => {
            return refuse(field("load"), load, format!("give {LOAD}"));
        }
        Offered::Load(load) => ("load", load, load * rate_bps as f64 / mean_bits),
        Offered::PerSecond(rate) => ("rate", rate, rate),
    };
    if !PER_SECOND.holds(per_second) {
        return refuse(field(name), value, format!("give what makes {PER_SECOND}"));
    }
    Ok(1e9 / per_second)
}
