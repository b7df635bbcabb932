//! YeAH: backlog, decongestion and decrease, worked out by hand from 1000 segments and a base of 100.001 ms.

use units::Duration;

use crate::{near, Bench};

fn round(bench: &mut Bench, rtt: Duration) {
    for _ in 0..3 {
        bench.rtt(rtt, 0);
    }
    bench.ack(1);
}

/// 1000 segments, a base of 100 ms, then a round at `rtt_us`.
fn after(rtt_us: u64) -> Bench {
    let mut bench = Bench::new("yeah:linux-6.1", &[], 1000.0);
    round(&mut bench, Duration::from_ms(100));
    assert_eq!(bench.w.cwnd, 1000.0);
    round(&mut bench, Duration::from_us(rtt_us));
    bench
}

/// Q = 1000 10/110 = 90 and 1000 15/115 = 130 are given back; 1000 8/108 = 74 is tolerated.
#[test]
fn a_backlog_above_80_is_given_back() {
    for (rtt_ms, backlog, cwnd) in [(108, 74.0, 1000.0), (110, 90.0, 910.0), (115, 130.0, 870.0)] {
        let bench = after(rtt_ms * 1_000);
        near(bench.variable("backlog_packets"), backlog, 0.0);
        assert_eq!(bench.w.cwnd, cwnd, "{rtt_ms} ms");
    }
}

/// Q = 1000 6.4/106.4 = 60, less than an eighth: 875. Q = 130 at 870 segments: 740.
#[test]
fn a_loss_costs_the_backlog_but_an_eighth_at_least() {
    assert_eq!(after(106_400).lose(), 875.0);
    assert_eq!(after(115_000).lose(), 740.0);
}

/// Sixteen slow rounds on end: a greedy flow competes, the loss halves. The rival is taken for 1000/2 and one more per round; 12.6 %
/// of queueing delay is slow, the backlog of 1000 12.6/112.6 = 111 is given back until the window meets the rival's.
#[test]
fn a_loss_after_sixteen_slow_rounds_halves() {
    let mut bench = after(112_600);
    assert_eq!((bench.w.cwnd, bench.variable("reno_window_packets")), (889.0, 444.0));
    for _ in 0..14 {
        round(&mut bench, Duration::from_us(112_600));
    }
    assert_eq!(bench.variable("reno_window_packets"), 458.0);
    bench.w.cwnd = 700.0;
    round(&mut bench, Duration::from_us(112_600));
    bench.w.cwnd = 700.0;
    assert_eq!(bench.lose(), 350.0);
}

/// A segment per 100 acknowledged on a short queue, per window on a long one.
#[test]
fn growth_is_scalable_or_reno() {
    for (rtt_ms, credit) in [(100, 100), (115, 870)] {
        let mut bench = after(rtt_ms * 1_000);
        bench.w.cnt = 0;
        bench.c.nxt = bench.c.una + 10_000;
        let cwnd = bench.w.cwnd;
        // This ACK closes a round without samples enough, and opens one that does not end here.
        bench.ack(1);
        for _ in 1..credit - 1 {
            bench.ack(1);
        }
        assert_eq!(bench.w.cwnd, cwnd);
        bench.ack(1);
        assert_eq!(bench.w.cwnd, cwnd + 1.0, "{rtt_ms} ms");
    }
}
