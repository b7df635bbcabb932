//! Transfers that come and go against queueing theory.
//!
//! A transfer whose packets all leave at once is a customer of the link: Poisson arrivals, whose service takes as long as its packets.
//! Tolerances of 2 %: the mean of N consecutive sojourn times in M/M/1 has a relative standard error of
//! sqrt((2 + 5 rho - 4 rho^2 + rho^3) / (rho (1 - rho)^2 N)) (Daley 1968), 0.8 % for two million at a load of 0.8, less in the others.

use super::*;
use sim::{ArrivalSpec, Offered, SizeLaw, TransferRow};

const RTT: u64 = MS;

/// Transfers whose packets leave at once, each acknowledged at once, over a link of 100 Mbit/s that never drops: 120 us per packet.
fn customers(sizes: SizeLaw, load: f64, seconds: u64) -> Spec {
    let mut kind = FlowSpec { rtt_ns: RTT, ..flow("reno", 1) };
    kind.transport = [("ack_every".to_owned(), 1.into()), ("initial_window".to_owned(), 1000.into())].into();
    let source = ArrivalSpec { flows: vec![kind], offered: Offered::Load(load), sizes, max_bytes: None, start_ns: 0, stop_ns: None };
    Spec { arrivals: vec![source], ..dumbbell(100, 1_000_000, seconds, Vec::new()) }
}

fn completed(records: &Records) -> impl Iterator<Item = &TransferRow> {
    records.transfers.rows.iter().filter(|row| row.completion_ns < u64::MAX)
}

/// Mean time in the link, in packet times, and the number of transfers.
fn sojourn(spec: &Spec) -> (f64, usize) {
    let records = run(spec);
    let times: Vec<u64> = completed(&records).map(|row| row.completion_ns - RTT).collect();
    (times.iter().sum::<u64>() as f64 / times.len() as f64 / 120_000.0, times.len())
}

/// M/D/1: of single packets, a wait of rho / (2 (1 - rho)).
#[test]
fn single_packets_wait_as_in_m_d_1() {
    for (load, seconds) in [(0.5, 200), (0.8, 300)] {
        let (mean, transfers) = sojourn(&customers(SizeLaw::Fixed { bytes: 1448 }, load, seconds));
        assert!(transfers > 800_000, "{transfers}");
        assert_near(mean - 1.0, load / (2.0 * (1.0 - load)), 0.02, &format!("wait at load {load}"));
    }
}

/// M/G/1 with geometric service of mean 1/p packets, which exponential sizes make (Pollaczek and Khinchine): a wait of
/// lambda E[N^2] / (2 (1 - rho)) with E[N^2] = (2 - p) / p^2. As p goes to zero this is M/M/1.
#[test]
fn exponential_sizes_wait_as_in_m_m_1() {
    for (load, seconds) in [(0.5, 1000), (0.8, 2000)] {
        let (mean, transfers) = sojourn(&customers(SizeLaw::Exponential { mean_bytes: 14_480.0 }, load, seconds));
        assert!(transfers > 300_000, "{transfers}");
        let p = 1.0 - (-0.1_f64).exp();
        let wait = load * p * (2.0 - p) / (p * p) / (2.0 * (1.0 - load));
        assert_near(mean - 1.0 / p, wait, 0.02, &format!("wait at load {load}"));
    }
}

/// The link's own count of time agrees, by Little's law, with that of single packets: nothing else is in it.
#[test]
fn the_queue_holds_what_littles_law_says() {
    let records = run(&customers(SizeLaw::Fixed { bytes: 1448 }, 0.8, 30));
    let sojourn_s: f64 = completed(&records).map(|row| (row.completion_ns - RTT) as f64 * 1e-9).sum();
    assert_near(records.links[0].mean_queue_packets(), sojourn_s / 30.0, 0.001, "packets in the link");
}

/// Mean of 25 kB and shape 1.2: nothing below 25000 / 6 bytes, and a share of (xm / x)^1.2 above x. Five standard errors of a binomial share.
/// Sizes cut at 100 kB have a standard deviation of 1.5 means at most, so that the load of 150,000 transfers is good to 0.5 %.
#[test]
fn pareto_transfers_have_their_tail_and_their_load() {
    let sizes = SizeLaw::Pareto { mean_bytes: 25_000.0, shape: 1.2 };
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
    let mut spec = customers(SizeLaw::Fixed { bytes: 1448 }, 0.5, 100);
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
    let mut spec = customers(SizeLaw::Exponential { mean_bytes: 20_000.0 }, 0.2, 100);
    spec.reverse = Some(spec.forward.clone());
    spec.arrivals[0].flows[0].direction = Direction::Reverse;
    spec.flows = vec![FlowSpec { window_packets: Some(20), ..flow("reno", 50) }];
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
