//! RFC 3168: one reduction per window of data, told to the receiver, never undone.

use tcp::{Ack, Ecn, Options, Range, Sack};
use units::Time;

use crate::{options, Script};

fn open(ecn: Ecn) -> Script {
    Script::open(Options { ecn, ..options(10) }, 1000, 1000)
}

/// Ten segments in flight: the mark on the first halves the window over the round trip. One segment leaves per two ACKs until five
/// are in flight, on the ninth ACK; from then on one leaves for each (RFC 6937). The first carries CWR. The echo goes on until that
/// has arrived: nothing more is reduced.
#[test]
fn an_echo_halves_the_window_once() {
    let mut script = open(Ecn::Classic);
    let sent: Vec<usize> = (1..=10).map(|seq| script.marked(100 + seq, seq, 1).len()).collect();
    assert_eq!(script.tape.episodes, [(10.0, 5.0)]);
    assert_eq!(sent, [1, 0, 1, 0, 1, 0, 1, 0, 0, 1]);
    assert_eq!(script.tape.announced, [Some(10)]);
    // All that was outstanding is acknowledged; the state is held until the segment with CWR is, too.
    script.marked(200, 11, 0);
    assert_eq!((script.tape.episodes.len(), script.cwnd()), (1, 5.0));
    assert_eq!(script.sender.connection().delivered_ce, 10);
}

/// A mark among the segments sent after the reduction is new congestion.
#[test]
fn the_next_window_may_be_reduced_again() {
    let mut script = open(Ecn::Dctcp);
    for seq in 1..=10 {
        script.marked(100 + seq, seq, u16::from(seq == 1));
    }
    script.marked(200, 11, 1);
    assert_eq!(script.tape.episodes, [(10.0, 5.0), (5.0, 2.0)]);
    assert_eq!(script.sender.connection().delivered_ce, 2);
    assert_eq!(script.tape.announced.len(), 2);
}

/// The counter's difference is what was marked, whatever one ACK answers; an ACK that only repeats it says nothing.
#[test]
fn an_accurate_count_is_taken_exactly() {
    let mut script = open(Ecn::Accurate);
    script.marked(101, 4, 3);
    script.marked(102, 8, 3);
    script.marked(103, 10, 4);
    assert_eq!(script.sender.connection().delivered_ce, 4);
    assert_eq!(script.tape.episodes.len(), 1);
}

/// RFC 9768 3.2.2.5.1: an ACK that brings nothing may be older than others, and its counter with it. Only a newer timestamp says that it is not.
#[test]
fn a_counter_without_progress_is_believed_only_with_a_newer_timestamp() {
    let tells = |timestamps, is_newer: Option<bool>| {
        let mut script = Script::open(Options { ecn: Ecn::Accurate, timestamps, ..options(10) }, 1000, 1000);
        if let Some(is_newer) = is_newer {
            script.sender.on_stamp_told(is_newer);
        }
        script.marked(101, 0, 2);
        let without_progress = script.sender.connection().delivered_ce;
        script.marked(102, 2, 3);
        (without_progress, script.sender.connection().delivered_ce, script.tape.episodes.len())
    };
    assert_eq!(tells(true, None), (2, 3, 1));
    assert_eq!(tells(true, Some(false)), (0, 3, 1));
    assert_eq!(tells(false, None), (0, 3, 1));
    assert_eq!(tells(false, Some(true)), (0, 3, 1));
}

/// What an ACK brings may be SACKed alone.
#[test]
fn a_counter_with_a_block_of_news_is_believed() {
    let mut script = Script::open(Options { ecn: Ecn::Accurate, timestamps: false, ..options(10) }, 1000, 1000);
    let block = Range { from: 3, to: 4 };
    let sack = Sack { blocks: [block, Range::default(), Range::default()], duplicate: None, window: None };
    let ack = Ack { ecn: 1, has_sack: true, ..Ack::default() };
    script.sender.on_ack(Time::from_ms(101), ack, Some(&sack), &mut script.tape);
    assert_eq!(script.sender.connection().delivered_ce, 1);
}

/// RFC 3168 6.1.5 forbids it; RFC 8257 and RFC 9331 ask for it.
#[test]
fn retransmissions_are_ecn_capable_only_where_the_text_allows_it() {
    let allowed = [Ecn::Off, Ecn::Classic, Ecn::Dctcp, Ecn::Accurate, Ecn::L4s].map(Ecn::marks_retransmissions);
    assert_eq!(allowed, [false, false, true, true, true]);
}

/// A sender that is not ECN-capable has nothing to announce; timeouts of one that is are announced too.
#[test]
fn losses_are_announced_only_with_ecn() {
    for (ecn, announced) in [(Ecn::Off, 0), (Ecn::Classic, 1)] {
        let mut script = Script::open(Options { ecn, frto: false, ..options(10) }, 1000, 1000);
        while script.tape.timeouts.is_empty() {
            script.wait();
        }
        script.ack(2000, 11, 1999);
        script.ack(2100, 12, 2050);
        assert_eq!(script.tape.announced.len(), announced, "{ecn:?}");
    }
}
