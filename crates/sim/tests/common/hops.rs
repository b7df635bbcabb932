//! Random parking lots: other scenarios with further hops, drawn apart from the rest.

use sim::{ChangesSpec, DisorderSpec, HopSpec, LinkSpec, QueueSpec, QueueUnit, Spec, StretchSpec};
use units::Stream;

use super::{changes, hosts, link, losses, mark, scenario, scenario_with_discipline, with_discipline, Dice, PACKET_BITS, SEED};

/// Scenario number `index` with one to four more hops. A third of them are drop-tail throughout, in the others any link may be anything.
#[allow(dead_code)]
pub fn scenario_with_hops(index: u64) -> Spec {
    let mut dice = Dice(Stream::named(SEED, &format!("hops{index}")));
    let plain = if index % 3 == 0 { scenario(index) } else { scenario_with_discipline(index) };
    let mut spec = in_order(plain);
    // Room for the delays in the smallest base RTT.
    let mut room = spec.flows.iter().map(|flow| flow.rtt_ns / 4).min().unwrap_or(0);
    for _ in 0..dice.between(1, 4) {
        let delay_ns = if dice.one_in(4) { 0 } else { dice.between(0, room) };
        room -= delay_ns;
        spec.hops.push(HopSpec { delay_ns, link: hop(&mut dice, &spec, index) });
    }
    let hops = 1 + spec.hops.len() as u64;
    let stretches = spec.flows.iter_mut().map(|flow| &mut flow.hops).chain(spec.traffic.iter_mut().map(|source| &mut source.hops));
    for stretch in stretches {
        if dice.one_in(3) {
            continue;
        }
        let enter = dice.between(1, hops);
        *stretch = StretchSpec { enter: Some(enter as u32), leave: Some(dice.between(enter, hops) as u32) };
    }
    spec
}

/// Scenario number `index` of that kind with hosts that are felt.
#[allow(dead_code)]
pub fn scenario_with_hops_and_hosts(index: u64) -> Spec {
    let mut dice = Dice(Stream::named(SEED, &format!("hosts before hops{index}")));
    hosts::add(&mut dice, scenario_with_hops(index))
}

/// A link of the bottleneck's rate or another, now and then with losses, changes, a step of marks or a discipline.
fn hop(dice: &mut Dice, spec: &Spec, index: u64) -> LinkSpec {
    let rate_bps =
        if dice.one_in(2) { spec.forward.rate_bps } else { dice.log_between(spec.forward.rate_bps / 2, spec.forward.rate_bps * 2) };
    let rate_bps = rate_bps.max(1_000_000);
    let rtt_ns = spec.flows[0].rtt_ns;
    let bdp = ((rate_bps as f64 * rtt_ns as f64 / 1e9) as u64 / PACKET_BITS).max(2);
    let mut hop = link(dice, rate_bps, bdp);
    if dice.one_in(3) {
        hop.losses = losses::losses(dice, spec.flows.len() as u64, spec.duration_ns);
    }
    if dice.one_in(3) {
        hop.changes = changes::changes(dice, rate_bps, spec.duration_ns);
    }
    match dice.between(0, 2) {
        0 if index % 3 != 0 => hop = with_discipline(dice, hop),
        1 => {
            // The flows' ECN stays as it was.
            hop = mark(index, hop, None, &mut []).0;
        }
        _ => {}
    }
    counted(hop)
}

/// A limit in time is refused where the rate changes.
fn counted(link: LinkSpec) -> LinkSpec {
    let is_constant = link.changes == ChangesSpec::default();
    let size = |size: QueueSpec| match size {
        QueueSpec { unit: QueueUnit::Ns, limit } if !is_constant => QueueSpec { unit: QueueUnit::Packets, limit: (limit / 100_000).max(1) },
        size => size,
    };
    LinkSpec { queue: size(link.queue), mark: link.mark.map(size), disorder: DisorderSpec::default(), ..link }
}

/// The scenario as far as several hops can run it.
fn in_order(spec: Spec) -> Spec {
    Spec { forward: counted(spec.forward), ..spec }
}

/// A scenario of drop-tail links, as far as several hops can run it, and the same with a second hop that nobody reaches.
#[allow(dead_code)]
pub fn with_a_hop_that_nobody_crosses(index: u64) -> (Spec, Spec) {
    let plain = in_order(scenario(index));
    let mut late = plain.clone();
    late.hops = vec![HopSpec { delay_ns: 1, link: plain.forward.clone() }];
    let first = StretchSpec { enter: None, leave: Some(1) };
    late.flows.iter_mut().for_each(|flow| flow.hops = first);
    late.traffic.iter_mut().for_each(|source| source.hops = first);
    (plain, late)
}
