//! Fast retransmit, the reduction that follows, and its undoing.

use tcp::{LossDetection, Options, RecoveryRule};

use crate::{options, Script, NOTHING};

/// The third segment SACKed above a hole proves it lost (RFC 5681, and RFC 8985 with a reordering window of zero).
#[test]
fn the_third_duplicate_retransmits_at_once() {
    for loss_detection in [LossDetection::Rack, LossDetection::Rfc6675] {
        let mut script = Script::open(Options { loss_detection, limited_transmit: false, ..options(10) }, u64::MAX, u64::MAX);
        assert_eq!(script.sack(100, 0, (1, 2)), NOTHING, "{loss_detection:?}");
        assert_eq!(script.sack(100, 0, (1, 3)), NOTHING);
        assert_eq!(script.sack(100, 0, (1, 4)), [0]);
        assert_eq!(script.tape.episodes, [(10.0, 5.0)]);
    }
}

/// With two duplicates only, RACK waits a quarter of the minimum RTT (25 ms) and Linux's two ticks (2 ms), then repairs.
#[test]
fn two_duplicates_are_enough_after_the_reordering_window() {
    let mut script = Script::open(Options { limited_transmit: false, ..options(10) }, 10, u64::MAX);
    script.sack(100, 0, (1, 2));
    script.sack(100, 0, (1, 3));
    assert_eq!(script.wait(), (127_000, vec![0]));
    assert_eq!(script.tape.timeouts, NOTHING);
}

/// RFC 3042: one new segment for each of the first two duplicates; none without it.
#[test]
fn limited_transmit_sends_one_new_segment_for_each_of_two_duplicates() {
    let mut script = Script::open(options(10), u64::MAX, u64::MAX);
    assert_eq!(script.sack(100, 0, (1, 2)), [10]);
    assert_eq!(script.sack(100, 0, (1, 3)), [11]);
    assert_eq!(script.sack(100, 0, (1, 4)), [0]);
    let mut script = Script::open(Options { limited_transmit: false, ..options(10) }, u64::MAX, u64::MAX);
    assert_eq!(script.sack(100, 0, (1, 2)), NOTHING);
    assert_eq!(script.sack(100, 0, (1, 3)), NOTHING);
}

/// The published vector: prior window 100, ssthresh 50, pipe 99 after one loss. After 1, 2, 3, 10 and 50 deliveries 1, 1, 2,
/// 5 and 25 segments have left; at the end the window is ssthresh, exactly.
#[test]
fn proportional_reduction_sends_one_for_two() {
    let mut script = Script::open(Options { limited_transmit: false, ..options(100) }, u64::MAX, u64::MAX);
    script.sack(100, 0, (1, 2));
    script.sack(100, 0, (1, 3));
    let before = script.tape.sent.len();
    let mut sends = vec![];
    for high in 4..=100 {
        script.sack(100, 0, (1, high));
        sends.push(script.tape.sent.len() - before);
    }
    // The two duplicates before the episode count as delivered before it: pipe is 97 when the third arrives.
    assert_eq!([sends[0], sends[1], sends[2], sends[9], sends[49]], [1, 1, 2, 5, 25]);
    assert_eq!(sends[96], 50, "at the end the pipe is ssthresh");
    script.ack(200, 100, 100);
    assert_eq!((script.cwnd(), script.tape.episodes.len()), (50.0, 1));
}

/// Of a window of 100, as far as the receiver takes it, the first is missing. After each of `acks` ACKs that follow two duplicates: what has
/// left since, and the window.
fn reduced(recovery: RecoveryRule, receiver: u64, acks: u64) -> (Vec<usize>, Vec<f64>) {
    let mut script = Script::open(Options { recovery, limited_transmit: false, ..options(100) }, u64::MAX, receiver);
    script.sack(100, 0, (1, 2));
    script.sack(100, 0, (1, 3));
    let before = script.tape.sent.len();
    let steps = (4..4 + acks).map(|high| {
        script.sack(100, 0, (1, high));
        (script.tape.sent.len() - before, script.cwnd())
    });
    steps.unzip()
}

/// RFC 9937 6.1 and 6.2. RecoverFS is what may still be delivered: 100 outstanding less the two SACKed before. ssthresh is 50, so n
/// deliveries release ceil(50 n/98): 50 at the end, a round trip's.
#[test]
fn rfc_9937_reduces_in_proportion_to_what_was_in_flight() {
    let (sends, _) = reduced(RecoveryRule::Rfc9937, u64::MAX, 97);
    assert_eq!([sends[0], sends[1], sends[2], sends[9], sends[48], sends[96]], [1, 2, 2, 6, 25, 50]);
}

/// The receiver takes 60 of a window of 100: RecoverFS is 58, and the pipe is to fall from 58 to 50 alone: ceil(50 n/58) = n at first, so the
/// window stays. Linux's base is the window before, which allows one for every two delivered. Nothing but the first segment leaves.
#[test]
fn rfc_9937_does_not_count_a_window_that_was_not_used() {
    assert_eq!(reduced(RecoveryRule::Rfc9937, 60, 6).1, [57.0; 6]);
    assert_eq!(reduced(RecoveryRule::Prr, 60, 6).1, [57.0, 56.0, 56.0, 55.0, 55.0, 54.0]);
}

/// RFC 9937 6.4: at the end of the episode the window is ssthresh, and 6.2: the first ACK sends one, whatever the sum says.
#[test]
fn rfc_9937_sends_one_at_once_and_ends_at_ssthresh() {
    let rfc = Options { recovery: RecoveryRule::Rfc9937, limited_transmit: false, ..options(20) };
    let mut script = Script::open(rfc, u64::MAX, u64::MAX);
    script.sack(100, 0, (1, 2));
    script.sack(100, 0, (1, 3));
    assert_eq!(script.sack(100, 0, (1, 4)), [0]);
    script.sack(100, 0, (1, 20));
    let point = script.sender.connection().nxt;
    assert!(script.cwnd() <= 10.0 + 1e-9, "{}", script.cwnd());
    script.ack(200, point, 100);
    assert_eq!(script.tape.episodes, [(20.0, 10.0)]);
    assert!((10.0..12.5).contains(&script.cwnd()), "{}", script.cwnd());
}

/// Rate halving takes one segment off the window for every second ACK, so that one leaves for every two that arrive.
#[test]
fn rate_halving_sends_one_for_two() {
    let base = options(100);
    let old = Options { recovery: RecoveryRule::RateHalving, loss_detection: LossDetection::Rfc6675, limited_transmit: false, ..base };
    let mut script = Script::open(old, u64::MAX, u64::MAX);
    script.sack(100, 0, (1, 2));
    script.sack(100, 0, (1, 3));
    let before = script.tape.sent.len();
    for (count, high) in (4..=100).enumerate() {
        let cwnd = script.cwnd();
        script.sack(100, 0, (1, high));
        assert!(cwnd - script.cwnd() <= 3.0 || count == 0, "from {cwnd} to {}", script.cwnd());
        let sent = script.tape.sent.len() - before;
        // The moderation cwnd <= pipe + 1 lets the first ACK send one; parity and rounding cost at most two more.
        assert!((count / 2).abs_diff(sent) <= 2, "{sent} sent after {} ACKs", count + 1);
    }
    assert!((49.0..=52.0).contains(&script.cwnd()), "{}", script.cwnd());
    script.ack(200, 100, 100);
    assert!(script.cwnd() <= 50.0);
}

/// NewReno (RFC 6582): each partial ACK repairs the next hole, one per round trip, in a single episode.
#[test]
fn without_sack_one_hole_is_repaired_per_round_trip() {
    let mut script = Script::open(Options { sack: false, ..options(20) }, 20, u64::MAX);
    // Segments 0, 5 and 11 are lost: 17 duplicates, of which the first tells of the receiver's window.
    let repaired: Vec<Vec<u64>> = (0..17).map(|_| script.ack(100, 0, 0)).collect();
    assert_eq!(repaired.concat(), [0]);
    assert_eq!(repaired[3], [0], "on the third duplicate");
    assert_eq!(script.ack(200, 5, 100), [5]);
    assert_eq!(script.ack(300, 11, 200), [11]);
    assert_eq!(script.ack(400, 20, 300), NOTHING);
    assert_eq!(script.tape.episodes, [(20.0, 10.0)]);
    assert_eq!(script.tape.timeouts, NOTHING);
    assert!(script.sender.is_finished());
    assert_eq!(script.sender.connection().delivered, 20);
}

fn spurious_episode(undo: bool) -> Script {
    let mut script = Script::open(Options { undo, limited_transmit: false, ..options(20) }, 20, u64::MAX);
    script.sack(100, 0, (1, 2));
    script.sack(100, 0, (1, 3));
    assert_eq!(script.sack(100, 0, (1, 4)), [0]);
    assert_eq!(script.tape.episodes, [(20.0, 10.0)]);
    script
}

/// Eifel (RFC 4015): the ACK for the segment thought lost echoes the original's timestamp, so nothing was lost.
#[test]
fn a_timestamp_of_the_original_restores_the_window() {
    let mut script = spurious_episode(true);
    script.ack(105, 20, 0);
    assert!(script.cwnd() >= 20.0, "{}", script.cwnd());
    assert_eq!((script.tape.undone.len(), script.tape.timeouts.len()), (1, 0));
    let mut script = spurious_episode(false);
    script.ack(105, 20, 0);
    // The ACK that ends Recovery also grows the window, as in Linux: 17 segments newly delivered at a window of 10.
    assert_eq!((script.cwnd(), script.tape.undone.len()), (11.0, 0));
}

/// RFC 3708: when every retransmission is reported as a duplicate, the reduction is taken back, even after its end.
#[test]
fn duplicates_of_all_retransmissions_restore_the_window() {
    let mut script = spurious_episode(true);
    script.ack(150, 20, 100);
    assert_eq!(script.cwnd(), 11.0, "the timestamp is the retransmission's: nothing proves it spurious yet");
    script.duplicate(200, 20, 0, 100);
    assert!(script.cwnd() >= 20.0, "{}", script.cwnd());
    assert_eq!(script.tape.undone.len(), 1);
    script.duplicate(201, 20, 0, 100);
    assert_eq!(script.tape.undone.len(), 1, "only once");
}

/// Of twenty segments 0 to 4 are missing and 5 is SACKed. Forward acknowledgement (Mathis and Mahdavi 1996): 0 to 2 are more than three
/// before the highest SACKed one, so they are lost and one is sent again, which leaves 20 - 1 - 3 + 1 in flight. RFC 6675 waits for three
/// SACKed segments.
#[test]
fn forward_acknowledgement_counts_what_is_missing() {
    for (loss_detection, sent, in_flight) in [(LossDetection::Fack, vec![0], 17), (LossDetection::Rfc6675, vec![], 19)] {
        let mut script = Script::open(Options { loss_detection, limited_transmit: false, ..options(20) }, 20, u64::MAX);
        assert_eq!(script.sack(100, 0, (5, 6)), sent, "{loss_detection:?}");
        assert_eq!(script.sender.connection().in_flight, in_flight, "{loss_detection:?}");
        assert_eq!(script.tape.episodes.len(), sent.len(), "{loss_detection:?}");
    }
}

/// Once a segment was seen to be overtaken the distance proves nothing (Linux switches forward acknowledgement off): three must be SACKed above.
#[test]
fn forward_acknowledgement_ends_with_reordering() {
    let old = Options { loss_detection: LossDetection::Fack, ..options(20) };
    let mut script = Script::open(old, 20, u64::MAX);
    script.sack(100, 0, (2, 3));
    script.ack(100, 3, 0);
    assert_eq!(script.sack(110, 3, (8, 9)), NOTHING);
    assert_eq!(script.tape.episodes, []);
}
