//! A device queue that is full: the segment stays, the window comes down, nothing is sent again.

use cc::CaState;
use tcp::Options;

use super::{options, Script, NOTHING};

/// Ten segments may leave, the device takes four. The window is halved without a loss, the fifth segment is still the next, and the episode is over
/// with the first ACK above what had left.
#[test]
fn a_refused_segment_is_sent_later_from_a_halved_window() {
    let mut script = Script::open_on_device(options(10), 4);
    assert_eq!(script.sent(), [0, 1, 2, 3]);
    assert_eq!(script.tape.episodes, [(10.0, 5.0)]);
    assert_eq!(script.sender.connection().ca_state, CaState::Cwr);
    script.tape.room = Some(100);
    // RFC 6937: three in flight, five allowed.
    assert_eq!(script.ack(100, 1, 0), [4, 5]);
    assert_eq!(script.ack(101, 4, 0), [6, 7, 8]);
    assert_eq!(script.sender.connection().ca_state, CaState::Cwr);
    script.ack(200, 5, 100);
    assert_eq!(script.sender.connection().ca_state, CaState::Open);
    assert_eq!(script.sender.retransmitted(), 0);
}

/// One reduction per window, however often the device refuses.
#[test]
fn refusals_within_an_episode_reduce_once() {
    let mut script = Script::open_on_device(options(10), 4);
    assert_eq!(script.ack(100, 1, 0), NOTHING);
    assert_eq!(script.ack(101, 2, 0), NOTHING);
    assert_eq!((script.tape.episodes.len(), script.tape.stalls.as_slice()), (1, [10.0].as_slice()));
    assert_eq!(script.sender.send_stalls(), Some(3));
}

/// Nothing is outstanding and no ACK will come: the sender asks again after its timeout, 300 ms with a first RTT of 100 ms.
#[test]
fn a_sender_whose_first_segment_is_refused_asks_again() {
    let mut script = Script::open_on_device(options(10), 0);
    assert_eq!(script.sent(), NOTHING);
    script.tape.room = Some(2);
    assert_eq!(script.wait(), (300_000, vec![0, 1]));
    assert_eq!(script.tape.timeouts, NOTHING);
}

/// The device is full when the timeout of 300 ms is over: nothing leaves, it is asked again every 500 ms, and the timeout that follows the
/// retransmission, 600 ms, has doubled once (Linux `tcp_retransmit_timer`, `TCP_RESOURCE_PROBE_INTERVAL`).
#[test]
fn a_retransmission_that_the_device_refuses_is_tried_again_soon() {
    let mut script = Script::open_on_device(Options { tlp: false, ..options(10) }, 4);
    assert_eq!(script.wait(), (300_000, vec![]));
    assert_eq!(script.wait(), (800_000, vec![]));
    script.tape.room = Some(100);
    assert_eq!(script.wait(), (1_300_000, vec![0]));
    assert_eq!(script.wait(), (1_900_000, vec![0]));
}
