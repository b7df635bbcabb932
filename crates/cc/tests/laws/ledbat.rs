//! RFC 6817, 2.4.2, and LEDBAT++'s rules, worked out by hand.

use cc::CongestionControl;
use units::{Duration, Time};

use crate::{near, Bench};

/// Base delay `base_ms`, then four samples with `queue_ms` more, as forward delay and as RTT.
fn see(bench: &mut Bench, base_ms: u64, queue_ms: u64) {
    for ms in [base_ms, base_ms + queue_ms, base_ms + queue_ms, base_ms + queue_ms, base_ms + queue_ms] {
        bench.sample(Duration::from_ms(ms), Some(Duration::from_ms(ms)), 0);
    }
}

/// What a window's ACKs change at this queueing delay.
fn change(spec: &str, parameters: &[(&str, f64)], base_ms: u64, queue_ms: u64) -> f64 {
    let mut bench = Bench::new(spec, parameters, 100.0);
    see(&mut bench, base_ms, queue_ms);
    bench.ack(100);
    bench.w.cwnd - 100.0
}

/// GAIN (100 ms - q)/100 ms per round trip.
#[test]
fn the_window_follows_the_distance_to_the_target() {
    for (queue_ms, segments) in [(0, 1.0), (50, 0.5), (100, 0.0), (150, -0.5), (300, -2.0)] {
        near(change("ledbat:rfc6817", &[], 20, queue_ms), segments, 1e-9);
    }
    near(change("ledbat:rfc6817", &[("target", 0.025), ("gain", 0.5)], 20, 50), -0.5, 1e-9);
}

/// One smaller of the last four samples is the current delay.
#[test]
fn a_single_low_sample_counts() {
    let mut bench = Bench::new("ledbat:rfc6817", &[], 100.0);
    see(&mut bench, 20, 150);
    for ms in [70, 170, 170, 170] {
        bench.sample(Duration::from_ms(ms), Some(Duration::from_ms(ms)), 0);
    }
    bench.ack(100);
    near(bench.w.cwnd, 100.5, 1e-9);
}

#[test]
fn the_window_keeps_within_a_segment_of_what_was_in_flight() {
    let mut bench = Bench::new("ledbat:rfc6817", &[], 100.0);
    see(&mut bench, 20, 0);
    for _ in 0..3 {
        bench.ack(100);
        assert_eq!(bench.w.cwnd, 101.0);
    }
}

#[test]
fn it_begins_with_two_segments_and_never_has_less() {
    let mut bench = Bench::new("ledbat:rfc6817", &[], 2.5);
    see(&mut bench, 20, 200);
    bench.ack(3);
    assert_eq!(bench.w.cwnd, 2.0);
    for spec in ["ledbat:rfc6817", "ledbat:plus-plus"] {
        let mut bench = Bench::new(spec, &[], 3.0);
        assert_eq!(bench.lose(), 2.0);
        bench.w.cwnd = 10.0;
        cc::CongestionControl::on_established(&mut bench.law, &mut bench.w, &bench.c);
        assert_eq!(bench.w.cwnd, 2.0);
        bench.w.cwnd = 100.0;
        assert_eq!(bench.lose(), 50.0);
    }
}

/// Slow start, where it is switched on, ends above 75 of the target's 100 ms.
#[test]
fn slow_start_ends_at_three_quarters() {
    let mut bench = Bench::new("ledbat:rfc6817", &[("slow_start", 1.0)], 10.0);
    bench.w.ssthresh = 1e6;
    see(&mut bench, 20, 74);
    bench.ack(10);
    assert_eq!(bench.w.cwnd, 20.0);
    see(&mut bench, 20, 76);
    bench.ack(20);
    assert_eq!(bench.w.ssthresh, 20.0);
    near(bench.w.cwnd, 20.24, 1e-9);
}

/// 1/16 below 8 ms of base delay, then 1/ceil(120 ms/base).
#[test]
fn the_gain_of_plus_plus_grows_with_the_base_delay() {
    for (base_ms, gain) in [(1, 1.0 / 16.0), (7, 1.0 / 16.0), (20, 1.0 / 6.0), (60, 0.5), (100, 0.5), (120, 1.0), (300, 1.0)] {
        for queue_ms in [0, 60] {
            near(change("ledbat:plus-plus", &[], base_ms, queue_ms), gain, 1e-9);
        }
    }
}

/// 0.5 - 100 (66/60 - 1); half the window at most.
#[test]
fn plus_plus_decreases_by_a_part_of_the_window() {
    near(change("ledbat:plus-plus", &[], 100, 66), -9.5, 1e-9);
    near(change("ledbat:plus-plus", &[], 100, 600), -50.0, 1e-9);
    near(change("ledbat:plus-plus", &[("c", 0.5)], 100, 66), -4.5, 1e-9);
}

/// Slow start at GAIN, until 45 of the target's 60 ms.
#[test]
fn plus_plus_leaves_slow_start_at_three_quarters() {
    let mut bench = Bench::new("ledbat:plus-plus", &[], 10.0);
    bench.w.ssthresh = 1e6;
    see(&mut bench, 100, 44);
    bench.ack(10);
    assert_eq!(bench.w.cwnd, 15.0);
    see(&mut bench, 100, 46);
    bench.ack(15);
    assert_eq!(bench.w.ssthresh, 15.0);
    near(bench.w.cwnd, 15.5, 1e-9);
}

/// Two RTTs after slow start two segments for two RTTs, then slow start back; the next nine times as long after that as it took.
#[test]
fn plus_plus_slows_down_to_see_the_base_delay() {
    let mut bench = Bench::new("ledbat:plus-plus", &[], 50.0);
    let mut at = |ms: u64| {
        bench.c.now = Time::from_ms(1_000 + ms);
        see(&mut bench, 100, 0);
        bench.ack(4);
        (bench.w.cwnd, bench.w.ssthresh)
    };
    assert!(at(0).0 > 50.0);
    assert!(at(199).0 > 50.0);
    let (slow, back) = at(200);
    assert_eq!(slow, 2.0);
    near(back, 50.08, 1e-3);
    assert_eq!(at(399).0, 2.0);
    // Half a segment per segment.
    assert_eq!(at(400).0, 4.0);
    for step in 1..=22 {
        assert_eq!(at(400 + 10 * step).0, 4.0 + 2.0 * step as f64);
    }
    assert_eq!(at(690).0, 50.0);
    assert_eq!(at(695).0, back);
    // The ACK after the last step sees that it has returned: 500 ms in all, 4500 ms of peace.
    assert!(at(700).0 > back);
    assert!(at(700 + 4_499).0 > back);
    assert_eq!(at(700 + 4_500).0, 2.0);
    assert!(change("ledbat:plus-plus", &[("slowdowns", 0.0)], 100, 0) > 0.0);
}

/// The first loss, in slow start, turns out spurious once a slowdown is under way: the threshold was infinite before it.
#[test]
fn an_undone_reduction_does_not_make_plus_plus_forget_where_a_slowdown_began() {
    let mut bench = Bench::new("ledbat:plus-plus", &[], 50.0);
    for ms in [1_000, 1_200] {
        bench.c.now = Time::from_ms(ms);
        see(&mut bench, 100, 0);
        bench.ack(4);
    }
    let back = bench.w.ssthresh;
    assert_eq!(bench.w.cwnd, 2.0);
    bench.w.ssthresh = cc::SSTHRESH_INFINITE;
    near(bench.law.ssthresh(&mut bench.w, &bench.c), back / 2.0, 1e-9);
    bench.ack(1);
    assert_eq!(bench.w.ssthresh, back);
}
