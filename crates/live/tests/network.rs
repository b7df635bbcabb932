//! The links and ways of a scenario in computed time, against closed forms and the simulator.

use live::{Network, Passing};
use sim::Spec;
use units::Time;

const MS: u64 = 1_000_000;

fn spec(json: &str) -> Spec {
    Spec::from_json(json).unwrap()
}

fn network(spec: &Spec) -> Network {
    Network::new(sim::accept(spec).unwrap(), false)
}

/// A packet of a UDP flow, so many bytes of IP.
fn packet(flow: u32, returns: bool, bytes: u16, number: u16) -> Box<Passing> {
    let mut raw = vec![0; usize::from(bytes)];
    raw[0] = 0x45;
    raw[9] = 17;
    raw[2..4].copy_from_slice(&bytes.to_be_bytes());
    raw[4..6].copy_from_slice(&number.to_be_bytes());
    Box::new(Passing::read(raw, flow, returns).unwrap())
}

/// When packets come out, and their numbers.
fn out(network: &mut Network, until: u64) -> Vec<(u64, u16)> {
    network.advance(Time(until));
    let number = |passing: &Passing| u16::from_be_bytes([passing.bytes[4], passing.bytes[5]]);
    std::iter::from_fn(|| network.take_due(Time(until))).map(|(at, passing)| (at.0, number(&passing))).collect()
}

#[test]
fn a_packet_crosses_eight_routers_in_the_sum_of_their_transmissions_and_its_propagation() {
    // 12,000 bits at 12, 24, ... 96 Mbit/s: 1 ms, 1/2 ms, ... 1/8 ms.
    let hops: Vec<String> = (2..=8)
        .map(|number| {
            format!(
                r#"{{"delay_ns": 1000000, "link": {{"rate_bps": {}, "queue": {{"unit": "packets", "limit": 100}}}}}}"#,
                number * 12_000_000
            )
        })
        .collect();
    let json = format!(
        r#"{{"seed": 1, "duration_ns": 10000000000, "forward": {{"rate_bps": 12000000, "queue": {{"unit": "packets", "limit": 100}}}},
            "hops": [{}], "flows": [{{"algorithm": "reno", "rtt_ns": 80000000}}]}}"#,
        hops.join(",")
    );
    let spec = spec(&json);
    let mut network = network(&spec);
    for number in 0..50 {
        network.arrive(Time::ZERO, packet(0, false, 1500, number));
    }
    let transmissions_ns: f64 = (1..=8).map(|number| 1e6 / f64::from(number)).sum();
    let came = out(&mut network, 1000 * MS);
    assert_eq!(came.len(), 50);
    // The first link is the slowest: packets follow each other at its distance, and wait nowhere else.
    for (index, (at, number)) in came.into_iter().enumerate() {
        let expected = 40e6 + transmissions_ns + index as f64 * 1e6;
        assert!((at as f64 - expected).abs() < 10.0, "{index}: {at} for {expected}");
        assert_eq!(usize::from(number), index);
    }
}

#[test]
fn late_news_of_packets_changes_nothing_of_their_times() {
    let json = r#"{"seed": 1, "duration_ns": 10000000000, "forward": {"rate_bps": 10000000, "queue": {"unit": "packets", "limit": 10}},
        "flows": [{"algorithm": "reno", "rtt_ns": 20000000}]}"#;
    let spec = spec(json);
    let arrivals: Vec<u64> = (0..60).map(|index| index * 700_000).collect();
    let run = |batch: usize| {
        let mut network = network(&spec);
        let mut came = Vec::new();
        for (turn, times) in arrivals.chunks(batch).enumerate() {
            for (index, &at) in times.iter().enumerate() {
                network.arrive(Time(at), packet(0, false, 1500, (turn * batch + index) as u16));
            }
            // The router looks when the last of the batch has come, and knows nothing of the next.
            came.extend(out(&mut network, *times.last().unwrap()));
        }
        came.extend(out(&mut network, 1000 * MS));
        (came, network.finish().drops)
    };
    let (punctual, drops) = run(1);
    assert!(!drops.is_empty(), "the queue overflows at 17 Mbit/s");
    // 2.8 ms late, within the 5 ms of the way to the link.
    assert_eq!(run(4), (punctual, drops));
}

#[test]
fn every_packet_comes_out_or_is_counted_as_dropped_whatever_the_discipline() {
    for discipline in ["codel", "fq-codel", "pie", "red", "drop-head", "cake", "fq", "shaper"] {
        let parameters = match discipline {
            "red" => r#", "parameters": {"min": 10, "max": 30}"#,
            "shaper" => r#", "parameters": {"rate_bps": 8000000, "burst_bytes": 15000}"#,
            _ => "",
        };
        let json = format!(
            r#"{{"seed": 1, "duration_ns": 10000000000, "sample_ns": 10000000,
                "forward": {{"rate_bps": 10000000, "queue": {{"unit": "packets", "limit": 40}}, "discipline": {{"name": "{discipline}"{parameters}}}}},
                "flows": [{{"algorithm": "reno", "rtt_ns": 20000000}}, {{"algorithm": "reno", "rtt_ns": 40000000}}]}}"#
        );
        let spec = spec(&json);
        let Ok(accepted) = sim::accept(&spec) else { panic!("{discipline}: {:?}", sim::accept(&spec).err()) };
        let mut network = Network::new(accepted, false);
        let mut came = 0;
        for turn in 0..1000u64 {
            network.arrive(Time(turn * MS), packet((turn % 2) as u32, false, 1500, turn as u16));
            came += out(&mut network, turn * MS).len();
        }
        came += out(&mut network, 10_000 * MS).len();
        let measured = network.finish();
        let dropped: u64 = measured.counts.iter().map(|count| count.dropped).sum();
        assert!(dropped > 0, "{discipline}: 12 Mbit/s into 10");
        assert_eq!(came as u64 + dropped, 1000, "{discipline}");
        assert_eq!(measured.drops.len() as u64, dropped, "{discipline}");
    }
}

#[test]
fn what_returns_keeps_its_order_and_takes_the_rest_of_the_round_trip() {
    let json = r#"{"seed": 1, "duration_ns": 10000000000, "forward": {"rate_bps": 100000000, "queue": {"unit": "packets", "limit": 10}},
        "flows": [{"algorithm": "reno", "rtt_ns": 20000001, "jitter_ns": 3000000}]}"#;
    let spec = spec(json);
    let mut network = network(&spec);
    for number in 0..100 {
        network.arrive(Time(u64::from(number) * 100_000), packet(0, true, 52, number));
    }
    let came = out(&mut network, 1000 * MS);
    assert!(came.windows(2).all(|pair| pair[0].0 <= pair[1].0 && pair[0].1 < pair[1].1));
    let waits: Vec<u64> = came.iter().map(|&(at, number)| at - u64::from(number) * 100_000).collect();
    assert!(waits.iter().all(|&wait| wait >= 10_000_001), "half of the round trip, and the odd nanosecond");
    assert!(waits.iter().max().unwrap() - waits.iter().min().unwrap() > 1_000_000, "jitter up to 3 ms");
}

#[test]
fn datagrams_of_a_source_take_their_part_of_the_link() {
    let json = r#"{"seed": 1, "duration_ns": 1000000000, "forward": {"rate_bps": 10000000, "queue": {"unit": "packets", "limit": 100}},
        "flows": [{"algorithm": "reno", "rtt_ns": 20000000}], "traffic": [{"rate_bps": 4000000, "packet_bytes": 1000}]}"#;
    let spec = spec(json);
    let mut network = network(&spec);
    out(&mut network, 1100 * MS);
    let measured = network.finish();
    let source = measured.counts[1];
    // 4 Mbit/s in packets of 8000 bits for 1 s: 500, the first at once.
    assert_eq!((source.sent, source.delivered, source.dropped), (500, 500, 0));
    assert_eq!(measured.links[0].0.window_delivered_bytes, 500_000);
}
