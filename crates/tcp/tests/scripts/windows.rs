//! Growth of the window: by what is delivered, and only while it is the limit.

use tcp::{Abc, Ack, Options, Sack};
use units::Time;

use crate::{options, Script};

/// Acknowledges everything outstanding, two segments per ACK, one round trip later; returns the window.
fn round(script: &mut Script, trip: u64) -> f64 {
    let (from, to) = (script.sender.connection().una, script.sender.connection().nxt);
    let mut cumulative = from;
    while cumulative < to {
        cumulative = (cumulative + 2).min(to);
        script.ack(100 * (trip + 1), cumulative, 100 * trip);
    }
    script.cwnd()
}

/// Slow start doubles per round trip when every segment delivered counts, and grows by half when an ACK of two counts once.
#[test]
fn slow_start_doubles_by_bytes_and_not_by_acks() {
    for (abc, after) in [(Abc::Linux, [20.0, 40.0, 80.0]), (Abc::Rfc3465, [20.0, 40.0, 80.0])] {
        let mut script = Script::open(Options { abc, ..options(10) }, u64::MAX, u64::MAX);
        assert_eq!([0, 1, 2].map(|trip| round(&mut script, trip)), after, "{abc:?}");
    }
    let mut script = Script::open(Options { abc: Abc::Off, ..options(16) }, u64::MAX, u64::MAX);
    assert_eq!([0, 1].map(|trip| round(&mut script, trip)), [24.0, 36.0]);
}

/// A receiver's window of 20 segments: in slow start Linux lets cwnd reach twice what was used, and then no more.
#[test]
fn a_window_that_is_not_used_does_not_grow() {
    let mut script = Script::open(options(10), u64::MAX, 20);
    let windows: Vec<f64> = (0..30).map(|trip| round(&mut script, trip)).collect();
    assert!(windows.iter().all(|&cwnd| cwnd <= 41.0), "{windows:?}");
    assert_eq!(windows[29], windows[10]);
    assert!(script.sender.connection().in_flight <= 20);
}

/// In congestion avoidance an unused window stands still; once used, it grows by one per round trip.
#[test]
fn congestion_avoidance_needs_a_full_window() {
    let grown = |receiver: u64| {
        let mut script = Script::open(Options { limited_transmit: false, ..options(40) }, u64::MAX, receiver);
        let out = script.sender.connection().nxt;
        for high in 2..=4 {
            script.sack(100, 0, (1, high));
        }
        let high = script.sender.connection().nxt;
        assert!(high >= out);
        script.sack(200, 0, (1, high));
        let end = script.sender.connection().nxt;
        script.ack(250, end, 200);
        let start = script.cwnd();
        (round(&mut script, 4), (5..15).map(|trip| round(&mut script, trip)).last().unwrap_or(0.0) - start)
    };
    // 11 round trips of growth at one segment each; the first may be cut short by the burst that ends Recovery.
    let (_, free) = grown(u64::MAX);
    assert!((9.0..=11.0).contains(&free), "{free}");
    let (_, held) = grown(12);
    assert!(held <= 1.0, "{held}");
}

/// The cached threshold of Linux 2.4 and 2.6: slow start ends there, and from there on the window grows by one per round trip.
#[test]
fn a_cached_threshold_ends_slow_start() {
    let mut script = Script::open(Options { initial_ssthresh: 16, ..options(4) }, u64::MAX, u64::MAX);
    let windows: Vec<f64> = (0..5).map(|trip| round(&mut script, trip)).collect();
    assert_eq!(windows, [8.0, 16.0, 17.0, 18.0, 19.0]);
}

/// Two segments are written and sent. An ACK with the same number counts if it tells of more room, and not if of less: a newer one may have
/// overtaken it (Linux 6.1 `tcp_may_update_window`). One with a new number counts.
#[test]
fn less_room_is_taken_from_new_acks_alone() {
    let mut script = Script::waiting(options(10));
    let tell = |script: &mut Script, ms: u64, cumulative: u64, segments: u32| {
        let before = script.tape.sent.len();
        let ack = Ack { cumulative, echo: Time::from_ms(ms - 100), ..Ack::default() };
        let sack = Sack { window: Some(1448 * segments), ..Sack::default() };
        script.sender.on_offering_ack(Time::from_ms(ms), ack, &sack, &mut script.tape);
        script.tape.sent.len() - before
    };
    assert_eq!(script.write(0, 2), 2);
    assert_eq!(tell(&mut script, 100, 1, 4), 0);
    assert_eq!(tell(&mut script, 101, 1, 1), 0);
    assert_eq!(script.write(102, 100), 3, "room for four, of which one is outstanding");
    assert_eq!(tell(&mut script, 103, 1, 6), 2, "two more");
    assert_eq!(tell(&mut script, 200, 3, 2), 0, "counts: four are outstanding");
    assert_eq!(tell(&mut script, 201, 6, 2), 1, "one is");
}

/// A receiver without room for a segment tells, by an ACK with the number of the last, that it has room for a part of one: the first probe takes
/// that part, and so is data that was sent.
#[test]
fn room_for_a_part_of_a_segment_is_taken_from_an_ack_of_the_same_number() {
    let mut script = Script::waiting(options(10));
    assert_eq!(script.write(0, 2), 2);
    for (ms, bytes) in [(100, 0), (150, 500)] {
        let ack = Ack { cumulative: 2, ..Ack::default() };
        let sack = Sack { window: Some(bytes), ..Sack::default() };
        script.sender.on_offering_ack(Time::from_ms(ms), ack, &sack, &mut script.tape);
        assert_eq!(script.write(ms, 100), 0);
    }
    let (asked_us, _) = script.wait();
    assert_eq!(script.sender.connection().last_sent, Time::from_us(asked_us));
}
