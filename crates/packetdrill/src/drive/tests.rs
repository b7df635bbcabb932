//! A connection driven by hand: what leaves, when timers expire, what is answered.

use super::*;

const MS: fn(u64) -> Time = Time::from_ms;
const RTT: Duration = Duration::from_ms(100);

/// Opened at 100 ms with `segments` written.
fn opened(segments: u64) -> Drive {
    let mut drive = Drive::connect(Connect::to("cubic", RTT)).expect("cubic");
    drive.write(MS(100), segments * 1000);
    drive
}

fn left(drive: &mut Drive) -> Vec<(u64, u64, bool)> {
    drive.take_sent().iter().map(|sent| (sent.at.as_ms(), sent.seq, sent.again)).collect()
}

#[test]
fn a_window_of_new_data_leaves_when_it_is_written() {
    let mut drive = opened(20);
    assert_eq!(left(&mut drive), (0..10).map(|seq| (100, seq, false)).collect::<Vec<_>>());
    let info = drive.info();
    assert_eq!((info.snd_cwnd, info.snd_ssthresh, info.unacked, info.delivered), (10, i32::MAX as u32, 10, 1));
    assert_eq!((info.rto, info.rtt, info.min_rtt, info.reord_seen), (300_000, 100_000, 100_000, 0));
}

/// Three segments SACKed above a hole: the head leaves again, ssthresh is 0.7 of 10, and what is acknowledged ends the episode.
#[test]
fn three_sacked_segments_repair_the_hole_below() {
    let mut drive = opened(20);
    drive.take_sent();
    for high in 2..=4 {
        drive.ack(MS(200 + high), &Told { sack: [Range { from: 1, to: high }, Range::default(), Range::default()], ..Told::default() });
    }
    assert_eq!(left(&mut drive), [(202, 10, false), (203, 11, false), (204, 0, true)]);
    let info = drive.info();
    assert_eq!((info.ca_state, info.sacked, info.lost, info.retrans, info.snd_ssthresh), (3, 3, 1, 1, 7));
    drive.ack(MS(300), &Told { cumulative: 12, ..Told::default() });
    assert_eq!((drive.info().ca_state, drive.info().total_retrans, drive.info().delivered), (0, 1, 13));
}

/// A tail loss probe two round trips and two ticks after the data, at its own time though the script did not look.
#[test]
fn timers_expire_at_their_own_time() {
    let mut drive = opened(2);
    drive.take_sent();
    drive.advance(MS(303));
    assert_eq!(left(&mut drive), [(302, 1, true)]);
}

/// Four segments fit the peer's window, then six: the update sends two, and is no duplicate ACK without SACK either.
#[test]
fn a_wider_window_of_the_peer_lets_segments_leave() {
    let mut connect = Connect { window: 4, ..Connect::to("reno", RTT) };
    connect.options.sack = false;
    let mut drive = Drive::connect(connect).expect("reno");
    drive.write(MS(100), 20_000);
    assert_eq!(drive.take_sent().len(), 4);
    drive.ack(MS(150), &Told { window: Some(6), ..Told::default() });
    assert_eq!(left(&mut drive), [(150, 4, false), (150, 5, false)]);
    assert_eq!(drive.info().sacked, 0);
    drive.ack(MS(151), &Told { window: Some(6), ..Told::default() });
    assert_eq!(drive.info().sacked, 1);
    drive.ack(MS(200), &Told { cumulative: 4, window: Some(1), ..Told::default() });
    assert_eq!(left(&mut drive), [], "two are outstanding, more than the window now");
}

/// The ACK of the handshake was the first that a server had: without SACK the next is a duplicate. Of a client it is the first, and is none.
#[test]
fn a_server_has_had_an_ack_before() {
    let counted = |accepts| {
        let mut connect = Connect { accepts, ..Connect::to("reno", RTT) };
        connect.options.sack = false;
        let mut drive = Drive::connect(connect).expect("reno");
        drive.write(MS(100), 20_000);
        drive.ack(MS(200), &Told::default());
        drive.info().sacked
    };
    assert_eq!([counted(true), counted(false)], [1, 0]);
}

/// RFC 9293 3.8.6.1, as Linux has it: with a shut window the first probe leaves after a timeout of 100 + 200 ms, the next after 600 and 1200 ms from
/// the one before, or from its answer. Probes without data end no pause: the window that opens 2.4 s later finds cwnd restarted, at the initial one.
#[test]
fn a_shut_window_is_probed_ever_more_seldom() {
    let mut drive = opened(10);
    drive.ack(MS(200), &Told { cumulative: 10, window: Some(0), ..Told::default() });
    assert_eq!((drive.info().snd_cwnd, left(&mut drive).len()), (20, 10));
    drive.advance(MS(299));
    assert_eq!(drive.deadline(), Time::NEVER, "nothing is written");
    drive.write(MS(300), 3000);
    drive.advance(MS(1200));
    assert_eq!(drive.take_probes(), [MS(600), MS(1200)]);
    drive.ack(MS(1300), &Told { cumulative: 10, window: Some(0), ..Told::default() });
    drive.advance(MS(2499));
    assert_eq!((drive.take_probes(), left(&mut drive)), (vec![], vec![]));
    drive.advance(MS(2500));
    assert_eq!(drive.take_probes(), [MS(2500)]);
    drive.ack(MS(2600), &Told { cumulative: 10, window: Some(2), ..Told::default() });
    assert_eq!((left(&mut drive), drive.info().snd_cwnd), (vec![(2600, 10, false), (2600, 11, false)], 10));
    // Shut again before all is sent: from the first wait on.
    drive.ack(MS(2700), &Told { cumulative: 12, window: Some(0), ..Told::default() });
    drive.advance(MS(3000));
    assert_eq!(drive.take_probes(), [MS(3000)]);
}

/// A device that is full: nothing leaves, the window is reduced as for a mark.
#[test]
fn a_full_device_refuses_segments() {
    let mut drive = Drive::connect(Connect { device: true, ..Connect::to("reno", RTT) }).expect("reno");
    drive.fill_device(true);
    drive.write(MS(100), 20_000);
    assert_eq!((left(&mut drive), drive.info().ca_state), (vec![], 2));
}

/// The first segments are acknowledged one by one; one behind a hole with its block.
#[test]
fn what_the_receiver_answers_is_written_down() {
    let mut drive = opened(0);
    drive.receive(MS(200), 0, EcnBits::default());
    drive.receive(MS(201), 2, EcnBits::default());
    let answers: Vec<_> = drive.take_answers().iter().map(|ack| (ack.at.as_ms(), ack.cumulative, ack.sack[0])).collect();
    assert_eq!(answers, [(200, 1, Range::default()), (201, 1, Range::of(2))]);
}

/// Linux `tcpi_last_data_recv`: from the handshake on, and from each segment of data.
#[test]
fn the_time_since_data_arrived_counts_from_the_handshake() {
    let mut drive = opened(0);
    drive.advance(MS(1100));
    assert_eq!(drive.info().field("last_data_recv"), Some(1000));
    drive.receive(MS(1200), 0, EcnBits::default());
    drive.advance(MS(1207));
    assert_eq!(drive.info().field("last_data_recv"), Some(7));
}

/// RFC 6582 4.1: an ACK of all that was out when the timer expired does not end the episode, for the duplicates of what was sent again
/// needlessly are still to come; one more segment acknowledged does.
#[test]
fn without_sack_duplicates_after_a_timeout_begin_no_episode() {
    let mut connect = Connect::to("reno", RTT);
    connect.options.sack = false;
    connect.options.frto = false;
    let mut drive = Drive::connect(connect).expect("reno");
    drive.write(MS(100), 40_000);
    drive.advance(MS(400));
    assert_eq!((drive.info().ca_state, drive.take_sent().len()), (4, 11), "ten, and the first again");
    drive.ack(MS(500), &Told { cumulative: 10, ..Told::default() });
    assert_eq!(left(&mut drive).first(), Some(&(500, 10, false)));
    for at in 501..=504 {
        drive.ack(MS(at), &Told { cumulative: 10, ..Told::default() });
    }
    assert_eq!((drive.info().ca_state, drive.info().total_retrans), (4, 1));
    drive.ack(MS(600), &Told { cumulative: 11, ..Told::default() });
    assert_eq!(drive.info().ca_state, 0);
}
