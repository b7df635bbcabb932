//! BBR version 3: the draft's rules on a path of 10000 segments per second and 50 ms, a pipe of 500.

use cc::{CaState, CongestionControl, LostSegment, RateSample};
use units::Duration;

use crate::bbr::{ack, nothing, open, round};
use crate::{near, Bench};

const DOWN: f64 = 2.0;
const CRUISE: f64 = 3.0;
const REFILL: f64 = 4.0;
const UP: f64 = 5.0;
const PROBE_RTT: f64 = 6.0;

/// Through Startup and Drain into Cruise.
fn cruising() -> Bench {
    let mut bench = open("bbr3:draft", &[], 50);
    for _ in 0..5 {
        round(&mut bench, 10_000, 50, 500);
    }
    assert_eq!(bench.variable("mode"), CRUISE);
    bench.w.cwnd = 5000.0;
    bench
}

/// On into Up.
fn probing() -> Bench {
    let mut bench = cruising();
    bench.wait(Duration::from_ms(3_001));
    round(&mut bench, 10_000, 50, 500);
    assert_eq!(bench.variable("mode"), REFILL);
    round(&mut bench, 10_000, 50, 500);
    assert_eq!(bench.variable("mode"), UP);
    bench
}

fn lose(bench: &mut Bench, seq: u64, tx_in_flight: u32, lost_since_sent: u32) {
    bench.c.lost += 1;
    let segment = LostSegment { seq, tx_in_flight, lost_since_sent, app_limited: false };
    bench.law.on_segment_lost(&mut bench.w, &bench.c, &segment);
}

fn rate(bench: &Bench) -> f64 {
    bench.law.pacing_rate(&bench.w, &bench.c).unwrap().0 as f64 / 1448.0
}

/// 2 * 500 = 1000 while cruising, 2.25 * 500 + 2 = 1127 in Up, and one segment of aggregation; 99 % and 1.25 * 99 % of the bandwidth.
#[test]
fn the_window_is_twice_the_pipe() {
    let mut bench = cruising();
    round(&mut bench, 10_000, 50, 500);
    near(bench.w.cwnd, 1001.0, 1e-9);
    near(rate(&bench), 9_900.0, 0.01);
    let mut bench = probing();
    bench.w.cwnd = 5000.0;
    round(&mut bench, 10_000, 50, 500);
    near(bench.w.cwnd, 1128.0, 1e-9);
    near(rate(&bench), 12_375.0, 0.01);
}

/// 14 of 701 is not more than 2 %, 15 is. The threshold was crossed at 700: 2 % of the 700 before, 14, had been lost.
#[test]
fn a_probe_that_loses_more_than_two_percent_bounds_the_long_term() {
    let mut bench = probing();
    lose(&mut bench, 1, 701, 14);
    assert_eq!(bench.variable("mode"), UP);
    assert!(bench.variable("inflight_long").is_nan());
    lose(&mut bench, 2, 701, 15);
    assert_eq!(bench.variable("mode"), DOWN);
    near(bench.variable("inflight_long"), 700.0, 1e-9);
    // Once per probe.
    lose(&mut bench, 3, 300, 100);
    near(bench.variable("inflight_long"), 700.0, 1e-9);
    // Not below 0.7 of the pipe.
    let mut bench = probing();
    lose(&mut bench, 1, 50, 49);
    near(bench.variable("inflight_long"), 350.0, 1e-9);
}

/// SetCwnd: while less than the initial window is delivered the window grows, however little the model allows: here 2 * 5 and a segment of
/// aggregation. The draft's C.InitialCwnd is the stack's, 20 segments or 10.
#[test]
fn the_first_window_grows_the_window_whatever_the_model_says() {
    for (initial, grows) in [(10.0, false), (20.0, true)] {
        let mut bench = Bench::new("bbr3:draft", &[], initial);
        bench.c.srtt8_us = 50 * 8000;
        bench.law.on_established(&mut bench.w, &bench.c);
        round(&mut bench, 100, 50, 20);
        let before = bench.w.cwnd;
        bench.c.delivered = 14;
        round(&mut bench, 100, 50, 20);
        near(bench.w.cwnd - before, f64::from(u8::from(grows)), 1e-9);
    }
}

/// 15 % of 600, 90, stay free: 510 while cruising, 600 on the way down.
#[test]
fn headroom_is_left_while_cruising() {
    let mut bench = probing();
    // (0.02 * 600 - 12)/0.98 = 0 after 600.
    lose(&mut bench, 1, 601, 13);
    bench.w.cwnd = 5000.0;
    round(&mut bench, 10_000, 50, 560);
    assert_eq!(bench.variable("mode"), DOWN);
    near(bench.w.cwnd, 600.0, 1e-9);
    // Down ends at min(510, 500).
    round(&mut bench, 10_000, 50, 505);
    assert_eq!(bench.variable("mode"), DOWN);
    round(&mut bench, 10_000, 50, 500);
    assert_eq!(bench.variable("mode"), CRUISE);
    near(bench.w.cwnd, 510.0, 1e-9);
}

/// One segment in the first round, then 2, 4, 8, when the bound is what limits the flow.
#[test]
fn the_long_term_bound_grows_faster_each_round() {
    let mut bench = probing();
    lose(&mut bench, 1, 601, 13);
    // The next probe stops where this one lost; the one after it may stay.
    let until_up = (0..200).find(|_| {
        round(&mut bench, 10_000, 50, 250);
        bench.variable("mode") == UP
    });
    assert!(until_up.is_some());
    round(&mut bench, 10_000, 50, 600);
    assert_eq!(bench.variable("mode"), DOWN, "a precaution");
    round(&mut bench, 10_000, 50, 500);
    assert_eq!(bench.variable("mode"), REFILL, "the precaution lost nothing");
    bench.w.cwnd = 600.0;
    round(&mut bench, 10_000, 50, 599);
    assert_eq!(bench.variable("mode"), UP);
    let mut grown = vec![];
    let mut before = bench.variable("inflight_long");
    near(before, 600.0, 1e-9);
    for _ in 0..4 {
        // The window's ACKs; the last begins the next round.
        for _ in 1..bench.w.cwnd as u32 {
            let within =
                RateSample { acked: 1, prior_delivered: 0, delivered: Some(500), interval: Some(Duration::from_ms(50)), ..nothing(&bench) };
            bench.c.delivered += 1;
            bench.law.on_rate_sampled(&mut bench.w, &bench.c, &within);
        }
        round(&mut bench, 10_000, 50, 599);
        assert_eq!(bench.variable("mode"), UP);
        grown.push(bench.variable("inflight_long") - before);
        before = bench.variable("inflight_long");
    }
    // What a round leaves over counts in the next.
    let whole: Vec<f64> = grown.iter().map(|segments: &f64| segments.round()).collect();
    assert_eq!(whole, [1.0, 2.0, 4.0, 8.0]);
}

/// A round with a loss and 9000 delivered per second: max(9000, 0.7 * 10000); one with 5000: max(5000, 0.7 * 9000) = 6300. Probing forgets.
#[test]
fn each_lossy_round_lowers_the_short_term_by_thirty_percent_at_most() {
    let mut bench = cruising();
    // The round under way had delivered 10000 per second.
    round(&mut bench, 9_000, 50, 400);
    lose(&mut bench, 1, 500, 1);
    round(&mut bench, 9_000, 50, 400);
    near(bench.variable("bw_short_segments_s"), 9_000.0, 1e-6);
    near(bench.variable("bw_segments_s"), 9_000.0, 1e-6);
    round(&mut bench, 5_000, 50, 400);
    lose(&mut bench, 1, 500, 1);
    round(&mut bench, 5_000, 50, 400);
    near(bench.variable("bw_short_segments_s"), 6_300.0, 1e-6);
    bench.wait(Duration::from_ms(3_001));
    round(&mut bench, 10_000, 50, 400);
    assert!(bench.variable("bw_short_segments_s").is_nan());
    near(bench.variable("bw_segments_s"), 10_000.0, 1e-6);
}

/// After five seconds without a smaller RTT half the pipe, 250, for 200 ms and a round.
#[test]
fn the_rtt_is_probed_at_half_the_pipe() {
    let mut bench = cruising();
    bench.wait(Duration::from_ms(5_001));
    round(&mut bench, 10_000, 50, 500);
    assert_eq!((bench.variable("mode"), bench.law.holds_back()), (PROBE_RTT, true));
    near(bench.w.cwnd, 250.0, 1e-9);
    for in_flight in [251, 250, 250, 250, 250, 250] {
        assert_eq!(bench.variable("mode"), PROBE_RTT);
        round(&mut bench, 5_000, 50, in_flight);
    }
    // 200 ms and more after 250 were reached.
    round(&mut bench, 5_000, 50, 250);
    assert_eq!(bench.variable("mode"), CRUISE);
    assert!(bench.w.cwnd > 900.0, "the window is back: {}", bench.w.cwnd);
}

/// Startup ends on loss after a round of recovery with six separate losses of more than 2 %; the bound is what was then delivered. An undo
/// returns to Startup.
#[test]
fn startup_ends_on_heavy_loss() {
    for (places, ends) in [(5, false), (6, true)] {
        let mut bench = open("bbr3:draft", &[], 50);
        round(&mut bench, 2_000, 50, 100);
        round(&mut bench, 6_000, 50, 300);
        bench.law.ssthresh(&mut bench.w, &bench.c);
        bench.law.on_state_changed(&mut bench.w, &bench.c, CaState::Recovery);
        bench.c.ca_state = CaState::Recovery;
        for place in 0..places {
            lose(&mut bench, 10 * place, 500, 20);
            lose(&mut bench, 10 * place + 1, 500, 20);
        }
        let sample = RateSample { acked: 1, tx_in_flight: 500, lost_since_sent: 20, ..nothing(&bench) };
        ack(&mut bench, 10_000, 50, sample, 600);
        assert_eq!(bench.variable("mode"), if ends { 1.0 } else { 0.0 }, "{places} places");
        if ends {
            near(bench.variable("inflight_long"), 500.0, 1e-9);
            bench.law.undo(&mut bench.w, &bench.c);
            assert_eq!(bench.variable("mode"), 0.0);
            assert!(bench.variable("inflight_long").is_nan());
        }
    }
}

/// NoteLoss saves what a probe is about to lower. A timeout reports all its losses before the recovery begins: those after the first, and the
/// recovery's begin, save nothing but the window, so that an undo gives the bound back and probes again.
#[test]
fn an_undo_after_a_timeout_gives_the_bound_back() {
    let mut bench = probing();
    let before = bench.w.cwnd;
    assert!(bench.variable("inflight_long").is_nan());
    (1..20).for_each(|seq| lose(&mut bench, seq, 500, 20));
    assert!(bench.variable("inflight_long") < 500.0 && bench.variable("mode") == DOWN);
    bench.law.ssthresh(&mut bench.w, &bench.c);
    bench.law.on_state_changed(&mut bench.w, &bench.c, CaState::Loss);
    bench.c.ca_state = CaState::Loss;
    bench.w.cwnd = 1.0;
    bench.law.undo(&mut bench.w, &bench.c);
    assert!(bench.variable("inflight_long").is_nan());
    assert_eq!((bench.variable("mode"), bench.w.cwnd), (REFILL, before));
}
