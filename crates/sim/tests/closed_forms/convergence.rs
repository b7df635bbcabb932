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
            if one.at_s < two.at_s {
                first.next()
            } else {
                second.next()
            };
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
