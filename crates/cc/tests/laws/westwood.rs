//! Westwood+: the two-pole filter and the window after a loss, worked out by hand.

use cc::{AckArrival, CaEvent, CongestionControl, RttSample};
use units::{Duration, Time};

use crate::{near, Bench};

/// An ACK at `ms` that advances by `segments`, with this RTT.
fn ack(bench: &mut Bench, ms: u64, segments: u64, rtt_ms: u64, slow_path: bool) {
    bench.c.now = Time::from_ms(ms);
    bench.c.una += segments;
    let sample = RttSample { acked: segments as u32, rtt: Some(Duration::from_ms(rtt_ms)), in_flight: 0, forward: None, echoed: None };
    bench.law.on_rtt_sampled(&mut bench.w, &bench.c, &sample);
    bench.law.on_ack_arrived(&mut bench.w, &bench.c, &AckArrival { slow_path, ece: false });
}

/// `mss` bytes per segment; the connection began at 1000 ms, its first ACK counts nothing.
fn bench(mss: u32) -> Bench {
    let mut bench = Bench::new("westwood:linux-6.1", &[], 1000.0);
    bench.c.mss = mss;
    ack(&mut bench, 1_000, 0, 50, false);
    bench
}

/// Samples of 125, 125, 250, 250 bytes/ms: (125, 125), (125, 125), (140, 126), (153, 129). An ACK that closes a window belongs to the next.
#[test]
fn two_poles_of_seven_eighths() {
    let mut bench = bench(1_250);
    ack(&mut bench, 1_001, 10, 50, false);
    for (ms, segments, bandwidth) in [(1_100, 10, 125.0), (1_200, 20, 125.0), (1_300, 20, 126.0), (1_400, 0, 129.0)] {
        ack(&mut bench, ms, segments, 50, false);
        near(bench.variable("bandwidth_bps"), bandwidth * 8_000.0, 0.0);
    }
}

/// 50 ms is not yet longer than 50 ms, nor 100 ms than an RTT of 100.
#[test]
fn a_window_is_longer_than_the_rtt_and_50_ms() {
    for (rtt_ms, open_ms, closed_ms) in [(10, 1_050, 1_051), (100, 1_100, 1_101)] {
        let mut bench = bench(1_250);
        ack(&mut bench, 1_001, 10, rtt_ms, false);
        ack(&mut bench, open_ms, 1, rtt_ms, false);
        assert!(bench.variable("bandwidth_bps").is_nan());
        ack(&mut bench, closed_ms, 1, rtt_ms, false);
        assert!(bench.variable("bandwidth_bps") > 0.0);
    }
}

/// 100 Mbit/s of payload, 12503 bytes/ms, and 100 ms are 863 segments of 1448 bytes: the window when recovery ends, not before.
#[test]
fn recovery_ends_at_bandwidth_times_smallest_rtt() {
    let mut bench = bench(1_448);
    ack(&mut bench, 1_001, 1_727, 100, false);
    bench.law.on_event(&mut bench.w, &bench.c, CaEvent::TimedOut);
    ack(&mut bench, 1_200, 1, 100, false);
    assert_eq!(bench.lose(), 500.0);
    bench.law.on_event(&mut bench.w, &bench.c, CaEvent::ReductionCompleted);
    assert_eq!((bench.w.cwnd, bench.w.ssthresh), (863.0, 863.0));
}

/// A timeout sets the threshold alone, and forgets the smallest RTT.
#[test]
fn a_timeout_forgets_the_smallest_rtt() {
    let mut bench = bench(1_448);
    ack(&mut bench, 1_001, 1_727, 100, false);
    ack(&mut bench, 1_200, 1, 100, false);
    near(bench.variable("rtt_min_s"), 0.05, 0.0);
    bench.law.on_event(&mut bench.w, &bench.c, CaEvent::TimedOut);
    assert_eq!((bench.w.cwnd, bench.w.ssthresh), (1000.0, 431.0));
    ack(&mut bench, 1_210, 1, 150, false);
    near(bench.variable("rtt_min_s"), 0.15, 0.0);
}

/// Three duplicates count a segment each, so the advance of four that follows counts as one: 4 segments in 100 ms, 50 bytes/ms.
#[test]
fn what_duplicates_counted_is_not_counted_again() {
    let mut bench = bench(1_250);
    for _ in 0..3 {
        ack(&mut bench, 1_010, 0, 50, true);
    }
    ack(&mut bench, 1_020, 4, 50, true);
    ack(&mut bench, 1_100, 1, 50, false);
    near(bench.variable("bandwidth_bps"), 400_000.0, 0.0);
}

/// Three duplicates against an advance of two: one segment counts, one stays to be taken off later. 4 segments, then 3 - 1.
#[test]
fn duplicates_beyond_an_advance_are_remembered() {
    let mut bench = bench(1_250);
    for _ in 0..3 {
        ack(&mut bench, 1_010, 0, 50, true);
    }
    ack(&mut bench, 1_020, 2, 50, true);
    ack(&mut bench, 1_030, 3, 50, true);
    ack(&mut bench, 1_100, 1, 50, false);
    near(bench.variable("bandwidth_bps"), 600_000.0, 0.0);
}
