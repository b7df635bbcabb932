//! Adaptive Reno: Winc(c) and the back-off, worked out by hand from the printed formulas.

use units::Duration;

use crate::{near, Bench};

/// One that has measured `w_m` times 1000 segments/s and 100 ms, now at the congestion level `c`: 100 ms more are level 1 before a loss.
fn adaptive(parameters: &[(&str, f64)], cwnd: f64, w_m: f64, c: f64) -> Bench {
    let mut bench = Bench::new("areno:paper", parameters, cwnd);
    bench.wait(Duration::from_ms(1_000));
    bench.rtt(Duration::from_ms(100), (w_m * 1_000.0) as u32);
    bench.rtt(Duration::from_secs_f64(0.1 + 0.1 * c), 0);
    bench
}

const LEVELS: [f64; 6] = [0.0, 0.1, 0.25, 0.5, 0.75, 1.0];

/// Wm e^(-10 c) + 2 Wm (0.1 - 1.1 e^-10) c + 1 - 2 Wm (0.1 - 0.6 e^-10).
#[test]
fn the_probe_s_growth_follows_the_level_of_congestion() {
    let rows = [
        (1.0, 6e-5, [1.8001, 1.1879, 0.9321, 0.9067, 0.9505, 1.0]),
        (10.0, 6e-5, [9.0005, 2.8792, 0.3211, 0.0674, 0.5053, 1.0]),
        (50.0, 5e-3, [41.00, 10.40, -2.394, -3.663, -1.473, 1.0]),
    ];
    for (w_m, tolerance, increments) in rows {
        for (c, increment) in LEVELS.into_iter().zip(increments) {
            let mut bench = adaptive(&[], 100.0, w_m, c);
            near(bench.variable("level"), c, 1e-6);
            near(bench.variable("increment_packets"), increment, tolerance);
            bench.ack(100);
            near(bench.w.cwnd, 101.0 + increment.max(0.0), tolerance);
            near(bench.variable("probe_packets"), increment.max(0.0), tolerance);
        }
    }
}

/// With the increase read as the total, a full path gives Reno's one segment.
#[test]
fn read_as_the_total_it_is_reno_at_level_1() {
    let mut bench = adaptive(&[("total", 1.0)], 100.0, 10.0, 1.0);
    bench.ack(100);
    near(bench.w.cwnd, 101.0, 1e-4);
}

/// What the probe has gained it loses again, and no more: at Wm = 50, c = 1/2 a window's ACKs take 3.663.
#[test]
fn the_probe_shrinks_when_the_path_fills() {
    let mut bench = adaptive(&[], 100.0, 50.0, 0.1);
    bench.ack(100);
    near(bench.variable("probe_packets"), 10.40, 5e-3);
    bench.rtt(Duration::from_ms(150), 0);
    for probe in [10.40 - 3.663, 10.40 - 2.0 * 3.663, 0.0] {
        let base = bench.w.cwnd - bench.variable("probe_packets");
        // Half a segment of 110 is not acknowledged.
        bench.ack(bench.w.segments());
        near(bench.variable("probe_packets"), probe, 0.04);
        assert!(bench.w.cwnd - bench.variable("probe_packets") > base);
    }
}

/// w/(1 + c): half at level 1, 0.8 at 1/4.
#[test]
fn the_back_off_follows_the_level_of_congestion() {
    near(adaptive(&[], 100.0, 1.0, 1.0).lose(), 50.0, 1e-6);
    near(adaptive(&[], 100.0, 1.0, 0.25).lose(), 80.0, 1e-6);
    near(adaptive(&[], 100.0, 1.0, 0.0).lose(), 100.0, 1e-6);
}

/// RTTcong = 200 ms, then 0.85 200 + 0.15 150 = 192.5: 150 ms are level 50/92.5.
#[test]
fn the_rtt_at_losses_is_smoothed() {
    let mut bench = adaptive(&[], 100.0, 1.0, 1.0);
    bench.lose();
    bench.rtt(Duration::from_ms(150), 0);
    near(bench.variable("level"), 0.5, 1e-9);
    bench.lose();
    near(bench.variable("level"), 50.0 / 92.5, 1e-9);
    assert_eq!(bench.variable("probe_packets"), 0.0);
}

/// 0.9 1000 + 0.1 2000 segments/s, once an RTT is over.
#[test]
fn the_bandwidth_is_smoothed() {
    let mut bench = adaptive(&[], 100.0, 1.0, 0.0);
    near(bench.variable("bandwidth_packets_s"), 1000.0, 1e-9);
    bench.wait(Duration::from_ms(80));
    bench.rtt(Duration::from_ms(100), 160);
    near(bench.variable("bandwidth_packets_s"), 1000.0, 1e-9);
    bench.wait(Duration::from_ms(80));
    bench.rtt(Duration::from_ms(100), 160);
    near(bench.variable("bandwidth_packets_s"), 1100.0, 1e-9);
}
