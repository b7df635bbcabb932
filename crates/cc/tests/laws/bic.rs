//! BIC: reduction, fast convergence and the growth curve, evaluated by hand from the 2007 benchmark's formula.

use units::Duration;

use crate::{near, Bench};

#[test]
fn linux_reduces_by_819_of_1024() {
    let mut bench = Bench::new("bic:linux-6.1", &[], 1000.0);
    assert_eq!(bench.lose(), 799.0);
    assert_eq!(bench.variable("last_max_packets"), 1000.0);
    bench.w.cwnd = 900.0;
    assert_eq!(bench.lose(), 719.0);
    assert_eq!(bench.variable("last_max_packets"), 809.0);
}

#[test]
fn low_window_halves() {
    assert_eq!(Bench::new("bic:linux-6.1", &[], 14.0).lose(), 7.0);
    assert_eq!(Bench::new("bic:altaimd-2.6.6", &[], 13.0).lose(), 6.5);
}

fn climb(s_max: f64) -> impl FnMut() -> f64 {
    let mut bench = Bench::new("bic:altaimd-2.6.6", &[("s_max", s_max)], 1000.0);
    bench.lose();
    bench.w.cwnd = 799.0;
    bench.w.ssthresh = 2.0;
    move || {
        bench.ack((bench.w.cwnd + 0.5) as u32);
        bench.w.cwnd
    }
}

/// From 799 towards 1000, Smax 32. A round acknowledges a whole number of segments, so each step is off by up to 0.5/799.
#[test]
fn growth_with_smax_32() {
    let expected = [
        (1, 831.0),
        (2, 863.0),
        (3, 895.0),
        (4, 921.25),
        (5, 940.9375),
        (6, 955.7031),
        (8, 975.083),
        (10, 985.9842),
        (12, 992.1161),
        (15, 996.674),
        (20, 997.674),
        (30, 999.674),
        (50, 1003.674),
        (55, 1009.6568),
        (60, 1040.6939),
        (65, 1160.4596),
    ];
    let mut step = climb(32.0);
    let curve: Vec<f64> = (0..65).map(|_| step()).collect();
    for (round, window) in expected {
        near(curve[round - 1], window, 0.15 + 0.02 * (window - 1000.0).max(0.0));
    }
}

#[test]
fn growth_with_smax_16() {
    let expected = [(1, 815.0), (9, 943.0), (10, 957.25), (11, 967.9375), (15, 989.8552), (20, 996.9901), (35, 999.9901), (56, 1004.1901)];
    let mut step = climb(16.0);
    let curve: Vec<f64> = (0..56).map(|_| step()).collect();
    for (round, window) in expected {
        near(curve[round - 1], window, 0.15);
    }
}

/// Recorded from Linux 6.1: with one ACK per segment the delayed-ACK ratio rests at 31/16, so growth is nearly doubled.
#[test]
fn linux_grows_nearly_twice_the_nominal_increase() {
    let mut bench = Bench::new("bic:linux-6.1", &[], 1000.0);
    for _ in 0..100 {
        bench.rtt(Duration::from_ms(100), 1);
    }
    bench.lose();
    for window in [830.0, 861.0, 893.0, 924.0, 952.0, 970.0, 981.0, 988.0, 992.0] {
        bench.round(Duration::from_ms(100));
        near(bench.w.cwnd, window, 1.0);
    }
}
