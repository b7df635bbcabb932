//! Hybla: the increase at several RTTs, from rho = RTT/25 ms.

use cc::CongestionControl;

use crate::{near, Bench};

/// Started with this smoothed RTT, out of slow start.
fn at(rtt_ms: u32, cwnd: f64) -> Bench {
    let mut bench = Bench::new("hybla:linux-6.1", &[], cwnd);
    bench.c.srtt8_us = rtt_ms * 8_000;
    bench.law.on_established(&mut bench.w, &bench.c);
    assert_eq!(bench.w.cwnd, f64::from((rtt_ms / 25).max(1)));
    bench.w.cwnd = cwnd;
    bench
}

/// 2^rho - 1 per ACK: 1 at 25 ms and below, 3 at 50 ms, 15 at 100 ms.
#[test]
fn slow_start_by_two_to_the_rho() {
    for (rtt_ms, step) in [(10, 1.0), (25, 1.0), (50, 3.0), (100, 15.0)] {
        let mut bench = at(rtt_ms, 10.0);
        bench.w.ssthresh = 1e6;
        bench.ack(1);
        assert_eq!(bench.w.cwnd, 10.0 + step, "{rtt_ms} ms");
        bench.w.ssthresh = bench.w.cwnd + 0.5 * step.max(2.0);
        bench.ack(1);
        assert_eq!(bench.w.cwnd, bench.w.ssthresh, "{rtt_ms} ms");
    }
}

/// rho^2 per round trip: 4 at 50 ms, 16 at 100 ms, 484 at 550 ms, one per ACK at that window.
#[test]
fn congestion_avoidance_by_rho_squared() {
    for (rtt_ms, cwnd, acks, grown) in [(25, 128.0, 128, 1.0), (50, 128.0, 128, 4.0), (100, 128.0, 64, 8.0), (550, 484.0, 1, 1.0)] {
        let mut bench = at(rtt_ms, cwnd);
        near(bench.variable("rho"), f64::from(rtt_ms) / 25.0, 0.0);
        // The window is held, so that the divisor does not move.
        let mut total = 0.0;
        for _ in 0..acks {
            bench.ack(1);
            total += bench.w.cwnd - cwnd;
            bench.w.cwnd = cwnd;
        }
        assert_eq!(total, grown, "{rtt_ms} ms");
    }
}

/// rho = 4: 2048/w in 128ths is 2 at 1000 segments (15.6 per round trip, not 16), and nothing above 2048: one per window.
#[test]
fn a_large_window_falls_back_to_reno() {
    for (cwnd, acks) in [(1000.0, 64), (1024.0, 64), (1025.0, 128), (2048.0, 128), (2049.0, 2049)] {
        let mut bench = at(100, cwnd);
        for _ in 1..acks {
            bench.ack(1);
        }
        assert_eq!(bench.w.cwnd, cwnd);
        bench.ack(1);
        assert_eq!(bench.w.cwnd, cwnd + 1.0, "{cwnd}");
    }
}

/// rho is taken again only when the smoothed RTT has a new minimum; a stretch ACK counts once.
#[test]
fn rho_follows_the_smallest_smoothed_rtt_and_acks_are_counted() {
    let mut bench = at(100, 16.0);
    bench.c.srtt8_us = 8 * 550_000;
    bench.ack(8);
    assert_eq!((bench.w.cwnd, bench.variable("rho")), (17.0, 4.0));
    bench.c.srtt8_us = 8 * 50_000;
    bench.ack(1);
    assert_eq!(bench.variable("rho"), 2.0);
}

#[test]
fn loss_halves() {
    assert_eq!(at(100, 1000.0).lose(), 500.0);
}
