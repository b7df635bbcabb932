//! Random scenarios, the same ones in every run of the tests.

#[allow(dead_code)]
mod arrivals;
mod build;
mod changes;
mod hops;
mod hosts;
mod losses;
mod traffic;

use std::collections::BTreeMap;

#[allow(unused_imports)]
pub use arrivals::{scenario_with_arrivals, scenario_with_hosts_of_transfers};
use build::{dumbbell, MS};
#[allow(unused_imports)]
pub use hops::{scenario_with_hops, scenario_with_hops_and_arrivals, scenario_with_hops_and_hosts, with_a_hop_that_nobody_crosses};
use serde_json::{json, Value};
use sim::{ChangesSpec, Direction, DisciplineChoice, DisorderSpec, FlowSpec, LinkSpec, QueueSpec, QueueUnit, Spec};
use tcp::Options;
use units::Stream;

/// Seed of all scenarios.
const SEED: u64 = 20_040_303;
const PACKET_BITS: u64 = 12_000;
const SECOND: u64 = 1_000_000_000;

/// Draws of the shapes that scenarios need.
struct Dice(Stream);

impl Dice {
    fn between(&mut self, min: u64, max: u64) -> u64 {
        min + self.0.up_to(max - min)
    }

    /// Every order of magnitude is as likely as the next.
    fn log_between(&mut self, min: u64, max: u64) -> u64 {
        let (low, high) = ((min as f64).ln(), (max as f64).ln());
        ((low + (high - low) * self.0.unit()).exp() as u64).clamp(min, max)
    }

    fn one_in(&mut self, n: u64) -> bool {
        self.0.up_to(n - 1) == 0
    }

    fn choose<T: Clone>(&mut self, from: &[T]) -> T {
        from[self.0.up_to(from.len() as u64 - 1) as usize].clone()
    }
}

/// Scenario number `index`.
pub fn scenario(index: u64) -> Spec {
    let mut dice = Dice(Stream::named(SEED, format_args!("scenario{index}")));
    let rate_bps = rate(&mut dice);
    // As many packets as keep the tests short, over long enough a time for timers to matter.
    let packets = dice.log_between(300, 40_000);
    let duration_ns = (packets * PACKET_BITS * 1000 / (rate_bps / 1_000_000)).clamp(SECOND / 20, 60 * SECOND);
    let service_ns = PACKET_BITS * 1000 / (rate_bps / 1_000_000);
    let is_duplex = dice.one_in(3);
    let rtt_max = (duration_ns / 4).clamp(10_000, 400_000_000);
    let rtts = Rtts::new(&mut dice, service_ns, rtt_max);
    let bdp = (rate_bps / 1_000_000 * rtts.shared / PACKET_BITS / 1000).max(2);
    let forward = link(&mut dice, rate_bps, bdp);
    let reverse_rate = if dice.one_in(2) { rate_bps } else { rate(&mut dice).min(rate_bps * 4) };
    let reverse = is_duplex.then(|| link(&mut dice, reverse_rate, bdp));
    let jitter = if dice.one_in(3) { dice.log_between(1_000, 20_000_000) } else { 0 };
    let is_together = dice.one_in(3);
    let is_uniform = dice.one_in(4);
    let count = dice.log_between(1, 24);
    let mut flows: Vec<FlowSpec> = (0..count).map(|_| flow(&mut dice, duration_ns, &rtts, jitter, is_duplex)).collect();
    if is_uniform {
        flows = vec![FlowSpec { direction: Direction::Forward, ..flows[0].clone() }; flows.len()];
    }
    if is_together {
        flows.iter_mut().for_each(|flow| (flow.start_ns, flow.stop_ns) = (0, None));
    }
    let warmup_ns = if dice.one_in(2) { duration_ns / 4 } else { 0 };
    let seed = dice.between(0, u64::MAX / 2);
    let (forward, reverse) = mark(index, forward, reverse, &mut flows);
    let (forward, reverse) = impair(index, (forward, reverse), (count, duration_ns));
    let (forward, reverse) = resize(index, (forward, reverse), duration_ns);
    newer(index, &mut flows);
    traffic::write_in_pieces(index, duration_ns, &mut flows);
    traffic::open(index, &mut flows);
    traffic::ask(index, duration_ns, &mut flows);
    let traffic = traffic::traffic(index, (rate_bps, duration_ns), reverse.is_some());
    Spec { seed, duration_ns, warmup_ns, forward, reverse, traffic, ..dumbbell(1, 1, 1, flows) }
}

/// 1 to 1000 Mbit/s, round and not.
fn rate(dice: &mut Dice) -> u64 {
    match dice.between(0, 2) {
        0 => dice.choose(&[1, 2, 10, 12, 24, 100, 250, 400, 600, 1000]) * 1_000_000,
        1 => dice.choose(&[3, 7, 11, 13, 37, 155, 622, 997]) * 1_000_000,
        _ => dice.log_between(1_000_000, SECOND),
    }
}

/// Equal RTTs, multiples of a packet's service time (so that things coincide), or anything.
struct Rtts {
    shared: u64,
    service: u64,
    max: u64,
    kind: u64,
}

impl Rtts {
    fn new(dice: &mut Dice, service: u64, max: u64) -> Rtts {
        let shared = dice.log_between(10_000, max);
        Rtts { shared, service, max, kind: dice.between(0, 3) }
    }

    fn draw(&self, dice: &mut Dice) -> u64 {
        match self.kind {
            0 => self.shared,
            1 => 4 * self.service * dice.between(1, 12),
            2 => dice.log_between(1_000, self.max),
            _ => dice.between(self.shared / 2 + 1_000, self.shared * 2),
        }
    }
}

fn link(dice: &mut Dice, rate_bps: u64, bdp: u64) -> LinkSpec {
    let packets = if dice.one_in(6) { dice.between(1, 3) } else { dice.log_between(1, (2 * bdp).clamp(10, 4000)) };
    let queue = match dice.between(0, 3) {
        0 | 1 => QueueSpec { unit: QueueUnit::Packets, limit: packets },
        2 => QueueSpec { unit: QueueUnit::Bytes, limit: packets * 1500 + dice.between(0, 1499) },
        _ => QueueSpec { unit: QueueUnit::Ns, limit: packets.min(500) * PACKET_BITS * 1000 / (rate_bps / 1_000_000) },
    };
    let loss_probability = if dice.one_in(3) { dice.between(1, 30) as f64 / 1000.0 } else { 0.0 };
    LinkSpec { excludes_in_service: dice.one_in(3), loss_probability, ..LinkSpec::new(rate_bps, queue) }
}

/// Scenario number `index` with a queue discipline on every link, some of its parameters changed.
#[allow(dead_code)]
pub fn scenario_with_discipline(index: u64) -> Spec {
    let mut dice = Dice(Stream::named(SEED, format_args!("disciplines{index}")));
    let mut spec = scenario(index);
    let mut choose = |link| with_discipline(&mut dice, link);
    spec.forward = choose(spec.forward);
    spec.reverse = spec.reverse.map(|reverse| if index % 3 == 0 { reverse } else { choose(reverse) });
    spec
}

/// The link with any discipline but drop-tail.
fn with_discipline(dice: &mut Dice, link: LinkSpec) -> LinkSpec {
    let row = dice.choose(net::queue::DISCIPLINES);
    let mut parameters = BTreeMap::new();
    for parameter in row.parameters {
        if dice.one_in(3) {
            let span = (parameter.default / 4.0, (parameter.default * 4.0).max(parameter.min));
            let value = span.0 + (span.1 - span.0) * dice.0.unit();
            parameters.insert(parameter.name.to_owned(), value.clamp(parameter.min, parameter.max));
        }
    }
    if row.parameters.iter().any(|parameter| parameter.name == "rate_bps") {
        parameters.insert("rate_bps".to_owned(), (link.rate_bps as f64 * (0.1 + dice.0.unit())).floor());
    }
    let discipline = Some(DisciplineChoice { name: row.name.to_owned(), parameters });
    // A limit in time is refused where the rate changes.
    let counted = |queue: QueueSpec| match queue {
        QueueSpec { unit: QueueUnit::Ns, limit } => QueueSpec { unit: QueueUnit::Packets, limit: (limit / 100_000).max(1) },
        queue => queue,
    };
    if link.changes == ChangesSpec::default() {
        return LinkSpec { mark: None, discipline, ..link };
    }
    let mut made = LinkSpec { mark: None, discipline, queue: counted(link.queue), ..link };
    made.changes.queue_steps.iter_mut().for_each(|step| step.queue = counted(step.queue));
    made
}

/// Scenario number `index` with many more flows, some with a queue discipline or buffers.
#[allow(dead_code)]
pub fn scenario_of_many(index: u64) -> Spec {
    let mut dice = Dice(Stream::named(SEED, format_args!("many{index}")));
    let mut spec = if index % 3 == 0 { scenario_with_discipline(index) } else { scenario_with_buffers(index) };
    let (few, many) = (spec.flows.len(), dice.log_between(33, 300) as usize);
    let together = dice.one_in(3);
    spec.flows = (0..many).map(|number| spec.flows[number % few].clone()).collect();
    for flow in &mut spec.flows {
        (flow.start_ns, flow.stop_ns) = (if together { 0 } else { dice.between(0, spec.duration_ns / 2) }, None);
    }
    spec
}

/// Scenario number `index` with receivers whose buffers may be full, with a queue discipline for some.
#[allow(dead_code)]
pub fn scenario_with_buffers(index: u64) -> Spec {
    let mut dice = Dice(Stream::named(SEED, format_args!("buffers{index}")));
    let mut spec = if index % 4 == 0 { scenario_with_discipline(index) } else { scenario(index) };
    traffic::keep(&mut dice, spec.duration_ns, &mut spec.flows);
    spec
}

/// Scenario number `index` with hosts that are felt, with a queue discipline for some.
#[allow(dead_code)]
pub fn scenario_with_hosts(index: u64) -> Spec {
    let mut dice = Dice(Stream::named(SEED, format_args!("hosts{index}")));
    let spec = if index % 4 == 0 { scenario_with_discipline(index) } else { scenario(index) };
    hosts::add(&mut dice, spec)
}

/// Steps of marks for half of the scenarios, below the queue's limit or anywhere, and ECN for most of their flows. Drawn apart from the
/// rest, so that the scenarios are otherwise those that they were before there were marks.
fn mark(index: u64, forward: LinkSpec, reverse: Option<LinkSpec>, flows: &mut [FlowSpec]) -> (LinkSpec, Option<LinkSpec>) {
    let mut dice = Dice(Stream::named(SEED, format_args!("marks{index}")));
    if dice.one_in(2) {
        return (forward, reverse);
    }
    let mut step = |link: LinkSpec| {
        let least = if link.queue.unit == QueueUnit::Bytes { 1500 } else { 1 };
        let of_queue = QueueSpec { limit: dice.log_between(least, link.queue.limit.max(least)), ..link.queue };
        let mark = if dice.one_in(3) { QueueSpec { unit: QueueUnit::Packets, limit: dice.log_between(1, 100) } } else { of_queue };
        LinkSpec { mark: Some(mark), ..link }
    };
    let links = (step(forward), reverse.map(step));
    for flow in flows {
        let ecn = dice.choose(&["auto", "classic", "classic", "dctcp", "accurate", "l4s"]);
        flow.transport.insert("ecn".to_owned(), json!(ecn));
    }
    links
}

/// Those that were there when scenarios were first drawn.
const PROFILES: [&str; 5] = ["linux-6.1", "linux-2.6.23", "altaimd-2.6.6", "linux-2.4", "rfc"];

/// Linux 6.12, and the option that came with it, for some flows of a fifth of the scenarios. Drawn apart, so that others stay as they were.
fn newer(index: u64, flows: &mut [FlowSpec]) {
    let mut dice = Dice(Stream::named(SEED, format_args!("newer{index}")));
    if !dice.one_in(5) {
        return;
    }
    for flow in flows {
        if dice.one_in(2) {
            flow.profile = "linux-6.12".to_owned();
        }
        if dice.one_in(3) {
            flow.transport.insert("delayed_ack_max_s".to_owned(), dice.choose(&[json!(0.04), json!(0.199), json!(0.5)]));
        }
    }
}

/// Loss with a memory and changes in time, each for a third of the scenarios, drawn apart for the same reason.
fn impair(index: u64, links: (LinkSpec, Option<LinkSpec>), (flows, duration_ns): (u64, u64)) -> (LinkSpec, Option<LinkSpec>) {
    let mut dice = Dice(Stream::named(SEED, format_args!("impairments{index}")));
    let (is_lossy, is_changing, is_disorderly) = (dice.one_in(3), dice.one_in(3), dice.one_in(4));
    let mut impaired = |link: LinkSpec| LinkSpec {
        losses: if is_lossy { losses::losses(&mut dice, flows, duration_ns) } else { Vec::new() },
        changes: if is_changing { changes::changes(&mut dice, link.rate_bps, duration_ns) } else { ChangesSpec::default() },
        disorder: if is_disorderly { disorder(&mut dice, duration_ns) } else { DisorderSpec::default() },
        ..link
    };
    (impaired(links.0), links.1.map(impaired))
}

/// Queues of other sizes later, for a fifth of the scenarios, drawn apart for the same reason.
fn resize(index: u64, links: (LinkSpec, Option<LinkSpec>), duration_ns: u64) -> (LinkSpec, Option<LinkSpec>) {
    let mut dice = Dice(Stream::named(SEED, format_args!("sizes{index}")));
    if !dice.one_in(5) {
        return links;
    }
    let mut resized = |link| changes::resized(&mut dice, link, duration_ns);
    (resized(links.0), links.1.map(resized))
}

fn disorder(dice: &mut Dice, duration_ns: u64) -> DisorderSpec {
    let late_probability = dice.choose(&[0.0, 0.001, 0.01, 0.2]);
    let late_ns = if late_probability > 0.0 { dice.log_between(1, duration_ns / 20) } else { 0 };
    DisorderSpec { late_probability, late_ns, double_probability: dice.choose(&[0.0, 0.001, 0.05]) }
}

fn flow(dice: &mut Dice, duration_ns: u64, rtts: &Rtts, jitter: u64, is_duplex: bool) -> FlowSpec {
    let protocol = dice.choose(cc::PROTOCOLS);
    let variant = if dice.one_in(2) { Some(dice.choose(protocol.variants).name.to_owned()) } else { None };
    let profile = if dice.one_in(2) { Options::PROFILES[0] } else { dice.choose(&PROFILES) };
    let rtt_ns = rtts.draw(dice);
    let start_ns = if dice.one_in(2) { 0 } else { dice.between(0, duration_ns / 2) };
    let stop_ns = if dice.one_in(6) { Some(start_ns + dice.between(1, duration_ns)) } else { None };
    FlowSpec {
        variant,
        profile: profile.to_owned(),
        transport: transport(dice),
        rtt_ns,
        start_ns,
        stop_ns,
        bytes: if dice.one_in(5) { Some(dice.log_between(1, 3_000_000)) } else { None },
        window_packets: if dice.one_in(6) { Some(dice.log_between(1, 500)) } else { None },
        window_bytes: None,
        direction: if is_duplex && dice.one_in(2) { Direction::Reverse } else { Direction::Forward },
        jitter_ns: jitter.min(rtt_ns),
        packet_bytes: if dice.one_in(8) { dice.between(1448, 1500) as u32 } else { 1500 },
        ..build::flow(protocol.name, rtt_ns / MS)
    }
}

/// None to all of the transport options, changed.
fn transport(dice: &mut Dice) -> BTreeMap<String, Value> {
    let choices = [
        ("sack", vec![json!(false)]),
        ("timestamps", vec![json!(false)]),
        ("loss_detection", vec![json!("rack"), json!("rfc6675"), json!("fack")]),
        ("recovery", vec![json!("prr"), json!("rate-halving"), json!("rfc9937")]),
        ("rto", vec![json!("linux"), json!("rfc6298")]),
        ("limited_transmit", vec![json!(false)]),
        ("undo", vec![json!(true), json!(false)]),
        ("frto", vec![json!(true), json!(false)]),
        ("tlp", vec![json!(true), json!(false)]),
        ("ack_every", vec![json!(1), json!(1), json!(3), json!(8)]),
        ("delayed_ack_s", vec![json!(0.001), json!(0.01), json!(0.5)]),
        ("quickack", vec![json!(0), json!(100)]),
        ("opening_acks", vec![json!(true), json!(false)]),
        ("ack_compression", vec![json!(true), json!(false)]),
        ("abc", vec![json!("linux"), json!("rfc3465"), json!("off")]),
        ("abc_limit", vec![json!(1), json!(8)]),
        ("initial_window", vec![json!(1), json!(2), json!(40)]),
        ("initial_ssthresh", vec![json!(2), json!(50)]),
        ("rtt_granularity_s", vec![json!(0.0), json!(0.001), json!(0.01)]),
        ("rto_freeze", vec![json!(true)]),
        ("pacing", vec![json!("linux"), json!("full"), json!("none")]),
        ("pacing_credit", vec![json!(true), json!(false)]),
    ];
    let rarity = dice.choose(&[3, 8, 1000]);
    let mut changed = BTreeMap::new();
    for (name, values) in choices {
        if dice.one_in(rarity) {
            changed.insert(name.to_owned(), dice.choose(&values));
        }
    }
    changed
}
