//! The hosts of a run, built.

use units::{Duration, Rate, Stream, Time};

use super::cpu::{Cpu, CpuSpec};
use super::device::device;
use super::machine::Machine;
use super::meter::Meter;
use super::side::{Equipment, Side};
use super::ticks::Ticks;
use crate::spec::{access_delay, FlowSpec, HostSpec, Spec};

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
        let idle = || Stream::named(spec.seed, format_args!("host{index}"));
        let stalls = host.stalls.iter().map(|stall| Time(stall.at_ns)..Time(stall.at_ns) + Duration(stall.length_ns)).collect();
        let cpu = CpuSpec { packet: Duration(host.packet_ns), ack: Duration(host.ack_ns), sack: Duration(host.sack_ns), stalls };
        let interval = if host.per_transfer { Duration::ZERO } else { Duration(spec.sample_ns) };
        let meter = || Meter::new(interval, clocks[index]);
        Machine {
            cpu: host.has_cpu().then(|| Cpu::new(cpu).metered(meter())),
            device: host.device.map(|given| device(Rate(given.rate_bps), given.queue_packets as u32, idle())),
        }
    };
    spec.hosts.iter().enumerate().map(machine).collect()
}

/// How far the flows' clocks run behind that of each host.
pub(crate) fn clocks(spec: &Spec) -> Vec<Duration> {
    let mut clocks = vec![Duration::ZERO; spec.hosts.len()];
    for (host, flow) in spec.everybody().filter_map(|(_, flow)| Some((flow.host?, flow))) {
        clocks[host as usize] = access_delay(Duration(flow.rtt_ns));
    }
    clocks
}

/// A flow's part of its host; the flow's clock runs `access` behind the host's.
pub(crate) fn side(spec: &Spec, flow: &FlowSpec, access: Duration) -> Option<Side> {
    let host = spec.hosts.get(flow.host? as usize)?;
    let ticks = Ticks::new(Duration(host.ack_tick_ns), access);
    Some(Side::new(flow.host? as usize, Equipment { cpu: host.has_cpu(), device: host.device.is_some() }, ticks))
}
