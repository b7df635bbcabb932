//! An application that writes in pieces: what becomes of the window when it is silent, or writes little. The numbers follow Linux
//! `tcp_cwnd_restart`, `tcp_cwnd_application_limited` and RFC 5681 4.1 by hand.

use std::collections::BTreeMap;

use cc::{CaEvent, CongestionControl, Connection, Window, SSTHRESH_INFINITE};
use tcp::{Ack, IdleRestart, Options, Sender, SenderSpec};
use units::{Duration, Time};

use crate::{options, Script, Tape, NOTHING};

impl Script {
    /// As [`Script::open`], with an application that has written nothing.
    pub(crate) fn waiting(options: Options) -> Script {
        let reno = cc::build("reno", None, "linux-6.1", &BTreeMap::new()).expect("reno").algorithm;
        let sender = Sender::new(SenderSpec { options, mss: 1448, segments: u64::MAX, window: u64::MAX, device: false }, reno).waiting();
        let mut script = Script { sender, tape: Tape::default() };
        script.sender.on_started(Time::ZERO, Duration::from_ms(100), &mut script.tape);
        script
    }

    /// The application has written so many segments in all; what is sent.
    pub(crate) fn write(&mut self, ms: u64, segments: u64) -> usize {
        let before = self.tape.sent.len();
        self.sender.on_written(Time::from_ms(ms), segments, &mut self.tape);
        self.tape.sent.len() - before
    }

    /// Acknowledges everything outstanding, two segments per ACK, 100 ms after it was sent.
    fn acknowledge_all(&mut self, ms: u64) {
        let (mut cumulative, end) = (self.sender.connection().una, self.sender.connection().nxt);
        while cumulative < end {
            cumulative = (cumulative + 2).min(end);
            self.ack(ms, cumulative, ms - 100);
        }
    }
}

/// 150 segments: 10, 20, 40 and 80 leave in slow start, the last at 300 ms, and are acknowledged. The window is 160, the timeout 300 ms (RTT and
/// the floor of 200 ms).
fn after_150_segments(rule: IdleRestart) -> Script {
    let mut script = Script::waiting(Options { idle_restart: rule, ..options(10) });
    assert_eq!(script.tape.sent.len(), 0);
    assert_eq!(script.write(0, 150), 10);
    (1..=4).for_each(|trip| script.acknowledge_all(100 * trip));
    assert_eq!((script.sender.connection().una, script.cwnd()), (150, 160.0));
    assert_eq!(script.sender.rto(), Duration::from_ms(300));
    assert!(!script.sender.is_finished(), "more will come");
    script
}

/// A receiver that shuts its window at 400 ms and opens it later: what leaves then is the window that an application would find. Linux 6.1, whose
/// receiver does not read for two seconds, goes on with 45 of 360 segments.
#[test]
fn a_window_that_opens_after_a_silence_restarts_too() {
    for (ms, cwnd) in [(600, 160), (601, 80), (901, 40), (1300, 20)] {
        let mut script = after_150_segments(IdleRestart::Linux);
        script.sender.on_window_told(0);
        assert_eq!(script.write(400, 1000), 0);
        script.sender.on_window_told(500);
        let before = script.tape.sent.len();
        script.sender.on_window_updated(Time::from_ms(ms), &mut script.tape);
        assert_eq!(script.tape.sent.len() - before, cwnd, "at {ms} ms");
    }
}

/// At exactly one timeout nothing happens; then one halving per timeout that has passed, down to the initial window of 10.
#[test]
fn silence_halves_the_window_once_per_timeout() {
    for (ms, cwnd) in [(600, 160.0), (601, 80.0), (900, 80.0), (901, 40.0), (1300, 20.0), (1501, 10.0), (60_000, 10.0)] {
        let mut script = after_150_segments(IdleRestart::Linux);
        assert_eq!(script.write(ms, 1000) as f64, cwnd, "at {ms} ms");
    }
}

/// 12 in slow start, then one segment per round trip: 40 in the 29th. After ten seconds of silence the window is the initial one, and ssthresh three
/// quarters of 40, where it was 12.
#[test]
fn the_threshold_remembers_the_window_before_the_silence() {
    let mut script = Script::waiting(Options { initial_ssthresh: 12, ..options(10) });
    script.write(0, u64::MAX);
    (1..=28).for_each(|trip| script.acknowledge_all(100 * trip));
    script.sender.on_paused();
    script.acknowledge_all(2900);
    assert_eq!((script.cwnd(), script.sender.window().ssthresh), (40.0, 12.0));
    assert_eq!(script.write(12_900, u64::MAX), 10);
    assert_eq!(script.sender.window().ssthresh, 30.0);
}

#[test]
fn the_rfc_restarts_from_the_initial_window_and_keeps_ssthresh() {
    let mut script = after_150_segments(IdleRestart::Rfc5681);
    assert_eq!((script.write(601, 1000), script.sender.window().ssthresh), (10, SSTHRESH_INFINITE));
    let mut script = after_150_segments(IdleRestart::None);
    assert_eq!(script.write(60_000, 1000), 160);
}

/// Of a window of 160, full at 300 ms and acknowledged at 400, some 20 segments are used, never silent for a timeout, and without an ACK: 301 ms after the last
/// one the window moves half-way to 22, and 300 ms later to the 26 of then.
#[test]
fn a_window_that_is_little_used_moves_towards_its_use() {
    let mut script = after_150_segments(IdleRestart::Linux);
    let windows: Vec<f64> = [(600, 170), (701, 172), (900, 174), (1001, 176)]
        .map(|(ms, written)| {
            script.write(ms, written);
            script.cwnd()
        })
        .into();
    assert_eq!(windows, [160.0, 91.0, 91.0, 58.0]);
}

/// The same with an ACK per round trip of 100 ms: Linux stamps the window whenever one may make it grow (`tcp_cong_avoid`), and the rule is not applied.
#[test]
fn acks_keep_a_window_that_is_little_used() {
    let mut script = after_150_segments(IdleRestart::Linux);
    for trip in 0..12 {
        assert_eq!(script.write(400 + 100 * trip, 170 + 20 * trip), 20);
        script.acknowledge_all(500 + 100 * trip);
        assert_eq!(script.cwnd(), 160.0);
    }
}

/// Without the rule it stays where it was, and does not grow either.
#[test]
fn a_window_that_is_little_used_does_not_grow() {
    let mut script = after_150_segments(IdleRestart::None);
    for trip in 0..12 {
        script.write(400 + 100 * trip, 170 + 20 * trip);
        script.acknowledge_all(500 + 100 * trip);
        assert_eq!(script.cwnd(), 160.0);
    }
}

/// What was written and not sent goes on; what a pause forbids does not.
#[test]
fn a_pause_sends_no_more_and_a_stop_ends_it() {
    let mut script = Script::waiting(options(10));
    assert_eq!(script.write(0, u64::MAX), 10);
    script.sender.on_paused();
    assert_eq!(script.ack(100, 10, 0), NOTHING);
    assert!(!script.sender.is_finished());
    assert_eq!(script.write(150, u64::MAX), 20);
    script.sender.on_stopped();
    assert_eq!(script.ack(250, 30, 150), NOTHING);
    assert!(script.sender.is_finished());
}

/// Doubles per round trip, and takes down what it is told.
#[derive(Default)]
struct Listener(Vec<CaEvent>);

impl CongestionControl for Listener {
    fn on_acked(&mut self, w: &mut Window, _c: &Connection, acked: u32) {
        w.slow_start(acked);
    }
    fn ssthresh(&mut self, w: &mut Window, _c: &Connection) -> f64 {
        w.cwnd / 2.0
    }
    fn on_event(&mut self, _w: &mut Window, _c: &Connection, e: CaEvent) {
        self.0.push(e);
    }
}

/// The algorithm hears of a start whenever the pipe was empty, and before that of a restart where the window was cut (Linux `tcp_skb_entail`,
/// `tcp_event_data_sent`); of neither where data is under way, or where nothing was written.
#[test]
fn the_algorithm_hears_of_starts_and_restarts() {
    let spec = SenderSpec { options: options(10), mss: 1448, segments: u64::MAX, window: u64::MAX, device: false };
    let mut sender = Sender::new(spec, Listener::default()).waiting();
    let mut tape = Tape::default();
    sender.on_started(Time::ZERO, Duration::from_ms(100), &mut tape);
    assert_eq!(sender.algorithm().0, [CaEvent::TxStarted]);
    let mut heard = |ms: u64, written: u64, acked: Option<u64>| {
        let before = sender.algorithm().0.len();
        if let Some(cumulative) = acked {
            sender.on_ack(Time::from_ms(ms), Ack { cumulative, ..Ack::default() }, None, &mut tape);
        } else {
            sender.on_written(Time::from_ms(ms), written, &mut tape);
        }
        sender.algorithm().0[before..].to_vec()
    };
    assert_eq!(heard(0, 4, None), []);
    assert_eq!(heard(50, 8, None), []);
    assert_eq!(heard(150, 0, Some(8)), []);
    assert_eq!(heard(200, 8, None), []);
    assert_eq!(heard(300, 10, None), [CaEvent::TxStarted]);
    assert_eq!(heard(400, 0, Some(10)), []);
    assert_eq!(heard(5000, 12, None), [CaEvent::WindowRestarted, CaEvent::TxStarted]);
}

/// A window of two segments: each ACK of both finds nothing in flight when it releases the next, and that is a start too; an ACK of one of them is none
/// (`tcp_event_data_sent`; recorded script `steps-11` of vegas, which begins to measure anew).
#[test]
fn an_ack_that_empties_the_pipe_is_followed_by_a_start() {
    let spec = SenderSpec { options: options(2), mss: 1448, segments: u64::MAX, window: u64::MAX, device: false };
    let mut sender = Sender::new(spec, Listener::default());
    let mut tape = Tape::default();
    sender.on_started(Time::ZERO, Duration::from_ms(100), &mut tape);
    let mut heard = |ms: u64, cumulative: u64| {
        sender.on_ack(Time::from_ms(ms), Ack { cumulative, ..Ack::default() }, None, &mut tape);
        sender.algorithm().0.len() - 1
    };
    assert_eq!([heard(100, 2), heard(200, 4), heard(201, 6)], [1, 1, 1]);
    // The timeout marks all of them lost: the one that is sent again finds nothing in flight.
    let mut script =
        Sender::new(SenderSpec { options: options(2), mss: 1448, segments: 2, window: u64::MAX, device: false }, Listener::default());
    script.on_started(Time::ZERO, Duration::from_ms(100), &mut tape);
    while tape.timeouts.is_empty() {
        script.on_deadline(script.deadline(), &mut tape);
    }
    assert_eq!(script.algorithm().0[1..], [CaEvent::TimedOut, CaEvent::TxStarted]);
}

/// Four segments a round trip of a window of ten that was full at the beginning. Linux stamps the window whenever an ACK may make it grow
/// (`tcp_cong_avoid`), and so the rule of the window that is not used waits a timeout, 300 ms, from the last ACK; recorded script `pauses-0` of illinois.
#[test]
fn an_ack_that_may_grow_the_window_puts_the_rule_of_unused_windows_off() {
    let mut script = Script::waiting(options(10));
    assert_eq!(script.write(0, 10), 10);
    script.acknowledge_all(100);
    assert_eq!(script.cwnd(), 20.0);
    assert_eq!(script.write(200, 12), 2);
    script.acknowledge_all(300);
    assert_eq!((script.write(450, 14), script.cwnd()), (2, 20.0));
    assert_eq!((script.write(599, 16), script.cwnd()), (2, 20.0), "299 ms after the ACK");
    assert_eq!((script.write(600, 18), script.cwnd()), (2, 15.0), "a timeout after it, half-way to the ten of the initial window");
}
