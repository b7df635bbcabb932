//! Veno: the backlog that tells two kinds of loss apart, and the slow step, worked out by hand.

use units::Duration;

use crate::{near, Bench};

/// Base 100 ms from three samples, then an ACK at `rtt_ms`.
fn at(rtt_ms: u64, cwnd: f64) -> Bench {
    let mut bench = Bench::new("veno:linux-6.1", &[], cwnd);
    for _ in 0..3 {
        bench.rtt(Duration::from_ms(100), 0);
    }
    bench.ack(1);
    bench.rtt(Duration::from_ms(rtt_ms), 1);
    bench.ack(1);
    bench
}

/// 50 segments: 50 4/104 = 1.92 queued, below 3, keep 40; 50 10/110 = 4.55 queued, keep 25. In halves, rounded up: 4 and 10.
#[test]
fn the_backlog_decides_what_a_loss_costs() {
    for (rtt_ms, backlog, kept) in [(104, 2.0, 40.0), (110, 5.0, 25.0)] {
        let mut bench = at(rtt_ms, 50.0);
        near(bench.variable("backlog_packets"), backlog, 0.0);
        assert_eq!(bench.lose(), kept, "{rtt_ms} ms");
    }
}

/// 10 segments at 150 ms: the first ACK, without a queue, earned one credit, so 9 more reach 10 and the tenth raises the window;
/// then 11 ACKs and one that only clears, 11 and one that raises.
#[test]
fn congested_growth_is_a_segment_in_two_windows() {
    let mut bench = at(150, 10.0);
    let mut raised = vec![];
    for ack in 2..=40 {
        let before = bench.w.cwnd;
        bench.rtt(Duration::from_ms(150), 1);
        bench.ack(1);
        if bench.w.cwnd > before {
            raised.push(ack);
        }
    }
    assert_eq!(raised, [10, 34]);
}

/// The ACK that leaves recovery brings no sample: everything counts as queued, and the next loss halves.
#[test]
fn growth_without_a_sample_is_congested() {
    let mut bench = at(100, 50.0);
    bench.ack(1);
    assert_eq!(bench.lose(), 25.0);
}
