//! Retransmission timeout, back-off, tail loss probe.

use tcp::{Options, RtoRule};

use crate::{options, Script};

/// One sample of 100 ms: Linux's timeout is 100 + max(2 * 100, 200) = 300 ms, RFC 6298's max(1 s, 300 ms). Each expiry doubles
/// it; the window is one segment, and ssthresh is reduced once.
#[test]
fn the_timeout_doubles_with_every_expiry() {
    for (rto, first_ms) in [(RtoRule::Linux, 300), (RtoRule::Rfc6298, 1000)] {
        let mut script = Script::open(Options { rto, tlp: false, ..options(10) }, u64::MAX, u64::MAX);
        let mut at = 0;
        for expiry in 0..5 {
            at += (first_ms * 1000) << expiry;
            assert_eq!(script.wait(), (at, vec![0]), "{rto:?}");
            assert_eq!((script.cwnd(), script.sender.window().ssthresh), (1.0, 5.0));
        }
        assert_eq!(script.tape.timeouts.len(), 5);
    }
}

/// The doubling stops at 120 s.
#[test]
fn the_timeout_never_exceeds_two_minutes() {
    let mut script = Script::open(Options { tlp: false, ..options(1) }, 1, u64::MAX);
    let times: Vec<u64> = (0..14).map(|_| script.wait().0).collect();
    let gaps: Vec<u64> = times.windows(2).map(|pair| pair[1] - pair[0]).collect();
    assert_eq!(gaps.iter().max(), Some(&120_000_000));
}

/// After a timeout the sender slow-starts through what was lost, to ssthresh, without another timeout.
#[test]
fn slow_start_repairs_a_lost_window() {
    let mut script = Script::open(Options { tlp: false, frto: false, ..options(10) }, 10, u64::MAX);
    assert_eq!(script.wait(), (300_000, vec![0]));
    assert_eq!(script.ack(400, 1, 300), [1, 2]);
    assert_eq!(script.ack(500, 2, 400), [3, 4]);
    assert_eq!(script.ack(500, 3, 400), [5, 6]);
    for cumulative in 4..=7 {
        script.ack(600, cumulative, 500);
    }
    script.ack(700, 10, 600);
    assert!(script.sender.is_finished());
    assert_eq!(script.tape.timeouts, [300_000]);
    assert_eq!(script.tape.sent.len(), 20, "every segment twice");
}

/// RFC 8985: with more than one segment out the probe leaves two smoothed RTTs (and Linux's two ticks) after the last
/// send: a new segment if there is one. A full timeout, 300 ms, follows the probe (Linux `tcp_send_loss_probe`; the real 6.1 answers 502 ms).
#[test]
fn a_probe_of_new_data_leaves_after_two_round_trips() {
    let mut script = Script::open(options(10), u64::MAX, u64::MAX);
    assert_eq!(script.wait(), (202_000, vec![10]));
    assert_eq!(script.wait(), (502_000, vec![0]));
    assert_eq!(script.tape.timeouts, [502_000]);
}

/// The last two of five segments are lost. Nothing would tell before the timeout: the probe repeats the last, its SACK
/// proves the one before lost, and no timeout is needed.
#[test]
fn a_probe_turns_a_tail_loss_into_a_fast_recovery() {
    let mut script = Script::open(options(10), 5, u64::MAX);
    script.ack(100, 3, 0);
    assert_eq!(script.wait(), (302_000, vec![4]));
    assert_eq!(script.sack(402, 3, (4, 5)), [3]);
    script.ack(502, 5, 402);
    assert!(script.sender.is_finished());
    assert_eq!((script.tape.timeouts.len(), script.tape.episodes.len(), script.tape.undone.len()), (0, 1, 0));
}

/// F-RTO (RFC 5682): the delayed original ACKs arrive after the timer expired: the timeout is undone.
#[test]
fn a_spurious_timeout_is_undone() {
    let mut script = Script::open(Options { tlp: false, ..options(10) }, u64::MAX, u64::MAX);
    assert_eq!(script.wait(), (300_000, vec![0]));
    assert_eq!(script.cwnd(), 1.0);
    script.ack(310, 2, 0);
    assert!(script.cwnd() >= 10.0, "{}", script.cwnd());
    assert_eq!(script.tape.undone.len(), 1);
}

/// The bug of Linux 2.4.22: a window of one until the losses are repaired, and so one retransmission per round trip. Ten segments take
/// ten round trips, where slow start takes four.
#[test]
fn a_frozen_window_repairs_one_segment_per_round_trip() {
    let mut script = Script::open(Options { tlp: false, frto: false, rto_freeze: true, ..options(10) }, 10, u64::MAX);
    assert_eq!(script.wait(), (300_000, vec![0]));
    for trip in 0..9 {
        let at = 400 + 100 * trip;
        assert_eq!(script.ack(at, trip + 1, at - 100), [trip + 1]);
        assert_eq!(script.cwnd(), 1.0);
    }
}

/// 300 ms after the first RTT sample of 100 ms are 43 ticks of 7 ms, which end at 301; the timer wheel sees that a tick later.
#[test]
fn a_timer_expires_at_the_tick_after() {
    let plain = Options { tlp: false, frto: false, ..options(10) };
    assert_eq!(Script::open(plain.clone(), 1, u64::MAX).wait().0, 300_000);
    let ticking = Options { timer_tick_s: 0.007, ..plain };
    assert_eq!(Script::open(ticking.clone(), 1, u64::MAX).wait(), (308_000, vec![0]));
    let before_the_wheel = Options { loss_detection: tcp::LossDetection::Fack, ..ticking };
    assert_eq!(Script::open(before_the_wheel, 1, u64::MAX).wait(), (301_000, vec![0]));
}

/// RFC 8985 6.3 (Linux `tcp_timeout_mark_lost`): the timeout of the head, 300 ms after the last ACK, finds the two segments that were written 50 ms before it
/// younger than the RTT of 100 ms: they are in flight still.
#[test]
fn a_timeout_leaves_what_was_sent_within_a_round_trip_in_flight() {
    let mut script = Script::waiting(Options { tlp: false, ..options(10) });
    assert_eq!(script.write(0, 2), 2);
    script.ack(100, 1, 0);
    assert_eq!(script.write(350, 4), 2);
    assert_eq!(script.wait(), (400_000, vec![1]));
    let (lost, out) = (script.sender.lost_out(), script.sender.connection().in_flight);
    assert_eq!((lost, out), (1, 3), "the head, which is sent again, and two");
    let mut older = Script::waiting(Options { tlp: false, ..options(10) });
    older.write(0, 2);
    older.ack(100, 1, 0);
    older.write(299, 4);
    older.wait();
    assert_eq!(older.sender.lost_out(), 3, "101 ms before it");
}
