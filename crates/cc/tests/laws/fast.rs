//! FAST: the window update of Hegde et al. 2004 worked out by hand.

use units::Duration;

use crate::{near, Bench};

/// One update after `avgRTT` has settled at `rtt`.
fn update(bench: &mut Bench, rtt: Duration) -> f64 {
    for _ in 0..30_000 {
        bench.rtt(rtt, 0);
    }
    bench.wait(Duration::from_ms(100));
    bench.c.nxt = bench.c.una + 1;
    // The ACK that closes the round sets the target, a window's worth of ACKs reaches it.
    for _ in 0..3 {
        bench.c.nxt = bench.c.nxt.max(bench.c.una + 2_000_000);
        bench.ack(bench.w.segments());
    }
    bench.w.cwnd
}

/// 0.5 1000 + 0.5 (100/110 1000 + 200).
#[test]
fn one_step_towards_equilibrium() {
    let mut bench = Bench::new("fast:fixed-alpha", &[("alpha", 200.0), ("period", 1.0)], 1000.0);
    bench.rtt(Duration::from_ms(100), 0);
    near(update(&mut bench, Duration::from_ms(110)), 1054.545, 1e-3);
}

/// Without queueing delay the update is 0.5 w + 0.5 (w + w).
#[test]
fn multiplicative_increase_without_queue() {
    let mut bench = Bench::new("fast:fixed-alpha", &[("alpha", 200.0), ("period", 1.0)], 1000.0);
    near(update(&mut bench, Duration::from_ms(100)), 1500.0, 1e-6);
}

/// Jin/Wei/Low 2004, IV.C: the window moves in one round trip and rests in the next.
#[test]
fn the_window_rests_every_other_round_trip() {
    let mut bench = Bench::new("fast:fixed-alpha", &[("alpha", 200.0)], 1000.0);
    bench.rtt(Duration::from_ms(100), 0);
    near(update(&mut bench, Duration::from_ms(110)), 1000.0, 0.0);
    bench.c.una = bench.c.nxt;
    near(update(&mut bench, Duration::from_ms(110)), 1054.545, 1e-3);
}

/// 10 Mbit/s (833.33 segments/s), 100 ms, alpha 20: the window goes to 103.33, the queue to 20.
#[test]
fn approach_to_equilibrium() {
    let mut bench = Bench::new("fast:fixed-alpha", &[("alpha", 20.0), ("period", 1.0)], 100.0);
    bench.rtt(Duration::from_ms(100), 0);
    for window in [101.6667, 102.5, 102.9167, 103.125, 103.2292, 103.2812, 103.3073, 103.3203] {
        let rtt_s = (bench.w.cwnd / (10e6 / 12_000.0)).max(0.1);
        near(update(&mut bench, Duration::from_secs_f64(rtt_s)), window, 1e-3);
        bench.c.una = bench.c.nxt;
    }
}

/// With 100.2 segments queued for alpha 100, an update takes back 0.1; neither its own ACK nor the next ones return it as slow start.
#[test]
fn a_step_down_stays() {
    let mut bench = Bench::new("fast:fixed-alpha", &[("alpha", 100.0), ("period", 1.0)], 1002.0);
    bench.rtt(Duration::from_ms(90), 0);
    // Slow start ended here.
    bench.w.ssthresh = 1002.0;
    near(update(&mut bench, Duration::from_ms(100)), 0.5 * 1002.0 + 0.5 * (0.9 * 1002.0 + 100.0), 1e-6);
    for _ in 0..10 {
        bench.ack(2);
    }
    near(bench.w.cwnd, 1001.9, 1e-6);
}

/// Levels 8, 20, 200 segments by the achieved rate, with thresholds 1500/1250 and 15000/12500 kB/s.
#[test]
fn alpha_follows_the_rate_with_hysteresis() {
    let mut bench = Bench::new("fast:paper", &[], 0.0);
    // 1448 bytes per segment at 100 ms: a window of 69.06 is 1000 kB/s.
    for (rate, alpha) in [
        (1400.0, 8.0),
        (1600.0, 20.0),
        (1300.0, 20.0),
        (1200.0, 8.0),
        (1600.0, 20.0),
        (16_000.0, 200.0),
        (13_000.0, 200.0),
        (12_000.0, 20.0),
    ] {
        bench.rtt(Duration::from_ms(100), 0);
        bench.w.cwnd = rate * 1000.0 * 0.1 / 1448.0;
        bench.c.nxt = bench.c.una + 1;
        bench.ack(2);
        assert_eq!(bench.variable("alpha_packets"), alpha, "{rate} kB/s");
    }
}

/// 20 ms more on the way back are no queue, 10 ms more on the way there are: the same step as with 110 ms of RTT.
#[test]
fn only_forward_queueing_counts_in_fast_bqd() {
    let mut bench = Bench::new("fast-bqd:fixed-alpha", &[("alpha", 200.0), ("period", 1.0)], 1000.0);
    let ms = Duration::from_ms;
    bench.sample(ms(100), Some(ms(50)), 0);
    for _ in 0..30_000 {
        bench.sample(ms(130), Some(ms(60)), 0);
    }
    near(bench.variable("avg_rtt_s"), 0.11, 1e-9);
    bench.wait(ms(100));
    bench.c.nxt = bench.c.una + 1;
    for _ in 0..3 {
        bench.c.nxt = bench.c.nxt.max(bench.c.una + 2_000_000);
        bench.ack(bench.w.segments());
    }
    near(bench.w.cwnd, 1054.545, 1e-3);
}

#[test]
fn loss_halves() {
    assert_eq!(Bench::new("fast:paper", &[], 100.0).lose(), 50.0);
}
