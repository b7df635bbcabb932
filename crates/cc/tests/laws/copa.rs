//! Copa: the rule of Arun/Balakrishnan 2018, section 2, worked out by hand.

use cc::{CaEvent, CaState, CongestionControl};
use units::Duration;

use crate::{near, Bench};

/// An ACK of `acked` segments with this RTT, long enough after the last for it to be the standing one.
fn ack(bench: &mut Bench, rtt_ms: u64, acked: u32) {
    bench.wait(Duration::from_ms(rtt_ms));
    bench.c.una += u64::from(acked);
    bench.sample(Duration::from_ms(rtt_ms), None, acked);
}

/// RTTmin 50 ms, RTTstanding 150 ms: 10 segments are 66.7 a second, against 2/0.1 s = 20.
#[test]
fn the_window_falls_when_the_rate_is_above_the_target() {
    let mut bench = Bench::new("copa:paper", &[], 10.0);
    ack(&mut bench, 50, 0);
    ack(&mut bench, 150, 1);
    near(bench.w.cwnd, 9.8, 1e-9);
    near(bench.variable("queueing_s"), 0.1, 1e-9);
}

/// RTTmin 100 ms, RTTstanding 101 ms: 10 segments are 99 a second, against 1/(0.5 x 1 ms) = 2000; one ACK is 1/(0.5 10).
#[test]
fn the_window_rises_when_the_rate_is_below_the_target() {
    let mut bench = Bench::new("copa:paper", &[], 10.0);
    ack(&mut bench, 100, 0);
    ack(&mut bench, 300, 1);
    bench.w.cwnd = 10.0;
    ack(&mut bench, 101, 1);
    near(bench.w.cwnd, 10.2, 1e-9);
    // It waits for those who use it.
    bench.c.cwnd_limited = false;
    ack(&mut bench, 101, 1);
    near(bench.w.cwnd, 10.2, 1e-9);
}

#[test]
fn it_starts_by_doubling() {
    let mut bench = Bench::new("copa:paper", &[], 10.0);
    ack(&mut bench, 100, 10);
    assert_eq!(bench.w.cwnd, 20.0);
    // 20 ms queued: 1/(0.5 x 20 ms) = 100 segments/s, and 20 segments are 166.7.
    ack(&mut bench, 120, 1);
    near(bench.w.cwnd, 19.9, 1e-9);
    ack(&mut bench, 100, 1);
    near(bench.w.cwnd, 19.9 + 2.0 / 19.9, 1e-9);
    bench.law.on_event(&mut bench.w, &bench.c, CaEvent::TimedOut);
    bench.w.cwnd = 1.0;
    ack(&mut bench, 100, 1);
    assert_eq!(bench.w.cwnd, 2.0);
}

/// Three round trips in one direction at velocity 1, then it doubles with each; a turn brings it back.
#[test]
fn the_velocity_doubles_after_three_round_trips() {
    let mut bench = Bench::new("copa:paper", &[], 1000.0);
    ack(&mut bench, 100, 0);
    ack(&mut bench, 300, 1);
    bench.w.cwnd = 1000.0;
    let mut velocities = vec![];
    for _ in 0..8 {
        ack(&mut bench, 100, 2);
        velocities.push(bench.variable("velocity"));
    }
    // The first closes the round of the fall, the next is the first that rose.
    assert_eq!(velocities, [1.0, 1.0, 1.0, 1.0, 1.0, 2.0, 4.0, 8.0]);
    ack(&mut bench, 300, 1);
    assert_eq!(bench.variable("velocity"), 1.0);
}

/// "The time that the latest acknowledged packet was sent" ends a round, behind a hole as well, where all that arrives is SACKs.
#[test]
fn a_hole_does_not_stop_the_round_trips() {
    let mut bench = Bench::new("copa:paper", &[], 1000.0);
    ack(&mut bench, 100, 0);
    let una = bench.c.una;
    for _ in 0..7 {
        bench.c.una = una;
        ack(&mut bench, 300, 2);
    }
    bench.c.una = una;
    near(bench.variable("velocity"), 8.0, 1e-9);
}

/// At 10 segments and delta 1/2 a round trip of velocity 5 is a whole window.
#[test]
fn a_round_trip_changes_the_window_by_no_more_than_itself() {
    let mut bench = Bench::new("copa:paper", &[], 10.0);
    ack(&mut bench, 100, 0);
    ack(&mut bench, 300, 1);
    let mut velocities = vec![];
    for _ in 0..9 {
        // Rounds that rise by next to nothing.
        bench.w.cwnd += 1e-6;
        ack(&mut bench, 100, 0);
        velocities.push(bench.variable("velocity").round());
    }
    // The falls' two rounds first.
    assert_eq!(velocities, [1.0, 1.0, 1.0, 1.0, 1.0, 2.0, 4.0, 5.0, 5.0]);
}

/// A queue that is never nearly empty for five RTTs after the start is somebody else's: 1/delta is 2, 3, 4, ... with each RTT without loss,
/// and halved by one.
#[test]
fn in_competitive_mode_it_is_aimd_on_the_inverse_of_delta() {
    for (spec, competes) in [("copa:paper", true), ("copa:default-mode", false)] {
        let mut bench = Bench::new(spec, &[], 100.0);
        ack(&mut bench, 100, 0);
        let mut queued = vec![];
        for _ in 0..10 {
            ack(&mut bench, 150, 2);
            queued.push((1.0 / bench.variable("delta")).round());
        }
        assert_eq!(bench.variable("competes"), f64::from(u8::from(competes)), "{spec}");
        let expected = if competes { [2.0, 2.0, 2.0, 2.0, 2.0, 2.0, 3.0, 4.0, 5.0, 6.0] } else { [2.0; 10] };
        assert_eq!(queued, expected);
        let cwnd = bench.w.cwnd;
        assert_eq!(bench.lose(), cwnd);
        near(1.0 / bench.variable("delta"), if competes { 3.0 } else { 2.0 }, 1e-9);
        // The round with the loss adds nothing.
        ack(&mut bench, 150, 2);
        near(1.0 / bench.variable("delta"), if competes { 3.0 } else { 2.0 }, 1e-9);
        // Less than a tenth of RTTmax - RTTmin queued: default mode again.
        ack(&mut bench, 104, 1);
        assert_eq!((bench.variable("competes"), bench.variable("delta")), (0.0, 0.5));
    }
}

/// Losses of one long recovery: each round trip that has some halves 1/delta, once, and none of them adds to it.
#[test]
fn each_round_trip_of_a_recovery_counts_its_losses() {
    let mut bench = Bench::new("copa:paper", &[], 100.0);
    ack(&mut bench, 100, 0);
    for _ in 0..30 {
        ack(&mut bench, 150, 2);
    }
    near(1.0 / bench.variable("delta"), 26.0, 1e-9);
    bench.lose();
    let mut queued = vec![];
    for _ in 0..3 {
        // Two ACKs in a round trip, each of which tells of a loss.
        for _ in 0..2 {
            bench.c.lost += 1;
            bench.wait(Duration::from_ms(75));
            bench.sample(Duration::from_ms(150), None, 1);
        }
        queued.push(1.0 / bench.variable("delta"));
    }
    // The first is that in which it began.
    assert_eq!(queued, [13.0, 6.5, 3.25]);
}

#[test]
fn only_a_timeout_is_undone() {
    let mut bench = Bench::new("copa:paper", &[], 20.0);
    bench.c.prior_cwnd = 100.0;
    assert_eq!(bench.law.undo(&mut bench.w, &bench.c), 20.0);
    bench.c.ca_state = CaState::Loss;
    assert_eq!(bench.law.undo(&mut bench.w, &bench.c), 100.0);
}

/// Twice the window per standing RTT.
#[test]
fn segments_are_paced_at_twice_the_rate() {
    let mut bench = Bench::new("copa:paper", &[], 10.0);
    assert_eq!(bench.law.pacing_rate(&bench.w, &bench.c), None);
    ack(&mut bench, 100, 0);
    assert_eq!(bench.law.pacing_rate(&bench.w, &bench.c), Some(units::ByteRate(2 * 10 * 1448 * 10)));
}
