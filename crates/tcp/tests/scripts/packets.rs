//! Packets by number, as an algorithm is told of them, by hand.

use cc::{CaState, CongestionControl, Connection, LostSegment, Needs, Packet, Window};
use tcp::{Ack, Options, Range, Sack, Sender, SenderSpec};
use units::{Duration, Time};

use crate::{options, Tape};

/// Keeps what it is told, in order, and the window at ten segments.
#[derive(Default)]
struct Recorder {
    told: Vec<String>,
    packets: Vec<Packet>,
}

impl Recorder {
    fn note(&mut self, what: &str, c: &Connection, p: &Packet) {
        self.told.push(format!("{what} {} of {} at {}", p.number, p.seq, c.now.as_ms()));
        self.packets.push(*p);
    }
}

impl CongestionControl for Recorder {
    fn needs(&self) -> Needs {
        Needs { packets: true, ..Needs::default() }
    }
    fn on_packet_sent(&mut self, _w: &mut Window, c: &Connection, p: &Packet) {
        assert_eq!((p.sent, p.in_flight, p.delivered, p.bytes), (c.now, c.in_flight + 1, c.delivered, 1448));
        self.note("sent", c, p);
    }
    fn on_packet_acked(&mut self, _w: &mut Window, c: &Connection, p: &Packet) {
        self.note("acked", c, p);
    }
    fn on_packet_lost(&mut self, _w: &mut Window, c: &Connection, p: &Packet) {
        self.note("lost", c, p);
    }
    fn on_segment_lost(&mut self, _w: &mut Window, _c: &Connection, _s: &LostSegment) {
        unreachable!("only under full control by rate");
    }
    fn on_acked(&mut self, _w: &mut Window, c: &Connection, acked: u32) {
        self.told.push(format!("{acked} at {}", c.now.as_ms()));
    }
    fn on_state_changed(&mut self, _w: &mut Window, _c: &Connection, to: CaState) {
        self.told.push(format!("{to:?}"));
    }
    fn ssthresh(&mut self, _w: &mut Window, _c: &Connection) -> f64 {
        self.told.push("ssthresh".into());
        5.0
    }
}

/// Ten segments leave at time 0 on a path of 100 ms.
struct Script {
    sender: Sender<Recorder>,
    tape: Tape,
    heard: usize,
}

impl Script {
    fn open(options: Options, segments: u64) -> Script {
        let spec = SenderSpec { options, mss: 1448, segments, window: u64::MAX, device: false };
        let mut script = Script { sender: Sender::new(spec, Recorder::default()), tape: Tape::default(), heard: 0 };
        script.sender.on_started(Time::ZERO, Duration::from_ms(100), &mut script.tape);
        script
    }

    /// What is told since the last time.
    fn told(&mut self) -> Vec<String> {
        let all = &self.sender.algorithm().told;
        let told = all[self.heard..].to_vec();
        self.heard = all.len();
        told
    }

    fn ack(&mut self, ms: u64, cumulative: u64, block: Option<(u64, u64)>) -> Vec<String> {
        let sack = block.map(|(from, to)| Sack {
            blocks: [Range { from, to }, Range::default(), Range::default()],
            duplicate: None,
            window: None,
        });
        let ack = Ack { cumulative, echo: Time::ZERO, has_sack: sack.is_some(), ..Ack::default() };
        self.sender.on_ack(Time::from_ms(ms), ack, sack.as_ref(), &mut self.tape);
        self.told()
    }

    /// The packet of the last that was told.
    fn last(&self) -> Packet {
        *self.sender.algorithm().packets.last().expect("something was told")
    }
}

#[test]
fn a_packet_is_told_as_it_leaves_and_as_it_arrives() {
    let mut script = Script::open(options(10), u64::MAX);
    let first: Vec<String> = (0..10).map(|n| format!("sent {n} of {n} at 0")).collect();
    assert_eq!(script.told(), first);
    assert_eq!(
        script.ack(100, 2, None),
        ["acked 0 of 0 at 100", "acked 1 of 1 at 100", "2 at 100", "sent 10 of 10 at 100", "sent 11 of 11 at 100"]
    );
    assert_eq!((script.last().delivered, script.last().in_flight, script.last().repeated), (2, 10, false));
}

/// Segments 2 to 4 are held to be lost when 5 to 7 are SACKed. Their numbers are heard of before the episode; what is sent again has numbers of
/// its own, and they are what is acknowledged.
#[test]
fn a_lost_segment_is_told_before_the_episode_and_comes_back_under_another_number() {
    let mut script = Script::open(options(10), u64::MAX);
    script.ack(100, 2, None);
    let told = script.ack(110, 2, Some((5, 8)));
    let lost = ["lost 2 of 2 at 110", "lost 3 of 3 at 110", "lost 4 of 4 at 110"];
    let repaired = ["sent 12 of 2 at 110"];
    let told: Vec<&str> = told.iter().map(String::as_str).collect();
    assert_eq!(told[..3], ["acked 5 of 5 at 110", "acked 6 of 6 at 110", "acked 7 of 7 at 110"]);
    assert_eq!(told[3..8], [&lost[..], &["ssthresh", "Recovery"]].concat());
    assert_eq!(told[8..9], repaired);
    let again = script.sender.algorithm().packets.iter().find(|p| p.number == 12).copied().unwrap();
    assert_eq!((again.repeated, again.delivered, again.lost, again.sent), (true, 5, 3, Time::from_ms(110)));
    let told = script.ack(210, 3, Some((5, 8)));
    assert_eq!(told[0], "acked 12 of 2 at 210");
}

/// Without SACK only the cumulative ACK tells what arrived.
#[test]
fn without_sack_packets_arrive_with_the_window() {
    let mut script = Script::open(Options { sack: false, tlp: false, ..options(10) }, u64::MAX);
    script.told();
    let told = script.ack(100, 3, None);
    assert_eq!(told[..3], ["acked 0 of 0 at 100", "acked 1 of 1 at 100", "acked 2 of 2 at 100"]);
}

/// Three segments are written where ten have room: what is written next leaves while the application is the limit, until more has been
/// delivered than was sent by then.
#[test]
fn a_packet_says_whether_the_application_limited_what_was_sent() {
    let spec = SenderSpec { options: options(10), mss: 1448, segments: u64::MAX, window: u64::MAX, device: false };
    let sender = Sender::new(spec, Recorder::default()).waiting();
    let mut script = Script { sender, tape: Tape::default(), heard: 0 };
    script.sender.on_started(Time::ZERO, Duration::from_ms(100), &mut script.tape);
    script.sender.on_written(Time::from_ms(1), 3, &mut script.tape);
    script.sender.on_written(Time::from_ms(2), 5, &mut script.tape);
    script.sender.on_written(Time::from_ms(3), 1000, &mut script.tape);
    script.ack(110, 5, None);
    script.ack(111, 8, None);
    let packets = &script.sender.algorithm().packets;
    let limited = |seq: u64| packets.iter().find(|p| p.seq == seq).map(|p| p.app_limited);
    assert_eq!([0, 2].map(limited), [Some(true); 2], "nothing had been written before");
    assert_eq!([3, 4, 9, 14].map(limited), [Some(true); 4], "three, then five had been sent when there was no more to send");
    assert_eq!([15, 17].map(limited), [Some(false); 2], "eight have arrived");
}

/// The timer expires: everything outstanding is lost, before the window falls; the first is sent again under the next number.
#[test]
fn a_timeout_loses_packets_before_it_asks_for_the_threshold() {
    let mut script = Script::open(Options { tlp: false, ..options(10) }, 4);
    script.told();
    let at = script.sender.deadline();
    script.sender.on_deadline(at, &mut script.tape);
    let ms = at.as_ms();
    let lost: Vec<String> = (0..4).map(|n| format!("lost {n} of {n} at {ms}")).collect();
    let after = ["ssthresh".into(), "Loss".into(), format!("sent 4 of 0 at {ms}")];
    assert_eq!(script.told(), [&lost[..], &after].concat());
}
