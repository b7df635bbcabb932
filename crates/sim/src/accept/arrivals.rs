//! Sources of transfers, checked.

use units::Rate;

use super::flow::{accept_flow, accept_packet, AcceptedFlow, Run};
use super::limits::{refuse, seconds, ALIVE_MAX};
use super::link::AcceptedLink;
use crate::error::SpecError;
use crate::laws::Whole;
use crate::spec::{ArrivalSpec, Direction, FlowSpec, Law, Offered, SessionSpec, Spec};

const SOURCES_MAX: usize = 1000;
const KINDS_MAX: usize = 1000;
const SESSIONS_MAX: u32 = 100_000;
/// More than ten times what a link carries tells nothing more.
const LOAD_MAX: f64 = 10.0;
const PER_SECOND_MAX: f64 = 10_000_000.0;
const BYTES_MAX: u64 = 1_000_000_000_000_000;
const CONNECTIONS_MAX: u32 = 1000;
const OBJECTS_MAX: f64 = 1_000_000.0;
const THINK_MAX_NS: f64 = 1e14;
const SHAPE_MAX: f64 = 100.0;

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
        if count > SOURCES_MAX {
            return refuse(field, count, "give at most 1000 sources");
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
    if !(1..=SESSIONS_MAX).contains(&given.count) {
        return refuse(field("count"), given.count, "give 1 to 100000 sessions");
    }
    if !(1..=CONNECTIONS_MAX).contains(&given.connections) {
        return refuse(field("connections"), given.connections, "give 1 to 1000 connections at once");
    }
    accept_law(&field("objects"), given.objects, (1.0, OBJECTS_MAX), "give 1 to 1000000 objects")?;
    accept_law(&field("think"), given.think, (1.0, THINK_MAX_NS), "give 1 ns to 100000 s")?;
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
    if flows.is_empty() || flows.len() > KINDS_MAX {
        return refuse(field, flows.len(), "give 1 to 1000 kinds of transfers");
    }
    let mut kinds = Vec::with_capacity(flows.len());
    for (index, flow) in flows.iter().enumerate() {
        if flow.start_ns != 0 || flow.stop_ns.is_some() || flow.bytes.is_some() || flow.writes.is_some() {
            return refuse(field, &flow.algorithm, "start, stop, bytes and writes do not belong to transfers");
        }
        let shared = |flow: &FlowSpec| (flow.direction, flow.mss_bytes, flow.packet_bytes, flow.hops);
        if shared(flow) != shared(&flows[0]) {
            return refuse(field, &flow.algorithm, "give all transfers of a source one direction, one packet size and the same hops");
        }
        let accepted = accept_flow(index, flow, run);
        kinds.push(accepted.map_err(|error| SpecError { field: format!("{path}.{}", error.field), ..error })?);
        accept_packet(&format!("{path}.flows[{index}]"), flow, links, run.spec)?;
    }
    Ok(kinds)
}

fn accept_sizes(field: &dyn Fn(&str) -> String, sizes: Law, max_bytes: Option<u64>) -> Result<(), SpecError> {
    if let Some(max) = max_bytes.filter(|max| !(1..=BYTES_MAX).contains(max)) {
        return refuse(field("max"), max, "give 1 to 1e15 bytes");
    }
    accept_law(&field("sizes"), sizes, (1.0, BYTES_MAX as f64), "give 1 to 1e15 bytes")
}

fn accept_law(field: &str, law: Law, (least, most): (f64, f64), allowed: &str) -> Result<(), SpecError> {
    if !(least..=most).contains(&law.mean()) {
        return refuse(field, law.mean(), allowed);
    }
    match law {
        Law::Pareto { shape, .. } if !(shape > 1.0 && shape <= SHAPE_MAX) => {
            refuse(format!("{field}.shape"), shape, "give more than 1, at most 100: at 1 and below there is no mean")
        }
        _ => Ok(()),
    }
}

/// Load is IP bits sent once, over the link's rate.
fn mean_gap_ns(field: &dyn Fn(&str) -> String, given: &ArrivalSpec, Rate(rate_bps): Rate) -> Result<f64, SpecError> {
    let flow = &given.flows[0];
    let mean_bits = Whole::new(given.sizes, given.max_bytes).mean_segments(flow.mss_bytes) * f64::from(flow.packet_bytes) * 8.0;
    let (name, value, per_second) = match given.offered {
        Offered::Load(load) if !(load > 0.0 && load <= LOAD_MAX) => {
            return refuse(field("load"), load, "give more than 0, at most 10 times the link's rate");
        }
        Offered::Load(load) => ("load", load, load * rate_bps as f64 / mean_bits),
        Offered::PerSecond(rate) => ("rate", rate, rate),
    };
    if !(per_second > 0.0 && per_second <= PER_SECOND_MAX) {
        return refuse(field(name), value, "give what makes more than 0, at most 10000000 transfers per second");
    }
    Ok(1e9 / per_second)
}
