//! Leith/Shorten 2008, II.B: beta w + c T^3.

use units::Duration;

use crate::{near, Bench};

/// The window `ms` after a loss at 1000 segments, when a window's ACKs have gone all the way.
pub(crate) fn after(name: &str, parameters: &[(&str, f64)], ms: u64) -> f64 {
    let mut bench = Bench::new(&format!("{name}:paper"), parameters, 1000.0);
    bench.lose();
    // Whole windows, since one goes at most half a window up.
    for _ in 0..4 {
        bench.wait(Duration::from_ms(ms / 4));
        bench.ack(bench.w.segments() + 1);
    }
    bench.w.cwnd
}

/// beta = 1/2, c = 1/2: T_w = (500/0.5)^(1/3) = 10; 500 + 0.5 125; 500 + 0.5 1000.
#[test]
fn the_window_follows_the_function() {
    near(after("convex", &[], 5_000), 562.5, 1e-6);
    near(after("convex", &[], 10_000), 1000.0, 1e-6);
}

/// c = 1 - beta = 0.2, time in units of 0.1 s: T = 8 units, 800 + 0.2 512.
#[test]
fn time_is_counted_in_units() {
    near(after("convex", &[("beta", 0.8), ("c", 0.2), ("unit", 0.1)], 800), 902.4, 1e-6);
}

#[test]
fn a_loss_keeps_beta() {
    assert_eq!(Bench::new("convex:paper", &[], 1000.0).lose(), 500.0);
    assert_eq!(Bench::new("convex:paper", &[("beta", 0.25)], 1000.0).lose(), 250.0);
    assert_eq!(Bench::new("convex:paper", &[], 3.0).lose(), 2.0);
}

/// The function is followed one RTT ahead: 0.1 s before T = 10, 900 of 1000 ACKs of 500 segments' way.
#[test]
fn an_ack_goes_its_part_of_the_way() {
    let mut bench = Bench::new("convex:paper", &[], 1000.0);
    bench.lose();
    bench.wait(Duration::from_ms(7_900));
    bench.rtt(Duration::from_ms(100), 0);
    bench.ack(1);
    // 500 + 0.5 8^3 = 756 is more than half a window away: 1/500 of 250.
    near(bench.w.cwnd, 500.5, 1e-9);
    bench.w.cwnd = 700.0;
    bench.ack(7);
    near(bench.w.cwnd, 700.56, 1e-9);
    // Never down, however far the function is behind.
    bench.w.cwnd = 800.0;
    bench.ack(10);
    assert_eq!(bench.w.cwnd, 800.0);
}

/// Without a back-off to count from, from where slow start ended.
#[test]
fn before_the_first_loss_time_starts_with_congestion_avoidance() {
    let mut bench = Bench::new("convex:paper", &[], 100.0);
    bench.ack(1);
    assert_eq!(bench.w.cwnd, 100.0);
    bench.wait(Duration::from_ms(4_000));
    bench.ack(200);
    near(bench.w.cwnd, 132.0, 1e-9);
}
