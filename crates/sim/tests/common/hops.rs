//! Random parking lots: other scenarios with further hops, drawn apart from the rest.

use sim::{ChangesSpec, HopSpec, LinkSpec, LossModelSpec, QueueSpec, QueueUnit, Spec, StretchSpec};
use units::Stream;

use super::{
    changes, disorder, hosts, link, losses, mark, scenario, scenario_with_arrivals, scenario_with_discipline, with_discipline, Dice,
    PACKET_BITS, SEED,
};

/// Scenario number `index` with one to four more hops. A third of them are drop-tail throughout, in the others any link may be anything.
#[allow(dead_code)]
pub fn scenario_with_hops(index: u64) -> Spec {
    let mut dice = Dice(Stream::named(SEED, format_args!("hops{index}")));
    let plain = if index % 3 == 0 { scenario(index) } else { scenario_with_discipline(index) };
    add(&mut dice, plain, index)
}

/// The scenario with further hops, as far as several can run it; parties cross some of them or all.
fn add(dice: &mut Dice, plain: Spec, index: u64) -> Spec {
    let mut spec = in_order(plain);
    // Room for the delays in the smallest base RTT.
    let mut room = rtts(&spec).into_iter().min().unwrap_or(0) / 4;
    for _ in 0..dice.between(1, 4) {
        let delay_ns = if dice.one_in(4) { 0 } else { dice.between(0, room) };
        room -= delay_ns;
        let hop = HopSpec { delay_ns, link: hop(dice, &spec, index) };
        spec.hops.push(hop);
    }
    let hops = 1 + spec.hops.len() as u64;
    let mut stretch = || {
        if dice.one_in(3) {
            return StretchSpec::default();
        }
        let enter = dice.between(1, hops);
        StretchSpec { enter: Some(enter as u32), leave: Some(dice.between(enter, hops) as u32) }
    };
    spec.flows.iter_mut().for_each(|flow| flow.hops = stretch());
    spec.traffic.iter_mut().for_each(|source| source.hops = stretch());
    let open = spec.arrivals.iter_mut().map(|source| &mut source.flows);
    for kinds in open.chain(spec.sessions.iter_mut().map(|source| &mut source.flows)) {
        let hops = stretch();
        kinds.iter_mut().for_each(|kind| kind.hops = hops);
    }
    spec
}

/// Base RTTs of flows, then of transfers.
fn rtts(spec: &Spec) -> Vec<u64> {
    let open = spec.arrivals.iter().flat_map(|source| &source.flows);
    let transfers = open.chain(spec.sessions.iter().flat_map(|source| &source.flows));
    spec.flows.iter().map(|flow| flow.rtt_ns).chain(transfers.map(|flow| flow.rtt_ns)).collect()
}

/// Scenario number `index` of that kind with hosts that are felt.
#[allow(dead_code)]
pub fn scenario_with_hops_and_hosts(index: u64) -> Spec {
    let mut dice = Dice(Stream::named(SEED, format_args!("hosts before hops{index}")));
    hosts::add(&mut dice, scenario_with_hops(index))
}

/// Scenario number `index` with further hops and transfers that come and go at any of them, for half with hosts.
#[allow(dead_code)]
pub fn scenario_with_hops_and_arrivals(index: u64) -> Spec {
    let mut dice = Dice(Stream::named(SEED, format_args!("arrivals at hops{index}")));
    let spec = add(&mut dice, scenario_with_arrivals(index), index);
    if dice.one_in(2) {
        return spec;
    }
    hosts::add_to_transfers(&mut dice, spec)
}

/// A link of the bottleneck's rate or another, now and then with losses, changes, a step of marks or a discipline.
fn hop(dice: &mut Dice, spec: &Spec, index: u64) -> LinkSpec {
    let rate_bps =
        if dice.one_in(2) { spec.forward.rate_bps } else { dice.log_between(spec.forward.rate_bps / 2, spec.forward.rate_bps * 2) };
    let rate_bps = rate_bps.max(1_000_000);
    let rtt_ns = rtts(spec)[0];
    let bdp = ((rate_bps as f64 * rtt_ns as f64 / 1e9) as u64 / PACKET_BITS).max(2);
    let mut hop = link(dice, rate_bps, bdp);
    if dice.one_in(3) {
        hop.losses = losses::losses(dice, spec.flows.len().max(1) as u64, spec.duration_ns);
        if spec.flows.is_empty() {
            hop.losses.retain(|loss| !matches!(loss.model, LossModelSpec::Scripted { .. }));
        }
    }
    if dice.one_in(3) {
        hop.changes = changes::changes(dice, rate_bps, spec.duration_ns);
    }
    if dice.one_in(4) {
        hop.disorder = disorder(dice, spec.duration_ns);
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

/// A limit in time becomes one in packets where a link with a discipline changes: it is refused where the rate changes.
fn counted(link: LinkSpec) -> LinkSpec {
    let is_constant = link.changes == ChangesSpec::default() || link.discipline.is_none();
    let size = |size: QueueSpec| match size {
        QueueSpec { unit: QueueUnit::Ns, limit } if !is_constant => QueueSpec { unit: QueueUnit::Packets, limit: (limit / 100_000).max(1) },
        size => size,
    };
    LinkSpec { queue: size(link.queue), mark: link.mark.map(size), ..link }
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
