//! Compound TCP: the draft's rules per round trip, TUBE, and the back-off, worked out by hand.

use cc::{CaEvent, CaState, CongestionControl};
use units::Duration;

use crate::{near, Bench};

const T: Duration = Duration::from_ms(100);

/// The round in which `sent` segments left closes, after three samples of `rtt`; no growth yet.
fn close(bench: &mut Bench, rtt: Duration, sent: u64) {
    for _ in 0..3 {
        bench.rtt(rtt, 0);
    }
    bench.c.una = bench.c.nxt + 1;
    bench.c.nxt += sent;
    bench.law.on_acked(&mut bench.w, &bench.c, 0);
}

/// ACKs of `segments` within a round.
fn grow(bench: &mut Bench, segments: u32) {
    bench.law.on_acked(&mut bench.w, &bench.c, segments);
}

fn grow_by_a_window(bench: &mut Bench) {
    grow(bench, bench.w.segments());
}

/// One that has seen a round without a queue.
fn compound(spec: &str, parameters: &[(&str, f64)], cwnd: f64) -> Bench {
    let mut bench = Bench::new(spec, parameters, cwnd);
    close(&mut bench, T, cwnd as u64);
    bench
}

/// A window's ACKs add 1 to the loss window and win^0.75/8 - 1 to the delay window.
#[test]
fn the_delay_window_grows_with_a_power_of_the_sum() {
    for (win, increment) in
        [(41.0, 1.025), (64.0, 1.828), (100.0, 2.953), (256.0, 7.0), (1000.0, 21.228), (4096.0, 63.0), (10_000.0, 124.0)]
    {
        let mut bench = compound("ctcp:draft", &[], win);
        grow(&mut bench, win as u32);
        near(bench.variable("dwnd_packets"), increment, 6e-4);
        near(bench.w.cwnd, win + 1.0 + increment, 6e-4);
        // The round's increase is spent.
        grow(&mut bench, 1);
        near(bench.variable("dwnd_packets"), increment, 6e-4);
    }
}

/// win = 1000: 9.09 % of the RTT is queueing at 100 -> 110 ms, 90.9 segments; 1.96 % at 100 -> 102 ms, 19.6 segments, below gamma.
#[test]
fn the_delay_window_gives_back_what_is_queued() {
    let mut bench = compound("ctcp:draft", &[], 2000.0);
    while bench.variable("dwnd_packets") < 200.0 {
        grow_by_a_window(&mut bench);
        close(&mut bench, T, 1000);
    }
    grow_by_a_window(&mut bench);
    // Slow start ended here.
    bench.w.ssthresh = bench.w.cwnd;
    let (cwnd, dwnd) = (bench.w.cwnd, bench.variable("dwnd_packets"));
    close(&mut bench, Duration::from_ms(102), 1000);
    assert_eq!((bench.w.cwnd, bench.variable("dwnd_packets")), (cwnd, dwnd));
    close(&mut bench, Duration::from_ms(110), 1000);
    near(bench.w.cwnd, cwnd - 90.909, 1e-3);
    near(bench.variable("dwnd_packets"), dwnd - 90.909, 1e-3);
    // The step down is not taken for slow start, and nothing but Reno's one segment comes back.
    grow_by_a_window(&mut bench);
    near(bench.w.cwnd, cwnd - 90.909 + 1.0, 2e-3);
    // It never gives more than it has.
    for _ in 0..3 {
        close(&mut bench, Duration::from_ms(110), 1000);
    }
    assert_eq!(bench.variable("dwnd_packets"), 0.0);
    near(bench.w.cwnd, cwnd - dwnd + 1.0, 2e-3);
}

#[test]
fn a_round_of_two_samples_decides_nothing() {
    let mut bench = compound("ctcp:draft", &[], 1000.0);
    bench.rtt(T, 0);
    bench.rtt(T, 0);
    bench.c.una = bench.c.nxt + 1;
    bench.c.nxt += 1000;
    grow(&mut bench, 1000);
    near(bench.w.cwnd, 1001.0, 1e-9);
}

/// Below 38 segments it is Reno.
#[test]
fn a_small_window_is_reno_s() {
    let mut bench = compound("ctcp:draft", &[], 37.0);
    grow(&mut bench, 37);
    assert_eq!((bench.w.cwnd, bench.variable("dwnd_packets")), (38.0, 0.0));
}

/// 32 (6667^0.25 - 41^0.25) = 208.2 round trips in the fluid; a round's growth counts from the window at its start, which costs
/// d(win^0.75/8)/d(win) / 2 of a round each: (0.75/8) ln(6667/41)/2 / (1/8) = 1.9 of them.
#[test]
fn a_refill_takes_32_fourth_roots() {
    let mut bench = compound("ctcp:draft", &[], 41.0);
    let mut rounds = 0;
    while bench.w.cwnd < 6667.0 {
        bench.round(T);
        rounds += 1;
    }
    near(f64::from(rounds), 208.2 + 1.9, 2.0);
}

/// gamma from 30 towards 0.75 of Reno's 20 queued segments by quarters: 0.75 30 + 0.25 15 = 26.25, ... Not below 5, not above 30.
#[test]
fn gamma_is_emulated() {
    let mut bench = compound("ctcp:draft", &[], 220.0);
    for gamma in [26.25, 23.4375, 21.328] {
        bench.w.cwnd = 220.0;
        close(&mut bench, Duration::from_ms(110), 220);
        bench.lose();
        near(bench.variable("gamma_packets"), gamma, 5e-4);
    }
    // Another loss before a round was measured says nothing.
    bench.lose();
    near(bench.variable("gamma_packets"), 21.328, 5e-4);
    for (queue_ms, gamma) in [(1, 5.0), (900, 30.0)] {
        for _ in 0..20 {
            bench.w.cwnd = 220.0;
            close(&mut bench, T + Duration::from_ms(queue_ms), 220);
            bench.lose();
        }
        near(bench.variable("gamma_packets"), gamma, 1e-9);
    }
    let mut fixed = compound("ctcp:fixed-gamma", &[("gamma", 12.0)], 220.0);
    close(&mut fixed, Duration::from_ms(110), 220);
    fixed.lose();
    assert_eq!(fixed.variable("gamma_packets"), 12.0);
}

/// Leith et al. 2008, II: both windows are halved.
#[test]
fn a_loss_halves_both_windows() {
    let mut bench = compound("ctcp:draft", &[], 1000.0);
    grow(&mut bench, 1000);
    near(bench.lose(), 511.114, 5e-4);
    near(bench.variable("dwnd_packets"), 21.228 / 2.0, 5e-4);
    bench.law.on_state_changed(&mut bench.w, &bench.c, CaState::Loss);
    assert_eq!(bench.variable("dwnd_packets"), 0.0);
}

#[test]
fn an_undo_returns_the_delay_window() {
    let mut bench = compound("ctcp:draft", &[], 1000.0);
    grow(&mut bench, 1000);
    bench.lose();
    near(bench.law.undo(&mut bench.w, &bench.c), 1022.228, 5e-4);
    near(bench.variable("dwnd_packets"), 21.228, 5e-4);
}

/// What Leith et al. saw of Vista: a smaller increase of a later flow; before SP1, one segment after every loss.
#[test]
fn vista_s_anomalies_are_options() {
    let mut late = compound("ctcp:vista", &[("wnd_increase", 0.5)], 37.0);
    grow(&mut late, 37);
    assert_eq!(late.w.cwnd, 37.5);
    for (parameters, cwnd) in [(&[][..], 500.0), (&[("backoff_to_one", 1.0)], 1.0)] {
        let mut bench = compound("ctcp:vista", parameters, 1000.0);
        bench.lose();
        bench.law.on_event(&mut bench.w, &bench.c, CaEvent::ReductionCompleted);
        assert_eq!((bench.w.cwnd, bench.w.ssthresh), (cwnd, 500.0));
    }
}
