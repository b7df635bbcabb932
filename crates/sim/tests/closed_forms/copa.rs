//! Copa at 100 Mbit/s and 50 ms: a pipe of 417 packets.

use crate::*;

fn copa(variant: &str, start_ms: u64) -> FlowSpec {
    FlowSpec { variant: Some(variant.into()), start_ns: start_ms * MS, ..flow("copa", 50) }
}

/// Its own cycle after the start is longer than the five RTTs after which it takes the queue for somebody else's.
fn patient(start_ms: u64) -> FlowSpec {
    FlowSpec { parameters: [("empty_within".into(), 10.0)].into(), ..copa("paper", start_ms) }
}

fn delivered(records: &Records, flow: usize) -> f64 {
    (records.flows[flow].at_end.delivered - records.flows[flow].at_window.delivered) as f64
}

/// The queue of n flows moves between nothing and 2.5 n/delta (Arun/Balakrishnan 2018, 3), 5 n packets; one more is in service.
/// Equal shares: each flow has its few packets of that queue from about 100 and more in flight, and the RTT of all is the same but for
/// which phase it samples: a tenth.
#[test]
fn flows_share_a_short_queue() {
    let default_mode = |starts: &[u64]| starts.iter().map(|&start| copa("default-mode", start)).collect();
    for flows in [vec![patient(0)], default_mode(&[0]), default_mode(&[0, 3000]), default_mode(&[0, 2000, 4000, 6000])] {
        let (variant, count) = (flows[0].variant.clone().unwrap(), flows.len());
        let records = run(&spec(100, 1000, 60, flows));
        let (queue, utilisation) = (records.links[0].mean_queue_packets(), records.links[0].utilisation());
        let n = count as f64;
        assert!((1.0..=1.0 + 5.0 * n).contains(&queue), "{variant}: {queue} packets for {n} flows");
        assert!(utilisation > 0.99, "{variant}: {utilisation} with {n} flows");
        let all: f64 = (0..count).map(|flow| delivered(&records, flow)).sum();
        for flow in 0..count {
            assert_near(delivered(&records, flow) / all, 1.0 / n, 0.1, "a share");
        }
    }
}

/// Beside Reno, which never lets the queue run empty here, the default mode starves: 1/delta = 2 packets of its own in a queue of hundreds.
/// Competitive mode is AIMD too: of the order of half, and not less than a quarter.
#[test]
fn competitive_mode_holds_out_against_reno() {
    for buffer in [417, 1000] {
        for (variant, range) in [("paper", 0.25..=0.75), ("default-mode", 0.0..=0.05)] {
            let records = run(&spec(100, buffer, 120, vec![copa(variant, 0), flow("reno", 50)]));
            let [copa, reno] = [0, 1].map(|flow| delivered(&records, flow));
            let share = copa / (copa + reno);
            assert!(range.contains(&share), "{variant} has {share} with {buffer}");
        }
    }
}

/// The window of slow start is above pipe and queue; the losses that follow stop neither the velocity nor the fall. The queue has been
/// empty in each ten seconds, after which RTTmin would become that of the full queue, and nothing more is dropped.
#[test]
fn an_overshoot_of_the_start_is_taken_back() {
    for variant in ["paper", "default-mode"] {
        let flow = FlowSpec { rtt_ns: 162 * MS, ..copa(variant, 0) };
        let spec = Spec { sample_ns: 10 * MS, ..spec(250, 3375, 60, vec![flow]) };
        let samples = run(&spec).link_samples;
        for (number, ten_seconds) in samples.queue_packets.chunks_exact(1000).enumerate() {
            assert!(ten_seconds.iter().any(|&queue| queue <= 1), "{variant}: never empty from {number}0 s on");
        }
        let dropped = |second: usize| samples.dropped[100 * second - 1];
        assert_eq!(dropped(60), dropped(10), "{variant}");
    }
}
