//! From a filled scenario to what the engine takes: integers in nanoseconds, packets and bytes.

use std::collections::BTreeMap;

use sim::{
    share, ArrivalSpec, ChangesSpec, DelayStep, DisciplineChoice, DisorderSpec, FlowSpec, HopSpec, LinkSpec, LossModelSpec, LossSpec,
    Outage, QueueSpec, QueueStep, QueueUnit, RateStep, SessionSpec, Spec, StretchSpec, UdpSpec, WaveSpec, WritesSpec,
};

use crate::fill::Filled;
use crate::hosts::Hosts;
use crate::laws::law;
use crate::model::{
    self, Arrivals, Flow, Law, Link, LossKind, LossModel, Offered, ParameterValue, Scenario, Sessions, Source, Udp, DROP_TAIL,
};
use crate::names;
use crate::receivers;
use crate::requests;
use crate::rounding::{ns, whole};
use crate::sizes::packet_s;
use crate::windows::{window_bytes, window_packets, HEADER_BYTES};

/// Time between two chunks when none is given, seconds: what video is commonly cut into.
const CHUNK_S: f64 = 2.0;

/// Smallest rate of video when none is given, bits per second (RFC 8867, 4.3).
const VIDEO_MIN_BPS: f64 = 150e3;

/// Time between two frames of video when none is given, seconds: 25 a second.
const FRAME_S: f64 = 0.04;

impl Filled {
    /// What the engine takes.
    pub fn spec(&self) -> Spec {
        let full = &self.scenario;
        let common = full.host.as_ref();
        let mut hosts = Hosts::default();
        let flows = full.flows.iter().enumerate();
        let flows = share(flows.map(|(index, flow)| FlowSpec { host: hosts.of_flow(flow, index, common), ..flow_spec(full, flow) }));
        let mut sources = 0;
        let mut kinds = |source: &Source| {
            let host = hosts.of_source(source, sources, common);
            sources += 1;
            let kind = |&rtt_s: &f64| FlowSpec { host, ..flow_spec(full, &transfer(source, rtt_s)) };
            source.rtts_s.iter().map(kind).collect::<Vec<_>>()
        };
        let arrivals = full.arrivals.iter().map(|one| arrival_spec(one, kinds(&one.source))).collect();
        let sessions = full.sessions.iter().map(|one| session_spec(one, kinds(&one.source))).collect();
        Spec {
            seed: full.seed,
            duration_ns: ns(full.duration_s),
            warmup_ns: ns(full.warmup_s),
            sample_ns: ns(full.sample_s),
            per_ack: full.per_ack,
            record_drops: full.record_drops,
            record_marks: full.record_marks,
            forward: link_spec(&full.bottleneck),
            hops: full.hops.iter().map(|hop| HopSpec { delay_ns: ns(hop.delay_s), link: link_spec(&hop.link) }).collect(),
            reverse: full.reverse.as_ref().map(link_spec),
            hosts: hosts.specs,
            flows,
            arrivals,
            sessions,
            traffic: full.traffic.iter().map(udp_spec).collect(),
        }
    }
}

/// The largest delay of an ACK of a flow, seconds: by default the smaller of one packet time at the bottleneck and 1 % of the base RTT,
/// enough to break the phase locking of a deterministic drop-tail queue (Floyd and Jacobson 1992).
fn jitter_s(full: &Scenario, flow: &Flow) -> f64 {
    flow.jitter_s.or(full.jitter_s).unwrap_or_else(|| packet_s(full.smallest_rate_bps()).min(0.01 * flow.rtt_s.unwrap_or(0.0)))
}

/// A source's transfer with one of its RTTs, as the flow that it is while it is there.
fn transfer(source: &Source, rtt_s: f64) -> Flow {
    Flow {
        parameters: source.parameters.clone(),
        transport: source.transport.clone(),
        rtt_s: Some(rtt_s),
        window_packets: source.window_packets,
        profile: source.profile.clone(),
        direction: source.direction,
        enter: source.enter,
        leave: source.leave,
        handshake: source.handshake,
        ..Flow::of(&source.algorithm)
    }
}

fn flow_spec(full: &Scenario, flow: &Flow) -> FlowSpec {
    let (name, variant) = names::split(&flow.algorithm);
    let profile = flow.profile.clone().unwrap_or_else(|| full.profile.clone());
    let numbers = flow.parameters.iter().filter_map(|(name, value)| match value {
        ParameterValue::Number(number) => Some((name.clone(), *number)),
        ParameterValue::Word(_) => None,
    });
    let slow_start = match flow.parameters.get("slow_start") {
        Some(ParameterValue::Word(word)) => Some(word.clone()),
        _ => None,
    };
    let variant = variant.or_else(|| if flow.stack.is_none() { names::variant_of_profile(name, &profile) } else { None });
    FlowSpec {
        algorithm: name.into(),
        variant: variant.map(Into::into),
        profile,
        parameters: numbers.collect::<BTreeMap<_, _>>(),
        slow_start,
        transport: flow.transport.clone(),
        rtt_ns: ns(flow.rtt_s.unwrap_or(0.0)),
        start_ns: ns(flow.start_s),
        handshake: flow.handshake.unwrap_or(false),
        stop_ns: flow.stop_s.map(ns),
        bytes: flow.bytes,
        window_packets: window_packets(flow),
        window_bytes: window_bytes(flow),
        direction: flow.direction,
        jitter_ns: ns(jitter_s(full, flow)),
        mss_bytes: flow.mtu_bytes - HEADER_BYTES,
        packet_bytes: flow.mtu_bytes,
        host: None,
        writes: writes_spec(flow),
        requests: requests::spec(flow).map(Box::new),
        receive: receivers::spec(flow).map(Box::new),
        hops: StretchSpec { enter: flow.enter, leave: flow.leave },
        stack: flow.stack.clone(),
        streams: flow.streams,
        turn_ns: ns(flow.turn_s),
    }
}

fn writes_spec(flow: &Flow) -> Option<WritesSpec> {
    if let (Some(on_s), Some(off_s)) = (flow.on_s, flow.off_s) {
        return Some(WritesSpec::OnOff { on_ns: ns(on_s), off_ns: ns(off_s) });
    }
    if let Some(most_bps) = flow.video_bps {
        return Some(WritesSpec::Video {
            least_bps: whole(flow.video_min_bps.unwrap_or(VIDEO_MIN_BPS)),
            most_bps: whole(most_bps),
            every_ns: ns(flow.frame_s.unwrap_or(FRAME_S)),
        });
    }
    flow.app_rate_bps.map(|rate_bps| WritesSpec::Chunks { rate_bps: whole(rate_bps), every_ns: ns(flow.chunk_s.unwrap_or(CHUNK_S)) })
}

fn link_spec(link: &Link) -> LinkSpec {
    let queue = (link.queue_packets, link.queue_bytes, link.queue_s);
    LinkSpec {
        rate_bps: whole(link.rate_bps),
        queue: size(queue).expect("a filled link has a queue"),
        excludes_in_service: link.excludes_in_service,
        loss_probability: link.loss_probability,
        mark: size((link.mark_packets, link.mark_bytes, link.mark_s)),
        discipline: (link.discipline != DROP_TAIL)
            .then(|| DisciplineChoice { name: link.discipline.clone(), parameters: link.discipline_parameters.clone() }),
        losses: link.losses.iter().map(loss_spec).collect(),
        changes: ChangesSpec {
            rate_steps: link.rate_steps.iter().map(|step| RateStep { at_ns: ns(step.at_s), rate_bps: whole(step.rate_bps) }).collect(),
            outages: link.outages.iter().map(|outage| Outage { at_ns: ns(outage.at_s), length_ns: ns(outage.length_s) }).collect(),
            trace_ms: link.trace_ms.clone(),
            delay_steps: link.delay_steps.iter().map(|step| DelayStep { at_ns: ns(step.at_s), extra_ns: ns(step.extra_s) }).collect(),
            queue_steps: link.queue_steps.iter().map(queue_step).collect(),
        },
        disorder: DisorderSpec {
            late_probability: link.reorder_probability,
            late_ns: ns(link.reorder_s),
            double_probability: link.duplicate_probability,
        },
    }
}

fn queue_step(step: &model::QueueStep) -> QueueStep {
    let queue = size((step.queue_packets, step.queue_bytes, step.queue_s)).expect("a filled step has a size");
    QueueStep { at_ns: ns(step.at_s), queue }
}

fn size((packets, bytes, time_s): (Option<u64>, Option<u64>, Option<f64>)) -> Option<QueueSpec> {
    let of_bytes = bytes.map(|limit| QueueSpec { unit: QueueUnit::Bytes, limit });
    let of_time = time_s.map(|time_s| QueueSpec { unit: QueueUnit::Ns, limit: ns(time_s).max(1) });
    of_bytes.or(of_time).or(packets.map(|limit| QueueSpec { unit: QueueUnit::Packets, limit }))
}

fn loss_spec(given: &LossModel) -> LossSpec {
    let model = match given.kind.clone() {
        LossKind::GilbertElliott { to_bad, to_good, loss_bad, loss_good } => {
            LossModelSpec::GilbertElliott { to_bad, to_good, loss_bad, loss_good }
        }
        LossKind::Periodic { every, first } => LossModelSpec::Periodic { every, first: first.unwrap_or(every) },
        LossKind::Scripted { packets, flow } => LossModelSpec::Scripted { flow, packets },
        LossKind::Timed { interval_s, probability } => LossModelSpec::Timed { interval_ns: ns(interval_s), probability },
    };
    LossSpec { among: given.among, model }
}

fn arrival_spec(Arrivals { source, own }: &Arrivals, flows: Vec<FlowSpec>) -> ArrivalSpec {
    let Offered { load, per_second, sizes, mean_bytes, shape } = *own;
    ArrivalSpec {
        flows,
        offered: load.map_or(sim::Offered::PerSecond(per_second.unwrap_or(0.0)), sim::Offered::Load),
        sizes: law(sizes, mean_bytes, shape),
        max_bytes: source.max_bytes,
        start_ns: ns(source.start_s),
        stop_ns: source.stop_s.map(ns),
    }
}

fn session_spec(Sessions { source, own }: &Sessions, flows: Vec<FlowSpec>) -> SessionSpec {
    let scaled = |given: Law, scale: f64| law(given.law, given.mean * scale, given.shape);
    SessionSpec {
        flows,
        count: own.count,
        objects: scaled(own.objects, 1.0),
        connections: own.connections,
        sizes: scaled(own.size_bytes, 1.0),
        max_bytes: source.max_bytes,
        think: scaled(own.think_s, 1e9),
        start_ns: ns(source.start_s),
        stop_ns: source.stop_s.map(ns),
    }
}

fn udp_spec(source: &Udp) -> UdpSpec {
    let wave = source.amplitude_bps.zip(source.period_s);
    UdpSpec {
        rate_bps: whole(source.rate_bps),
        wave: wave.map(|(amplitude_bps, period_s)| WaveSpec { amplitude_bps: whole(amplitude_bps), period_ns: ns(period_s) }),
        packet_bytes: source.packet_bytes,
        start_ns: ns(source.start_s),
        stop_ns: source.stop_s.map(ns),
        direction: source.direction,
        hops: StretchSpec { enter: source.enter, leave: source.leave },
    }
}
