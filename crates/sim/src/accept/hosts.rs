//! Hosts, checked.

use super::changes::check_outages;
use super::refusal::{refuse, seconds};
use crate::error::SpecError;
use crate::limits::{COST_S, QUEUE_PACKETS, RATE_BPS};
use crate::spec::Spec;

/// Checks the hosts, and which flows are on them.
pub(crate) fn accept_hosts(spec: &Spec) -> Result<(), SpecError> {
    for (index, host) in spec.hosts.iter().enumerate() {
        let field = |name: &str| format!("hosts[{index}].{name}");
        let times = [("packet", host.packet_ns), ("ack", host.ack_ns), ("sack", host.sack_ns), ("ack_tick", host.ack_tick_ns)];
        for (name, ns) in times {
            if !COST_S.holds_ns(ns) {
                return refuse(field(name), seconds(ns), format!("give {COST_S}"));
            }
        }
        check_outages(&field("stalls"), &host.stalls, spec.duration_ns)?;
        let Some(device) = host.device else { continue };
        if !RATE_BPS.holds(device.rate_bps as f64) {
            return refuse(field("device.rate"), device.rate_bps, format!("give {RATE_BPS}"));
        }
        if !QUEUE_PACKETS.holds(device.queue_packets as f64) {
            return refuse(field("device.queue"), device.queue_packets, format!("give {QUEUE_PACKETS}"));
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
