//! Corners of Linux 6.1's sender, each as a recorded script shows it (`data/kernel-segments/recorded`), by hand.

use cc::CaState;
use tcp::{Ecn, Options, Pacing};

use crate::{options, Script, NOTHING};

fn without_sack(initial_window: u32) -> Options {
    Options { sack: false, ..options(initial_window) }
}

/// The window of the SYN-ACK is not scaled, that of the first ACK is: the ACK tells of another window, and counts as no duplicate, which limited
/// transmit would answer with a segment (`tcp_may_update_window`; `holes-4` of yeah).
#[test]
fn the_first_ack_after_the_handshake_is_no_duplicate() {
    let mut script = Script::open(without_sack(10), 20, u64::MAX);
    assert_eq!(script.ack(100, 0, 0), NOTHING);
    assert_eq!(script.sender.connection().ca_state, CaState::Open);
    assert_eq!(script.ack(101, 0, 0), [10]);
    let mut later = Script::open(without_sack(10), 20, u64::MAX);
    later.ack(100, 1, 0);
    assert_eq!(later.ack(101, 1, 0), [12], "only the first");
}

/// Without SACK a timeout that an old echo shows to be spurious restores the window, but the state stays until an original is acknowledged by itself
/// (`tcp_try_undo_loss`, F-RTO; `steps-11` of bic).
#[test]
fn without_sack_loss_is_left_when_an_original_is_delivered_after_the_undo() {
    let mut script = Script::open(without_sack(10), 40, u64::MAX);
    assert_eq!(script.wait(), (300_000, vec![0]));
    script.ack(350, 2, 0);
    assert_eq!((script.sender.connection().ca_state, script.tape.undone.len()), (CaState::Loss, 1));
    script.ack(351, 4, 0);
    assert_eq!(script.sender.connection().ca_state, CaState::Open);
}

/// Two duplicates that echo marks: what they stand for was delivered with marks (`tcp_add_reno_sack`; `marks-4` of bic).
#[test]
fn without_sack_a_marked_duplicate_counts_as_marked() {
    let mut script = Script::open(Options { ecn: Ecn::Classic, ..without_sack(10) }, u64::MAX, u64::MAX);
    script.marked(100, 2, 1);
    script.marked(101, 2, 1);
    script.marked(102, 2, 1);
    assert_eq!((script.sender.connection().delivered, script.sender.connection().delivered_ce), (4, 4));
}

/// Without SACK a repair that an old echo shows to be needless tells how far the segment was overtaken: by what the ACK brings at once
/// (`tcp_check_sack_reordering` from `tcp_try_undo_partial`; `disorder-3` of yeah).
#[test]
fn without_sack_a_late_original_tells_of_reordering() {
    let mut script = Script::open(without_sack(10), u64::MAX, u64::MAX);
    script.ack(100, 1, 0);
    (101..104).for_each(|ms| drop(script.ack(ms, 1, 0)));
    assert_eq!(script.sender.connection().ca_state, CaState::Recovery);
    script.ack(110, 5, 0);
    assert_eq!((script.sender.reordering(), script.sender.reorderings_seen()), (4, 1));
}

/// After a timeout that proved spurious the head counts as sent again. A loss that is found then is not repaired while that is so: Linux stops where as many
/// are out again as are lost, and does not look which (`tcp_xmit_retransmit_queue`; `stalls-7` of reno).
#[test]
fn a_loss_waits_while_as_many_others_are_out_again() {
    let mut script = Script::open(options(10), 40, u64::MAX);
    assert_eq!(script.wait().1, [10], "a probe");
    assert_eq!(script.wait().1, [0], "a timeout");
    script.sack(600, 0, (2, 3));
    assert_eq!((script.tape.undone.len(), script.sender.retrans_out()), (1, 1));
    script.sack(601, 0, (2, 4));
    assert_eq!(script.sack(602, 0, (2, 5)), [11], "segment 1 is lost, and a new one leaves");
    assert_eq!((script.sender.lost_out(), script.sender.retrans_out()), (1, 1));
}

/// Two round trips of 1448-byte segments, ten a round trip doubled: the eleventh waits 5 ms, of whichever window the connection begins with
/// (`tcp_init_transfer` sets it when the rate is there; `twice-8` of bic).
#[test]
fn the_rate_of_pacing_begins_with_ten_segments() {
    for window in [10, 20, 32] {
        let mut script = Script::open(Options { pacing: Pacing::Full, ..options(window) }, u64::MAX, u64::MAX);
        assert_eq!(script.sent().len(), 10);
        if window > 10 {
            assert_eq!(script.wait(), (5_000, vec![10]));
        }
    }
}

/// A window of 20 of which pacing has let go of seven or eight: what TCP's own timer holds back does not fill the window, which stays as it is (`tcp_write_xmit`
/// leaves before it looks; `pauses-3` of reno). Where a queue below paces, it does.
#[test]
fn what_the_timer_of_pacing_holds_back_does_not_fill_the_window() {
    let grown = |pacing| {
        let mut script = Script::open(Options { pacing, ..options(10) }, u64::MAX, u64::MAX);
        script.ack(100, 10, 0);
        assert_eq!(script.cwnd(), 20.0);
        while script.sender.connection().nxt < 17 {
            script.wait();
        }
        (11..14).for_each(|cumulative| drop(script.ack(200, cumulative, 100)));
        script.cwnd() - 20.0
    };
    assert_eq!([grown(Pacing::Full), grown(Pacing::Linux)], [0.0, 3.0]);
}

/// A window that is full of the last segments that there are is no reason to grow it: Linux asks when it looks for something to send
/// (`tcp_push_pending_frames`). Three segments of which none arrived, repaired from a window of one and a threshold of two (`tail-1` of westwood).
#[test]
fn a_window_full_of_the_last_segments_does_not_grow() {
    let mut script = Script::open(Options { tlp: false, ..options(4) }, 3, u64::MAX);
    assert_eq!(script.wait().1, [0]);
    assert_eq!(script.ack(600, 1, 300), [1, 2]);
    assert_eq!((script.cwnd(), script.sender.window().ssthresh), (2.0, 2.0));
    script.ack(700, 2, 600);
    script.ack(701, 3, 600);
    assert_eq!(script.cwnd(), 2.0);
}
