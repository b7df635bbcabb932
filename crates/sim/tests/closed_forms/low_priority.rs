//! Flows that give way: LEDBAT, LEDBAT++ and HSTCP-LP at 20 Mbit/s and 60 ms, where a packet takes 0.6 ms and the pipe holds 100.

use crate::*;

fn low(spec: &str) -> FlowSpec {
    let (name, variant) = spec.split_once(':').expect("a variant");
    FlowSpec { variant: Some(variant.into()), ..flow(name, 60) }
}

/// Share of the first flow in what both deliver.
fn share(records: &Records) -> f64 {
    let [first, second] = [0, 1].map(|flow| (records.flows[flow].at_end.delivered - records.flows[flow].at_window.delivered) as f64);
    first / (first + second)
}

/// The queue goes to the target, 100 ms or 166.7 packets, as dq/dt = (1 - q/166.7) per RTT of 160 ms: 27 s, so that nothing is left to
/// go after 200 s. An ACK echoes the first of its two segments, which sees up to one packet less than their mean and half
/// on average; of four ACKs the lowest counts, and an ACK may release two or three: at most 2 packets more than the target, and one
/// in service. The window is sent in whole segments: up to 1 less.
#[test]
fn ledbat_keeps_its_target_in_the_queue() {
    let records = run(&spec(20, 400, 600, vec![low("ledbat:rfc6817")]));
    assert_eq!(records.links[0].totals.window_dropped, 0);
    let queue = records.links[0].mean_queue_packets();
    assert!((165.7..=169.7).contains(&queue), "a mean queue of {queue} packets");
}

/// 60 ms are 100 packets. A slowdown is two RTTs of at most 120 ms and slow start at half a segment per segment from 2 to 200: ln 100 by
/// ln 1.5 = 11.4 RTTs of 60 to 80 ms while the queue is empty, 0.8 to 1.15 s in all; the next begins after nine times as long.
#[test]
fn ledbat_plus_plus_sees_the_base_delay_again_and_again() {
    let mut spec = spec(20, 400, 180, vec![low("ledbat:plus-plus")]);
    spec.sample_ns = 10 * MS;
    let records = run(&spec);
    assert_eq!(records.links[0].totals.window_dropped, 0);
    let (queue, utilisation) = (records.links[0].mean_queue_packets(), records.links[0].utilisation());
    assert!(queue < 101.0 && utilisation > 0.9, "{queue} packets, utilisation {utilisation}");
    let samples = records.flow_samples.columns();
    let slow: Vec<u64> = samples.t_ns.iter().zip(&samples.cwnd).filter(|row| *row.1 == 2.0).map(|row| *row.0 / MS).collect();
    let starts: Vec<u64> = slow.windows(2).filter(|pair| pair[1] - pair[0] > 1000).map(|pair| pair[1]).collect();
    assert!(starts.len() > 14, "slowdowns at {starts:?} ms");
    for pair in starts.windows(2) {
        assert!((8_000..=11_500).contains(&(pair[1] - pair[0])), "slowdowns at {pair:?} ms");
    }
}

/// A late-comer takes the standing queue for distance, adds its own target to it, and the first flow sees twice its target and gives all
/// up. LEDBAT++'s slowdowns show both the empty queue: half each, give or take the phase of the slowdowns, a tenth of the time.
#[test]
fn a_late_comer_starves_ledbat_but_not_ledbat_plus_plus() {
    for (law, range) in [("ledbat:rfc6817", 0.0..=0.05), ("ledbat:plus-plus", 0.4..=0.6)] {
        let late = FlowSpec { start_ns: 30 * SECOND, ..low(law) };
        let records = run(&spec(20, 1000, 600, vec![low(law), late]));
        assert!(range.contains(&share(&records)), "the first {law} has {}", share(&records));
    }
}

/// The acceptance of the specification: below a tenth beside Reno, which keeps more than the target, or the threshold, in the buffer.
#[test]
fn they_leave_the_link_to_reno() {
    for (law, buffer) in [
        ("ledbat:rfc6817", 400),
        ("ledbat:plus-plus", 200),
        ("hstcp-lp:paper", 100),
        ("hstcp-lp:paper", 200),
        ("lp:paper", 100),
        ("lp:paper", 200),
    ] {
        let records = run(&spec(20, buffer, 240, vec![low(law), flow("reno", 60)]));
        let share = share(&records);
        assert!(share < 0.1, "{law} takes {share} with {buffer}");
        assert!(records.links[0].utilisation() > 0.99);
    }
}

#[test]
fn early_indications_use_an_idle_link_and_queue_little() {
    for (law, buffer) in [("hstcp-lp:paper", 100), ("hstcp-lp:paper", 400), ("lp:paper", 100), ("lp:paper", 400)] {
        let mut spec = spec(20, buffer, 180, vec![low(law)]);
        spec.sample_ns = SECOND;
        let records = run(&spec);
        let (queue, utilisation) = (records.links[0].mean_queue_packets(), records.links[0].utilisation());
        assert!(utilisation > 0.8, "{law}: {utilisation} with {buffer}");
        // A quarter of the delay's range, which is the buffer.
        assert!(queue < 0.25 * buffer as f64, "{law}: {queue} packets of {buffer}");
        assert_eq!(records.links[0].totals.window_dropped, 0);
    }
}

/// Linux's smoothed delay loses its upper three bits. An offset of the peer's clock that needs them, seven of eight, makes the delay look
/// shorter than the shortest, and the flow is Reno: of 40 seeds 5 are expected to differ, 0 or more than 11 with a chance below 1 %.
#[test]
fn seven_of_eight_linux_low_priority_flows_are_reno() {
    let delivered = |law: &str, seed| {
        let mut spec = spec(10, 35, 20, vec![flow(law, 42)]);
        spec.seed = seed;
        run(&spec).flows[0].at_end.delivered
    };
    let differ = (1..=40).filter(|&seed| delivered("lp", seed) != delivered("reno", seed)).count();
    assert!((1..=11).contains(&differ), "{differ} of 40");
}
