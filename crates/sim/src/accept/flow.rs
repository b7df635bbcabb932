//! A flow, checked.

use std::fmt::Display;

use cc::{CongestionControl, Controller, Guests};
use endpoint::{Opens, Stacks};
use net::Limit;
use serde_json::Value;
use tcp::{Buffer, Options, Receiver, ReceiverSpec, SenderSpec};
use units::{Duration, Stream};

use super::changes::Most;
use super::hops::{accept_base_rtt, accept_stretch};
use super::link::AcceptedLink;
use super::options::override_option;
use super::receive::{accept_receive, buffer};
use super::refusal::{refuse, seconds};
use super::requests::accept_requests;
use super::writes::accept_writes;
use crate::error::SpecError;
use crate::limits::{RTT_S, STREAM_COUNT, TURN_S};
use crate::records::SAID;
use crate::spec::{Direction, FlowSpec, Spec, WritesSpec};

/// A receiver's window without a cap, segments: some at least, and no more than a TCP header can say (RFC 7323 2.3).
const WINDOW_LEAST: f64 = 64.0;
const WINDOW_MOST: f64 = (1_u64 << 29) as f64 / 1448.0;

/// The law that stands in the place of a whole stack's flow.
const IDLE: &str = "reno";

/// QUIC's smallest path: 1200 bytes of UDP payload (RFC 9000 14.1), with the headers.
const LEAST_PACKET: u32 = 1228;

/// The stack that is no program: what arrives is handed to a kernel's device.
const KERNEL: &str = "linux";

/// What a flow is checked against.
#[derive(Clone, Copy)]
pub(crate) struct Run<'a> {
    pub(crate) spec: &'a Spec,
    pub(crate) guests: &'a Guests,
    pub(crate) stacks: &'a Stacks,
}

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
    /// Names of the algorithm's variables.
    pub variables: &'static [&'static str],
    /// The flow as given.
    pub spec: &'a FlowSpec,
    /// The laws from outside that its name may mean.
    pub(crate) guests: &'a Guests,
    /// The stack whose own program it is; none for the simulator's TCP.
    pub stack: Option<&'a dyn Opens>,
}

impl AcceptedFlow<'_> {
    /// The flow's receiver, at its start.
    pub fn receiver(&self) -> Receiver {
        let SenderSpec { options, mss, .. } = &self.sender;
        let spec = ReceiverSpec::new(options, Duration(self.spec.rtt_ns));
        let mut receiver = Receiver::new(spec.with_window(options, self.receives.saturating_mul(u64::from(*mss)), *mss));
        // Where the side that opens has data to send at once, that or its SYN comes again as soon.
        if self.spec.requests.is_some() {
            receiver.answer_by_timer();
        }
        match buffer(self.spec, options) {
            None => receiver,
            Some(buffer) => receiver.with_buffer(buffer),
        }
    }

    /// The algorithm of flow number `index`, at its start. Built when wanted: with very many flows a second copy of each would show.
    pub fn control(&self, index: usize, seed: u64) -> Controller {
        let FlowSpec { algorithm, profile, parameters, slow_start, .. } = self.spec;
        let (algorithm, variant) = if self.stack.is_some() { (IDLE, None) } else { (algorithm.as_str(), Some(self.variant)) };
        let built = cc::build_with(self.guests, algorithm, variant, profile, parameters);
        let built = match slow_start {
            None => built,
            Some(name) => built.and_then(|built| built.with_slow_start(name)),
        };
        let mut control = built.expect("built once before").algorithm;
        control.on_seated(index);
        if control.may_draw() {
            control.on_seeded(Stream::named(seed, format_args!("flow{index}/algorithm")));
        }
        control
    }
}

/// Each queue on a flow's way holds one of its packets.
pub(crate) fn accept_packet(path: impl Display, flow: &FlowSpec, links: &[AcceptedLink], run: &Spec) -> Result<(), SpecError> {
    let (first, last) = match flow.direction {
        Direction::Forward => flow.hops.links(run),
        Direction::Reverse => (run.hops.len() + 1, run.hops.len() + 1),
    };
    for link in &links[first..=last] {
        for limit in link.limits() {
            let Limit::Bytes(limit) = limit else { continue };
            if limit < u64::from(flow.packet_bytes) {
                return refuse(format!("{path}.packet"), flow.packet_bytes, format!("give at most the queue's {limit} bytes"));
            }
        }
    }
    Ok(())
}

/// A receiver's window that never limits, segments: four times what the flow's path holds. Twice that is sent by the time a first
/// loss is repaired, and as much again while a retransmission is lost.
pub(super) fn ample_window<'a>(crossed: impl Iterator<Item = (&'a AcceptedLink, &'a Most)>, flow: &FlowSpec) -> u64 {
    let packet_bits = f64::from(flow.packet_bytes) * 8.0;
    let held = |(link, most): (&AcceptedLink, &Most)| {
        let sizes = link.limits().map(|limit| match limit {
            Limit::Packets(packets) => f64::from(packets),
            Limit::Bytes(bytes) => bytes as f64 * 8.0 / packet_bits,
            Limit::Delay(delay) => delay.as_secs_f64() * most.rate_bps / packet_bits,
        });
        let queue = sizes.fold(0.0, f64::max);
        queue + most.rate_bps * Duration(flow.rtt_ns + most.extra_ns).as_secs_f64() / packet_bits
    };
    (4.0 * crossed.map(held).sum::<f64>()).clamp(WINDOW_LEAST, WINDOW_MOST) as u64
}

/// Segments that a law from outside may have under way, whatever window it sets: what it can do at one instant ends. A window of TCP has
/// 2^30 bytes at most (RFC 7323 2.3), some 740,000 full segments.
pub(crate) const GUEST_WINDOW: u64 = 1 << 22;

pub(crate) fn accept_flow<'a>(index: usize, flow: &'a FlowSpec, run: &Run<'a>) -> Result<AcceptedFlow<'a>, SpecError> {
    let &Run { spec, guests, .. } = run;
    let field = |name: &str| format!("flows[{index}].{name}");
    if !RTT_S.holds_ns(flow.rtt_ns) {
        return refuse(field("rtt"), seconds(flow.rtt_ns), format!("give {RTT_S}"));
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
    // People give the MTU of a link (`MTU_BYTES`), but what IP carries is a packet too.
    if !(1..=65_000).contains(&flow.mss_bytes) || flow.packet_bytes < flow.mss_bytes || flow.packet_bytes > 65_535 {
        return refuse(field("mss"), flow.mss_bytes, "give 1 to 65000 bytes of payload, and packets no smaller than that");
    }
    if flow.direction == Direction::Reverse && spec.reverse.is_none() {
        return refuse(field("direction"), "reverse", "a reverse flow needs a reverse link");
    }
    accept_stretch(format_args!("flows[{index}]"), flow.hops, spec)?;
    accept_base_rtt(format_args!("flows[{index}]"), flow.rtt_ns, flow.hops.between_ns(spec))?;
    if let Some(writes) = &flow.writes {
        accept_writes(index, writes)?;
    }
    if let Some(requests) = &flow.requests {
        accept_requests(index, requests, flow)?;
    }
    if let Some(receive) = &flow.receive {
        accept_receive(index, receive, flow)?;
    }
    let Some(mut options) = Options::of_profile(&flow.profile) else {
        return refuse(field("profile"), &flow.profile, format!("choose one of {}", Options::PROFILES.join(", ")));
    };
    for (name, value) in &flow.transport {
        override_option(&mut options, name, value).map_err(|allowed| SpecError { field: field(name), value: show(value), allowed })?;
    }
    if let Some(name) = &flow.stack {
        return accept_stack(index, flow, name, (options, run));
    }
    if let Some(streams) = flow.streams {
        return refuse(
            field("streams"),
            streams,
            "leave it out: TCP has one stream; give stack=NAME as well, or the connections of an application as flows",
        );
    }
    if flow.turn_ns != 0 {
        return refuse(
            field("turn"),
            seconds(flow.turn_ns),
            "leave it out, or give stack=NAME as well: the simulator's TCP is no program that reads",
        );
    }
    let built = cc::build_with(guests, &flow.algorithm, flow.variant.as_deref(), &flow.profile, &flow.parameters);
    let mut built =
        built.map_err(|error| SpecError { field: field("algorithm"), value: flow.algorithm.clone(), allowed: error.to_string() })?;
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
    let widest = if guests.of_name(&flow.algorithm).is_some() { GUEST_WINDOW } else { u64::MAX };
    let offered = buffer(flow, &options).map(|buffer| Buffer::new(buffer).window());
    let window = offered.or(flow.window_packets).unwrap_or(widest);
    let sender = SenderSpec { options, mss: flow.mss_bytes, segments, window, device };
    let receives = sender.window;
    let variables = built.algorithm.variable_names();
    Ok(AcceptedFlow { algorithm: built.name, variant: built.variant, sender, receives, variables, spec: flow, guests, stack: None })
}

/// A flow that is a whole stack's: what only the simulator's TCP has, it must not ask for. Its place among the flows is that of an idle Reno.
fn accept_stack<'a>(
    index: usize,
    flow: &'a FlowSpec,
    name: &str,
    (options, run): (Options, &Run<'a>),
) -> Result<AcceptedFlow<'a>, SpecError> {
    let field = |name: &str| format!("flows[{index}].{name}");
    let Some(stack) = run.stacks.get(name) else {
        let built = run.stacks.names();
        let allowed = if built.is_empty() { "no stack is built".into() } else { format!("these are built: {built}") };
        return refuse(field("stack"), name, allowed);
    };
    let Some(algorithm) = stack.algorithms().iter().find(|known| known.own == flow.algorithm) else {
        let own: Vec<_> = stack.algorithms().iter().map(|known| known.own).collect();
        return refuse(field("algorithm"), &flow.algorithm, format!("{name} has {}", own.join(", ")));
    };
    let own = [
        ("variant", flow.variant.is_some()),
        ("parameters", !flow.parameters.is_empty()),
        ("slow_start", flow.slow_start.is_some()),
        ("transport", !flow.transport.is_empty()),
        ("window", flow.window_packets.is_some() || flow.window_bytes.is_some()),
        ("host", flow.host.is_some()),
        ("requests", flow.requests.is_some()),
        ("video", matches!(flow.writes, Some(WritesSpec::Video { .. }))),
    ];
    if let Some((own, _)) = own.into_iter().find(|&(_, is_given)| is_given) {
        return refuse(field(own), name, format!("leave it out: it is of the simulator's TCP, and {name} has a stack of its own"));
    }
    if let Some(streams) = flow.streams.filter(|&streams| !STREAM_COUNT.holds(streams.into())) {
        return refuse(field("streams"), streams, format!("give {STREAM_COUNT}"));
    }
    if !TURN_S.holds_ns(flow.turn_ns) {
        return refuse(field("turn"), seconds(flow.turn_ns), format!("give {TURN_S}"));
    }
    if flow.turn_ns != 0 && name.split(':').next() == Some(KERNEL) {
        return refuse(
            field("turn"),
            seconds(flow.turn_ns),
            format!("leave it out: {KERNEL} is a kernel, which takes each packet from its device"),
        );
    }
    if flow.bytes.is_some() && matches!(flow.writes, Some(WritesSpec::OnOff { .. })) {
        return refuse(field("bytes"), name, "leave it out: an application that writes as fast as it can in turns has no end here");
    }
    if flow.packet_bytes < LEAST_PACKET {
        return refuse(
            field("packet"),
            flow.packet_bytes,
            format!("give at least {LEAST_PACKET} bytes: QUIC pads its first datagrams to 1200"),
        );
    }
    let sender = SenderSpec { options, mss: flow.mss_bytes, segments: u64::MAX, window: u64::MAX, device: false };
    let receives = sender.window;
    Ok(AcceptedFlow {
        algorithm: algorithm.shown,
        variant: stack.known_as(),
        sender,
        receives,
        variables: SAID,
        spec: flow,
        guests: run.guests,
        stack: Some(stack),
    })
}

fn show(value: &Value) -> String {
    value.as_str().map_or_else(|| value.to_string(), str::to_owned)
}
