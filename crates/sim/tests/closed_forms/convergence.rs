//! How flows that lose together share a link.

use crate::*;

/// Windows of two flows at their common back-offs, where no one backed off alone in between.
fn common_back_offs(spec: &Spec, records: &Records) -> Vec<Vec<(f64, f64)>> {
    let [mut first, mut second] = [0, 1].map(|flow| back_offs(spec, records, flow).into_iter().peekable());
    let mut runs = vec![vec![]];
    while let (Some(&one), Some(&two)) = (first.peek(), second.peek()) {
        // One congestion event is heard of by both within a round trip and a half.
        if (one.at_s - two.at_s).abs() < 0.15 {
            runs.last_mut().expect("a run").push((one.cwnd, two.cwnd));
            first.next();
            second.next();
        } else {
            if one.at_s < two.at_s { first.next() } else { second.next() };
            runs.push(vec![]);
        }
    }
    runs
}

fn steps(runs: &[Vec<(f64, f64)>]) -> Vec<((f64, f64), (f64, f64))> {
    runs.iter().flat_map(|run| run.windows(2).map(|pair| (pair[0], pair[1]))).collect()
}

fn latecomer(algorithm: &str, start_s: u64) -> (Spec, Records) {
    let second = FlowSpec { start_ns: start_s * SECOND, ..flow(algorithm, 60) };
    let mut spec = spec(50, 250, 400, vec![flow(algorithm, 60), second]);
    spec.warmup_ns = (start_s + 5) * SECOND;
    let records = run(&spec);
    (spec, records)
}

/// w_i -> w_i / 2 + n with the same n for both: the difference halves. Halving rounds down (1/2), the later of two back-offs
/// of the same event has grown by up to one segment more, before and after, and n differs by one when the flows leave
/// Recovery a round trip apart: 3 segments.
#[test]
fn two_renos_halve_their_difference_with_every_common_loss() {
    let mut found = 0;
    for start_s in [30, 33, 37, 41, 46] {
        let (spec, records) = latecomer("reno", start_s);
        for ((a, b), (c, d)) in steps(&common_back_offs(&spec, &records)) {
            assert!(((c - d) - (a - b) / 2.0).abs() <= 3.0, "from {a}, {b} to {c}, {d}");
            found += usize::from((a - b).abs() >= 12.0);
        }
        assert_no_timeouts_after(&records);
    }
    assert!(found >= 3, "only {found} common losses of unequal flows");
}

/// Multiplicative both ways: the ratio stays. `cwnd - cwnd/8` and the credit of whole segments round by one of about 100
/// either way (2 %), and the recoveries may differ by one round trip of growth (1 %), twice: 5 %.
#[test]
fn two_scalables_keep_their_ratio() {
    let mut found = 0;
    for start_s in [30, 33, 37] {
        let (spec, records) = latecomer("scalable", start_s);
        for ((a, b), (c, d)) in steps(&common_back_offs(&spec, &records)) {
            // Below 100 segments this law is Reno's.
            if a.min(b) > 120.0 {
                assert_near(c / d, a / b, 0.05, "ratio");
                found += 1;
            }
        }
    }
    assert!(found >= 5, "only {found} common losses");
}

/// Timeouts belong to nobody here once both are in congestion avoidance.
fn assert_no_timeouts_after(records: &Records) {
    assert!(records.flows.iter().all(|row| row.at_end.timeouts == row.at_window.timeouts));
}

/// FAST keeps alpha segments of each flow queued, whatever the base RTT, and shares equally. The segment in service counts
/// in the link's queue and as queueing delay alike; an ACK of two makes the queue vary by one or two, and the window is
/// whole: 1 segment per flow and 2 % of alpha.
#[test]
fn fast_queues_alpha_segments_per_flow() {
    for count in [1, 2, 4] {
        for alpha in [50.0, 100.0] {
            let one = FlowSpec {
                variant: Some("fixed-alpha".into()),
                parameters: BTreeMap::from([("alpha".into(), alpha)]),
                ..flow("fast", 50)
            };
            let flows = (0..count).map(|i| FlowSpec { rtt_ns: (50 + 10 * i) * MS, ..one.clone() }).collect();
            let spec = spec(100, 2000, 60, flows);
            let records = run(&spec);
            let queue = records.links[0].mean_queue_packets();
            let expected = alpha * count as f64;
            assert!((queue - expected).abs() <= count as f64 + 0.02 * expected, "{queue} queued, not {expected}");
            for row in &records.flows {
                let share = 100e6 * 1448.0 / 1500.0 / 8.0 / count as f64;
                assert_near(row.window_goodput_bytes() as f64 / row.window_s, share, 0.02, "share");
            }
        }
    }
}
