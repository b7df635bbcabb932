//! Random sources of transfers.

use sim::{ArrivalSpec, Direction, FlowSpec, Law, Offered, SessionSpec, Spec};
use units::Stream;

use super::{flow, Dice, Rtts, PACKET_BITS, SEED};

/// More in a scenario show nothing new, and may all be alive at once: the textbook looks through them for each that begins.
const TRANSFERS_MAX: f64 = 10_000.0;

/// Scenario number `index` of another kind, and sources: with few long flows or none, and queues that decide late in a third.
pub fn scenario_with_arrivals(index: u64) -> Spec {
    let mut dice = Dice(Stream::named(SEED, format_args!("arrivals{index}")));
    let mut spec = if dice.one_in(3) { super::scenario_with_discipline(index) } else { super::scenario(index) };
    let few = dice.choose(&[0, 1, 3]);
    spec.flows.truncate(few);
    for link in [Some(&mut spec.forward), spec.reverse.as_mut()].into_iter().flatten() {
        // Numbers of flows that are gone.
        link.losses.retain(|loss| !matches!(loss.model, sim::LossModelSpec::Scripted { .. }));
    }
    let service_ns = PACKET_BITS * 1000 / (spec.forward.rate_bps / 1_000_000);
    let rtts = Rtts::new(&mut dice, service_ns, (spec.duration_ns / 20).clamp(10_000, 400_000_000));
    let jitter = if dice.one_in(3) { dice.log_between(1_000, 2_000_000) } else { 0 };
    let count = dice.between(1, 3);
    spec.arrivals = (0..count).map(|_| source(&mut dice, &spec, &rtts, jitter)).collect();
    if dice.one_in(2) {
        spec.sessions = vec![sessions(&mut dice, &spec, &rtts, jitter)];
    }
    if dice.one_in(4) && !spec.sessions.is_empty() {
        spec.arrivals.clear();
    }
    spec.arrivals.iter_mut().for_each(|source| super::traffic::open(index, &mut source.flows));
    spec.sessions.iter_mut().for_each(|source| super::traffic::open(index + 1, &mut source.flows));
    spec
}

/// Scenario number `index` of that kind, whose transfers have hosts.
pub fn scenario_with_hosts_of_transfers(index: u64) -> Spec {
    let mut dice = Dice(Stream::named(SEED, format_args!("hosts of transfers{index}")));
    super::hosts::add_to_transfers(&mut dice, scenario_with_arrivals(index))
}

/// Sessions with thoughts of about the time that objects take.
fn sessions(dice: &mut Dice, spec: &Spec, rtts: &Rtts, jitter: u64) -> SessionSpec {
    let like = source(dice, spec, rtts, jitter);
    let mean = dice.log_between(1, spec.duration_ns / 10) as f64;
    SessionSpec {
        flows: like.flows,
        count: dice.log_between(1, 40) as u32,
        objects: dice.choose(&[Law::Fixed { mean: 1.0 }, Law::Exponential { mean: 3.0 }, Law::Pareto { mean: 4.0, shape: 1.2 }]),
        connections: dice.choose(&[1, 1, 2, 6, 40]),
        sizes: like.sizes,
        max_bytes: like.max_bytes,
        think: if dice.one_in(2) { Law::Fixed { mean } } else { Law::Pareto { mean, shape: 1.5 } },
        start_ns: like.start_ns,
        stop_ns: like.stop_ns,
    }
}

fn source(dice: &mut Dice, spec: &Spec, rtts: &Rtts, jitter: u64) -> ArrivalSpec {
    let is_uniform = dice.one_in(2);
    let direction = if spec.reverse.is_some() && dice.one_in(2) { Direction::Reverse } else { Direction::Forward };
    let kinds = dice.between(1, 4);
    let kind = |dice: &mut Dice| FlowSpec { direction, packet_bytes: 1500, ..flow(dice, spec.duration_ns, rtts, jitter, false) };
    let mut flows: Vec<FlowSpec> = (0..kinds).map(|_| kind(dice)).collect();
    if is_uniform {
        flows = vec![flows[0].clone()];
    }
    flows.iter_mut().for_each(|flow| (flow.start_ns, flow.stop_ns, flow.bytes) = (0, None, None));
    let mean = dice.log_between(500, 60_000) as f64;
    let sizes = match dice.between(0, 2) {
        0 => Law::Fixed { mean },
        1 => Law::Exponential { mean },
        _ => Law::Pareto { mean, shape: dice.choose(&[1.05, 1.2, 2.0]) },
    };
    let load = dice.choose(&[0.1, 0.3, 0.6, 1.1]);
    let is_load = dice.one_in(2);
    let max_bytes = if dice.one_in(2) { Some(dice.log_between(1, 1_000_000)) } else { None };
    let per_second = |mean: f64| load * spec.forward.rate_bps as f64 / 8.0 / mean.max(1500.0);
    let most = TRANSFERS_MAX / (spec.duration_ns as f64 / 1e9);
    let is_many = per_second(max_bytes.map_or(mean, |max| mean.min(max as f64))) > most;
    ArrivalSpec {
        flows,
        offered: if is_load && !is_many { Offered::Load(load) } else { Offered::PerSecond(per_second(mean).min(most)) },
        sizes,
        max_bytes,
        start_ns: if dice.one_in(3) { dice.between(0, spec.duration_ns / 2) } else { 0 },
        stop_ns: if dice.one_in(3) { Some(dice.between(spec.duration_ns / 2 + 1, spec.duration_ns * 2)) } else { None },
    }
}
