//! The one place where a scenario is checked.

use cc::{CongestionControl, Controller};
use net::{Changes, DisciplineSpec, FifoSpec, Limit, Losses};
use serde_json::Value;
use tcp::{Options, Receiver, ReceiverSpec, SenderSpec};
use units::{Rate, Stream, Time};

use crate::application::accept_writes;
use crate::arrivals::{accept_sources, most_transfers_and_sources, AcceptedSource};
use crate::changes::{accept_changes, Most};
use crate::error::SpecError;
use crate::hops::{accept_base_rtt, accept_hop_links, accept_hops, accept_stretch, NamedLink};
use crate::host::accept_hosts;
use crate::losses::accept_losses;
use crate::profiles::override_option;
use crate::spec::{Direction, DisorderSpec, FlowSpec, QueueSpec, QueueUnit, Spec};
use crate::traffic::accept_traffic;
use crate::tree::Tree;

const HOUR_NS: u64 = 3_600_000_000_000;
/// Longest run.
const DURATION_MAX_NS: u64 = 24 * HOUR_NS;
pub(crate) const RTT_MAX_NS: u64 = 10_000_000_000;
const FLOWS_MAX: usize = 1_000_000;
pub(crate) const RATE_MAX_BPS: u64 = 1_000_000_000_000;
const QUEUE_MAX_PACKETS: u64 = 100_000_000;
/// A receiver's window without a cap, segments: some at least, and no more than a TCP header can say (RFC 7323 2.3).
const WINDOW_LEAST: f64 = 64.0;
const WINDOW_MOST: f64 = (1_u64 << 29) as f64 / 1448.0;

/// A flow that can be built.
#[derive(Clone, Debug)]
pub struct AcceptedFlow<'a> {
    /// Our name of the protocol.
    pub algorithm: &'static str,
    /// The variant chosen.
    pub variant: &'static str,
    /// The sender's part.
    pub sender: SenderSpec,
    /// How far the receiver's window may open, segments.
    pub receives: u64,
    /// The flow as given.
    pub spec: &'a FlowSpec,
}

impl AcceptedFlow<'_> {
    /// The flow's receiver, at its start.
    pub fn receiver(&self) -> Receiver {
        let SenderSpec { options, mss, .. } = &self.sender;
        let spec = ReceiverSpec::new(options, Time(self.spec.rtt_ns));
        Receiver::new(spec.with_window(options, self.receives.saturating_mul(u64::from(*mss)), *mss))
    }

    /// The algorithm of flow number `index`, at its start. Built when wanted: with very many flows a second copy of each would show.
    pub fn control(&self, index: usize, seed: u64) -> Controller {
        let FlowSpec { profile, parameters, slow_start, .. } = self.spec;
        let built = cc::build(self.algorithm, Some(self.variant), profile, parameters);
        let built = match slow_start {
            None => built,
            Some(name) => built.and_then(|built| built.with_slow_start(name)),
        };
        let mut control = built.expect("built once before").algorithm;
        control.on_seeded(Stream::named(seed, &format!("flow{index}/algorithm")));
        control
    }
}

/// A link that can be built.
#[derive(Clone, Debug)]
pub struct AcceptedLink {
    /// Rate, limit and loss, and the marks of drop-tail.
    pub fifo: FifoSpec,
    /// Its discipline; none for drop-tail.
    pub discipline: Option<DisciplineSpec>,
    /// Loss with a memory.
    pub losses: Losses,
    /// What changes in time.
    pub changes: Changes,
    /// What the names of its random streams begin with.
    pub stream: String,
}

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

pub(crate) fn refuse<T>(field: impl Into<String>, value: impl ToString, allowed: &str) -> Result<T, SpecError> {
    Err(SpecError { field: field.into(), value: value.to_string(), allowed: allowed.into() })
}

/// Checks a scenario and resolves its algorithms and options.
///
/// # Errors
/// The first field that is out of range, with its value and what is allowed.
pub fn accept(spec: &Spec) -> Result<Accepted<'_>, SpecError> {
    if spec.duration_ns == 0 || spec.duration_ns > DURATION_MAX_NS {
        return refuse("duration", seconds(spec.duration_ns), "give more than 0 s and at most 86400 s");
    }
    if spec.warmup_ns >= spec.duration_ns {
        return refuse("warmup", seconds(spec.warmup_ns), "give less than the duration");
    }
    if spec.sample_ns != 0 && spec.sample_ns < 1000 {
        return refuse("sample", seconds(spec.sample_ns), "give 0 or at least 1 us");
    }
    if (spec.flows.is_empty() && spec.arrivals.is_empty() && spec.sessions.is_empty()) || spec.flows.len() > FLOWS_MAX {
        return refuse("flows", spec.flows.len(), "give 1 to 1000000 flows");
    }
    if spec.traffic.len() > FLOWS_MAX - spec.flows.len() {
        return refuse("traffic", spec.traffic.len(), "give at most 1000000 flows and sources");
    }
    // Flows' clocks run behind by a part of their base RTT; links, ways between hops, sources and transfers may have events too.
    let parties = spec.flows.len() + spec.traffic.len() + 2 * (1 + spec.hops.len()) + most_transfers_and_sources(spec);
    if spec.duration_ns + RTT_MAX_NS > Tree::time_max(parties) {
        return refuse("duration", seconds(spec.duration_ns), "give at most 4 hours with so many flows");
    }
    accept_hosts(spec)?;
    accept_hops(spec)?;
    let mut links = spec.links().iter().map(|link| accept_link(link, spec)).collect::<Result<Vec<_>, _>>()?;
    accept_hop_links(spec, &mut links)?;
    accept_traffic(spec)?;
    let mut flows = spec.flows.iter().enumerate().map(|(index, flow)| accept_flow(index, flow, spec)).collect::<Result<Vec<_>, _>>()?;
    let most: Vec<Most> = links.iter().zip(spec.links()).map(|(link, given)| Most::of(link.fifo.rate, given.spec)).collect();
    for (index, flow) in flows.iter().enumerate() {
        accept_packet(&format!("flows[{index}]"), flow.spec, &links, spec)?;
    }
    let mut sources = accept_sources(spec, &links)?;
    for flow in flows.iter_mut().chain(sources.iter_mut().flat_map(|source| &mut source.kinds)) {
        let (first, last) = flow.spec.hops.links(spec);
        let crossed = (first..=last).chain(spec.reverse_link()).map(|link| (&links[link], &most[link]));
        flow.receives = flow.receives.min(ample_window(crossed, flow.spec));
    }
    Ok(Accepted { spec, links, flows, sources })
}

/// Each queue on a flow's way holds one of its packets.
pub(crate) fn accept_packet(path: &str, flow: &FlowSpec, links: &[AcceptedLink], run: &Spec) -> Result<(), SpecError> {
    let (first, last) = match flow.direction {
        Direction::Forward => flow.hops.links(run),
        Direction::Reverse => (run.hops.len() + 1, run.hops.len() + 1),
    };
    for link in &links[first..=last] {
        let Limit::Bytes(limit) = link.fifo.limit else { continue };
        if limit < u64::from(flow.packet_bytes) {
            return refuse(format!("{path}.packet"), flow.packet_bytes, &format!("give at most the queue's {limit} bytes"));
        }
    }
    Ok(())
}

fn accept_link(named: &NamedLink, run: &Spec) -> Result<AcceptedLink, SpecError> {
    let (name, link) = (&*named.field, named.spec);
    if link.rate_bps < 1000 || link.rate_bps > RATE_MAX_BPS {
        return refuse(format!("{name}.rate"), link.rate_bps, "give 1 kbit/s to 1 Tbit/s");
    }
    if !(0.0..1.0).contains(&link.loss_probability) {
        return refuse(format!("{name}.loss"), link.loss_probability, "give a probability from 0 to below 1");
    }
    accept_disorder(name, &link.disorder)?;
    let limit = accept_size(&format!("{name}.queue"), link.queue)?;
    let mark_at = link.mark.map(|mark| accept_size(&format!("{name}.mark"), mark)).transpose()?;
    let (excludes_in_service, loss_probability) = (link.excludes_in_service, link.loss_probability);
    let fifo = FifoSpec { rate: Rate(link.rate_bps), limit, excludes_in_service, loss_probability, mark_at };
    let losses = accept_losses((name, &named.stream), &link.losses, run)?;
    let changes = accept_changes(name, link, run.duration_ns)?;
    let drop_tail = AcceptedLink { fifo, discipline: None, losses, changes, stream: named.stream.clone() };
    let Some(choice) = &link.discipline else { return Ok(drop_tail) };
    if mark_at.is_some() {
        return refuse(format!("{name}.mark"), &choice.name, "a step of marks belongs to drop-tail");
    }
    if drop_tail.changes.service.is_some() && matches!(limit, Limit::Delay(_)) {
        let allowed = format!("give packets or bytes: {} at a rate that changes cannot know how long its queue takes", choice.name);
        return refuse(format!("{name}.queue"), "a limit in time", &allowed);
    }
    let discipline = net::queue::discipline(&choice.name, &choice.parameters).map_err(|allowed| SpecError {
        field: format!("{name}.discipline"),
        value: choice.name.clone(),
        allowed,
    })?;
    Ok(AcceptedLink { discipline: Some(discipline), ..drop_tail })
}

fn accept_disorder(name: &str, disorder: &DisorderSpec) -> Result<(), SpecError> {
    for (field, p) in [("reorder", disorder.late_probability), ("duplicate", disorder.double_probability)] {
        if !(0.0..1.0).contains(&p) {
            return refuse(format!("{name}.{field}"), p, "give a probability from 0 to below 1");
        }
    }
    let is_late = disorder.late_probability > 0.0;
    if disorder.late_ns > RTT_MAX_NS || is_late != (disorder.late_ns > 0) {
        return refuse(format!("{name}.reorder_by"), seconds(disorder.late_ns), "give more than 0 s, at most 10 s, and a probability");
    }
    Ok(())
}

/// A receiver's window that never limits, segments: four times what the flow's path holds. Twice that is sent by the time a first
/// loss is repaired, and as much again while a retransmission is lost.
fn ample_window<'a>(crossed: impl Iterator<Item = (&'a AcceptedLink, &'a Most)>, flow: &FlowSpec) -> u64 {
    let packet_bits = f64::from(flow.packet_bytes) * 8.0;
    let held = |(AcceptedLink { fifo: link, .. }, most): (&AcceptedLink, &Most)| {
        let queue = match link.limit {
            Limit::Packets(packets) => f64::from(packets),
            Limit::Bytes(bytes) => bytes as f64 * 8.0 / packet_bits,
            Limit::Delay(delay) => delay.as_secs_f64() * most.rate_bps / packet_bits,
        };
        queue + most.rate_bps * Time(flow.rtt_ns + most.extra_ns).as_secs_f64() / packet_bits
    };
    (4.0 * crossed.map(held).sum::<f64>()).clamp(WINDOW_LEAST, WINDOW_MOST) as u64
}

fn accept_size(field: &str, size: QueueSpec) -> Result<Limit, SpecError> {
    let limit = size.limit;
    match size.unit {
        QueueUnit::Packets if (1..=QUEUE_MAX_PACKETS).contains(&limit) => Ok(Limit::Packets(limit as u32)),
        QueueUnit::Bytes if (1500..=1500 * QUEUE_MAX_PACKETS).contains(&limit) => Ok(Limit::Bytes(limit)),
        QueueUnit::Ns if (1..=600_000_000_000).contains(&limit) => Ok(Limit::Delay(Time(limit))),
        QueueUnit::Packets => refuse(field, limit, "give 1 to 100000000 packets"),
        QueueUnit::Bytes => refuse(field, limit, "give 1500 to 150000000000 bytes"),
        QueueUnit::Ns => refuse(field, limit, "give 1 ns to 600 s"),
    }
}

pub(crate) fn accept_flow<'a>(index: usize, flow: &'a FlowSpec, spec: &Spec) -> Result<AcceptedFlow<'a>, SpecError> {
    let field = |name: &str| format!("flows[{index}].{name}");
    if flow.rtt_ns < 1000 || flow.rtt_ns > RTT_MAX_NS {
        return refuse(field("rtt"), seconds(flow.rtt_ns), "give 1 us to 10 s");
    }
    if flow.jitter_ns > flow.rtt_ns {
        return refuse(field("jitter"), seconds(flow.jitter_ns), "give at most the base RTT");
    }
    if flow.start_ns >= spec.duration_ns {
        return refuse(field("start"), seconds(flow.start_ns), "give a time before the end of the run");
    }
    if flow.stop_ns.is_some_and(|stop| stop <= flow.start_ns) {
        return refuse(field("stop"), seconds(flow.stop_ns.unwrap_or(0)), "give a time after the flow's start");
    }
    if flow.bytes == Some(0) {
        return refuse(field("bytes"), 0, "give at least 1 byte");
    }
    if flow.window_packets == Some(0) {
        return refuse(field("window"), 0, "give at least 1 packet");
    }
    if !(1..=65_000).contains(&flow.mss_bytes) || flow.packet_bytes < flow.mss_bytes || flow.packet_bytes > 65_535 {
        return refuse(field("mss"), flow.mss_bytes, "give 1 to 65000 bytes of payload, and packets no smaller than that");
    }
    if flow.direction == Direction::Reverse && spec.reverse.is_none() {
        return refuse(field("direction"), "reverse", "a reverse flow needs a reverse link");
    }
    accept_stretch(&format!("flows[{index}]"), flow.hops, spec)?;
    accept_base_rtt(&format!("flows[{index}]"), flow.rtt_ns, flow.hops.between_ns(spec))?;
    if let Some(writes) = &flow.writes {
        accept_writes(index, writes)?;
    }
    let Some(mut options) = Options::of_profile(&flow.profile) else {
        return refuse(field("profile"), &flow.profile, &format!("choose one of {}", Options::PROFILES.join(", ")));
    };
    for (name, value) in &flow.transport {
        override_option(&mut options, name, value).map_err(|allowed| SpecError { field: field(name), value: show(value), allowed })?;
    }
    let mut built = cc::build(&flow.algorithm, flow.variant.as_deref(), &flow.profile, &flow.parameters).map_err(|error| SpecError {
        field: field("algorithm"),
        value: flow.algorithm.clone(),
        allowed: error.to_string(),
    })?;
    if let (true, Some((key, value))) = (built.name == cc::algorithms::ptcp::PROTOCOL.name, flow.parameters.first_key_value()) {
        return refuse(field(key), value, "belongs to an application: give each of its connections as a flow");
    }
    if let Some(name) = &flow.slow_start {
        built = built.with_slow_start(name).map_err(|error| SpecError {
            field: field("slow_start"),
            value: name.clone(),
            allowed: error.to_string(),
        })?;
    }
    options.ecn = options.ecn.resolved(built.algorithm.needs().ecn);
    let segments = flow.bytes.map_or(u64::MAX, |bytes| bytes.div_ceil(u64::from(flow.mss_bytes)));
    let device = flow.host.is_some_and(|host| spec.hosts[host as usize].device.is_some());
    let sender = SenderSpec { options, mss: flow.mss_bytes, segments, window: flow.window_packets.unwrap_or(u64::MAX), device };
    let receives = sender.window;
    Ok(AcceptedFlow { algorithm: built.name, variant: built.variant, sender, receives, spec: flow })
}

pub(crate) fn seconds(ns: u64) -> String {
    format!("{} s", ns as f64 / 1e9)
}

fn show(value: &Value) -> String {
    value.as_str().map_or_else(|| value.to_string(), str::to_owned)
}
