//! A tap changes nothing of a run, and is shown every packet, no later than it promises.

mod common;

use std::sync::{Arc, Mutex};

use cc::Controller;
use sim::{
    run, run_observed, AckHash, Observer, Place, Records, Seen, SeenContent, SeenDatagram, SharedTap, Spec, Tap, Tapped, TappedStack,
};
use tcp::{Bare, Opening, Sender};
use units::Time;

/// Scenarios of each kind.
const SCENARIOS: u64 = 60;

/// What was shown.
#[derive(Debug, Default)]
struct Shown {
    connections: u64,
    /// Segments with data that were seen at their senders before the end, and at receivers, marked.
    sent: u64,
    marked: u64,
    acks: u64,
    /// Packets of requests that left their clients before the end, and those seen where they arrive.
    asked: u64,
    heard: u64,
    mss: std::collections::BTreeMap<u32, u32>,
    end: Time,
    /// Base RTT of each connection, the largest, and the clock that never goes back.
    rtts: std::collections::BTreeMap<u32, u64>,
    rtt_ns: u64,
    now_ns: u64,
    too_late: Option<Seen>,
}

impl Tap for Shown {
    fn on_connection(&mut self, flow: u32, tapped: &Tapped) {
        self.connections += 1;
        self.rtts.insert(flow, tapped.rtt.0);
        self.mss.insert(flow, tapped.mss);
        self.rtt_ns = self.rtt_ns.max(tapped.rtt.0);
    }

    fn on_seen(&mut self, seen: &Seen) {
        if seen.place == Place::Sender {
            self.now_ns = self.now_ns.max(seen.at.0 + self.rtts[&seen.flow] / 4);
        }
        if seen.at.0 + 2 * self.rtt_ns < self.now_ns {
            self.too_late = Some(*seen);
        }
        match seen.content {
            SeenContent::Segment { seq, bits, .. } if Opening::of(seq).is_none() && Bare::of(seq).is_none() => {
                self.sent += u64::from(seen.place == Place::Sender && seen.at < self.end);
                self.marked += u64::from(seen.place == Place::Receiver && bits.ce);
            }
            SeenContent::Segment { .. } => {}
            SeenContent::Ack { .. } => self.acks += u64::from(seen.place == Place::Sender),
            SeenContent::Request(asked) => {
                assert!(asked.payload > 0 && asked.sent <= seen.at + units::Duration(self.rtts[&seen.flow]));
                self.asked += u64::from(seen.place == Place::Receiver && seen.at < self.end);
                self.heard += u64::from(seen.place == Place::Sender);
            }
        }
    }

    fn on_stack(&mut self, _flow: u32, _tapped: &TappedStack<'_>) {}

    fn on_datagram(&mut self, _seen: &SeenDatagram<'_>) {}
}

/// A hash of every ACK, with a tap.
struct Watch {
    hash: AckHash,
    tap: SharedTap,
}

impl Observer for Watch {
    fn tap(&self) -> Option<SharedTap> {
        Some(self.tap.clone())
    }

    fn on_acked(&mut self, now: Time, flow: usize, sender: &Sender<Controller>) {
        self.hash.on_acked(now, flow, sender);
    }
}

/// All that a run measured; how many events of the engine that took may differ by what a segment alone asks for.
fn measured(records: &Records) -> String {
    let Records { flows, links, transfers, sources, exchanges, events, host_samples, data_packets, .. } = records;
    let flows: Vec<_> = flows.iter().map(|flow| (flow.at_end, flow.lost_packets, flow.marked_packets)).collect();
    let links: Vec<_> = links.iter().map(|link| link.totals).collect();
    let sources: Vec<_> = sources.iter().map(|source| source.at_end).collect();
    let worked = (&host_samples.t_ns, &host_samples.busy_ns);
    format!("{flows:?} {links:?} {:?} {:?} {sources:?} {exchanges:?} {events:?} {worked:?} {data_packets}", transfers.rows, transfers.pages)
}

/// Packets shown of scenarios of one kind: sent, marked, ACKs. Each is run by the engine that shows nothing, with an observer, and with a tap.
fn compare(scenario: fn(u64) -> Spec) -> [u64; 3] {
    let mut all = [0; 3];
    for index in 0..SCENARIOS {
        let spec = scenario(index);
        let mut plain = AckHash::default();
        let Ok(expected) = run_observed(&spec, &mut plain, || false) else { continue };
        let silent = run(&spec, || false).expect("the same scenario");
        assert!(measured(&silent) == measured(&expected), "scenario {index}, without an observer");
        let shown = Arc::new(Mutex::new(Shown { end: Time(spec.duration_ns), ..Shown::default() }));
        let mut watch = Watch { hash: AckHash::default(), tap: SharedTap::new(shown.clone()) };
        let found = run_observed(&spec, &mut watch, || false).expect("the same scenario");
        assert_eq!(watch.hash, plain, "scenario {index}");
        assert!(measured(&found) == measured(&expected), "scenario {index}");
        let shown = shown.lock().expect("nothing panicked");
        assert!(shown.too_late.is_none(), "scenario {index}: {:?} was shown at {} ns", shown.too_late, shown.now_ns);
        assert_eq!(shown.connections, (found.flows.len() + found.transfers.rows.len()) as u64, "scenario {index}");
        let flows: u64 = found.flows.iter().map(|flow| flow.at_end.sent).sum();
        let transfers: u64 = found.transfers.rows.iter().map(|row| u64::from(row.sent)).sum();
        assert_eq!(held(&spec, shown.sent, flows + transfers), flows + transfers, "scenario {index}");
        // Of a request that is not answered the last packets may wait for its client's window.
        let pieces = |row: &sim::ExchangeRow| row.request_bytes.div_ceil(shown.mss[&row.flow].into());
        let rows = || found.exchanges.iter().flatten();
        let sent = |row: &sim::ExchangeRow| pieces(row) + u64::from(row.repeats);
        let least: u64 = rows().map(|row| if row.completion_ns < u64::MAX { sent(row) } else { 1 + u64::from(row.repeats) }).sum();
        let most: u64 = rows().map(sent).sum();
        assert!((least..=most).contains(&shown.asked), "scenario {index}");
        assert!(shown.heard <= shown.asked, "scenario {index}");
        for (sum, count) in all.iter_mut().zip([shown.sent, shown.marked, shown.acks]) {
            *sum += count;
        }
    }
    all
}

/// What was shown, or what was sent where the difference is what a host holds: it sends later, or not at all.
fn held(spec: &Spec, shown: u64, sent: u64) -> u64 {
    if spec.hosts.is_empty() || shown > sent {
        shown
    } else {
        sent
    }
}

#[test]
fn a_tap_changes_nothing_and_sees_every_segment() {
    let [sent, marked, acks] = compare(common::scenario);
    assert!(sent > 100_000 && marked > 1_000 && acks > 50_000, "only {sent} segments, {marked} marks, {acks} ACKs");
}

#[test]
fn a_tap_changes_nothing_where_links_decide_late() {
    let [sent, marked, _] = compare(common::scenario_with_discipline);
    assert!(sent > 100_000 && marked > 500, "only {sent} segments, {marked} marks");
}

#[test]
fn a_tap_changes_nothing_over_several_hops() {
    assert!(compare(common::scenario_with_hops_and_hosts)[0] > 50_000);
    assert!(compare(common::scenario_with_hops)[0] > 50_000);
}

#[test]
fn a_tap_changes_nothing_of_hosts_buffers_and_transfers() {
    assert!(compare(common::scenario_with_hosts)[0] > 50_000);
    assert!(compare(common::scenario_with_buffers)[0] > 50_000);
    assert!(compare(common::scenario_with_arrivals)[0] > 50_000);
    assert!(compare(common::scenario_with_hops_and_arrivals)[0] > 50_000);
}
