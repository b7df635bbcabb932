//! Hosts, checked.

use super::changes::check_outages;
use super::limits::{refuse, seconds, RATE_MAX_BPS};
use crate::error::SpecError;
use crate::spec::Spec;

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
    for (place, flow) in spec.everybody() {
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
