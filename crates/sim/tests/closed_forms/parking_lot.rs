//! Several bottlenecks in a row: one long way over all of them against cross flows at each.
//!
//! A flow that crosses n hops meets the sum of their losses. Where Reno's rate is proportional to 1 / (RTT sqrt(p)) (Mathis, Semke,
//! Mahdavi and Ott 1997, equation 3), n hops of equal loss leave a long flow 1 / sqrt(n) of a cross flow's rate at equal RTTs; where the
//! hops are full it gets C / (1 + sqrt(n)) of each (Massoulie and Roberts 1999: minimum potential delay fairness on a linear network).

use crate::*;

pub(crate) fn crossing(enter: u32, leave: u32, flow: FlowSpec) -> FlowSpec {
    FlowSpec { hops: StretchSpec { enter: Some(enter), leave: Some(leave) }, ..flow }
}

/// `hops` links like the first, 5 ms apart; `long` flows of 100 ms over all of them, then `each` over every one.
fn lot(spec: Spec, hops: u32, (long, each): (usize, usize)) -> Spec {
    let flow = FlowSpec { jitter_ns: MS, ..flow("reno", 100) };
    let mut flows = vec![flow.clone(); long];
    for hop in 1..=hops {
        flows.extend((0..each).map(|_| crossing(hop, hop, flow.clone())));
    }
    for (index, flow) in flows.iter_mut().enumerate() {
        flow.start_ns = index as u64 * 137 * MS;
    }
    let further = HopSpec { delay_ns: 5 * MS, link: spec.forward.clone() };
    Spec { hops: vec![further; hops as usize - 1], flows: sim::share(flows.into_iter()), ..spec }
}

/// Means of the first `long` flows and of the others.
fn means(records: &Records, long: usize, value: fn(&sim::FlowRow) -> f64) -> (f64, f64) {
    let mean = |rows: &[sim::FlowRow]| rows.iter().map(value).sum::<f64>() / rows.len() as f64;
    (mean(&records.flows[..long]), mean(&records.flows[long..]))
}

fn packets(row: &sim::FlowRow) -> f64 {
    (row.at_end.delivered - row.at_window.delivered) as f64 / row.window_s
}

/// Links wide enough that no queue forms, each losing 2 in 10 000: at 4 hops a long flow meets 8, and has half a cross flow's rate.
/// Some 1500 losses decide about either mean, each worth about half of itself in the rate: 1.5 % and 1.5 %, 2 % of their ratio; three of
/// those are 6 %.
#[test]
fn losses_of_the_hops_add_up() {
    let mut base = spec(1000, 10_000, 1500, vec![flow("reno", 100)]);
    base.forward.loss_probability = 2e-4;
    let records = run(&lot(base, 4, (4, 2)));
    let (long, cross) = means(&records, 4, packets);
    assert_near(long / cross, 0.5, 0.06, "a long flow's rate over a cross flow's");
}

/// Full links under RED, a long flow's RTT longer by the queues it waits in: it gets 1 / (1 + sqrt(n) RTT_long / RTT_cross) of each link.
/// Two things take from it. The law counts losses, Reno answers episodes: 1.57 losses share one of a cross flow's, 1.43 one of a long
/// flow's, 5 % of the rate. And each costs a round of repair: of cycles of half a window, 11 rounds and 22, 2 to 4 % of the rate. Two thirds
/// of these 9 % show in the share; with three standard errors of 1 % it is within 9 %.
#[test]
fn a_long_flow_gets_what_the_square_root_law_leaves_it() {
    let mut base = spec(20, 150, 600, vec![flow("reno", 100)]);
    let parameters = [("min".to_owned(), 5.0), ("max".to_owned(), 50.0), ("max_p".to_owned(), 0.05)].into();
    base.forward.discipline = Some(sim::DisciplineChoice { name: "red".into(), parameters });
    let records = run(&lot(base, 3, (3, 3)));
    let (long, cross) = means(&records, 3, packets);
    let (long_rtt, cross_rtt) = means(&records, 3, sim::FlowRow::mean_rtt_s);
    assert_near(long / (long + cross), 1.0 / (1.0 + 3_f64.sqrt() * long_rtt / cross_rtt), 0.09, "a long flow's share");
}

/// One segment meets no queue: its round trip is the base RTT, the ways between hops within it, and a transmission per hop. Exact but for
/// the fraction of a nanosecond that each transmission leaves.
#[test]
fn ways_between_hops_lie_within_the_base_rtt() {
    let first = spec(12, 10, 1, vec![FlowSpec { bytes: Some(1448), ..flow("reno", 100) }]);
    let hop = |mbit_s: u64, delay_ms: u64| HopSpec { delay_ns: delay_ms * MS, link: dumbbell(mbit_s, 10, 1, vec![]).forward };
    for (enter, leave, transmissions_ms) in [(1, 3, 1.0 + 0.5 + 2.0), (1, 2, 1.0 + 0.5), (2, 3, 0.5 + 2.0), (3, 3, 2.0)] {
        let flows = vec![crossing(enter, leave, FlowSpec::clone(&first.flows[0])).into()];
        let records = run(&Spec { warmup_ns: 0, hops: vec![hop(24, 15), hop(6, 10)], flows, ..first.clone() });
        assert_near(records.flows[0].completed_s, 0.1 + transmissions_ms * 1e-3, 1e-7, &format!("from hop {enter} to {leave}"));
        let crossed: Vec<bool> = records.links.iter().map(|link| link.totals.delivered_bytes == 1500).collect();
        assert_eq!(crossed, (1..=3).map(|number| (enter..=leave).contains(&number)).collect::<Vec<_>>());
    }
}

/// Packets at a hop are those of flows that enter there and those that left the hop before it and go on; what leaves it goes on, or was
/// received. Every model of loss, changes in time, marks, disciplines, datagrams, flows from anywhere to anywhere: exact.
#[test]
fn no_packet_vanishes_between_hops() {
    let spec = busy_lot();
    let records = run(&spec);
    balance(&spec, &records, Vec::new());
    assert!(records.links.iter().all(|link| link.totals.dropped > 10), "{:?}", records.links);
    assert!(records.links.iter().filter(|link| link.totals.marked > 10).count() >= 2, "{:?}", records.links);
    let last = |link| records.link_samples.link.iter().rposition(|&other| other == link).expect("a sample");
    assert_eq!(records.link_names, ["forward", "forward2", "forward3", "forward4"]);
    for (number, link) in (0..).zip(&records.links) {
        let row = last(number);
        assert_eq!(records.link_samples.queue_packets[row], 0);
        assert_eq!(records.link_samples.delivered_bytes[row], link.totals.delivered_bytes);
        assert_eq!(records.link_samples.dropped[row], link.totals.dropped);
        assert_eq!(records.link_samples.marked[row], link.totals.marked);
    }
}

/// Where packets enter and leave, how many were sent, and how many of those were lost.
pub(crate) type Party = (StretchSpec, u64, u64);

/// The books of every hop, of the flows, the sources of datagrams and `others`, once nothing is under way.
pub(crate) fn balance(spec: &Spec, records: &Records, others: Vec<Party>) {
    let of_flows = records.flows.iter().zip(&spec.flows).map(|(row, given)| (given.hops, row.at_end.sent, row.lost_packets));
    let of_sources = records.sources.iter().zip(&spec.traffic).map(|(row, given)| (given.hops, row.at_end.sent, row.lost_packets));
    let parties: Vec<Party> = of_flows.chain(of_sources).chain(others).collect();
    let mut coming = 0;
    for (number, link) in (1..).zip(&records.links) {
        let entered: u64 = parties.iter().filter(|(hops, ..)| hops.enter == Some(number)).map(|(_, sent, _)| sent).sum();
        let leaving = || parties.iter().filter(|(hops, ..)| hops.leave == Some(number));
        let received = leaving().map(|(_, sent, _)| sent).sum::<u64>() - leaving().map(|(.., lost)| lost).sum::<u64>();
        let totals = link.totals;
        assert_eq!(entered + coming, totals.accepted + totals.dropped + totals.lost, "arrivals at hop {number}");
        assert_eq!(totals.accepted, totals.delivered_bytes / 1500, "departures from hop {number}");
        coming = totals.delivered_bytes / 1500 - received;
        assert!(totals.lost > 10 && totals.accepted > 10_000, "hop {number}: {totals:?}");
    }
    assert_eq!(coming, 0, "packets that leave behind the last hop");
    let drops = records.events.iter().filter(|event| event.kind == EventKind::Drop);
    let totals: u64 = records.links.iter().map(|link| link.totals.dropped + link.totals.lost).sum();
    assert_eq!(drops.count() as u64, totals);
}

/// Four hops, all different, quiet for the last 10 s.
pub(crate) fn busy_lot() -> Spec {
    let ways = [(1, 4), (1, 4), (2, 3), (1, 1), (2, 2), (3, 4), (3, 3), (4, 4), (1, 2)];
    let names = ["reno", "cubic", "scalable", "hstcp", "bic", "htcp", "dctcp", "reno", "cubic"];
    let stop_ns = Some(50 * SECOND);
    let flows = ways.iter().zip(names).enumerate().map(|(i, (&(enter, leave), name))| {
        let mut flow = FlowSpec { jitter_ns: MS / 2, stop_ns, ..flow(name, 40 + 15 * i as u64) };
        if i % 2 == 1 {
            flow.transport.insert("ecn".to_owned(), "classic".into());
        }
        crossing(enter, leave, flow)
    });
    let mut spec = Spec { sample_ns: 10 * MS, record_drops: true, ..spec(50, 120, 60, flows.collect()) };
    spec.forward.loss_probability = 1e-3;
    let hop = |delay_ms, mbit_s, queue| HopSpec { delay_ns: delay_ms * MS, link: dumbbell(mbit_s, queue, 1, vec![]).forward };
    spec.hops = vec![hop(5, 40, 100), hop(0, 60, 80), hop(3, 30, 60)];
    let model = |model| LossSpec { among: AmongSpec::All, model };
    spec.hops[0].link.losses = vec![model(LossModelSpec::Periodic { every: 500, first: 1 })];
    spec.hops[0].link.mark = Some(QueueSpec { unit: QueueUnit::Packets, limit: 20 });
    let bursts = LossModelSpec::GilbertElliott { to_bad: 1e-3, to_good: 0.3, loss_bad: 1.0, loss_good: 0.0 };
    spec.hops[1].link.losses = vec![model(bursts)];
    spec.hops[1].link.discipline = Some(sim::DisciplineChoice { name: "codel".into(), parameters: [].into() });
    spec.hops[1].link.changes.rate_steps = vec![RateStep { at_ns: 20 * SECOND, rate_bps: 20_000_000 }];
    spec.hops[1].link.changes.outages = vec![Outage { at_ns: 30 * SECOND, length_ns: SECOND }];
    spec.hops[2].link.losses = vec![model(LossModelSpec::Timed { interval_ns: 100 * MS, probability: 0.5 })];
    spec.hops[2].link.changes.delay_steps = vec![DelayStep { at_ns: 10 * SECOND, extra_ns: 50 * MS }];
    let source = |enter, leave| UdpSpec {
        rate_bps: 3_000_000,
        wave: Some(WaveSpec { amplitude_bps: 2_000_000, period_ns: SECOND }),
        packet_bytes: 1500,
        start_ns: 3 * SECOND,
        stop_ns,
        direction: Direction::Forward,
        hops: StretchSpec { enter: Some(enter), leave: Some(leave) },
    };
    spec.traffic = vec![source(1, 3), source(2, 4)];
    spec
}
