//! Copa at 100 Mbit/s and 50 ms: a pipe of 417 packets.

use crate::*;

fn copa(variant: &str, start_ms: u64) -> FlowSpec {
    FlowSpec { variant: Some(variant.into()), start_ns: start_ms * MS, ..flow("copa", 50) }
}

fn delivered(records: &Records, flow: usize) -> f64 {
    (records.flows[flow].at_end.delivered - records.flows[flow].at_window.delivered) as f64
}

/// The queue of n flows moves between nothing and 2.5 n/delta (Arun/Balakrishnan 2018, 3), 5 n packets; one more is in service.
/// Equal shares: each flow has its few packets of that queue from about 100 and more in flight, and the RTT of all is the same but for
/// which phase it samples: a tenth.
#[test]
fn flows_share_a_short_queue() {
    for (variant, starts) in
        [("paper", &[0][..]), ("default-mode", &[0]), ("default-mode", &[0, 3000]), ("default-mode", &[0, 2000, 4000, 6000])]
    {
        let records = run(&spec(100, 1000, 60, starts.iter().map(|&start| copa(variant, start)).collect()));
        let (queue, utilisation) = (records.links[0].mean_queue_packets(), records.links[0].utilisation());
        let n = starts.len() as f64;
        assert!((1.0..=1.0 + 5.0 * n).contains(&queue), "{variant}: {queue} packets for {n} flows");
        assert!(utilisation > 0.99, "{variant}: {utilisation} with {n} flows");
        let all: f64 = (0..starts.len()).map(|flow| delivered(&records, flow)).sum();
        for flow in 0..starts.len() {
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
