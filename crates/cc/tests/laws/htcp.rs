//! H-TCP: f(Delta), the adaptive backoff and epoch durations, worked out by hand from the closed forms.

use units::Duration;

use crate::{near, Bench};

const REAL: &str = "htcp:altaimd-2.6.6";

/// Rising RTT samples, in steps that the spike filter accepts.
fn see(bench: &mut Bench, min_ms: u64, max_ms: u64) {
    for ms in (min_ms..=max_ms).step_by(10) {
        bench.rtt(Duration::from_ms(ms), 0);
    }
}

/// alpha = f when beta = 1/2 and T_min = 100 ms.
#[test]
fn increase_by_the_time_since_backoff() {
    let rows =
        [(0.5, 1.0), (1.0, 1.0), (1.5, 6.0625), (2.0, 11.25), (3.0, 22.0), (5.0, 45.0), (10.0, 111.25), (20.0, 281.25), (30.0, 501.25)];
    for (delta_s, f) in rows {
        let mut bench = Bench::new(REAL, &[], 1000.0);
        bench.rtt(Duration::from_ms(100), 0);
        bench.lose();
        bench.wait(Duration::from_secs_f64(delta_s));
        bench.ack(1);
        near(bench.variable("alpha"), f, 1e-6);
    }
}

/// min/max RTT within 0.5 ... 0.8, from the second steady event on. The samples come before each event, since extremes fade.
#[test]
fn backoff_by_the_ratio_of_rtts() {
    for (max_ms, beta) in [(120, 0.8), (160, 0.625), (250, 0.5)] {
        let mut bench = Bench::new(REAL, &[("bandwidth_switch", 0.0)], 1000.0);
        see(&mut bench, 100, max_ms);
        assert_eq!(bench.lose(), 500.0);
        see(&mut bench, 100, max_ms);
        bench.w.cwnd = 1000.0;
        near(bench.lose(), 1000.0 * beta, 1e-6);
    }
}

/// 5 s after a backoff, T = 200 ms: 2 (1 - 0.625) 45 = 33.75, and 67.5 scaled.
#[test]
fn increase_scaled_by_the_rtt() {
    for (rtt_scaling, alpha) in [(0.0, 33.75), (1.0, 67.5)] {
        let mut bench = Bench::new(REAL, &[("bandwidth_switch", 0.0), ("rtt_scaling", rtt_scaling)], 1000.0);
        for _ in 0..2 {
            see(&mut bench, 200, 320);
            bench.lose();
        }
        bench.wait(Duration::from_ms(5_000));
        bench.ack(1);
        near(bench.variable("alpha"), alpha, 1e-6);
    }
}

/// The fluid's epoch from W/2 to W = 1000 at 100 ms lasts 3.962 s; a packet flow is one round trip coarse.
#[test]
fn epoch_duration() {
    let mut bench = Bench::new(REAL, &[("bandwidth_switch", 0.0), ("adaptive_backoff", 0.0)], 1000.0);
    bench.rtt(Duration::from_ms(100), 0);
    assert_eq!(bench.lose(), 500.0);
    let start = bench.c.now;
    while bench.w.cwnd < 1000.0 {
        bench.round(Duration::from_ms(100));
    }
    near((bench.c.now - start).as_secs_f64(), 3.962, 0.11);
}

/// f in whole numbers, in 128ths: f(1.5) = 6, f(2) = 11, and 2 (128 - 102)/128 22 = 8.94 at 3 s.
#[test]
fn integer_increase() {
    for (variant, delta_ms, alpha) in
        [("linux-6.1", 1_500, 6.0), ("linux-6.1", 2_000, 11.0), ("beta08", 3_000, 8.9375), ("beta08", 500, 0.40625)]
    {
        let mut bench = Bench::new(&format!("htcp:{variant}"), &[], 1000.0);
        bench.rtt(Duration::from_ms(100), 0);
        bench.lose();
        bench.wait(Duration::from_ms(delta_ms));
        // alpha moves with the next whole segment.
        bench.w.cnt = 1_000_000;
        bench.ack(1);
        assert_eq!(bench.variable("alpha"), alpha, "{variant} {delta_ms}");
    }
}

#[test]
fn beta08_keeps_102_of_128_from_the_first_loss_on() {
    assert_eq!(Bench::new("htcp:beta08", &[], 1000.0).lose(), 796.0);
}

#[test]
fn first_loss_of_linux_halves() {
    assert_eq!(Bench::new("htcp:linux-6.1", &[], 1001.0).lose(), 500.0);
}
