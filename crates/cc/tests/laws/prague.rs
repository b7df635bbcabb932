//! The draft's rules: alpha, additive increase by unmarked segments, round trips below 25 ms.

use cc::{AckArrival, CaState, CongestionControl};
use units::Duration;

use crate::{near, Bench};

const PARAMETERS: [(&str, f64); 1] = [("rtt_transition", 0.0)];

fn at(rtt: Duration, cwnd: f64) -> Bench {
    let mut bench = Bench::new("prague:draft", &PARAMETERS, cwnd);
    // The window is taken over when the connection is established.
    bench.law.on_established(&mut bench.w, &bench.c);
    bench.c.srtt8_us = (rtt.as_us() * 8) as u32;
    bench
}

/// An ACK of `acked` segments, `marked` of which were marked.
fn ack(bench: &mut Bench, acked: u64, marked: u64) {
    bench.c.una += acked;
    bench.c.delivered += acked;
    bench.c.delivered_ce += marked;
    bench.law.on_ack_arrived(&mut bench.w, &bench.c, &AckArrival { slow_path: marked > 0, ece: marked > 0 });
}

/// A round of 100 one-segment ACKs, the first `marked` of them marked.
fn round(bench: &mut Bench, rtt: Duration, marked: u64) {
    bench.c.nxt = bench.c.una + 100;
    for i in 0..100 {
        bench.c.now += rtt / 100;
        ack(bench, 1, u64::from(i < marked));
    }
}

fn enter(bench: &mut Bench, to: CaState) {
    bench.w.ssthresh = bench.law.ssthresh(&mut bench.w, &bench.c);
    bench.law.on_state_changed(&mut bench.w, &bench.c, to);
    bench.c.ca_state = to;
}

/// One segment per round trip of 25 ms or more; below, 1 (rtt/25 ms)^2: at 5 ms a 25th. Within a round the window grows under the
/// step, which costs less than 1 % of it.
#[test]
fn short_round_trips_grow_at_the_rate_of_25_ms() {
    for (rtt_ms, step) in [(100, 1.0), (25, 1.0), (5, 0.04), (10, 0.16)] {
        let rtt = Duration::from_ms(rtt_ms);
        let mut bench = at(rtt, 100.0);
        round(&mut bench, rtt, 0);
        near(bench.variable("window") - 100.0, step, 0.01 * step);
    }
    let mut bench = Bench::new("prague:draft", &[("rtt_target", 0.0)], 100.0);
    bench.law.on_established(&mut bench.w, &bench.c);
    bench.c.srtt8_us = 8 * 1000;
    round(&mut bench, Duration::from_ms(1), 0);
    near(bench.variable("window"), 101.0, 0.01);
}

/// The first mark halves the window and ends slow start; alpha starts from there: 60 marked of 100 make 0.6/16. cwnd comes down by a
/// segment per ACK. In the same round the other 40 segments add theirs: 40/50 of a segment.
#[test]
fn the_first_mark_halves() {
    let rtt = Duration::from_ms(50);
    let mut bench = at(rtt, 100.0);
    bench.w.ssthresh = 1000.0;
    // What was counted so far ends here.
    bench.c.nxt = 0;
    ack(&mut bench, 0, 0);
    ack(&mut bench, 1, 1);
    assert_eq!((bench.variable("window"), bench.w.cwnd), (50.0, 99.0));
    assert!(!bench.w.in_slow_start());
    ack(&mut bench, 1, 1);
    assert_eq!(bench.w.cwnd, 98.0);
    let mut bench = at(rtt, 100.0);
    round(&mut bench, rtt, 60);
    near(bench.variable("window"), 50.8, 0.01);
    assert_eq!(bench.w.cwnd, 51.0);
}

/// g = 1/16: a round of one segment, marked, makes alpha 1/16; two with half of the segments marked 1/16 15/16 + 1/32 and so on. Half of
/// alpha is given up, and a second time only when 25 ms have passed.
#[test]
fn marks_cost_half_of_alpha_once_per_25_ms() {
    let mut bench = at(Duration::from_ms(10), 100.0);
    for (acked, marked, alpha) in [(1, 1, 0.0625), (100, 50, 0.089_843_75), (100, 50, 0.115_478_515_625)] {
        bench.c.now += Duration::from_ms(30);
        ack(&mut bench, acked, marked);
        near(bench.variable("alpha"), alpha, 1e-12);
        bench.c.nxt = bench.c.una + 100;
    }
    let (before, alpha) = (bench.variable("window"), bench.variable("alpha"));
    enter(&mut bench, CaState::Cwr);
    near(bench.variable("window"), before * (1.0 - alpha / 2.0), 1e-9);
    enter(&mut bench, CaState::Open);
    bench.c.now += Duration::from_ms(24);
    enter(&mut bench, CaState::Cwr);
    near(bench.variable("window"), before * (1.0 - alpha / 2.0), 1e-9);
    enter(&mut bench, CaState::Open);
    bench.c.now += Duration::from_ms(1);
    enter(&mut bench, CaState::Cwr);
    near(bench.variable("window"), before * (1.0 - alpha / 2.0) * (1.0 - alpha / 2.0), 1e-9);
}

/// A loss is answered like Reno's, and nothing is added before it is repaired.
#[test]
fn a_loss_halves_and_stops_growth() {
    let rtt = Duration::from_ms(50);
    let mut bench = at(rtt, 100.0);
    enter(&mut bench, CaState::Recovery);
    assert_eq!((bench.variable("window"), bench.w.ssthresh), (50.0, 50.0));
    round(&mut bench, rtt, 0);
    assert_eq!((bench.variable("window"), bench.w.cwnd), (50.0, 50.0));
    enter(&mut bench, CaState::Open);
    round(&mut bench, rtt, 0);
    near(bench.variable("window"), 52.0, 0.05);
}
