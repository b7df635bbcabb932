//! The scenarios from which the compiler learns what is taken how often. They are not those of the table: other rates, round trips and
//! mixtures.

use cc::PROTOCOLS;
use sim::{DeviceSpec, DisorderSpec, FlowSpec, HopSpec, HostSpec, LinkSpec, QueueSpec, QueueUnit, Spec, StretchSpec, UdpSpec};

use super::{against, flow, link, losing, of_stack, sampled_every, spec, timed_losses, transfers};

/// Those that most runs use: they weigh more.
const COMMON: [&str; 4] = ["reno", "cubic", "bbr", "bbr3"];

/// Disciplines that need no numbers of their own.
const DISCIPLINES: [&str; 10] = ["drop-head", "red", "ared", "pie", "codel", "cobalt", "fq", "fq-codel", "fq-pie", "dualpi2"];

/// All of them, to be run one after the other.
pub fn scenarios() -> Vec<Spec> {
    let mut all = common();
    all.extend(PROTOCOLS.iter().filter(|protocol| protocol.name != "ptcp").map(|protocol| pair(protocol.name, 60, 4.0)));
    all.extend(DISCIPLINES.map(|discipline| behind(discipline, spec(link(180, 34, 100), vec![flow("cubic", 34), flow("reno", 50)], 20.0))));
    all.push(behind("fq-codel", spec(link(90, 40, 200), (0..30).map(|i| flow("cubic", 20 + 3 * i)).collect(), 10.0)));
    all.extend(as_papers_ran());
    all.extend([on_hosts(), parking_lot(), both_ways(), marked(), lossy(), disordered(), with_datagrams()]);
    all
}

/// Two flows of one law.
fn pair(algorithm: &str, bdp_percent: u64, seconds: f64) -> Spec {
    spec(link(160, 36, bdp_percent), vec![flow(algorithm, 36); 2], seconds)
}

fn common() -> Vec<Spec> {
    let mut all: Vec<Spec> = COMMON.iter().flat_map(|law| [pair(law, 30, 60.0), pair(law, 150, 60.0)]).collect();
    all.extend(COMMON.map(|law| spec(link(70, 90, 80), (0..12).map(|i| flow(law, 24 + 11 * i)).collect(), 60.0)));
    all.push(spec(link(5_000, 80, 30), vec![flow("reno", 80); 2], 5.0));
    all.push(sampled_every(0, pair("reno", 30, 20.0)));
    all.push(spec(link(150, 70, 100), vec![flow("reno", 70); 150], 90.0));
    all.push(sampled_every(1_000_000_000, spec(link(2_000, 90, 100), vec![flow("reno", 90); 4_000], 10.0)));
    let mut short = spec(link(700, 80, 30), Vec::new(), 6.0);
    short.arrivals = vec![transfers(11_000.0)];
    let mut beside = spec(link(700, 80, 30), vec![flow("cubic", 80); 3], 6.0);
    beside.arrivals = vec![transfers(4_000.0)];
    for run in [&mut short, &mut beside] {
        run.arrivals[0].flows.iter_mut().for_each(|flow| flow.handshake = true);
    }
    all.extend([short, beside]);
    all
}

/// The stacks and paths of the papers: coarse clocks, one flow over a path that loses packets, losses by the clock, a host's device.
fn as_papers_ran() -> Vec<Spec> {
    let alone = |law, seconds| spec(link(500, 140, 100), vec![flow(law, 140)], seconds);
    let mut all: Vec<Spec> = ["scalable", "bic", "fast"].map(|law| of_stack("linux-2.4", losing(2e-6, alone(law, 8.0)))).into();
    all.extend(["reno", "htcp", "fast"].map(|law| of_stack("altaimd-2.6.6", pair(law, 25, 6.0))));
    all.push(timed_losses(0.08, of_stack("linux-2.6.23", spec(link(900, 6, 200), vec![flow("concave-convex", 6)], 5.0))));
    let mut device = of_stack("linux-2.4", spec(link(5_000, 20, 30), vec![FlowSpec { host: Some(0), ..flow("scalable", 20) }], 5.0));
    device.hosts = vec![HostSpec {
        packet_ns: 15_000,
        device: Some(DeviceSpec { rate_bps: 5_000_000_000, queue_packets: 1_500 }),
        ..HostSpec::default()
    }];
    all.push(device);
    all
}

fn behind(discipline: &str, run: Spec) -> Spec {
    Spec {
        forward: LinkSpec {
            discipline: Some(sim::DisciplineChoice { name: discipline.into(), parameters: Default::default() }),
            ..run.forward
        },
        ..run
    }
}

fn on_hosts() -> Spec {
    let mut run = spec(
        link(180, 36, 30),
        vec![FlowSpec { host: Some(0), ..flow("cubic", 36) }, FlowSpec { host: Some(0), ..flow("reno", 36) }],
        30.0,
    );
    run.hosts = vec![HostSpec { packet_ns: 3_000, ack_ns: 1_500, ..HostSpec::default() }];
    run
}

/// Three hops, and a flow over each.
fn parking_lot() -> Spec {
    let over = |hop| FlowSpec { hops: StretchSpec { enter: Some(hop), leave: Some(hop) }, ..flow("reno", 30) };
    let mut run = spec(link(120, 36, 40), vec![flow("reno", 60), over(1), over(2), over(3)], 30.0);
    run.hops = vec![HopSpec { delay_ns: 2_000_000, link: link(120, 36, 40) }; 2];
    run
}

fn both_ways() -> Spec {
    against(spec(link(180, 36, 30), vec![flow("reno", 36), flow("cubic", 50)], 30.0), 36)
}

/// Marks in place of losses.
fn marked() -> Spec {
    let mut run = pair("dctcp", 100, 20.0);
    run.forward.mark = Some(QueueSpec { unit: QueueUnit::Packets, limit: 60 });
    run
}

fn lossy() -> Spec {
    let mut run = spec(link(120, 40, 100), vec![flow("cubic", 40), flow("bbr", 40), flow("reno", 60)], 20.0);
    run.forward.loss_probability = 0.002;
    run
}

fn disordered() -> Spec {
    let mut run = pair("cubic", 60, 10.0);
    run.forward.disorder = DisorderSpec { late_probability: 0.002, late_ns: 3_000_000, double_probability: 0.0002 };
    run
}

fn with_datagrams() -> Spec {
    let mut run = pair("cubic", 60, 10.0);
    run.traffic = vec![UdpSpec {
        rate_bps: 40_000_000,
        wave: None,
        packet_bytes: 1500,
        start_ns: 0,
        stop_ns: None,
        direction: sim::Direction::Forward,
        hops: StretchSpec::default(),
    }];
    run
}
