//! Transfers that come and go over several bottlenecks in a row: loads that add up, and what queueing theory says of such a row.

use sim::{ArrivalSpec, Law, Offered, SessionSpec};

use crate::parking_lot::{balance, busy_lot, Party};
use crate::transfers::customers;
use crate::*;

const US: u64 = 1000;

fn way(enter: u32, leave: u32) -> StretchSpec {
    StretchSpec { enter: Some(enter), leave: Some(leave) }
}

/// Single packets over hops of 100, 50 and so many Mbit/s, 150 us apart in all, at these loads of the hop where they enter.
fn packets(last_mbit_s: u64, sources: &[(StretchSpec, f64)], seconds: u64) -> Spec {
    let plain = customers(Law::Fixed { mean: 1448.0 }, 1.0, seconds);
    let hop = |delay_us, mbit_s: u64| {
        let mut link = plain.forward.clone();
        link.rate_bps = mbit_s * 1_000_000;
        HopSpec { delay_ns: delay_us * US, link }
    };
    let arrivals = sources.iter().map(|&(hops, load)| {
        let mut source = plain.arrivals[0].clone();
        source.offered = Offered::Load(load);
        source.flows[0].hops = hops;
        source
    });
    Spec { hops: vec![hop(100, 50), hop(50, last_mbit_s)], arrivals: arrivals.collect(), ..plain.clone() }
}

/// A load is a share of the first link's rate. 20 Mbit/s over all of 100, 50 and 200, 15 from the second on and 20 over the third: 0.2, 0.7 and
/// 0.275 of them. Each source sends 125,000 packets or more: its standard error is below 0.3 %, and three are 1 %.
#[test]
fn the_loads_of_a_hop_add_up() {
    let spec = packets(200, &[(StretchSpec::default(), 0.2), (way(2, 3), 0.3), (way(3, 3), 0.1)], 100);
    let records = run(&spec);
    for (number, (link, load)) in (1..).zip(records.links.iter().zip([0.2, 0.7, 0.275])) {
        assert_near(link.totals.window_busy_ns as f64 * 1e-9 / 100.0, load, 0.01, &format!("load of hop {number}"));
    }
}

/// In a row of servers, each with a constant time of service, customers spend as long as if the slowest came first and none of the others had
/// a queue (Friedman 1965): to the nanosecond, each waits for what is left of those before it at 240 us, and is transmitted three times. The
/// mean wait is that of M/D/1 at 0.8 there, two services; 830,000 transfers are within 2 % (see the transfers over one link).
#[test]
fn the_slowest_hop_alone_decides_how_long_single_packets_wait() {
    let records = run(&packets(100, &[(StretchSpec::default(), 0.4)], 250));
    let (mut free, mut waits, mut count) = (0, 0, 0);
    for row in records.transfers.rows.iter().filter(|row| row.completion_ns < u64::MAX) {
        let start = free.max(row.start_ns);
        free = start + 240 * US;
        assert_eq!(row.completion_ns, MS + free - row.start_ns + 2 * 120 * US, "{row:?}");
        (waits, count) = (waits + start - row.start_ns, count + 1);
    }
    assert!(count > 800_000, "{count}");
    assert_near(waits as f64 / f64::from(count) / (240.0 * US as f64), 2.0, 0.02, "wait at load 0.8");
}

/// Flows from anywhere to anywhere, datagrams, and transfers that enter at three hops and leave at one: every hop's books balance.
#[test]
fn no_packet_of_a_transfer_vanishes_between_hops() {
    let mut spec = busy_lot();
    let stop_ns = Some(45 * SECOND);
    let kind = |enter| FlowSpec { hops: way(enter, 3), jitter_ns: MS, ..flow("cubic", 60) };
    let sizes = Law::Pareto { mean: 20_000.0, shape: 1.5 };
    let open = |enter, load| ArrivalSpec {
        flows: vec![kind(enter)],
        offered: Offered::Load(load),
        sizes,
        max_bytes: Some(300_000),
        start_ns: 0,
        stop_ns,
    };
    spec.arrivals = vec![open(1, 0.2), open(2, 0.1)];
    spec.sessions = vec![SessionSpec {
        flows: vec![kind(3)],
        count: 40,
        objects: Law::Exponential { mean: 3.0 },
        connections: 2,
        sizes,
        max_bytes: Some(300_000),
        think: Law::Exponential { mean: 1e9 },
        start_ns: 0,
        stop_ns,
    }];
    let records = run(&spec);
    let sent = |kind: u32| records.transfers.rows.iter().filter(|row| row.kind == kind).map(|row| u64::from(row.sent)).sum();
    let mut parties: Vec<Party> = (0..3).map(|kind| (way(kind + 1, 3), sent(kind), 0)).collect();
    assert!(parties.iter().all(|&(_, sent, _)| sent > 5000), "{parties:?}");
    // Drops of transfers bear no number; all of them would have left at the third hop.
    let lost = records.events.iter().filter(|event| event.kind == EventKind::Drop && event.flow == -1).count() as u64;
    assert!(lost > 100, "{lost}");
    parties.push((StretchSpec { enter: None, leave: Some(3) }, 0, lost));
    balance(&spec, &records, parties);
    assert!(records.links.iter().all(|link| link.totals.dropped > 10), "{:?}", records.links);
}
