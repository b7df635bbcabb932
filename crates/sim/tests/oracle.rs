//! The simulator against a textbook event heap: every ACK of every flow, and every counter, must be the same.
//!
//! The core retimes links, runs receivers ahead of time and batches; the heap does none of that. Scenarios are random but
//! fixed. One that differs is shrunk and printed with the first ACK that differs.

mod common;

mod oracle {
    pub mod agenda;
    pub mod births;
    pub mod cake;
    pub mod client;
    pub mod cobalt;
    pub mod codel;
    pub mod disciplines;
    pub mod dualpi2;
    pub mod engine;
    pub mod fair;
    pub mod flow;
    pub mod host;
    pub mod link;
    pub mod loss;
    pub mod outbox;
    pub mod outcome;
    pub mod pie;
    pub mod receiving;
    pub mod service;
    pub mod shrink;
    pub mod source;
    pub mod writes;
}

use std::panic::{catch_unwind, AssertUnwindSafe};

use cc::Controller;
use oracle::engine;
use oracle::outcome::Outcome;
use sim::{accept, run_observed, AckHash, ChangesSpec, HostColumns, Observer, QueueUnit, Spec};
use tcp::Sender;
use units::Time;

/// How many there are of each kind: `make fuzz` asks for more.
fn scenarios() -> u64 {
    std::env::var("SCENARIOS").map_or(600, |given| given.parse().expect("SCENARIOS is a number"))
}

/// A core that looks at its interrupt flag more often than this makes no progress. The longest legal run seen has about half of it: Copa in its
/// default mode before a drop-head queue of five packets, which drops the first segment missing each time. No RTT can be measured in a recovery
/// that never ends, and the window grows with every ACK and is sent anew: 25 million segments and 194 looks in the first 10 of 33 s, and with
/// the square of time from there.
const LOOKS_MAX: u32 = 5000;

/// One ACK as it was handled.
#[derive(Clone, Copy, Debug, PartialEq)]
struct Acked {
    now: Time,
    flow: usize,
    cwnd: f64,
    una: u64,
    in_flight: u32,
}

/// Every ACK.
#[derive(Default)]
struct Trace(Vec<Acked>);

impl Observer for Trace {
    fn on_acked(&mut self, now: Time, flow: usize, sender: &Sender<Controller>) {
        let connection = sender.connection();
        self.0.push(Acked { now, flow, cwnd: sender.window().cwnd, una: connection.una, in_flight: connection.in_flight });
    }
}

fn simulate<O: Observer>(spec: &Spec, observer: &mut O) -> Result<Outcome, String> {
    let mut looks = 0;
    let is_stuck = || {
        looks += 1;
        looks > LOOKS_MAX
    };
    let records = catch_unwind(AssertUnwindSafe(|| run_observed(spec, observer, is_stuck))).map_err(|panic| said(panic.as_ref()))?;
    let records = records.map_err(|error| error.to_string())?;
    Ok(Outcome {
        links: records.links.iter().map(|link| link.totals).collect(),
        flows: records.flows.iter().map(|flow| flow.at_end).collect(),
        lost: records.flows.iter().map(|flow| flow.lost_packets).collect(),
        marked: records.flows.iter().map(|flow| flow.marked_packets).collect(),
        refused: records.flows.iter().map(|flow| flow.send_stalls.unwrap_or(0)).collect(),
        worked: worked(&records.host_samples),
        pages: records.transfers.pages,
        transfers: records.transfers.rows,
        exchanges: records.exchanges.unwrap_or_default(),
        sources: records.sources.iter().map(|source| (source.lost_packets, source.at_window, source.at_end)).collect(),
    })
}

fn worked(samples: &HostColumns) -> Vec<(u64, u32, u64)> {
    let rows = samples.t_ns.iter().zip(&samples.host).zip(&samples.busy_ns);
    rows.map(|((&t_ns, &host), &busy_ns)| (t_ns, host, busy_ns)).collect()
}

fn consult<O: Observer>(spec: &Spec, observer: &mut O) -> Result<Outcome, String> {
    let accepted = accept(spec).map_err(|error| error.to_string())?;
    catch_unwind(AssertUnwindSafe(|| engine::run(&accepted, observer))).map_err(|panic| said(panic.as_ref()))
}

fn said(panic: &(dyn std::any::Any + Send)) -> String {
    let text = panic.downcast_ref::<String>().cloned();
    format!("panic: {}", text.or_else(|| panic.downcast_ref::<&str>().map(|text| (*text).to_owned())).unwrap_or_default())
}

/// How much was compared.
#[derive(Default)]
struct Compared {
    acks: u64,
    marks: u64,
    transfers: u64,
    pages: u64,
}

/// What differs, if anything.
fn difference(spec: &Spec, compared: &mut Compared) -> Option<String> {
    let (mut ours, mut theirs) = (AckHash::default(), AckHash::default());
    let (simulated, consulted) = (simulate(spec, &mut ours), consult(spec, &mut theirs));
    compared.acks += theirs.acks;
    compared.marks += consulted.iter().flat_map(|outcome| &outcome.marked).sum::<u64>();
    compared.transfers += consulted.iter().map(|outcome| outcome.transfers.len() as u64).sum::<u64>();
    let pages = consulted.iter().flat_map(|outcome| &outcome.pages);
    compared.pages += pages.filter(|page| page.objects > 1 && page.completion_ns < u64::MAX).count() as u64;
    match (simulated, consulted) {
        (Ok(simulated), Ok(consulted)) if ours == theirs && simulated == consulted => None,
        (Ok(simulated), Ok(consulted)) if ours == theirs => Some(format!("core {simulated:?}\noracle {consulted:?}")),
        (Ok(_), Ok(_)) => Some(first_divergence(spec)),
        (simulated, consulted) => Some(format!("core {:?}\noracle {:?}", simulated.err(), consulted.err())),
    }
}

fn first_divergence(spec: &Spec) -> String {
    let (mut ours, mut theirs) = (Trace::default(), Trace::default());
    let _ = (simulate(spec, &mut ours), consult(spec, &mut theirs));
    let (ours, theirs) = (ours.0, theirs.0);
    let at = ours.iter().zip(&theirs).position(|(a, b)| a != b).unwrap_or(ours.len().min(theirs.len()));
    format!("ACK {at}: core {:?}\noracle {:?}", ours.get(at), theirs.get(at))
}

/// How much was compared without a difference.
fn compare(scenario: fn(u64) -> Spec, scenarios: u64) -> Compared {
    let mut compared = Compared::default();
    let mut failures = Vec::new();
    for index in 0..scenarios {
        let spec = scenario(index);
        if difference(&spec, &mut compared).is_some() {
            eprintln!("scenario {index} differs; it is made small");
            let small = oracle::shrink::shrink(spec, |spec| difference(spec, &mut Compared::default()).is_some());
            let json = serde_json::to_string(&small).expect("a scenario is plain data");
            let what = difference(&small, &mut Compared::default()).unwrap_or_default();
            eprintln!("scenario {index}: {json}\n{what}\n");
            failures.push(index);
        }
    }
    assert!(failures.is_empty(), "{} of {scenarios} scenarios differ: {failures:?}", failures.len());
    assert!(compared.acks > 1_000_000, "only {} ACKs were compared", compared.acks);
    compared
}

#[test]
fn every_ack_and_counter_equals_the_textbook_event_heap() {
    let compared = compare(common::scenario, scenarios());
    assert!(compared.marks > 50_000, "only {} marks were compared", compared.marks);
}

/// A link that serves late must decide as one that knows departures on arrival, where its queue never does: a CoDel whose interval is longer than
/// the run is drop-tail. So must one under a law: a RED that never reaches its lower threshold.
#[test]
fn a_queue_that_never_decides_is_drop_tail() {
    for index in 0..scenarios() / 2 {
        let mut plain = common::scenario(index);
        let mut late = plain.clone();
        for (plain, late) in [(&mut plain.forward, &mut late.forward)].into_iter().chain(plain.reverse.as_mut().zip(late.reverse.as_mut()))
        {
            (plain.mark, late.mark) = (None, None);
            if plain.queue.unit == QueueUnit::Ns && plain.changes != ChangesSpec::default() {
                // A limit in time is refused with a discipline where the rate changes.
                (plain.changes, late.changes) = Default::default();
            }
            let (name, given) = if index % 2 == 0 {
                ("codel", [("target_s".to_owned(), 1.0), ("interval_s".to_owned(), 10.0)])
            } else {
                ("red", [("min".to_owned(), 1e6), ("max".to_owned(), 1e6)])
            };
            late.discipline = Some(sim::DisciplineChoice { name: name.into(), parameters: given.into() });
        }
        let (mut early_hash, mut late_hash) = (AckHash::default(), AckHash::default());
        let outcomes = (simulate(&plain, &mut early_hash), simulate(&late, &mut late_hash));
        assert_eq!((early_hash, outcomes.0), (late_hash, outcomes.1), "scenario {index}");
    }
}

/// A hop that no packet crosses must change nothing, though segments are looked at one by one with it: sizes in every unit, steps of marks,
/// losses, changes, real reverse links.
#[test]
fn drop_tail_with_events_of_its_own_is_drop_tail() {
    let mut marks = 0;
    for index in 0..scenarios() {
        let (plain, late) = common::with_a_hop_that_nobody_crosses(index);
        let (mut early_hash, mut late_hash) = (AckHash::default(), AckHash::default());
        let (early, late) = (simulate(&plain, &mut early_hash), simulate(&late, &mut late_hash));
        let late = late.map(|mut outcome| {
            let idle = outcome.links.remove(1);
            assert_eq!(idle, net::LinkTotals::default(), "scenario {index}");
            outcome
        });
        marks += early.iter().flat_map(|outcome| &outcome.marked).sum::<u64>();
        assert_eq!((early_hash, early), (late_hash, late), "scenario {index}");
    }
    assert!(marks > 20_000, "only {marks} marks were compared");
}

#[test]
fn parking_lots_equal_the_textbook_event_heap() {
    let compared = compare(common::scenario_with_hops, scenarios());
    assert!(compared.marks > 5_000, "only {} marks were compared", compared.marks);
}

/// Hosts at any of the hops, shared by flows that enter at different ones or not.
#[test]
fn parking_lots_behind_hosts_equal_the_textbook_event_heap_too() {
    let compared = compare(common::scenario_with_hops_and_hosts, scenarios());
    assert!(compared.marks > 5_000, "only {} marks were compared", compared.marks);
}

/// Poisson arrivals and sessions that enter and leave at any of the hops, with hosts or without.
#[test]
fn transfers_over_parking_lots_equal_the_textbook_event_heap_too() {
    let compared = compare(common::scenario_with_hops_and_arrivals, scenarios() * 2 / 3);
    assert!(compared.transfers > 50_000, "only {} transfers were compared", compared.transfers);
    assert!(compared.pages > 1_000, "only {} pages of several objects were compared", compared.pages);
}

#[test]
fn queues_that_decide_late_equal_the_textbook_event_heap_too() {
    let compared = compare(common::scenario_with_discipline, scenarios() * 5 / 4);
    assert!(compared.marks > 5_000, "only {} marks were compared", compared.marks);
}

/// Receivers whose buffers fill, grow and shut, and applications that read slowly or pause.
#[test]
fn receivers_with_buffers_equal_the_textbook_event_heap_too() {
    compare(common::scenario_with_buffers, scenarios() * 5 / 4);
}

/// So many flows that their times stand in a ring.
#[test]
fn many_flows_equal_the_textbook_event_heap_too() {
    compare(common::scenario_of_many, scenarios() / 2);
}

/// Processors, stalls, devices that refuse, and ACKs at ticks, of one flow and of several.
#[test]
fn hosts_equal_the_textbook_event_heap_too() {
    compare(common::scenario_with_hosts, scenarios());
}

/// Each with a host of its own, or on one with others and a flow.
#[test]
fn transfers_on_hosts_equal_the_textbook_event_heap_too() {
    let compared = compare(common::scenario_with_hosts_of_transfers, scenarios() * 2 / 3);
    assert!(compared.transfers > 50_000, "only {} transfers were compared", compared.transfers);
}

#[test]
fn transfers_that_come_and_go_equal_the_textbook_event_heap_too() {
    let compared = compare(common::scenario_with_arrivals, scenarios() / 2);
    assert!(compared.transfers > 50_000, "only {} transfers were compared", compared.transfers);
    assert!(compared.pages > 1_000, "only {} pages of several objects were compared", compared.pages);
}
