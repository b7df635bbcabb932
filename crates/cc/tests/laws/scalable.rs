//! Kelly 2003: +0.01 per segment, 0.875 kept; Linux grows by 1/min(w, 100).

use crate::{near, Bench};

#[test]
fn two_segments_at_a_thousand() {
    let mut bench = Bench::new("scalable:kelly", &[], 1000.0);
    bench.ack(2);
    near(bench.w.cwnd, 1000.02, 1e-9);
}

#[test]
fn loss_keeps_seven_eighths() {
    let kept = |variant: &str, cwnd: f64| Bench::new(&format!("scalable:{variant}"), &[], cwnd).lose();
    assert_eq!(kept("kelly", 1000.0), 875.0);
    assert_eq!(kept("kelly", 50.0), 43.75);
    assert_eq!(kept("kelly", 16.0), 8.0);
    assert_eq!(kept("linux-6.1", 1000.0), 875.0);
    assert_eq!(kept("linux-6.1", 50.0), 44.0);
}

#[test]
fn linux_is_reno_below_a_hundred() {
    let mut bench = Bench::new("scalable:linux-6.1", &[], 50.0);
    for _ in 0..49 {
        bench.ack(1);
    }
    assert_eq!(bench.w.cwnd, 50.0);
    bench.ack(1);
    assert_eq!(bench.w.cwnd, 51.0);
    let mut bench = Bench::new("scalable:linux-6.1", &[], 5000.0);
    bench.ack(100);
    assert_eq!(bench.w.cwnd, 5001.0);
}

/// ln(8/7)/ln(1.01) = 13.42 round trips at any window.
#[test]
fn recovery_takes_fourteen_round_trips_at_any_window() {
    for peak in [1000.0, 50_000.0] {
        let mut bench = Bench::new("scalable:kelly", &[], peak);
        bench.lose();
        for round in 1..=14 {
            bench.ack(bench.w.segments());
            assert_eq!(bench.w.cwnd >= peak, round == 14, "peak {peak}, round {round}: {}", bench.w.cwnd);
        }
    }
}
