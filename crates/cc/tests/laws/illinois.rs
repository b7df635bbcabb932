//! Illinois: alpha and beta by the delay, with d_m = 100 ms unless said otherwise; fixed point worked out by hand.

use units::Duration;

use crate::{near, Bench};

fn round(bench: &mut Bench, rtts_ms: &[u64]) {
    for &rtt_ms in rtts_ms {
        bench.rtt(Duration::from_ms(rtt_ms), 0);
    }
    bench.ack(1);
}

fn at(spec: &str, parameters: &[(&str, f64)], mean_ms: u64) -> Bench {
    let mut bench = Bench::new(spec, parameters, 1000.0);
    round(&mut bench, &[100, 200]);
    round(&mut bench, &[100 + mean_ms]);
    bench
}

/// In 128ths 962, 551, 322, 74, 38; in 64ths 8 up to a tenth of d_m, then 11, 14, 21, and 32 from eight tenths on.
#[test]
fn parameters_by_the_mean_delay() {
    for (mean_ms, alpha, beta) in [
        (2, Some(962.0), 8.0),
        (5, Some(551.0), 8.0),
        (10, Some(322.0), 8.0),
        (20, None, 11.0),
        (30, None, 14.0),
        (50, Some(74.0), 21.0),
        (80, None, 32.0),
        (100, Some(38.0), 32.0),
    ] {
        let bench = at("illinois:linux-6.1", &[], mean_ms);
        near(bench.variable("beta"), beta / 64.0, 0.0);
        if let Some(alpha) = alpha {
            near(bench.variable("alpha"), alpha / 128.0, 0.0);
        }
    }
}

/// k1/(k2 + d_a) with d1 = 1 ms in real numbers; the integers round 0.3 to 0.297 and down at each step: 1.5 %.
#[test]
fn the_integers_follow_the_papers_curve() {
    for (mean_ms, alpha) in [(2, 7.538), (5, 4.336), (10, 2.5385), (20, 1.3879), (30, 0.9550), (45, 0.6506), (50, 0.5881), (80, 0.3731)] {
        let got = at("illinois:linux-6.1", &[], mean_ms).variable("alpha");
        assert!(got <= alpha && got >= alpha * 0.985 - 1.0 / 128.0, "{mean_ms} ms: {got} for {alpha}");
    }
}

/// 1000 21/64 = 328 is given up; the first kernels kept it.
#[test]
fn backoff_by_beta() {
    for (spec, kept) in [("illinois:linux-6.1", 672.0), ("illinois:s5", 672.0), ("illinois:2.6.23", 328.0)] {
        assert_eq!(at(spec, &[], 50).lose(), kept, "{spec}");
    }
}

/// Once delayed, five rounds without delay make alpha 10 again; never delayed, it stays there.
#[test]
fn five_calm_rounds_restore_the_increase() {
    let mut bench = at("illinois:linux-6.1", &[], 50);
    for calm in 1..=5 {
        round(&mut bench, &[100]);
        near(bench.variable("alpha"), if calm < 5 { 74.0 / 128.0 } else { 10.0 }, 0.0);
        near(bench.variable("beta"), 0.125, 0.0);
    }
    let mut bench = Bench::new("illinois:linux-6.1", &[], 1000.0);
    round(&mut bench, &[100]);
    near(bench.variable("alpha"), 10.0, 0.0);
}

#[test]
fn a_window_below_15_is_renos() {
    for (cwnd, alpha, kept) in [(14.0, 1.0, 7.0), (15.0, 10.0, 14.0)] {
        let mut bench = Bench::new("illinois:linux-6.1", &[], cwnd);
        bench.rtt(Duration::from_ms(200), 0);
        round(&mut bench, &[100; 99]);
        bench.w.cwnd = cwnd;
        round(&mut bench, &[100]);
        near(bench.variable("beta"), if cwnd < 15.0 { 0.5 } else { 0.125 }, 0.0);
        near(bench.variable("alpha"), alpha, 0.0);
        assert_eq!(bench.lose(), kept);
    }
}

/// 10 segments per window of 1000 are one per 100 ACKs, and the ACK that raises the window is credited first.
#[test]
fn growth_by_alpha() {
    let mut bench = Bench::new("illinois:linux-6.1", &[], 1000.0);
    bench.c.nxt = 10_000;
    round(&mut bench, &[100]);
    bench.w.cnt = 0;
    for _ in 0..99 {
        bench.ack(1);
    }
    assert_eq!((bench.w.cwnd, bench.w.cnt), (1000.0, 99));
    bench.ack(1);
    assert_eq!((bench.w.cwnd, bench.w.cnt), (1001.0, 0));
}

/// A loss, an outlier of 3 s within two round trips of 100 ms, then 150 ms. Counted, the outlier makes d_m 2.9 s and d_a 1475 ms:
/// alpha 73/128, beta 22/64. Ignored, both are those of d_a = 50 ms, d_m = 100 ms.
#[test]
fn rtts_after_a_loss_may_be_ignored() {
    for (spec, alpha, beta) in [("illinois:linux-6.1", 73.0, 22.0), ("illinois:s5", 74.0, 21.0)] {
        let mut bench = at(spec, &[], 80);
        bench.c.srtt8_us = 800_000;
        bench.lose();
        bench.wait(Duration::from_ms(199));
        bench.rtt(Duration::from_ms(3_000), 0);
        bench.wait(Duration::from_ms(1));
        bench.w.cwnd = 1000.0;
        round(&mut bench, &[150]);
        near(bench.variable("alpha"), alpha / 128.0, 0.0);
        near(bench.variable("beta"), beta / 64.0, 0.0);
    }
}

/// d_m taken for 100 ms too large: d_a = 50 ms of 200 ms gives 143/128 and 13/64 in place of 74/128 and 21/64.
#[test]
fn a_largest_rtt_taken_for_too_large_makes_it_aggressive() {
    let bench = at("illinois:linux-6.1", &[("max_rtt_bias", 0.1)], 50);
    near(bench.variable("alpha"), 143.0 / 128.0, 0.0);
    near(bench.variable("beta"), 13.0 / 64.0, 0.0);
}
