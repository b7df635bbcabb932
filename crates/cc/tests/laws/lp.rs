//! TCP-LP: its reactions to the forward delay, in whole milliseconds, worked out by hand.

use units::Duration;

use crate::{near, Bench};

/// After `wait_ms`, an ACK with this RTT and forward delay.
fn sample(bench: &mut Bench, wait_ms: u64, rtt_ms: u64, forward_ms: u64) {
    bench.wait(Duration::from_ms(wait_ms));
    bench.sample(Duration::from_ms(rtt_ms), Some(Duration::from_ms(forward_ms)), 1);
}

/// 100 segments, and the two samples after which the peer's clock and the delay are known. That delay is smallest and largest at
/// once, so it is also the first reaction: 50 segments, and a range from the delay to its double.
fn known(rtt_ms: u64, forward_ms: u64) -> Bench {
    let mut bench = Bench::new("lp:linux-6.1", &[], 100.0);
    sample(&mut bench, 5_000, rtt_ms, forward_ms);
    assert_eq!(bench.w.cwnd, 100.0);
    sample(&mut bench, 500, rtt_ms, forward_ms);
    bench
}

#[test]
fn the_first_known_delay_halves_and_leaves_the_threshold() {
    let bench = known(60, 29);
    assert_eq!((bench.w.cwnd, bench.w.ssthresh), (50.0, 2.0));
    let shown = ["forward_delay_s", "forward_delay_min_s", "forward_delay_max_s"].map(|name| (bench.variable(name) * 1e3).round());
    assert_eq!(shown, [29.0, 29.0, 58.0]);
}

/// From 29 to 58 ms the threshold is 29 + 4 (15 % of 29, whole) = 33. Samples of 36 move eight times the mean through 239, 246, 252,
/// 257, 261 and 265: the sixth reaches 33.
#[test]
fn an_indication_comes_at_15_percent_of_the_range() {
    let mut bench = known(60, 29);
    for _ in 0..5 {
        sample(&mut bench, 1_000, 60, 36);
        assert_eq!(bench.w.cwnd, 50.0);
    }
    sample(&mut bench, 1_000, 60, 36);
    assert_eq!(bench.w.cwnd, 25.0);
}

/// Three round trips of a second: samples of 60 ms lift eight times the mean to 270 (33 ms, below 34) and 297 (37 ms).
#[test]
fn a_second_indication_within_three_round_trips_leaves_one_segment() {
    let mut bench = known(1_000, 30);
    sample(&mut bench, 500, 1_000, 60);
    assert_eq!(bench.w.cwnd, 50.0);
    sample(&mut bench, 500, 1_000, 60);
    assert_eq!(bench.w.cwnd, 1.0);
}

/// The ACK that brought the reaction still grows the window; then none does for three round trips of 60 ms.
#[test]
fn no_growth_for_three_round_trips_after_a_reaction() {
    let mut bench = known(60, 30);
    bench.ack(1);
    assert_eq!(bench.w.cnt, 1);
    for (wait_ms, credit) in [(100, 1), (79, 1), (1, 2)] {
        sample(&mut bench, wait_ms, 60, 30);
        bench.ack(1);
        assert_eq!((bench.w.cwnd, bench.w.cnt), (50.0, credit));
    }
}

/// 70 ms more within half a second read as a clock of 1002 Hz, of which 1000 Hz is no multiple: the delay becomes minus the echoed time.
#[test]
fn a_moving_rtt_turns_the_delay_into_noise() {
    let mut bench = known(200, 30);
    sample(&mut bench, 500, 270, 100);
    assert!(bench.variable("forward_delay_s") > 1e5);
}

#[test]
fn loss_halves() {
    assert_eq!(known(60, 30).lose(), 25.0);
}

/// The paper's flow. Forward delays of 20 and 80 ms: threshold 20 + 0.15 60 = 29 ms, smoothed delay 20 + 60/8 = 27.5, then 28.9, then 29.1.
#[test]
fn the_paper_halves_then_stops_and_stays_in_avoidance() {
    let mut bench = Bench::new("lp:paper", &[], 100.0);
    bench.w.ssthresh = 100.0;
    for (forward_us, cwnd) in [(20_000, 100.0), (80_000, 100.0), (38_700, 100.0), (30_500, 50.0)] {
        bench.sample(Duration::from_ms(100), Some(Duration::from_us(forward_us)), 1);
        assert_eq!(bench.w.cwnd, cwnd);
    }
    assert_eq!(bench.w.ssthresh, 50.0);
    sample(&mut bench, 200, 100, 30);
    assert_eq!(bench.w.cwnd, 1.0);
    bench.ack(1);
    assert_eq!(bench.w.cwnd, 1.0);
}

/// A window of 50 grows by one per window, as Reno's, once three round trips have passed.
#[test]
fn the_paper_grows_as_reno_after_inference() {
    let mut bench = Bench::new("lp:paper", &[], 50.0);
    bench.ack(50);
    near(bench.w.cwnd, 51.0, 1e-9);
}
