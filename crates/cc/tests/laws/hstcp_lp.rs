//! HSTCP-LP: TCP-LP's early indications on RFC 3649's law.

use units::Duration;

use crate::{near, Bench};

const RTT: Duration = Duration::from_ms(100);

/// Forward delays of 20 and 80 ms seen: threshold 20 + 0.15 60 = 29 ms, smoothed delay 20 + 60/8 = 27.5 ms.
fn low_priority(parameters: &[(&str, f64)], cwnd: f64) -> Bench {
    let mut bench = Bench::new("hstcp-lp:paper", parameters, cwnd);
    see(&mut bench, 20_000);
    see(&mut bench, 80_000);
    near(bench.variable("sowd_s"), 0.0275, 1e-9);
    bench
}

fn see(bench: &mut Bench, forward_us: u64) {
    bench.sample(RTT, Some(Duration::from_us(forward_us)), 1);
}

/// 27.5 + (38.7 - 27.5)/8 = 28.9 ms is no indication, 28.9 + (30.5 - 28.9)/8 = 29.1 ms is one; another two RTTs later is the second.
#[test]
fn early_indications_halve_and_then_stop() {
    let mut bench = low_priority(&[], 100.0);
    see(&mut bench, 38_700);
    assert_eq!(bench.w.cwnd, 100.0);
    see(&mut bench, 30_500);
    assert_eq!((bench.w.cwnd, bench.w.ssthresh), (50.0, 2.0));
    // The queue cannot have heard of it yet.
    bench.wait(Duration::from_ms(199));
    see(&mut bench, 30_500);
    assert_eq!(bench.w.cwnd, 50.0);
    bench.wait(Duration::from_ms(1));
    see(&mut bench, 30_500);
    assert_eq!(bench.w.cwnd, 1.0);
}

/// Three RTTs after the last indication growth goes on; a first indication then halves again.
#[test]
fn nothing_grows_while_it_infers() {
    let mut bench = low_priority(&[], 60.0);
    see(&mut bench, 80_000);
    assert_eq!(bench.w.cwnd, 30.0);
    for _ in 0..100 {
        see(&mut bench, 20_000);
    }
    bench.wait(Duration::from_ms(299));
    bench.ack(30);
    assert_eq!(bench.w.cwnd, 30.0);
    bench.wait(Duration::from_ms(1));
    bench.ack(30);
    near(bench.w.cwnd, 31.0, 1e-9);
    for _ in 0..3 {
        see(&mut bench, 80_000);
    }
    near(bench.w.cwnd, 15.5, 1e-9);
}

/// a(1058) = 8.136 and b(1058) = 0.326945, as in RFC 3649's equations.
#[test]
fn growth_and_loss_are_highspeed_s() {
    let mut bench = low_priority(&[], 1058.0);
    bench.ack(1058);
    near(bench.w.cwnd, 1058.0 + 8.136_142, 1e-5);
    near(low_priority(&[], 1058.0).lose(), 1058.0 * (1.0 - 0.326_945), 1e-3);
    let mut bench = low_priority(&[("cut_by_b", 1.0)], 1058.0);
    see(&mut bench, 80_000);
    near(bench.w.cwnd, 1058.0 * (1.0 - 0.326_945), 1e-3);
}

/// The first slow start only measures.
#[test]
fn slow_start_hears_no_indications() {
    let mut bench = low_priority(&[], 100.0);
    bench.w.ssthresh = 1e6;
    see(&mut bench, 80_000);
    assert_eq!(bench.w.cwnd, 100.0);
    near(bench.variable("owd_min_s"), 0.02, 1e-9);
    near(bench.variable("owd_max_s"), 0.08, 1e-9);
}
