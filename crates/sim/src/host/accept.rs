//! The one place where hosts are checked.

use std::fmt;

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
    for (place, flow) in everybody(spec) {
        let Some(host) = flow.host else { continue };
        let Some(rtt) = rtts.get_mut(host as usize) else {
            return refuse(format!("{place}.host"), host, "give the number of a host, counted from 0");
        };
        if spec.hosts[host as usize].per_transfer {
            if place.source.is_some() {
                continue;
            }
            return refuse(format!("{place}.host"), host, "give a host that is not of transfers");
        }
        if *rtt.get_or_insert(flow.rtt_ns) != flow.rtt_ns {
            return refuse(format!("{place}.rtt"), seconds(flow.rtt_ns), "flows on one host need one base RTT");
        }
    }
    Ok(())
}

/// Where a scenario names a flow or, in a source, a kind of transfers.
#[derive(Clone, Copy)]
struct Place {
    source: Option<(&'static str, usize)>,
    index: usize,
}

impl fmt::Display for Place {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if let Some((name, number)) = self.source {
            write!(f, "{name}[{number}].")?;
        }
        write!(f, "flows[{}]", self.index)
    }
}

/// Flows and kinds of transfers.
fn everybody(spec: &Spec) -> impl Iterator<Item = (Place, &FlowSpec)> {
    let open = spec.arrivals.iter().enumerate().map(|(number, source)| (Some(("arrivals", number)), &source.flows));
    let closed = spec.sessions.iter().enumerate().map(|(number, source)| (Some(("sessions", number)), &source.flows));
    let lists = std::iter::once((None, &spec.flows)).chain(open).chain(closed);
    lists.flat_map(|(source, flows)| flows.iter().enumerate().map(move |(index, flow)| (Place { source, index }, flow)))
}

impl HostSpec {
    fn has_cpu(&self) -> bool {
        self.packet_ns > 0 || self.ack_ns > 0 || self.sack_ns > 0 || !self.stalls.is_empty()
    }
}

/// The hosts of a run, idle.
pub(crate) fn machines(spec: &Spec) -> Vec<Machine> {
    let clocks = clocks(spec);
    let machine = |(index, host): (usize, &HostSpec)| {
        // Nothing is drawn from it: a host loses nothing at random.
        let idle = || Stream::named(spec.seed, &format!("host{index}"));
        let stalls = host.stalls.iter().map(|stall| (Time(stall.at_ns), Time(stall.at_ns + stall.length_ns))).collect();
        let cpu = CpuSpec { packet: Time(host.packet_ns), ack: Time(host.ack_ns), sack: Time(host.sack_ns), stalls };
        let interval = if host.per_transfer { Time::ZERO } else { Time(spec.sample_ns) };
        let meter = || Meter::new(interval, clocks[index]);
        Machine {
            cpu: host.has_cpu().then(|| Cpu::new(cpu, idle()).metered(meter())),
            device: host.device.map(|given| device(Rate(given.rate_bps), given.queue_packets as u32, idle())),
        }
    };
    spec.hosts.iter().enumerate().map(machine).collect()
}

/// How far the flows' clocks run behind that of each host.
pub(crate) fn clocks(spec: &Spec) -> Vec<Time> {
    let mut clocks = vec![Time::ZERO; spec.hosts.len()];
    for (host, flow) in everybody(spec).filter_map(|(_, flow)| Some((flow.host?, flow))) {
        clocks[host as usize] = access_delay(Time(flow.rtt_ns));
    }
    clocks
}

/// A flow's part of its host; the flow's clock runs `access` behind the host's.
pub(crate) fn side(spec: &Spec, flow: &FlowSpec, access: Time) -> Option<Side> {
    let host = spec.hosts.get(flow.host? as usize)?;
    let ticks = Ticks::new(Time(host.ack_tick_ns), access);
    Some(Side::new(flow.host? as usize, (host.has_cpu(), host.device.is_some()), ticks))
}
