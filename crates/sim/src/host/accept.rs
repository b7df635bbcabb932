//! The one place where hosts are checked.

use units::{Rate, Stream, Time};

use super::{device, Cpu, CpuSpec, Machine, Meter, Side, Ticks};
use crate::accept::{refuse, seconds, RATE_MAX_BPS};
use crate::changes::check_outages;
use crate::error::SpecError;
use crate::path::access_delay;
use crate::spec::{FlowSpec, HostSpec, Spec};

/// Most that one piece of work costs.
const COST_MAX_NS: u64 = 1_000_000_000;
const QUEUE_MAX_PACKETS: u64 = 100_000_000;

/// Checks the hosts, and which flows are on them.
pub(crate) fn accept_hosts(spec: &Spec) -> Result<(), SpecError> {
    for (index, host) in spec.hosts.iter().enumerate() {
        let field = |name: &str| format!("hosts[{index}].{name}");
        let times = [("packet", host.packet_ns), ("ack", host.ack_ns), ("sack", host.sack_ns), ("ack_tick", host.ack_tick_ns)];
        for (name, ns) in times {
            if ns > COST_MAX_NS {
                return refuse(field(name), seconds(ns), "give at most 1 s");
            }
        }
        check_outages(&field("stalls"), &host.stalls, spec.duration_ns)?;
        let Some(device) = host.device else { continue };
        if !(1000..=RATE_MAX_BPS).contains(&device.rate_bps) {
            return refuse(field("device.rate"), device.rate_bps, "give 1 kbit/s to 1 Tbit/s");
        }
        if !(1..=QUEUE_MAX_PACKETS).contains(&device.queue_packets) {
            return refuse(field("device.queue"), device.queue_packets, "give 1 to 100000000 packets");
        }
    }
    accept_places(spec)
}

/// Checks which flows and kinds of transfers are on which hosts.
fn accept_places(spec: &Spec) -> Result<(), SpecError> {
    let mut rtts = vec![None; spec.hosts.len()];
    for (field, flow, is_transfer) in everybody(spec) {
        let Some(host) = flow.host else { continue };
        let Some(rtt) = rtts.get_mut(host as usize) else {
            return refuse(format!("{field}.host"), host, "give the number of a host, counted from 0");
        };
        if spec.hosts[host as usize].per_transfer {
            if is_transfer {
                continue;
            }
            return refuse(format!("{field}.host"), host, "give a host that is not of transfers");
        }
        if *rtt.get_or_insert(flow.rtt_ns) != flow.rtt_ns {
            return refuse(format!("{field}.rtt"), seconds(flow.rtt_ns), "flows on one host need one base RTT");
        }
    }
    Ok(())
}

/// Flows and kinds of transfers, with their names, and whether they are transfers.
fn everybody(spec: &Spec) -> impl Iterator<Item = (String, &FlowSpec, bool)> {
    let flows = spec.flows.iter().enumerate().map(|(index, flow)| (format!("flows[{index}]"), flow, false));
    let open = spec.arrivals.iter().map(|source| &source.flows).enumerate().map(|(index, kinds)| (format!("arrivals[{index}]"), kinds));
    let closed = spec.sessions.iter().map(|source| &source.flows).enumerate().map(|(index, kinds)| (format!("sessions[{index}]"), kinds));
    let kinds = open.chain(closed).flat_map(|(source, kinds)| {
        kinds.iter().enumerate().map(move |(index, kind)| (format!("{source}.flows[{index}]"), kind, true))
    });
    flows.chain(kinds)
}

impl HostSpec {
    fn has_cpu(&self) -> bool {
        self.packet_ns > 0 || self.ack_ns > 0 || self.sack_ns > 0 || !self.stalls.is_empty()
    }
}

/// The hosts of a run, idle.
pub(crate) fn machines(spec: &Spec) -> Vec<Machine> {
    let machine = |(index, host): (usize, &HostSpec)| {
        // Nothing is drawn from it: a host loses nothing at random.
        let idle = || Stream::named(spec.seed, &format!("host{index}"));
        let stalls = host.stalls.iter().map(|stall| (Time(stall.at_ns), Time(stall.at_ns + stall.length_ns))).collect();
        let cpu = CpuSpec { packet: Time(host.packet_ns), ack: Time(host.ack_ns), sack: Time(host.sack_ns), stalls };
        let interval = if host.per_transfer { Time::ZERO } else { Time(spec.sample_ns) };
        let meter = || Meter::new(interval, clock(spec, index));
        Machine {
            cpu: host.has_cpu().then(|| Cpu::new(cpu, idle()).metered(meter())),
            device: host.device.map(|given| device(Rate(given.rate_bps), given.queue_packets as u32, idle())),
        }
    };
    spec.hosts.iter().enumerate().map(machine).collect()
}

/// How far the flows' clocks run behind that of host number `index`.
pub(crate) fn clock(spec: &Spec, index: usize) -> Time {
    let found = everybody(spec).find(|(_, flow, _)| flow.host == Some(index as u32));
    found.map_or(Time::ZERO, |(_, flow, _)| access_delay(Time(flow.rtt_ns)))
}

/// A flow's part of its host; the flow's clock runs `access` behind the host's.
pub(crate) fn side(spec: &Spec, flow: &FlowSpec, access: Time) -> Option<Side> {
    let host = spec.hosts.get(flow.host? as usize)?;
    let ticks = Ticks::new(Time(host.ack_tick_ns), access);
    Some(Side::new(flow.host? as usize, (host.has_cpu(), host.device.is_some()), ticks))
}
