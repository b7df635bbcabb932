//! A connection driven by hand: a sender and a receiver of [`tcp`], with everything they do written down.
//!
//! ```
//! use packetdrill::drive::{Connect, Drive, Told};
//! use units::{Duration, Time};
//!
//! let mut drive = Drive::connect(Connect::to("cubic", Duration::from_ms(100)))?;
//! drive.write(Time::from_ms(100), 20_000);
//! assert_eq!(drive.take_sent().len(), 10);
//! drive.ack(Time::from_ms(200), &Told { cumulative: 2, ..Told::default() });
//! assert_eq!(drive.info().snd_cwnd, 12);
//! drive.advance(Time::from_ms(300));
//! assert_eq!(drive.take_sent().len(), 4);
//! # Ok::<(), cc::BuildError>(())
//! ```
//!
//! Bytes are written, as an application does; everything else counts segments from 0, as [`tcp`] does. Time only goes forwards: each call
//! first lets every timer expire that is due until then, at its own time.

mod info;
mod stream;
mod tape;

use std::collections::BTreeMap;

use cc::{BuildError, Controller, Guests};
use tcp::{Ack, Arrival, EcnBits, Options, Range, Receiver, ReceiverSpec, Sack, Sender, SenderSpec};
use units::{Duration, Time};

pub use self::info::Info;
use self::stream::Stream;
pub use self::tape::Sent;
use self::tape::Tape;

/// What a connection is made from.
#[derive(Clone, Debug)]
pub struct Connect {
    /// The algorithm's name.
    pub algorithm: String,
    /// Its variant; that of the profile if none.
    pub variant: Option<String>,
    /// The stack's profile.
    pub profile: String,
    /// The stack's options: the profile's, or changed.
    pub options: Options,
    /// Payload bytes of a segment.
    pub mss: u32,
    /// The peer's window, segments; `u64::MAX` for no limit.
    pub window: u64,
    /// The device may become full: [`Drive::fill_device`].
    pub device: bool,
    /// The peer opened it.
    pub accepts: bool,
    /// When the handshake was over.
    pub opened: Time,
    /// What it measured.
    pub handshake_rtt: Duration,
    /// From which an algorithm that draws does so.
    pub seed: u64,
    /// Of its parameters those that are not at their defaults.
    pub parameters: BTreeMap<String, f64>,
    /// Controllers from outside, by the names under which `algorithm` may be one of them.
    pub guests: Guests,
}

impl Connect {
    /// `algorithm` on a path of `rtt`, opened one round trip after time zero, with segments of 1000 bytes, the stack of Linux 6.1 and no limit
    /// of the peer's.
    pub fn to(algorithm: &str, rtt: Duration) -> Connect {
        Connect {
            algorithm: algorithm.into(),
            variant: None,
            profile: "linux-6.1".into(),
            options: Options::of_profile("linux-6.1").expect("a profile"),
            mss: 1000,
            window: u64::MAX,
            device: false,
            accepts: false,
            opened: Time::ZERO + rtt,
            handshake_rtt: rtt,
            seed: 0,
            parameters: BTreeMap::new(),
            guests: Guests::default(),
        }
    }
}

/// What an ACK tells the sender.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Told {
    /// Next segment that the receiver expects.
    pub cumulative: u64,
    /// SACK blocks as half-open ranges of segments, the latest first; an empty range is no block.
    pub sack: [Range; 3],
    /// A segment that arrived twice.
    pub duplicate: Option<u64>,
    /// ECN feedback: 1 for ECN-Echo; with accurate feedback how many marked segments have arrived.
    pub ecn: u16,
    /// The peer's window from now on, segments; none if it stands.
    pub window: Option<u64>,
    /// The forward delay of the segment that is echoed: when it arrived, in the receiver's clock, less when it was sent.
    pub delay: Duration,
    /// Timestamp echo. None is an echo that proves nothing: of the last transmission of what the ACK brings, or of a later retransmission.
    pub echo: Option<Time>,
}

/// An ACK that the receiver sent.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Answered {
    /// When.
    pub at: Time,
    /// Next segment expected.
    pub cumulative: u64,
    /// SACK blocks; an empty range is no block.
    pub sack: [Range; 3],
    /// A segment that arrived twice.
    pub duplicate: Option<u64>,
}

/// The two ends of a connection, each with its peer played by the caller.
#[derive(Clone, Debug)]
pub struct Drive {
    sender: Sender<Controller>,
    receiver: Receiver,
    stream: Stream,
    tape: Tape,
    answers: Vec<Answered>,
    now: Time,
    /// When each segment last left, and when any left again.
    last_sent: Vec<Time>,
    last_resent: Time,
    noted: usize,
    /// Timers wait until they are told to expire.
    held: bool,
}

impl Drive {
    /// A connection that has just opened, and whose application has written nothing.
    ///
    /// # Errors
    /// When there is no such algorithm or variant.
    pub fn connect(connect: Connect) -> Result<Drive, BuildError> {
        let Connect {
            algorithm,
            variant,
            profile,
            mut options,
            mss,
            window,
            device,
            accepts,
            opened,
            handshake_rtt,
            seed,
            parameters,
            guests,
        } = connect;
        let built = cc::build_with(&guests, &algorithm, variant.as_deref(), &profile, &parameters)?;
        options.ecn = options.ecn.resolved(cc::CongestionControl::needs(&built.algorithm).ecn);
        let receiver = Receiver::new(ReceiverSpec::new(&options, handshake_rtt));
        let spec = SenderSpec { options, mss, segments: u64::MAX, window, device };
        let mut sender = Sender::new(spec, built.algorithm);
        sender.on_born(u64::MAX);
        sender.on_seeded(units::Stream::named(seed, "drive"));
        let mut sender = if accepts { sender.accepting() } else { sender }.waiting();
        let mut tape = Tape::default();
        sender.on_started(opened, handshake_rtt, &mut tape);
        let (answers, last_sent) = (Vec::new(), Vec::new());
        Ok(Drive {
            sender,
            receiver,
            stream: Stream::new(mss),
            tape,
            answers,
            now: opened,
            last_sent,
            last_resent: Time::ZERO,
            noted: 0,
            held: false,
        })
    }

    /// The call of the application that wrote last goes on: `bytes` more are taken of what it handed over.
    pub fn write_on(&mut self, at: Time, bytes: u64) {
        self.advance(at);
        self.stream.write(bytes, self.sender.connection().nxt);
        self.sender.on_written_on(at, self.stream.segments(), &mut self.tape);
        self.note_sent();
    }

    /// The application writes `bytes`. A short last segment leaves as any other: there is no rule of Nagle's.
    pub fn write(&mut self, at: Time, bytes: u64) {
        self.advance(at);
        self.stream.write(bytes, self.sender.connection().nxt);
        self.sender.on_written(at, self.stream.segments(), &mut self.tape);
        self.note_sent();
    }

    /// An ACK arrives. One that tells of nothing but another window is no duplicate ACK.
    pub fn ack(&mut self, at: Time, told: &Told) {
        self.advance(at);
        let has_blocks = told.sack.iter().any(|block| !block.is_empty());
        let has_sack = has_blocks || told.duplicate.is_some();
        let is_idle = self.sender.connection().una == self.sender.connection().nxt;
        let is_update = told.window.is_some_and(|window| window != self.sender.receive_window() || (window == 0 && is_idle));
        if let Some(window) = told.window {
            self.sender.on_window_told(window);
        }
        if is_update && !has_sack && told.ecn == 0 && told.cumulative == self.sender.connection().una {
            self.sender.on_window_updated(at, &mut self.tape);
        } else {
            let echo = told.echo.unwrap_or_else(|| self.neutral_echo(told));
            let ack = Ack { cumulative: told.cumulative, echo, delay: told.delay, ecn: told.ecn, has_sack };
            let sack = Sack { blocks: told.sack, duplicate: told.duplicate, window: None };
            self.sender.on_ack(at, ack, has_sack.then_some(&sack), &mut self.tape);
        }
        self.note_sent();
    }

    /// An echo that is of no original where anything was retransmitted.
    fn neutral_echo(&self, told: &Told) -> Time {
        let una = self.sender.connection().una;
        let newly = (una..told.cumulative).filter_map(|seq| self.last_sent.get(seq as usize).copied());
        newly.max().unwrap_or(Time::ZERO).max(self.last_resent)
    }

    /// Segment `seq` of the peer arrives, with these ECN bits.
    pub fn receive(&mut self, at: Time, seq: u64, bits: EcnBits) {
        self.advance(at);
        if let Some(ack) = self.receiver.on_ecn_bits(bits) {
            self.note_answer(at, &ack);
        }
        if let Some(ack) = self.receiver.on_segment(Arrival { at, seq, sent: at }) {
            self.note_answer(at, &ack);
        }
    }

    /// An ACK that waits leaves with data now, or is not needed any more; whether one waited.
    pub fn take_delayed_ack(&mut self) -> bool {
        let waits = self.receiver.deadline() < Time::NEVER;
        if waits {
            self.receiver.on_deadline();
        }
        waits
    }

    /// The device takes no segment from now on, or any. Only a connection with a device has one.
    pub fn fill_device(&mut self, is_full: bool) {
        self.tape.is_full = is_full;
    }

    /// Time passes: every timer that is due until then expires.
    pub fn advance(&mut self, until: Time) {
        assert!(until >= self.now, "time runs backwards: {until:?} after {:?}", self.now);
        while !self.held {
            let (sender, receiver) = (self.sender.deadline(), self.receiver.deadline());
            let at = sender.min(receiver);
            if at > until {
                break;
            }
            if sender == at {
                self.sender.on_deadline(at, &mut self.tape);
                self.note_sent();
            } else {
                let ack = self.receiver.on_deadline();
                self.note_answer(at, &ack);
            }
        }
        self.now = until;
    }

    /// Timers wait from now on until [`Drive::expire`] says so, as those of a kernel whose clock ticks do.
    pub fn hold_timers(&mut self) {
        self.held = true;
    }

    /// The sender's timer expires now, at its deadline or after it.
    pub fn expire(&mut self, at: Time) {
        assert!(at >= self.sender.deadline(), "the timer of {:?} expires at {at:?}", self.sender.deadline());
        self.now = at;
        self.sender.on_deadline(at, &mut self.tape);
        self.note_sent();
    }

    /// The pacing gate opens now, at its time or after it, whatever is with the timers.
    pub fn open_gate(&mut self, at: Time) {
        assert!(at >= self.sender.gate_opens_at(), "the gate of {:?} opens at {at:?}", self.sender.gate_opens_at());
        self.now = at;
        self.sender.on_gate_opened(at, &mut self.tape);
        self.note_sent();
    }

    /// Until when time has passed.
    pub fn now(&self) -> Time {
        self.now
    }

    /// When the next timer expires; [`Time::NEVER`] if none is armed.
    pub fn deadline(&self) -> Time {
        self.sender.deadline().min(self.receiver.deadline())
    }

    fn note_sent(&mut self) {
        for sent in &self.tape.sent[self.noted..] {
            if sent.again {
                self.last_sent[sent.seq as usize] = sent.at;
                self.last_resent = sent.at;
            } else {
                self.last_sent.push(sent.at);
            }
        }
        self.noted = self.tape.sent.len();
    }

    fn note_answer(&mut self, at: Time, ack: &Ack) {
        let sack = if ack.has_sack { *self.receiver.sack() } else { Sack::default() };
        self.answers.push(Answered { at, cumulative: ack.cumulative, sack: sack.blocks, duplicate: sack.duplicate });
    }

    /// What `tcp_info` says now.
    pub fn info(&self) -> Info {
        let (c, w) = (self.sender.connection(), self.sender.window());
        Info {
            snd_cwnd: w.segments(),
            snd_ssthresh: w.ssthresh as u32,
            ca_state: c.ca_state as u8,
            sacked: self.sender.sacked_out(),
            lost: self.sender.lost_out(),
            retrans: self.sender.retrans_out(),
            unacked: (c.nxt - c.una) as u32,
            total_retrans: self.sender.retransmitted(),
            delivered: c.delivered + 1,
            delivered_ce: c.delivered_ce,
            rto: self.sender.rto().as_us(),
            rtt: u64::from(c.srtt8_us >> 3),
            min_rtt: c.rtt_min.as_us(),
            snd_mss: c.mss,
            reordering: self.sender.reordering(),
            reord_seen: self.sender.reorderings_seen(),
        }
    }

    /// The segments that left since this was asked last.
    pub fn take_sent(&mut self) -> Vec<Sent> {
        self.noted = 0;
        std::mem::take(&mut self.tape.sent)
    }

    /// When the peer, whose window is shut, was asked whether it has room, since this was asked last.
    pub fn take_probes(&mut self) -> Vec<Time> {
        std::mem::take(&mut self.tape.probes)
    }

    /// The ACKs that the receiver sent since this was asked last.
    pub fn take_answers(&mut self) -> Vec<Answered> {
        std::mem::take(&mut self.answers)
    }

    /// The sender, for what [`Info`] does not say.
    pub fn sender(&self) -> &Sender<Controller> {
        &self.sender
    }

    /// The half-open range of bytes, from 0, of segment `seq`, which was written.
    pub fn bytes(&self, seq: u64) -> (u64, u64) {
        self.stream.bytes(seq)
    }

    /// The segment that begins at this byte, or the one after the last at the end of what was written; none within a segment.
    pub fn segment_at(&self, byte: u64) -> Option<u64> {
        self.stream.segment_at(byte)
    }
}

#[cfg(test)]
mod tests {
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

    /// A tail loss probe two round trips and two ticks after the data, at its own time though no step asked in between.
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
    /// the one before, or from its answer. Probes without data end no idle time: the window that opens 2.4 s later finds cwnd restarted, at the initial one.
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
}
