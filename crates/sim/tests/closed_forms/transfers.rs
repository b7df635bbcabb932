//! Transfers that come and go against queueing theory.
//!
//! A transfer whose packets all leave at once is a customer of the link: Poisson arrivals, whose service takes as long as its packets.
//! Tolerances of 2 %: the mean of N consecutive sojourn times in M/M/1 has a relative standard error of
//! sqrt((2 + 5 rho - 4 rho^2 + rho^3) / (rho (1 - rho)^2 N)) (Daley 1968), 0.8 % for two million at a load of 0.8, less in the others.

use super::*;
use sim::{ArrivalSpec, Law, Offered, SessionSpec, TransferRow};

const RTT: u64 = MS;

/// Transfers whose packets leave at once, each acknowledged at once, over a link of 100 Mbit/s that never drops: 120 us per packet. Tails
/// are not probed for: with an RTT below the wait, probes would be a load of their own.
pub(crate) fn customers(sizes: Law, load: f64, seconds: u64) -> Spec {
    let mut kind = FlowSpec { rtt_ns: RTT, ..flow("reno", 1) };
    kind.transport =
        [("ack_every".to_owned(), 1.into()), ("initial_window".to_owned(), 1000.into()), ("tlp".to_owned(), false.into())].into();
    let source = ArrivalSpec { flows: vec![kind], offered: Offered::Load(load), sizes, max_bytes: None, start_ns: 0, stop_ns: None };
    Spec { arrivals: vec![source], ..dumbbell(100, 1_000_000, seconds, Vec::new()) }
}

fn completed(records: &Records) -> impl Iterator<Item = &TransferRow> {
    records.transfers.rows.iter().filter(|row| row.completion_ns < u64::MAX)
}

/// Mean time in the link, in packet times, and the number of transfers.
fn sojourn(records: &Records) -> (f64, usize) {
    let times: Vec<u64> = completed(records).map(|row| row.completion_ns - RTT).collect();
    (times.iter().sum::<u64>() as f64 / times.len() as f64 / 120_000.0, times.len())
}

/// M/D/1: of single packets, a wait of rho / (2 (1 - rho)).
#[test]
fn single_packets_wait_as_in_m_d_1() {
    for (load, seconds) in [(0.5, 200), (0.8, 300)] {
        let (mean, transfers) = sojourn(&run(&customers(Law::Fixed { mean: 1448.0 }, load, seconds)));
        assert!(transfers > 800_000, "{transfers}");
        assert_near(mean - 1.0, load / (2.0 * (1.0 - load)), 0.02, &format!("wait at load {load}"));
    }
}

/// Of any sizes, each transfer waits for what is left of those before it (Lindley 1952): its time follows from theirs to the nanosecond.
#[test]
fn every_transfer_waits_for_those_before_it() {
    let records = run(&customers(Law::Exponential { mean: 14_480.0 }, 0.8, 100));
    let mut free = 0;
    for row in completed(&records) {
        let start = free.max(row.start_ns);
        free = start + row.bytes.div_ceil(1448) * 120_000;
        assert_eq!(row.completion_ns, free - row.start_ns + RTT, "{row:?}");
    }
}

/// M/G/1 with geometric service, which exponential sizes make (Pollaczek and Khinchine): a wait of lambda E[N^2] / (2 (1 - rho)). With a mean
/// of 1/p packets E[N^2] is (2 - p) / p^2; as p goes to zero this is M/M/1. The wait is as sensitive to the moments of a finite draw as
/// to anything else: it is held against the formula with theirs, and they against the law.
#[test]
fn exponential_sizes_wait_as_in_m_m_1() {
    for (load, seconds) in [(0.5, 2000), (0.8, 3000)] {
        let records = run(&customers(Law::Exponential { mean: 14_480.0 }, load, seconds));
        let (mean, transfers) = sojourn(&records);
        let sizes: Vec<f64> = records.transfers.rows.iter().map(|row| row.bytes.div_ceil(1448) as f64).collect();
        let count = sizes.len() as f64;
        let (first, second) = (sizes.iter().sum::<f64>() / count, sizes.iter().map(|n| n * n).sum::<f64>() / count);
        let p = 1.0 - (-0.1_f64).exp();
        assert!(transfers > 700_000, "{transfers}");
        assert_near(first, 1.0 / p, 0.01, "mean of N");
        assert_near(second, (2.0 - p) / (p * p), 0.02, "mean of N^2");
        let rate = count * 120e-6 / seconds as f64;
        assert_near(rate * first, load, 0.01, "load");
        assert_near(mean - first, rate * second / (2.0 * (1.0 - rate * first)), 0.02, &format!("wait at load {load}"));
    }
}

/// M/M/1 itself: single packets of exponential size, a wait of rho / (1 - rho) mean services. Packets of a source have one size: 400 sources of
/// one rate each have the mean of a four-hundredth of the law, so that E[S^2] is 2 E[S]^2 to 0.6 %.
#[test]
fn packets_of_exponential_size_wait_as_in_m_m_1() {
    const SOURCES: usize = 400;
    const MEAN_BYTES: f64 = 4000.0;
    // The mean between two quantiles: of x e^-x the integral is -(x + 1) e^-x.
    let above = |i: usize| 1.0 - i as f64 / SOURCES as f64;
    let part = |share: f64| if share > 0.0 { share * (1.0 - share.ln()) } else { 0.0 };
    let bytes = |i: usize| ((part(above(i)) - part(above(i + 1))) * SOURCES as f64 * MEAN_BYTES).round().max(1.0) as u32;
    for (load, seconds) in [(0.5, 80), (0.8, 80)] {
        let mut spec = customers(Law::Fixed { mean: 1.0 }, load, seconds);
        spec.forward.rate_bps = 1_000_000_000;
        let like = spec.arrivals.remove(0);
        spec.arrivals = (0..SOURCES)
            .map(|i| ArrivalSpec {
                flows: vec![FlowSpec { mss_bytes: bytes(i), packet_bytes: bytes(i), ..like.flows[0].clone() }],
                offered: Offered::PerSecond(load * 1e9 / 8.0 / MEAN_BYTES / SOURCES as f64),
                sizes: Law::Fixed { mean: f64::from(bytes(i)) },
                ..like.clone()
            })
            .collect();
        let records = run(&spec);
        let waits = completed(&records).map(|row| (row.completion_ns - RTT) as f64 - row.bytes as f64 * 8.0);
        let (count, sum) = waits.fold((0, 0.0), |(count, sum), wait| (count + 1, sum + wait));
        assert!(count > 1_200_000, "{count}");
        assert_near(sum / f64::from(count) / (8.0 * MEAN_BYTES), load / (1.0 - load), 0.02, &format!("wait at load {load}"));
    }
}

/// The link's own count of time agrees, by Little's law, with that of single packets: nothing else is in it.
#[test]
fn the_queue_holds_what_littles_law_says() {
    let records = run(&customers(Law::Fixed { mean: 1448.0 }, 0.8, 30));
    let sojourn_s: f64 = completed(&records).map(|row| (row.completion_ns - RTT) as f64 * 1e-9).sum();
    assert_near(records.links[0].mean_queue_packets(), sojourn_s / 30.0, 0.001, "packets in the link");
}

/// Mean of 25 kB and shape 1.2: nothing below 25000 / 6 bytes, and a share of (xm / x)^1.2 above x. Five standard errors of a binomial share.
/// Sizes cut at 100 kB have a standard deviation of 1.5 means at most, so that the load of 150,000 transfers is good to 0.5 %.
#[test]
fn pareto_transfers_have_their_tail_and_their_load() {
    let sizes = Law::Pareto { mean: 25_000.0, shape: 1.2 };
    let mut spec = customers(sizes, 0.3, 700);
    spec.arrivals[0].max_bytes = Some(100_000);
    let records = run(&spec);
    let rows = &records.transfers.rows;
    let least = 25_000.0 / 6.0;
    assert!(rows.len() > 150_000 && rows.iter().all(|row| row.bytes as f64 >= least && row.bytes <= 100_000));
    for x in [10_000_u64, 50_000, 99_999] {
        let expected = (least / x as f64).powf(1.2);
        let share = rows.iter().filter(|row| row.bytes > x).count() as f64 / rows.len() as f64;
        let error = (expected * (1.0 - expected) / rows.len() as f64).sqrt();
        assert!((share - expected).abs() < 5.0 * error, "above {x} bytes: {share}, not {expected} +- {error}");
    }
    assert_near(records.links[0].utilisation(), 0.3, 0.02, "load");
}

/// Poisson: as many transfers as asked for within five standard errors, gaps whose squares have twice the squared mean (five standard
/// errors, sqrt(20 / N) of it), kinds equally often.
#[test]
fn arrivals_are_poisson_and_kinds_equally_likely() {
    let mut spec = customers(Law::Fixed { mean: 1448.0 }, 0.5, 100);
    let kinds = [30, 60, 90, 120].map(|rtt_ms| FlowSpec { rtt_ns: rtt_ms * MS, ..spec.arrivals[0].flows[0].clone() });
    spec.arrivals[0] = ArrivalSpec {
        flows: kinds.into(),
        offered: Offered::PerSecond(1000.0),
        start_ns: 10 * SECOND,
        stop_ns: Some(90 * SECOND),
        ..spec.arrivals[0].clone()
    };
    let rows = run(&spec).transfers.rows;
    assert!((rows.len() as f64 - 80_000.0).abs() < 5.0 * 80_000_f64.sqrt(), "{}", rows.len());
    assert!(rows.iter().all(|row| (10 * SECOND..90 * SECOND).contains(&row.start_ns)));
    let gaps: Vec<f64> = rows.windows(2).map(|pair| (pair[1].start_ns - pair[0].start_ns) as f64 * 1e-6).collect();
    let squares = gaps.iter().map(|gap| gap * gap).sum::<f64>() / gaps.len() as f64;
    assert!((squares - 2.0).abs() < 5.0 * (20.0 / gaps.len() as f64).sqrt(), "{squares}");
    for kind in 0..4 {
        let share = rows.iter().filter(|row| row.kind == kind).count() as f64 / rows.len() as f64;
        assert!((share - 0.25).abs() < 5.0 * (0.25 * 0.75 / rows.len() as f64).sqrt(), "kind {kind}: {share}");
    }
    // A lone packet takes its RTT and its own transmission, unless it waits.
    assert!(rows.iter().all(|row| row.completion_ns >= [30, 60, 90, 120][row.kind as usize] * MS + 120_000));
}

/// In reverse the load is that of the reverse link; transfers leave no trace among flows, samples and events.
#[test]
fn reverse_transfers_load_the_reverse_link_and_have_rows_of_their_own() {
    let mut spec = customers(Law::Exponential { mean: 20_000.0 }, 0.2, 100);
    spec.reverse = Some(spec.forward.clone());
    spec.arrivals[0].flows[0].direction = Direction::Reverse;
    spec.flows = vec![FlowSpec { window_packets: Some(20), ..flow("reno", 50) }.into()];
    spec.sample_ns = 100 * MS;
    let records = run(&spec);
    // Some 14,000 transfers of 14.3 packets, as variable as that: an error of 1.2 %. The other flow's ACKs take 0.7 % besides.
    let acks = records.flows[0].at_end.delivered as f64 * 52.0 * 8.0 / 1e10 / 2.0;
    assert_near(records.links[1].utilisation() - acks, 0.2, 0.06, "load of the reverse link");
    assert_eq!(records.flows.len(), 1);
    assert!(records.events.iter().all(|event| event.flow == 0) && records.flow_samples.columns().flow.iter().all(|&flow| flow == 0));
    let sent: u64 = records.transfers.rows.iter().map(|row| u64::from(row.sent)).sum();
    assert_eq!(records.data_packets, sent + records.flows[0].at_end.sent);
}

/// A closed loop: each session's page takes its objects one after another, and the next begins after a thought. With fixed objects, sizes and
/// thoughts on an empty link the cycle is exact: two objects of ten packets (RTT 1 ms, 1.2 ms of packets each) and 100 ms of thought.
#[test]
fn a_session_transfers_its_objects_one_after_another_and_thinks() {
    let mut spec = customers(Law::Fixed { mean: 14_480.0 }, 0.1, 10);
    let flows = std::mem::take(&mut spec.arrivals).remove(0).flows;
    spec.sessions = vec![SessionSpec {
        flows,
        count: 1,
        objects: Law::Fixed { mean: 2.0 },
        connections: 1,
        sizes: Law::Fixed { mean: 14_480.0 },
        max_bytes: None,
        think: Law::Fixed { mean: 100e6 },
        start_ns: 0,
        stop_ns: Some(5 * SECOND),
    }];
    let rows = run(&spec).transfers.rows;
    let object = RTT + 10 * 120_000;
    let cycle = 2 * object + 100 * MS;
    for (number, row) in rows.iter().enumerate() {
        let (page, second) = (number as u64 / 2, number as u64 % 2);
        assert_eq!((row.start_ns, row.completion_ns), (100 * MS + page * cycle + second * object, object));
    }
    assert_eq!(rows.len() as u64, 2 * ((5 * SECOND - 100 * MS).div_ceil(cycle)));
}

/// Sessions that think for Z and are served in S make N / (Z + S) transfers a second, as in the machine-repairman model, here with so short
/// a service that nobody waits: of 25 sessions for 2000 s some 40,000, good to 0.5 %.
#[test]
fn sessions_make_as_many_pages_as_their_cycle_allows() {
    let mut spec = customers(Law::Fixed { mean: 1448.0 }, 0.1, 2000);
    let flows = std::mem::take(&mut spec.arrivals).remove(0).flows;
    spec.sessions = vec![SessionSpec {
        flows,
        count: 25,
        objects: Law::Fixed { mean: 1.0 },
        connections: 1,
        sizes: Law::Fixed { mean: 1448.0 },
        max_bytes: None,
        think: Law::Exponential { mean: 1.25e9 },
        start_ns: 0,
        stop_ns: None,
    }];
    let transfers = run(&spec).transfers.rows.len() as f64;
    assert_near(transfers, 25.0 * 2000.0 / (1.25 + 0.001 + 0.000_12), 0.025, "pages");
}

/// A page of six objects of ten packets. One after another each costs an RTT and its packets; three at once keep the link busy from the
/// first packet to the last, for the next object's packets arrive (2.2 ms after the page began) while those of two others wait (until 3.6 ms).
#[test]
fn objects_in_parallel_share_their_round_trips() {
    let object = Law::Fixed { mean: 14_480.0 };
    for (connections, expected) in [(1, 6 * (RTT + 10 * 120_000)), (3, RTT + 60 * 120_000), (6, RTT + 60 * 120_000)] {
        let mut spec = customers(object, 0.1, 10);
        let flows = std::mem::take(&mut spec.arrivals).remove(0).flows;
        let (objects, think) = (Law::Fixed { mean: 6.0 }, Law::Fixed { mean: 100e6 });
        let (max_bytes, start_ns, stop_ns) = (None, 0, None);
        spec.sessions = vec![SessionSpec { flows, count: 1, objects, connections, sizes: object, max_bytes, think, start_ns, stop_ns }];
        let transfers = run(&spec).transfers;
        let cycle = expected + 100 * MS;
        for (number, page) in transfers.pages.iter().enumerate().filter(|(_, page)| page.completion_ns < u64::MAX) {
            assert_eq!((page.start_ns, page.completion_ns), (100 * MS + number as u64 * cycle, expected), "{connections} connections");
            assert_eq!((page.objects, page.bytes), (6, 6 * 14_480));
        }
        assert_eq!(transfers.pages.len() as u64, (10 * SECOND - 100 * MS).div_ceil(cycle));
        let under_way =
            |at: u64| transfers.rows.iter().filter(|row| row.start_ns <= at && at < row.start_ns.saturating_add(row.completion_ns)).count();
        assert_eq!(under_way(100 * MS), connections as usize);
    }
}
