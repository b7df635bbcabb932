//! Makes a scenario that fails smaller, so that a person can read it.

use sim::{ChangesSpec, DisorderSpec, Spec, StretchSpec};

/// Rounds of shrinking; each tries every step once.
const ROUNDS: usize = 4;

/// A smaller scenario that still `fails`.
pub fn shrink(spec: Spec, mut fails: impl FnMut(&Spec) -> bool) -> Spec {
    let mut best = spec;
    for _ in 0..ROUNDS {
        let before = best.clone();
        for step in steps(&best) {
            let mut tried = best.clone();
            step(&mut tried);
            if tried != best && sim::accept(&tried).is_ok() && fails(&tried) {
                best = tried;
            }
        }
        if best == before {
            break;
        }
    }
    best
}

type Step = Box<dyn Fn(&mut Spec)>;

fn steps(spec: &Spec) -> Vec<Step> {
    let mut steps: Vec<Step> = vec![
        Box::new(|spec| spec.duration_ns /= 4),
        Box::new(|spec| spec.duration_ns /= 2),
        Box::new(|spec| spec.duration_ns = spec.duration_ns * 9 / 10),
        Box::new(|spec| spec.warmup_ns = 0),
        Box::new(|spec| spec.reverse = None),
        Box::new(|spec| spec.traffic.clear()),
        Box::new(|spec| spec.traffic.truncate(1)),
        Box::new(|spec| spec.traffic.iter_mut().for_each(|source| source.wave = None)),
        Box::new(|spec| drop(spec.hops.pop())),
        Box::new(|spec| spec.hops.iter_mut().for_each(|hop| hop.delay_ns = 0)),
        Box::new(|spec| spec.hops.iter_mut().for_each(|hop| hop.link = spec.forward.clone())),
        Box::new(|spec| spec.flows.iter_mut().for_each(|flow| flow.hops = StretchSpec::default())),
        Box::new(|spec| spec.arrivals.iter_mut().flat_map(|source| &mut source.flows).for_each(|flow| flow.hops = StretchSpec::default())),
        Box::new(|spec| spec.sessions.iter_mut().flat_map(|source| &mut source.flows).for_each(|flow| flow.hops = StretchSpec::default())),
        Box::new(|spec| spec.forward.loss_probability = 0.0),
        Box::new(|spec| spec.reverse.iter_mut().for_each(|link| link.loss_probability = 0.0)),
        Box::new(|spec| spec.forward.losses.clear()),
        Box::new(|spec| spec.reverse.iter_mut().for_each(|link| link.losses.clear())),
        Box::new(|spec| spec.forward.disorder = DisorderSpec::default()),
        Box::new(|spec| spec.reverse.iter_mut().for_each(|link| link.disorder = DisorderSpec::default())),
        Box::new(|spec| spec.forward.disorder.double_probability = 0.0),
        Box::new(|spec| spec.hops.iter_mut().for_each(|hop| hop.link.disorder = DisorderSpec::default())),
        Box::new(|spec| spec.forward.changes = ChangesSpec::default()),
        Box::new(|spec| spec.reverse.iter_mut().for_each(|link| link.changes = ChangesSpec::default())),
        Box::new(|spec| spec.forward.changes.outages.clear()),
        Box::new(|spec| spec.forward.changes.rate_steps.clear()),
        Box::new(|spec| spec.forward.changes.delay_steps.clear()),
        Box::new(|spec| spec.forward.changes.queue_steps.clear()),
        Box::new(|spec| spec.reverse.iter_mut().for_each(|link| link.changes.queue_steps.clear())),
        Box::new(|spec| spec.forward.changes.rate_steps.truncate(1)),
        Box::new(|spec| spec.forward.changes.delay_steps.truncate(1)),
        Box::new(|spec| spec.forward.changes.queue_steps.truncate(1)),
        Box::new(|spec| spec.forward.excludes_in_service = false),
        Box::new(|spec| spec.forward.mark = None),
        Box::new(|spec| spec.hosts.iter_mut().for_each(|host| host.stalls.clear())),
        Box::new(|spec| spec.hosts.iter_mut().for_each(|host| host.device = None)),
        Box::new(|spec| spec.hosts.iter_mut().for_each(|host| host.ack_tick_ns = 0)),
        Box::new(|spec| spec.hosts.iter_mut().for_each(|host| (host.packet_ns, host.ack_ns, host.sack_ns) = (0, 0, 0))),
        Box::new(|spec| spec.flows.iter_mut().for_each(|flow| flow.host = None)),
        Box::new(|spec| spec.forward.discipline = None),
        Box::new(|spec| spec.forward.discipline.iter_mut().for_each(|choice| choice.parameters.clear())),
        Box::new(|spec| spec.reverse.iter_mut().for_each(|link| link.discipline = None)),
        Box::new(|spec| spec.reverse.iter_mut().for_each(|link| link.mark = None)),
    ];
    for index in (0..spec.arrivals.len()).rev() {
        steps.push(Box::new(move |spec| drop((index < spec.arrivals.len()).then(|| spec.arrivals.remove(index)))));
    }
    steps.push(Box::new(|spec| spec.sessions.clear()));
    steps.push(Box::new(|spec| spec.sessions.iter_mut().for_each(|source| source.count = 1)));
    steps.push(Box::new(|spec| spec.sessions.iter_mut().for_each(|source| source.flows.truncate(1))));
    steps.push(Box::new(|spec| spec.arrivals.iter_mut().for_each(|source| source.flows.truncate(1))));
    steps.push(Box::new(|spec| spec.arrivals.iter_mut().flat_map(|source| &mut source.flows).for_each(|flow| flow.transport.clear())));
    for index in 0..spec.arrivals.len() {
        steps.push(Box::new(move |spec| {
            spec.arrivals.iter_mut().skip(index).take(1).flat_map(|source| &mut source.flows).for_each(|flow| flow.host = None);
        }));
    }
    steps.push(Box::new(|spec| spec.sessions.iter_mut().flat_map(|source| &mut source.flows).for_each(|flow| flow.host = None)));
    // From the last, so that an index still names its flow after a removal.
    for index in (0..spec.flows.len()).rev() {
        steps.push(Box::new(move |spec| drop((index < spec.flows.len()).then(|| spec.flows.remove(index)))));
    }
    let fields: [fn(&mut sim::FlowSpec); 10] = [
        |flow| flow.transport.clear(),
        |flow| flow.jitter_ns = 0,
        |flow| flow.stop_ns = None,
        |flow| flow.bytes = None,
        |flow| flow.writes = None,
        |flow| flow.requests = None,
        |flow| flow.requests.iter_mut().for_each(|requests| (requests.sizes, requests.count) = (sim::Law::Fixed { mean: 100.0 }, Some(2))),
        |flow| flow.window_packets = None,
        |flow| flow.variant = None,
        |flow| "reno".clone_into(&mut flow.algorithm),
    ];
    for field in fields {
        steps.push(Box::new(move |spec| spec.flows.iter_mut().for_each(|flow| field(flow))));
    }
    for option in spec.flows.iter().flat_map(|flow| flow.transport.keys().cloned()) {
        steps.push(Box::new(move |spec| spec.flows.iter_mut().for_each(|flow| drop(flow.transport.remove(&option)))));
    }
    steps
}
