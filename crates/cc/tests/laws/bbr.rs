//! BBR: the worked numbers of a path of 8333 segments per second and 100 ms. Everything else is in the kernel's recordings.

use cc::{CaState, CongestionControl, RateSample};
use units::Duration;

use crate::Bench;

/// A connection of that RTT which has just opened.
pub(crate) fn open(spec: &str, parameters: &[(&str, f64)], rtt_ms: u64) -> Bench {
    let mut bench = Bench::new(spec, parameters, 10.0);
    bench.c.rtt_min = Duration::from_ms(rtt_ms);
    bench.c.srtt8_us = rtt_ms as u32 * 8000;
    bench.law.on_established(&mut bench.w, &bench.c);
    bench
}

/// An ACK of one segment an RTT later, which begins a round and shows a delivery rate of `rate` segments per second.
pub(crate) fn round(bench: &mut Bench, rate: u32, rtt_ms: u64, in_flight: u32) {
    ack(bench, rate, rtt_ms, RateSample { acked: 1, ..nothing(bench) }, in_flight);
}

/// As [`round`], with what else the ACK says.
pub(crate) fn ack(bench: &mut Bench, rate: u32, rtt_ms: u64, sample: RateSample, in_flight: u32) {
    let rtt = Duration::from_ms(rtt_ms);
    bench.wait(rtt);
    let prior = bench.c.delivered;
    bench.c.delivered += u64::from(sample.acked);
    bench.c.in_flight = in_flight;
    let delivered = u64::from(rate) * rtt_ms / 1000;
    let sample = RateSample {
        prior_delivered: prior,
        delivered: Some(delivered as u32),
        interval: Some(rtt),
        delivered_at: bench.c.now,
        rtt: Some(rtt),
        prior_in_flight: in_flight + sample.acked,
        ..sample
    };
    bench.law.on_rate_sampled(&mut bench.w, &bench.c, &sample);
}

/// A sample without anything in it.
pub(crate) fn nothing(bench: &Bench) -> RateSample {
    RateSample {
        prior_time: bench.c.now,
        prior_delivered: bench.c.delivered,
        delivered: None,
        interval: None,
        delivered_at: bench.c.now,
        rtt: None,
        lost: 0,
        acked: 0,
        prior_in_flight: 0,
        tx_in_flight: 500,
        lost_since_sent: 0,
        app_limited: false,
    }
}

/// The initial window per RTT times 739/256, 1 % off: 10 segments in 100 ms.
#[test]
fn it_opens_at_the_high_gain() {
    let bench = open("bbr:linux-6.1", &[], 100);
    let rate = bench.law.pacing_rate(&bench.w, &bench.c).unwrap().0 as f64;
    assert!((rate / (100.0 * 1448.0 * 739.0 / 256.0 * 0.99) - 1.0).abs() < 1e-3, "{rate}");
}

/// 8333 segments per second and 100 ms: 833.3 segments. Three rounds without growth fill the pipe; then twice that, rounded up, 1667, three
/// bursts of a millisecond, 8 segments each, one segment of aggregation, and even: 1692. In the phase that probes the bursts are of 10
/// segments, and there are two more.
#[test]
fn the_window_is_twice_the_pipe_and_three_bursts() {
    for (draw, expected) in [(5.0, 1692.0), (0.0, 1700.0)] {
        let mut bench = open("bbr:linux-6.1", &[("phase_draw", draw)], 100);
        for _ in 0..4 {
            assert_eq!(bench.variable("mode"), 0.0);
            round(&mut bench, 8333, 100, 800);
        }
        // Drain and, with less than the pipe in flight, ProbeBW.
        assert_eq!(bench.variable("mode"), 2.0);
        bench.w.cwnd = 5000.0;
        round(&mut bench, 8333, 100, 800);
        round(&mut bench, 8333, 100, 800);
        let probes = bench.variable("pacing_gain") == 1.25;
        assert_eq!((bench.w.cwnd, probes), (expected, draw == 0.0));
        assert_eq!(bench.variable("cwnd_gain"), 2.0);
    }
}

/// After a timeout the level is looked for anew, but a pipe that was full stays full; before, Startup goes on.
#[test]
fn a_timeout_forgets_the_level_and_recovery_returns_the_window() {
    let mut bench = open("bbr:linux-6.1", &[], 100);
    for _ in 0..4 {
        round(&mut bench, 8333, 100, 800);
    }
    bench.w.cwnd = 1600.0;
    bench.c.prior_cwnd = 1600.0;
    bench.law.ssthresh(&mut bench.w, &bench.c);
    bench.law.on_state_changed(&mut bench.w, &bench.c, CaState::Loss);
    bench.c.ca_state = CaState::Loss;
    bench.w.cwnd = 1.0;
    round(&mut bench, 8333, 100, 0);
    assert_eq!((bench.variable("mode"), bench.w.cwnd), (2.0, 4.0));
    bench.law.on_state_changed(&mut bench.w, &bench.c, CaState::Open);
    bench.c.ca_state = CaState::Open;
    round(&mut bench, 8333, 100, 0);
    assert_eq!(bench.w.cwnd, 1601.0);
}

/// 100 segments delivered and 25 lost in each 100 ms, 20 %: after two intervals of four rounds with the same rate it is a policer's,
/// whatever the samples say, and believed for 48 rounds. A tenth lost is no policer.
#[test]
fn two_intervals_between_losses_with_the_same_rate_are_a_policer() {
    let lossy_round = |bench: &mut Bench, lost: u32| {
        bench.c.lost += u64::from(lost);
        let sample = RateSample { acked: 100, lost, ..nothing(bench) };
        ack(bench, 8333, 100, sample, 800);
    };
    for (lost, is_policer) in [(10, false), (25, true)] {
        let mut bench = open("bbr:linux-6.1", &[], 100);
        for _ in 0..5 {
            round(&mut bench, 8333, 100, 800);
        }
        // The first round starts the interval and counts in it; the second interval has four rounds of its own.
        for _ in 0..8 {
            assert_eq!(bench.variable("policed"), 0.0);
            lossy_round(&mut bench, lost);
        }
        assert_eq!(bench.variable("policed") == 1.0, is_policer, "{lost} of 125 lost");
        if is_policer {
            assert!((bench.variable("bw_segments_s") - 1000.0).abs() < 0.1, "{}", bench.variable("bw_segments_s"));
            assert_eq!(bench.variable("pacing_gain"), 1.0);
            for _ in 0..47 {
                round(&mut bench, 8333, 100, 800);
            }
            assert_eq!(bench.variable("policed"), 1.0);
            round(&mut bench, 8333, 100, 800);
            assert_eq!(bench.variable("policed"), 0.0);
        }
    }
}

/// Only a smaller RTT postpones the probe, not an equal one (Linux since 5.10): it comes in the tick after ten seconds.
#[test]
fn an_equal_rtt_does_not_postpone_the_probe() {
    let mut bench = open("bbr:linux-6.1", &[], 100);
    for _ in 0..100 {
        round(&mut bench, 8333, 100, 800);
        assert_ne!(bench.variable("mode"), 3.0);
    }
    round(&mut bench, 8333, 100, 800);
    assert_eq!((bench.variable("mode"), bench.w.cwnd), (3.0, 4.0));
    assert!(bench.law.holds_back());
}
