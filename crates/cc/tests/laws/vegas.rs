//! Vegas: Linux's backlog w (rtt - base)/base with base 100.001 ms, worked out by hand, and the steps it leads to.

use units::Duration;

use crate::Bench;

/// A round of `samples` samples at `rtt_ms` and the ACK that closes it.
fn round(bench: &mut Bench, rtt_ms: u64, samples: u32) {
    for _ in 0..samples {
        bench.rtt(Duration::from_ms(rtt_ms), 0);
    }
    bench.ack(1);
}

/// 20 segments, and a base of 100 ms.
fn bench(ssthresh: f64) -> Bench {
    let mut bench = Bench::new("vegas:linux-6.1", &[], 20.0);
    round(&mut bench, 100, 3);
    bench.w.cwnd = 20.0;
    bench.w.ssthresh = ssthresh;
    bench
}

/// Backlogs 1 (1.99998), 3, 5: up, hold, down. The threshold follows at w/2 + w/4.
#[test]
fn one_step_per_round_by_the_backlog() {
    for (rtt_ms, cwnd, ssthresh) in [(110, 21.0, 15.0), (120, 20.0, 15.0), (130, 19.0, 13.0)] {
        let mut bench = bench(2.0);
        round(&mut bench, rtt_ms, 3);
        assert_eq!((bench.w.cwnd, bench.w.ssthresh), (cwnd, ssthresh), "{rtt_ms} ms");
    }
}

/// Three queued: 20 100.001/120.001 + 1 = 17, and the threshold too. One queued is not too many: the ACK's segment is added.
#[test]
fn slow_start_ends_with_more_than_one_queued() {
    let mut over = bench(1000.0);
    round(&mut over, 120, 3);
    assert_eq!((over.w.cwnd, over.w.ssthresh), (17.0, 17.0));
    let mut on = bench(1000.0);
    round(&mut on, 110, 3);
    assert_eq!((on.w.cwnd, on.w.ssthresh), (21.0, 1000.0));
}

#[test]
fn two_samples_are_too_few_to_decide() {
    let mut bench = bench(2.0);
    round(&mut bench, 130, 2);
    assert_eq!((bench.w.cwnd, bench.w.cnt), (20.0, 1));
}

/// The boundary itself does not close a round, the segment after it does.
#[test]
fn a_round_ends_beyond_what_was_sent_when_it_began() {
    let mut bench = bench(2.0);
    bench.c.nxt = bench.c.una + 3;
    round(&mut bench, 100, 3);
    assert_eq!(bench.w.cwnd, 21.0);
    for _ in 0..2 {
        round(&mut bench, 100, 3);
        assert_eq!(bench.w.cwnd, 21.0);
    }
    round(&mut bench, 100, 3);
    assert_eq!(bench.w.cwnd, 22.0);
}

#[test]
fn loss_halves() {
    assert_eq!(bench(2.0).lose(), 10.0);
}
