//! Hosts of senders: which one a flow has, and what the engine takes for it.

use std::collections::BTreeMap;

use sim::{DeviceSpec, HostSpec, Outage};

use crate::model::{Flow, Host, Scenario, Source};
use crate::rounding::{ns, whole};
use crate::text::shown;
use crate::ScenarioError;

/// Linux's default `txqueuelen`.
const DEVICE_QUEUE_PACKETS: u64 = 1000;

/// A flow's host, or that of a source's transfers: its own over the scenario's, a copy of the scenario's if that is not shared.
pub(crate) fn of_flow(own: Option<&Host>, scenario: &Scenario, path: &str) -> Result<Option<Host>, ScenarioError> {
    match (own, &scenario.host) {
        (None, common) => Ok(common.clone().filter(|host| !host.is_shared())),
        (Some(own), None) => Ok(Some(own.clone())),
        (Some(own), Some(common)) => checked(own.over(common), path).map(Some),
    }
}

/// What one of two hosts gives may not go with what the other does.
fn checked(host: Host, path: &str) -> Result<Host, ScenarioError> {
    let refuse = |name: &str, problem: String| Err(ScenarioError { field: format!("{path}.host.{name}"), problem });
    if let (Some(packets), None) = (host.txqueuelen.flatten(), host.nic_bps.flatten()) {
        return refuse("txqueuelen", format!("{packets} packets wait for no device; allowed: with nic only"));
    }
    match host.cpu_hz.flatten() {
        Some(hertz) if !host.has_cpu() => {
            let allowed = "allowed: with cpu_pps, cpu_packet, cpu_ack or cpu_sack";
            refuse("cpu_hz", format!("{} Hz of a processor that costs nothing; {allowed}", shown(hertz)))
        }
        _ => Ok(host),
    }
}

/// Whose host it is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Owner {
    /// That of all flows without one of their own.
    All,
    Flow(usize),
    /// The connections of one application are on one host.
    Application(u32),
    Source(usize),
}

/// Hosts, numbered in the order in which flows and sources first name them.
#[derive(Default)]
pub(crate) struct Hosts {
    numbers: BTreeMap<Owner, u32>,
    /// As the engine takes them.
    pub(crate) specs: Vec<HostSpec>,
}

impl Hosts {
    /// The number of the host of flow number `index`.
    pub(crate) fn of_flow(&mut self, flow: &Flow, index: usize, common: Option<&Host>) -> Option<u32> {
        let owner = flow.application.map_or(Owner::Flow(index), Owner::Application);
        match &flow.host {
            Some(own) => Some(self.number(owner, || spec(own))),
            None => common.map(|host| self.number(Owner::All, || spec(host))),
        }
    }

    /// The number of what the hosts of a source's transfers are like; sources count through arrivals and sessions.
    pub(crate) fn of_source(&mut self, source: &Source, index: usize, common: Option<&Host>) -> Option<u32> {
        match &source.host {
            Some(own) => Some(self.number(Owner::Source(index), || HostSpec { per_transfer: true, ..spec(own) })),
            None => common.map(|host| self.number(Owner::All, || spec(host))),
        }
    }

    fn number(&mut self, owner: Owner, make: impl FnOnce() -> HostSpec) -> u32 {
        *self.numbers.entry(owner).or_insert_with(|| {
            self.specs.push(make());
            self.specs.len() as u32 - 1
        })
    }
}

fn spec(host: &Host) -> HostSpec {
    let stalls = host.stalls.iter().flatten().map(|stall| Outage { at_ns: ns(stall.at_s), length_ns: ns(stall.length_s) });
    HostSpec {
        packet_ns: ns(host.cpu_pps.flatten().map_or(host.cpu_packet_s.unwrap_or(0.0), |pps| 1.0 / pps)),
        ack_ns: ns(host.cpu_ack_s.unwrap_or(0.0)),
        sack_ns: ns(host.cpu_sack_s.unwrap_or(0.0)),
        stalls: stalls.collect(),
        device: host.nic_bps.flatten().map(|rate_bps| DeviceSpec {
            rate_bps: whole(rate_bps),
            queue_packets: host.txqueuelen.flatten().unwrap_or(DEVICE_QUEUE_PACKETS),
        }),
        ack_tick_ns: ns(host.ack_tick_s.unwrap_or(0.0)),
        per_transfer: false,
    }
}
