//! Nanoseconds per delivered data packet, in the scenarios of the performance table. Run with `make bench`.
//!
//! `packet` prints a table of medians; `packet list` the scenarios; `packet NAME` runs one of them once (for callgrind). `packet train`
//! runs others, from which the compiler learns (`make profile`).

mod training;

use std::time::Instant;

use sim::{
    share, AmongSpec, ArrivalSpec, Direction, DisciplineChoice, FlowSpec, HopSpec, HostSpec, Law, LinkSpec, LossModelSpec, LossSpec,
    Offered, QueueSpec, QueueUnit, Spec,
};

struct Case {
    name: &'static str,
    /// None where no limit was promised.
    at_most_ns: Option<f64>,
    /// Made when it is run: what another scenario takes to be made is not counted.
    spec: fn() -> Spec,
}

fn flow(algorithm: &str, rtt_ms: u64) -> FlowSpec {
    FlowSpec::new(algorithm, rtt_ms * 1_000_000)
}

fn link(rate_mbit: u64, rtt_ms: u64, bdp_percent: u64) -> LinkSpec {
    let limit = rate_mbit * 1_000_000 * rtt_ms / 1000 * bdp_percent / 100 / 12_000;
    LinkSpec::new(rate_mbit * 1_000_000, QueueSpec { unit: QueueUnit::Packets, limit })
}

fn spec(forward: LinkSpec, mut flows: Vec<FlowSpec>, seconds: f64) -> Spec {
    for (index, flow) in flows.iter_mut().enumerate() {
        flow.jitter_ns = (12_000_000_000_000 / forward.rate_bps).min(flow.rtt_ns / 100);
        flow.start_ns = index as u64 * 1_000_003 % 1_000_000_000;
    }
    Spec { sample_ns: 10_000_000, ..Spec::new(forward, share(flows.into_iter()), (seconds * 1e9) as u64) }
}

/// Ten thousand short transfers a second.
fn transfers(mean: f64) -> ArrivalSpec {
    ArrivalSpec {
        flows: [30, 60, 90, 120].map(|rtt_ms| FlowSpec { jitter_ns: 12_000, ..flow("reno", rtt_ms) }).into(),
        offered: Offered::PerSecond(10_000.0),
        sizes: Law::Pareto { mean, shape: 1.2 },
        max_bytes: Some(1_000_000),
        start_ns: 0,
        stop_ns: None,
    }
}

/// Two Reno flows through a queue of this discipline.
fn under(discipline: &str) -> Spec {
    let mut run = spec(link(250, 42, 100), vec![flow("reno", 42); 2], 100.0);
    run.forward.discipline = Some(DisciplineChoice { name: discipline.into(), parameters: Default::default() });
    run
}

/// Two bottlenecks of one rate in a row.
fn in_a_row() -> Spec {
    let mut run = spec(link(250, 42, 20), vec![flow("reno", 42); 2], 100.0);
    run.hops = vec![HopSpec { delay_ns: 1_000_000, link: link(250, 42, 20) }];
    run
}

/// Two flows whose host needs 2 us for a segment and for an ACK.
fn on_a_host() -> Spec {
    let mut run = spec(link(250, 42, 20), vec![FlowSpec { host: Some(0), ..flow("reno", 42) }; 2], 100.0);
    run.hosts = vec![HostSpec { packet_ns: 2_000, ack_ns: 2_000, ..HostSpec::default() }];
    run
}

/// `run` with samples at another interval.
fn sampled_every(sample_ns: u64, run: Spec) -> Spec {
    Spec { sample_ns, ..run }
}

/// Two flows of `algorithm` that share 250 Mbit/s with a queue of so much of the bandwidth-delay product.
fn two(algorithm: &str, bdp_percent: u64) -> Spec {
    spec(link(250, 42, bdp_percent), vec![flow(algorithm, 42); 2], 200.0)
}

/// `run` with the stack of a paper's experiments.
fn of_stack(profile: &str, mut run: Spec) -> Spec {
    run.flows.iter_mut().for_each(|flow| flow.profile = profile.into());
    run
}

/// `run` on a path that loses each packet with this probability.
fn losing(probability: f64, run: Spec) -> Spec {
    Spec { forward: LinkSpec { loss_probability: probability, ..run.forward }, ..run }
}

/// `run` on a path that loses a packet each tenth of a second with this probability.
fn timed_losses(probability: f64, run: Spec) -> Spec {
    let model = LossModelSpec::Timed { interval_ns: 100_000_000, probability };
    Spec { forward: LinkSpec { losses: vec![LossSpec { among: AmongSpec::Data, model }], ..run.forward }, ..run }
}

/// Two FAST flows with the stack of its experiments.
fn fast(rtt_ms: u64) -> Spec {
    of_stack("altaimd-2.6.6", spec(link(250, rtt_ms, 20), vec![flow("fast", rtt_ms); 2], 200.0))
}

/// `run`, and one more Reno flow against it on a reverse link like the forward one.
fn against(mut run: Spec, rtt_ms: u64) -> Spec {
    run.reverse = Some(run.forward.clone());
    run.flows.push(FlowSpec { direction: Direction::Reverse, jitter_ns: 48_000, ..flow("reno", rtt_ms) }.into());
    run
}

/// Two Reno flows, and a third one against them.
fn duplex() -> Spec {
    against(spec(link(250, 42, 20), vec![flow("reno", 42); 2], 100.0), 42)
}

/// Transfers of so many bytes in the mean, beside so many flows: about 80 % of the link, or 40 % beside two flows that take the rest.
fn with_transfers(mean: f64, flows: usize) -> Spec {
    let mut run = spec(link(1000, 100, 20), vec![flow("reno", 100); flows], 10.0);
    run.arrivals = vec![transfers(mean)];
    run
}

fn cases() -> Vec<Case> {
    let case = |name, at_most_ns, spec| Case { name, at_most_ns: Some(at_most_ns), spec };
    let unlimited = |name, spec| Case { name, at_most_ns: None, spec };
    vec![
        case("reno-2", 30.0, || two("reno", 20)),
        case("cubic-2", 40.0, || two("cubic", 20)),
        case("bbr-2", 80.0, || two("bbr", 200)),
        case("bbr3-2", 80.0, || two("bbr3", 200)),
        case("reno-2-reverse", 60.0, duplex),
        case("reno-20-rtts", 70.0, || spec(link(100, 100, 100), (0..20).map(|i| flow("reno", 20 + 7 * i)).collect(), 100.0)),
        case("reno-200", 100.0, || spec(link(100, 82, 100), vec![flow("reno", 82); 200], 100.0)),
        case("reno-20000", 400.0, || sampled_every(1_000_000_000, spec(link(10_000, 100, 100), vec![flow("reno", 100); 20_000], 5.0))),
        case("reno-2-10g", 39.0, || spec(link(10_000, 100, 20), vec![flow("reno", 100); 2], 10.0)),
        case("reno-2-nosamples", 30.0, || sampled_every(0, two("reno", 20))),
        case("transfers", 150.0, || with_transfers(12_000.0, 0)),
        case("reno-2-transfers", 150.0, || with_transfers(5_000.0, 2)),
        unlimited("red", || under("red")),
        unlimited("pie", || under("pie")),
        unlimited("codel", || under("codel")),
        unlimited("fq-codel", || under("fq-codel")),
        unlimited("dualpi2", || under("dualpi2")),
        unlimited("two-hops", in_a_row),
        unlimited("host", on_a_host),
        unlimited("bbr-2-lossy", || two("bbr", 20)),
        unlimited("scalable-random-loss", || of_stack("linux-2.4", losing(3e-6, two("scalable", 100)))),
        unlimited("reno-timed-loss", || timed_losses(0.1, spec(link(1_000, 8, 200), vec![flow("reno", 8)], 20.0))),
        unlimited("fast-2", || fast(162)),
        unlimited("fast-2-short", || fast(16)),
        unlimited("htcp-2-2.6.6", || of_stack("altaimd-2.6.6", two("htcp", 20))),
        unlimited("htcp-2-2.4", || of_stack("linux-2.4", two("htcp", 20))),
    ]
}

fn measure(spec: &Spec) -> (u64, f64) {
    let begun = Instant::now();
    let records = sim::run(spec, || false).expect("the bench's own scenario");
    let done = records.transfers.rows.iter().filter(|row| row.completion_ns < u64::MAX);
    let delivered: u64 = records.flows.iter().map(|flow| flow.at_end.delivered).chain(done.map(|row| row.bytes.div_ceil(1448))).sum();
    (delivered, begun.elapsed().as_secs_f64() * 1e9 / delivered as f64)
}

fn main() {
    let wanted = std::env::args().skip(1).find(|argument| !argument.starts_with("--"));
    if wanted.as_deref() == Some("list") {
        cases().iter().for_each(|case| println!("{}", case.name));
        return;
    }
    if wanted.as_deref() == Some("train") {
        for spec in training::scenarios() {
            measure(&spec);
        }
        return;
    }
    if let Some(name) = wanted {
        let case = cases().into_iter().find(|case| case.name == name).expect("a scenario of the table");
        let (delivered, _) = measure(&(case.spec)());
        println!("{delivered}");
        return;
    }
    println!("{:<18} {:>12} {:>9} {:>9}", "scenario", "packets", "ns/packet", "at most");
    for case in cases() {
        let spec = (case.spec)();
        let mut runs: Vec<(u64, f64)> = (0..5).map(|_| measure(&spec)).collect();
        runs.sort_by(|a, b| a.1.total_cmp(&b.1));
        let at_most = case.at_most_ns.map_or_else(|| "-".into(), |ns| format!("{ns:.0}"));
        println!("{:<18} {:>12} {:>9.1} {:>9}", case.name, runs[2].0, runs[2].1, at_most);
    }
}
