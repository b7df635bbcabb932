//! Hosts for random scenarios.

use serde_json::json;
use sim::{DeviceSpec, HostSpec, Outage, Spec};

use super::Dice;

/// The same scenario with hosts: one that all flows share, or one for each of most flows.
pub(super) fn add(dice: &mut Dice, mut spec: Spec) -> Spec {
    let is_shared = dice.one_in(2);
    for index in 0..spec.flows.len() {
        if is_shared {
            spec.flows[index].rtt_ns = spec.flows[0].rtt_ns;
            spec.flows[index].jitter_ns = spec.flows[0].jitter_ns;
        } else if dice.one_in(4) {
            continue;
        }
        let transport = &mut spec.flows[index].transport;
        if dice.one_in(4) {
            transport.insert("offload_segments".to_owned(), json!(dice.choose(&[2, 4, 45])));
        }
        if dice.one_in(4) {
            transport.insert("autotune".to_owned(), json!(true));
        }
        if dice.one_in(4) {
            transport.insert("timer_tick_s".to_owned(), json!(dice.choose(&[0.001, 0.004, 0.01])));
        }
        if dice.one_in(6) {
            transport.insert("recovery".to_owned(), json!("to-one"));
        }
        for name in ["min_rtt_error_s", "rtt_error_after_loss_s"] {
            if dice.one_in(6) {
                transport.insert(name.to_owned(), json!(dice.choose(&[1e-6, 0.001, 0.02, 0.3])));
            }
        }
        if spec.hosts.is_empty() || !is_shared {
            let host = host(dice, &spec);
            spec.hosts.push(host);
        }
        spec.flows[index].host = Some(spec.hosts.len() as u32 - 1);
    }
    spec
}

/// A host that is felt at the bottleneck's rate, one way or several.
fn host(dice: &mut Dice, spec: &Spec) -> HostSpec {
    let service_ns = 12_000_000_000_000 / spec.forward.rate_bps;
    let cost = |dice: &mut Dice| if dice.one_in(2) { dice.log_between(1, 3 * service_ns) } else { 0 };
    let device = dice.one_in(2).then(|| DeviceSpec {
        rate_bps: (spec.forward.rate_bps as f64 * (0.5 + 3.0 * dice.0.unit())) as u64,
        queue_packets: dice.log_between(1, 200),
    });
    let mut stalls = Vec::new();
    let mut at_ns = 0;
    while dice.one_in(2) {
        at_ns += dice.log_between(1, spec.duration_ns / 3);
        let length_ns = dice.log_between(1, spec.duration_ns / 10);
        stalls.push(Outage { at_ns, length_ns });
        at_ns += length_ns;
    }
    HostSpec {
        packet_ns: cost(dice),
        ack_ns: cost(dice),
        sack_ns: cost(dice) / 100,
        stalls,
        device,
        ack_tick_ns: if dice.one_in(3) { dice.log_between(1, 10_000_000) } else { 0 },
        per_transfer: false,
    }
}

/// The same scenario with hosts of its transfers: one that all of a source share with the flows of one RTT, or one for each.
pub(super) fn add_to_transfers(dice: &mut Dice, mut spec: Spec) -> Spec {
    for source in 0..spec.arrivals.len() + spec.sessions.len() {
        if dice.one_in(4) {
            continue;
        }
        let host = HostSpec { per_transfer: dice.one_in(2), ..host(dice, &spec) };
        let number = Some(spec.hosts.len() as u32);
        let arrivals = spec.arrivals.len();
        let kinds = if source < arrivals { &mut spec.arrivals[source].flows } else { &mut spec.sessions[source - arrivals].flows };
        let rtt_ns = kinds[0].rtt_ns;
        for kind in kinds {
            kind.host = number;
            if !host.per_transfer {
                kind.rtt_ns = rtt_ns;
                kind.jitter_ns = kind.jitter_ns.min(rtt_ns);
            }
        }
        if let Some(flow) = spec.flows.iter_mut().find(|flow| !host.per_transfer && flow.host.is_none() && flow.jitter_ns <= rtt_ns) {
            (flow.host, flow.rtt_ns) = (number, rtt_ns);
        }
        spec.hosts.push(host);
    }
    spec
}
