//! What the texts ask of every stack, on the profile that is made of them.

use tcp::{Abc, Arrival, IdleRestart, LossDetection, Options, Receiver, ReceiverSpec, RecoveryRule, RtoRule};
use units::{Duration, Time};

use crate::{Script, NOTHING};

fn rfc() -> Options {
    Options::of_profile("rfc").expect("a profile")
}

/// RFC 6298, 6675 and 9937, 3042, 6928 and 5681 4.1; nothing of Linux beside them.
#[test]
fn the_rfc_profile_is_made_of_rfcs() {
    let o = rfc();
    assert_eq!((o.rto, o.loss_detection, o.recovery), (RtoRule::Rfc6298, LossDetection::Rfc6675, RecoveryRule::Rfc9937));
    assert_eq!((o.sack, o.limited_transmit, o.initial_window), (true, true, 10));
    assert_eq!((o.abc, o.abc_limit, o.idle_restart), (Abc::Rfc3465, 2, IdleRestart::Rfc5681));
    assert!(!o.undo && !o.frto && !o.tlp && !o.opening_acks && !o.ack_compression && !o.pacing_credit);
}

/// RFC 3390: segments of 1448 bytes make three at most, min(4, 4380/1448).
#[test]
fn the_old_kernels_start_from_the_window_of_rfc_3390() {
    let windows = ["linux-2.6.23", "altaimd-2.6.6", "linux-2.4"].map(|name| Options::of_profile(name).expect("a profile").initial_window);
    assert_eq!(windows, [3, 3, 2]);
}

/// RFC 6298 5.2: nothing is outstanding, so nothing can time out.
#[test]
fn the_timer_stops_when_everything_is_acknowledged() {
    let mut script = Script::open(rfc(), 10, u64::MAX);
    assert!(script.sender.deadline() < Time::NEVER);
    script.ack(100, 10, 0);
    assert_eq!(script.sender.deadline(), Time::NEVER);
}

/// RFC 6298 5.1 and 5.3: it runs from the first segment on, and anew from every ACK of new data; an RTT of 100 ms makes a second.
#[test]
fn an_ack_of_new_data_restarts_the_timer() {
    let mut script = Script::open(rfc(), u64::MAX, u64::MAX);
    assert_eq!(script.sender.deadline(), Time::from_ms(1000));
    script.ack(100, 2, 0);
    assert_eq!(script.sender.deadline(), Time::from_ms(1100));
    script.ack(110, 4, 10);
    assert_eq!(script.sender.deadline(), Time::from_ms(1110));
}

/// RFC 6298 3: timestamps tell that the retransmission of 1000 ms is answered, after 100 ms; the back-off ends. By the original it would be
/// 1100 ms, and without a sample the timeout two seconds. Every ACK of new data is a sample.
#[test]
fn a_retransmitted_segment_is_timed_by_its_timestamp() {
    let mut script = Script::open(rfc(), u64::MAX, u64::MAX);
    assert_eq!(script.wait(), (1_000_000, vec![0]));
    let samples = script.sender.totals(Time::from_ms(1000)).rtt_samples;
    script.ack(1100, 1, 1000);
    assert_eq!(script.sender.deadline(), Time::from_ms(2100));
    assert_eq!(script.sender.totals(Time::from_ms(1100)).rtt_samples, samples + 1);
}

/// RFC 8985 6.1 and 6.2: segment 0 is lost and so is its retransmission of 103 ms; what was sent 1 ms later is SACKed at 205 ms, an RTT of
/// 101 ms, when that retransmission is 102 ms old. RFC 6675 cannot tell, and waits for the timer.
#[test]
fn a_lost_retransmission_is_found_by_what_was_sent_after_it() {
    for (profile, again) in [("linux-6.1", true), ("rfc", false)] {
        let o = Options { limited_transmit: false, ..Options::of_profile(profile).expect("a profile") };
        let mut script = Script::open(o, u64::MAX, u64::MAX);
        script.sack(101, 0, (1, 2));
        script.sack(102, 0, (1, 3));
        assert_eq!(script.sack(103, 0, (1, 4)), [0]);
        let sent = (5..=10).flat_map(|high| script.sack(104, 0, (1, high))).collect::<Vec<u64>>();
        assert!(!sent.is_empty() && !sent.contains(&0), "{profile}: {sent:?}");
        let last = *sent.last().expect("new data");
        assert_eq!(script.sack(205, 0, (1, last + 1)).contains(&0), again, "{profile}");
    }
}

/// RFC 5681 3.1: the first slow start goes as far as the path.
#[test]
fn the_first_slow_start_has_no_threshold_unless_asked_for() {
    assert!(Script::open(rfc(), u64::MAX, u64::MAX).sender.window().ssthresh >= cc::SSTHRESH_INFINITE);
    let cached = Options { initial_ssthresh: 40, ..rfc() };
    assert_eq!(Script::open(cached, u64::MAX, u64::MAX).sender.window().ssthresh, 40.0);
}

/// RFC 5681 4.2: every second segment at once, a lone one within half a second.
#[test]
fn every_second_segment_is_acknowledged_and_a_lone_one_within_half_a_second() {
    let mut receiver = Receiver::new(ReceiverSpec::new(&rfc(), Duration::from_ms(100)));
    let mut acked = |seq| receiver.on_segment(Arrival { at: Time::from_ms(1), seq, sent: Time::ZERO }).map(|ack| ack.cumulative);
    assert_eq!([acked(0), acked(1), acked(2)], [None, Some(2), None]);
    assert!(receiver.deadline() <= Time::from_ms(501), "{:?}", receiver.deadline());
}

/// RFC 5681 3.1: an ACK of four segments raises the window by two at most in slow start (RFC 3465), by the byte count once per window after it.
#[test]
fn an_ack_counts_for_two_segments_at_most_in_slow_start() {
    let mut script = Script::open(rfc(), u64::MAX, u64::MAX);
    script.ack(100, 4, 0);
    assert_eq!(script.cwnd(), 12.0);
}

/// RFC 5681 4.3 and 3.1: the second expiry for the same segment leaves ssthresh, and the window is one segment both times.
#[test]
fn a_second_timeout_of_a_segment_keeps_ssthresh() {
    let mut script = Script::open(rfc(), u64::MAX, u64::MAX);
    for _ in 0..2 {
        assert_eq!(script.wait().1, [0]);
        assert_eq!((script.cwnd(), script.sender.window().ssthresh), (1.0, 5.0));
    }
}

/// RFC 9937 6.2, in flight at or below ssthresh. Of twenty 0 to 11 are missing, and 15: ssthresh is 10, and five are in flight when 0 to 11 are lost. What was
/// delivered leaves, and one more on an ACK that advances and shows no loss; the ACK of 201 ms shows that 15 is lost. At ssthresh no more than fits leaves.
#[test]
fn below_ssthresh_what_was_delivered_leaves_and_one_more_on_progress_without_loss() {
    let o = Options { initial_window: 20, limited_transmit: false, ..rfc() };
    let mut script = Script::open(o, u64::MAX, u64::MAX);
    script.sack(100, 0, (12, 13));
    script.sack(100, 0, (12, 14));
    assert_eq!(script.sack(100, 0, (12, 15)), [0]);
    assert_eq!(script.tape.episodes, [(20.0, 10.0)]);
    assert_eq!(script.sack(101, 0, (16, 17)), [1]);
    assert_eq!(script.sack(102, 0, (16, 18)), [2]);
    assert_eq!(script.sack(200, 1, (16, 18)), [3, 4]);
    assert_eq!(script.sack(201, 2, (16, 19)), [5, 6], "two were delivered, and a loss is shown");
    assert_eq!(script.sender.connection().in_flight, 6);
    assert_eq!(script.sack(202, 3, (16, 19)), [7, 8]);
    assert_eq!(script.sack(203, 4, (16, 19)), [9, 10]);
    assert_eq!(script.sack(204, 5, (16, 19)), [11, 15]);
    assert_eq!(script.sack(205, 6, (16, 19)), [20, 21]);
    assert_eq!(script.sack(206, 7, (16, 19)), [22], "ten are in flight then");
}

/// RFC 6675 4, SetPipe, which is RFC 9937's in-flight. Of twenty 0 to 2 are lost and 3 to 5 SACKed: 14 are left, and one that was sent again. With 6 SACKed, too,
/// 13, and two sent again. The first of these is acknowledged: 13, and one.
#[test]
fn what_is_in_flight_leaves_out_what_is_sacked_or_lost_and_counts_what_was_sent_again() {
    let mut script = Script::open(Options { initial_window: 20, ..rfc() }, 20, u64::MAX);
    script.sack(100, 0, (3, 4));
    script.sack(100, 0, (3, 5));
    assert_eq!(script.sender.connection().in_flight, 18);
    assert_eq!(script.sack(100, 0, (3, 6)), [0]);
    assert_eq!((script.sender.lost_out(), script.sender.connection().in_flight), (3, 14 + 1));
    assert_eq!(script.sack(101, 0, (3, 7)), [1]);
    assert_eq!(script.sender.connection().in_flight, 13 + 2);
    assert_eq!(script.sack(200, 1, (3, 7)), NOTHING);
    assert_eq!(script.sender.connection().in_flight, 13 + 1);
}

/// RFC 6298 5: segment 1 is written at 800 ms, while the timer runs that 0 started and that would expire at 1000 ms. The ACK of 900 ms makes
/// RTTVAR = 3/4 50 + 1/4 800, SRTT = 7/8 100 + 1/8 900 and so RTO = 200 + 4 237.5 ms: 1 is sent again that long after the ACK, and after twice as long again.
#[test]
fn no_segment_is_sent_again_less_than_a_timeout_after_it_was_sent() {
    let mut script = Script::waiting(rfc());
    assert_eq!(script.write(0, 1), 1);
    assert_eq!(script.write(800, 2), 1);
    assert_eq!(script.ack(900, 1, 0), NOTHING);
    assert_eq!(script.wait(), (2_050_000, vec![1]));
    assert_eq!(script.wait(), (4_350_000, vec![1]));
}
