//! The receiver by itself: which segments it acknowledges, and when.

use super::*;
use crate::{Ecn, Options};

fn receiver(quickack: u32) -> Receiver {
    let options = Options { quickack, ack_compression: false, ..Options::of_profile("linux-6.1").expect("a profile") };
    Receiver::new(ReceiverSpec::new(&options, Duration::from_ms(100)))
}

fn arrive(receiver: &mut Receiver, ms: u64, seq: u64) -> (Option<u64>, Sack) {
    let ack = receiver.on_segment(Arrival { at: Time::from_ms(ms), seq, sent: Time::ZERO });
    (ack.map(|ack| ack.cumulative), *receiver.sack())
}

fn blocks(sack: Sack) -> Vec<(u64, u64)> {
    sack.blocks.iter().filter(|block| !block.is_empty()).map(|block| (block.from, block.to)).collect()
}

#[test]
fn the_first_sixteen_segments_are_acknowledged_one_by_one() {
    let mut receiver = receiver(16);
    assert!((0..16).all(|seq| arrive(&mut receiver, 1, seq).0 == Some(seq + 1)));
    assert_eq!(arrive(&mut receiver, 1, 16).0, None);
    assert_eq!(arrive(&mut receiver, 1, 17).0, Some(18));
}

/// Linux 6.1 `tcp_data_queue`: old data calls `tcp_enter_quickack_mode(TCP_MAX_QUICKACKS)`, sixteen ACKs of which its own is the first; a copy
/// of what waits behind a hole does not (`tcp_data_queue_ofo`).
#[test]
fn after_old_data_fifteen_segments_are_acknowledged_one_by_one() {
    let options = Options { opening_acks: false, ..Options::of_profile("linux-6.1").expect("a profile") };
    let mut receiver = Receiver::new(ReceiverSpec::new(&options, Duration::from_ms(100)));
    assert!((0..16).all(|seq| arrive(&mut receiver, 1, seq).0 == Some(seq + 1)));
    assert_eq!(arrive(&mut receiver, 1, 16).0, None);
    assert_eq!(arrive(&mut receiver, 1, 10), (Some(17), Sack { duplicate: Some(10), ..Sack::default() }));
    assert!((17..32).all(|seq| arrive(&mut receiver, 1, seq).0 == Some(seq + 1)));
    assert_eq!(arrive(&mut receiver, 1, 32).0, None);
    assert_eq!(arrive(&mut receiver, 1, 33).0, Some(34));
    // Behind a hole: 36 comes twice, then what was missing, then two in order.
    assert!([36, 36, 34, 35].iter().all(|&seq| arrive(&mut receiver, 1, seq).0.is_some()));
    assert_eq!(arrive(&mut receiver, 1, 37).0, None);
}

#[test]
fn a_lone_segment_waits_40_ms() {
    let mut receiver = receiver(0);
    arrive(&mut receiver, 1, 0);
    arrive(&mut receiver, 1, 1);
    arrive(&mut receiver, 1, 2);
    assert_eq!(receiver.deadline(), Time::from_ms(41));
    assert_eq!(receiver.on_deadline().cumulative, 3);
    assert_eq!(receiver.deadline(), Time::NEVER);
}

/// Gaps below the timer raise it, by half of itself less what it was. The longest that an ACK waits is a fifth of a second (Linux 6.1), or
/// a millisecond less: the shortest timeout of the sender, less a tick (6.12, `tcp_delack_max`).
#[test]
fn the_longest_delay_of_an_ack_is_the_profiles() {
    let longest = |profile: &str| {
        let options = Options { quickack: 0, ..Options::of_profile(profile).expect("a profile") };
        let mut receiver = Receiver::new(ReceiverSpec::new(&options, Duration::from_ms(400)));
        let mut at = 0;
        for (seq, gap) in [1, 39, 58, 86, 128, 191, 250].into_iter().enumerate() {
            at += gap;
            arrive(&mut receiver, at, seq as u64);
        }
        receiver.deadline() - Time::from_ms(at)
    };
    assert_eq!([longest("linux-6.1"), longest("linux-6.12")], [Duration::from_ms(200), Duration::from_ms(199)]);
}

/// The echoed segment is the first that waited, or the one that filled the gap; the ACK's own wait is no delay of it.
#[test]
fn the_delay_is_that_of_the_echoed_segment() {
    let mut receiver = receiver(0);
    let mut arrive = |at: u64, seq, sent| {
        let ack = receiver.on_segment(Arrival { at: Time::from_ms(at), seq, sent: Time::from_ms(sent) });
        ack.map(|ack| (ack.echo.as_ms(), ack.delay.as_ms()))
    };
    assert_eq!(arrive(30, 0, 10), None);
    assert_eq!(arrive(35, 1, 11), Some((10, 20)));
    assert_eq!(arrive(40, 3, 12), Some((10, 20)));
    assert_eq!(arrive(90, 2, 65), Some((65, 25)));
    assert_eq!(arrive(100, 4, 70), None);
    assert_eq!(receiver.on_deadline().delay, Duration::from_ms(30));
}

#[test]
fn a_gap_is_reported_at_once_most_recent_block_first() {
    let mut receiver = receiver(0);
    assert_eq!(blocks(arrive(&mut receiver, 1, 2).1), [(2, 3)]);
    assert_eq!(blocks(arrive(&mut receiver, 1, 4).1), [(4, 5), (2, 3)]);
    assert_eq!(blocks(arrive(&mut receiver, 1, 6).1), [(6, 7), (4, 5), (2, 3)]);
    assert_eq!(blocks(arrive(&mut receiver, 1, 8).1), [(8, 9), (6, 7), (4, 5)]);
    let (cumulative, sack) = arrive(&mut receiver, 1, 3);
    assert_eq!((cumulative, blocks(sack)), (Some(0), vec![(2, 5), (8, 9), (6, 7)]));
    let (cumulative, _) = arrive(&mut receiver, 1, 0);
    assert_eq!(cumulative, Some(1));
    assert_eq!(arrive(&mut receiver, 1, 1).0, Some(5));
    assert_eq!(arrive(&mut receiver, 1, 4).1.duplicate, Some(4));
}

/// RFC 2018 4: the block of the latest segment comes first, then those reported most recently; RFC 2883 4: a segment that arrived twice takes the
/// place of a block.
#[test]
fn a_block_above_all_others_is_reported_before_them() {
    let mut receiver = receiver(0);
    let mut told = |seq| {
        let sack = arrive(&mut receiver, 1, seq).1;
        (blocks(sack), sack.duplicate)
    };
    let above = [0, 2, 4, 6, 8].map(&mut told);
    assert_eq!(above[4], (vec![(8, 9), (6, 7), (4, 5)], None));
    assert_eq!(told(5), (vec![(4, 7), (8, 9)], None));
    assert_eq!(told(10), (vec![(10, 11), (4, 7), (8, 9)], None));
    assert_eq!(told(1), (vec![(10, 11), (4, 7), (8, 9)], None));
    assert_eq!(told(12), (vec![(12, 13), (10, 11), (4, 7)], None));
    assert_eq!(told(12), (vec![(12, 13), (10, 11)], Some(12)));
    assert_eq!(told(14), (vec![(14, 15), (12, 13), (10, 11)], None));
    assert_eq!(told(3), (vec![(14, 15), (12, 13), (10, 11)], None));
    assert_eq!(told(11), (vec![(10, 13), (14, 15)], None));
}

/// What the ACKs of a sequence of segments say: `(cumulative, ecn)`, one character per segment: `.` unmarked, `C` marked, `W` with
/// CWR, `B` both.
fn told(mode: Ecn, segments: &str) -> Vec<(u64, u16)> {
    let options = Options { quickack: 0, ecn: mode, ..Options::of_profile("linux-6.1").expect("a profile") };
    let mut receiver = Receiver::new(ReceiverSpec::new(&options, Duration::from_ms(100)));
    let mut acks = Vec::new();
    for (seq, kind) in segments.chars().enumerate() {
        let bits = EcnBits { ce: matches!(kind, 'C' | 'B'), cwr: matches!(kind, 'W' | 'B') };
        acks.extend(receiver.on_ecn_bits(bits));
        acks.extend(receiver.on_segment(Arrival { at: Time::from_ms(1), seq: seq as u64, sent: Time::ZERO }));
    }
    acks.iter().map(|ack| (ack.cumulative, ack.ecn)).collect()
}

/// RFC 3168 6.1.3: from the first mark on every ACK says so, until the sender has answered; Linux acknowledges the mark, the
/// segment after it and the answer at once.
#[test]
fn a_classic_receiver_echoes_until_the_sender_has_answered() {
    assert_eq!(told(Ecn::Classic, "..C....W.."), [(2, 0), (3, 1), (4, 1), (6, 1), (8, 0), (10, 0)]);
    assert_eq!(told(Ecn::Classic, "C.B..."), [(1, 1), (2, 1), (3, 1), (4, 1), (6, 1)]);
    assert_eq!(told(Ecn::Off, "..C."), [(2, 0), (4, 0)]);
}

/// RFC 8257 3.2: when the mark changes, what waits is acknowledged as it was, and the segment that brought the change at once. In
/// between every second segment has its ACK, and no ACK answers both kinds.
#[test]
fn a_dctcp_receiver_acknowledges_every_change_of_marks() {
    assert_eq!(told(Ecn::Dctcp, "...C"), [(2, 0), (3, 0), (4, 1)]);
    assert_eq!(told(Ecn::Dctcp, "..CCCC.."), [(2, 0), (3, 1), (5, 1), (6, 1), (7, 0)]);
    assert_eq!(told(Ecn::Dctcp, "C.C."), [(1, 1), (2, 0), (3, 1), (4, 0)]);
}

/// RFC 9768: the first mark after an unmarked segment is told at once; the counter tells the others exactly.
#[test]
fn an_accurate_receiver_counts_marks() {
    assert_eq!(told(Ecn::Accurate, "..CCC...C"), [(2, 0), (3, 1), (5, 3), (7, 3), (9, 4)]);
}
