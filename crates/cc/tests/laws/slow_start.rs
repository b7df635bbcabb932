//! The parts of slow start, in front of Reno: RFC 3742, RFC 9406, HyStart's thresholds in Linux.

use std::collections::BTreeMap;

use cc::slow_start::Kind;
use cc::{build, BuildError, CaState, CongestionControl, Connection, RttSample, Window, PROTOCOLS, SSTHRESH_INFINITE};
use units::{Duration, Time};

/// A connection at its start, driven round by round.
struct Start {
    law: cc::Controller,
    w: Window,
    c: Connection,
}

impl Start {
    fn new(algorithm: &str, slow_start: Kind) -> Start {
        let built = build(algorithm, None, "linux-6.1", &BTreeMap::new()).unwrap();
        let mut start =
            Start { law: built.with_slow_start(slow_start.name()).unwrap().algorithm, w: Window::new(10), c: Connection::new(1448) };
        start.c.now = Time::from_ms(1_000);
        start.law.on_established(&mut start.w, &start.c);
        start.c.nxt = 10;
        start
    }

    /// An ACK of `acked` segments with this RTT, the window filled again after it.
    fn ack(&mut self, acked: u32, rtt: Duration) {
        self.c.una += u64::from(acked);
        self.c.rtt_min = self.c.rtt_min.min(rtt);
        let s = RttSample { acked, rtt: Some(rtt), forward: None, echoed: None, in_flight: self.w.segments() };
        self.law.on_rtt_sampled(&mut self.w, &self.c, &s);
        self.law.on_acked(&mut self.w, &self.c, acked);
        self.c.nxt = self.c.nxt.max(self.c.una + u64::from(self.w.segments()));
    }

    /// A round trip of `rtt`, an ACK per segment, 3 ms between them: no train for HyStart.
    fn round(&mut self, rtt: Duration) {
        let end = self.c.nxt;
        while self.c.una < end {
            self.c.now += Duration::from_ms(3);
            self.ack(1, rtt);
        }
    }

    fn has_ended(&self) -> bool {
        !self.w.in_slow_start()
    }
}

fn ms(x: u64) -> Duration {
    Duration::from_ms(x)
}

#[test]
fn standard_doubles_and_limited_adds_fifty() {
    let mut standard = Start::new("reno", Kind::Standard);
    let mut limited = Start::new("reno", Kind::Limited);
    for _ in 0..7 {
        standard.round(ms(60));
        limited.round(ms(60));
    }
    assert_eq!(standard.w.cwnd, 1280.0);
    // Doubling up to 80, then to 101 and with the other 59 segments half as fast; every round after that adds some 50.
    let before = limited.w.cwnd;
    limited.round(ms(60));
    assert!((48.0..=50.0).contains(&(limited.w.cwnd - before)), "{} after {before}", limited.w.cwnd);
    assert!(!limited.has_ended(), "it limits slow start and does not end it");
}

/// RFC 3742's table, on real-valued and whole windows.
#[test]
fn limited_grows_by_one_in_k() {
    for (cwnd, k) in [(100.0, 1), (101.0, 2), (150.0, 3), (1000.0, 20)] {
        for algorithm in ["reno", "scalable", "convex"] {
            let mut start = Start::new(algorithm, Kind::Limited);
            start.w.cwnd = cwnd;
            for _ in 0..k {
                assert_eq!(start.w.cwnd, cwnd, "{algorithm}");
                start.ack(1, ms(60));
            }
            assert_eq!(start.w.cwnd, cwnd + 1.0, "{algorithm}");
        }
    }
}

/// Linux: base 16 ms +4, 80 ms +10, 200 ms +16; the smallest of more than eight samples of a round must exceed that.
#[test]
fn hystart_ends_above_its_threshold() {
    for (base, rise) in [(16, 4), (80, 10), (200, 16)] {
        for (rtt, ends) in [(ms(base + rise), false), (ms(base + rise) + Duration::from_us(1), true)] {
            let mut start = Start::new("reno", Kind::HyStart);
            start.round(ms(base));
            start.round(ms(base));
            let before = start.w.cwnd;
            start.round(rtt);
            assert_eq!(start.has_ended(), ends, "{base} ms, then {rtt:?}");
            assert!(!ends || start.w.cwnd < before + 20.0, "it grew from {before} to {}", start.w.cwnd);
        }
    }
}

/// ACKs no more than 2 ms apart, for longer than half the path (1 ms for the receiver's own waiting at most).
#[test]
fn hystart_ends_at_a_long_train_and_a_paced_train_may_be_twice_as_long() {
    for (is_paced, longest_ms) in [(false, 30), (true, 60)] {
        let mut start = Start::new("reno", Kind::HyStart);
        start.round(ms(60));
        start.c.is_paced = is_paced;
        (start.w.cwnd, start.c.nxt) = (200.0, start.c.una + 200);
        let first = start.c.now + ms(1);
        while !start.has_ended() {
            start.c.now += ms(1);
            start.ack(1, ms(60));
        }
        assert_eq!(start.c.now.since(first), ms(longest_ms + 1), "paced: {is_paced}");
    }
}

#[test]
fn hystart_rests_after_its_exit_until_a_timeout() {
    let mut start = Start::new("reno", Kind::HyStart);
    start.round(ms(60));
    start.round(ms(60));
    start.round(ms(80));
    assert!(start.has_ended());
    start.w.ssthresh = 1000.0;
    start.round(ms(60));
    start.round(ms(120));
    assert!(start.w.cwnd > 100.0 && !start.has_ended(), "a second rise is none of its business");
    start.law.on_state_changed(&mut start.w, &start.c, CaState::Loss);
    start.round(ms(60));
    start.round(ms(120));
    assert!(start.has_ended());
}

/// RFC 9406: the thresholds 4 and 16 ms, an eighth in between, eight samples; here the threshold itself is enough.
#[test]
fn hystart_plus_plus_slows_down_at_its_threshold() {
    for (base, rise) in [(16, 4), (32, 4), (80, 10), (200, 16)] {
        for (rtt, grows) in [(ms(base + rise) - Duration::from_us(1), 80.0), (ms(base + rise), 40.0 + 7.0 + 33.0 / 4.0)] {
            let mut start = Start::new("reno", Kind::HyStartPlusPlus);
            start.round(ms(base));
            start.round(ms(base));
            assert_eq!(start.w.cwnd, 40.0);
            start.round(rtt);
            // Of 40 ACKs the first seven are too few to judge by; from the eighth on four count as one.
            assert_eq!(start.w.cwnd, f64::floor(grows), "{base} ms, then {rtt:?}");
            assert!(!start.has_ended());
        }
    }
}

/// Five rounds, the one in which conservative slow start began among them, each a quarter of a doubling: then avoidance.
#[test]
fn five_conservative_rounds_end_slow_start() {
    let mut start = Start::new("reno", Kind::HyStartPlusPlus);
    start.round(ms(80));
    start.round(ms(80));
    let mut windows = vec![];
    for _ in 0..5 {
        assert_eq!(start.w.ssthresh, SSTHRESH_INFINITE);
        start.round(ms(100));
        windows.push(start.w.cwnd);
    }
    start.ack(1, ms(100));
    assert!(start.has_ended());
    // 40 + 7 + 8, then each time a quarter more: 68, 85, 106, 132, up to a segment of credit.
    for (got, expected) in windows.iter().zip([55.0, 68.75, 85.9, 107.4, 134.3]) {
        assert!((got - expected).abs() <= 2.5, "{windows:?}");
    }
    let before = start.w.cwnd;
    start.round(ms(100));
    assert!(start.w.cwnd <= before + 1.0, "Reno's own growth after that");
}

#[test]
fn an_rtt_below_the_baseline_resumes_slow_start() {
    let mut start = Start::new("reno", Kind::HyStartPlusPlus);
    start.round(ms(80));
    start.round(ms(80));
    start.round(ms(100));
    let slowed = start.w.cwnd;
    start.round(ms(99));
    // Seven ACKs at a quarter, all others in full.
    assert!(start.w.cwnd >= 2.0 * slowed - 7.0, "{} after {slowed}", start.w.cwnd);
    for _ in 0..3 {
        start.round(ms(99));
    }
    assert!(!start.has_ended(), "the count of rounds is forgotten too");
}

/// L: an ACK counts for at most eight segments, for all when the sender is paced.
#[test]
fn hystart_plus_plus_counts_eight_segments_of_an_ack() {
    for (is_paced, grown) in [(false, 8.0), (true, 10.0)] {
        let mut start = Start::new("reno", Kind::HyStartPlusPlus);
        start.c.is_paced = is_paced;
        start.ack(10, ms(60));
        assert_eq!(start.w.cwnd, 10.0 + grown);
    }
}

/// Section 4.3: only the initial slow start.
#[test]
fn hystart_plus_plus_leaves_later_slow_starts_alone() {
    let mut start = Start::new("reno", Kind::HyStartPlusPlus);
    start.w.ssthresh = 500.0;
    start.round(ms(80));
    start.round(ms(80));
    start.round(ms(160));
    assert_eq!(start.w.cwnd, 80.0);
}

#[test]
fn none_avoids_congestion_from_the_start_and_slow_starts_after_a_timeout() {
    let mut start = Start::new("reno", Kind::None);
    start.round(ms(60));
    assert_eq!(start.w.cwnd, 11.0);
    (start.w.cwnd, start.w.ssthresh) = (1.0, 8.0);
    start.law.on_state_changed(&mut start.w, &start.c, CaState::Loss);
    start.ack(1, ms(60));
    assert_eq!(start.w.cwnd, 2.0);
}

#[test]
fn a_law_with_a_slow_start_of_its_own_takes_no_other() {
    let owners = ["vegas", "hybla", "fast", "fast-bqd", "copa", "ledbat"];
    for name in owners {
        let built = build(name, None, "linux-6.1", &BTreeMap::new()).unwrap();
        let error = built.with_slow_start("limited").unwrap_err();
        assert_eq!(error.to_string(), format!("slow_start: {name} starts by a rule of its own, which no other can replace"));
    }
    let built = build("reno", None, "linux-6.1", &BTreeMap::new()).unwrap();
    let error = built.with_slow_start("fast").unwrap_err();
    assert!(matches!(&error, BuildError::UnknownSlowStart { allowed, .. } if allowed == "standard, limited, hystart, hystart++, none"));
}

/// What each variant does by itself: Linux's CUBIC alone has HyStart.
#[test]
fn the_default_is_standard_but_for_cubic_of_today() {
    for protocol in PROTOCOLS {
        for variant in protocol.variants {
            let law = build(protocol.name, Some(variant.name), "linux-6.1", &BTreeMap::new()).unwrap().algorithm;
            let expected = match (protocol.name, variant.name) {
                ("cubic", "linux-6.1") => Kind::HyStart,
                _ => Kind::Standard,
            };
            assert!(law.slow_start().is_none_or(|kind| kind == expected), "{}:{}", protocol.name, variant.name);
        }
    }
}
