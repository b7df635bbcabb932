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
mod measured;
mod stream;
mod tape;
#[cfg(test)]
mod tests;

use std::collections::BTreeMap;

use cc::{BuildError, Controller, Guests};
use tcp::{Ack, Arrival, Ecn, EcnBits, Options, Range, Receiver, ReceiverSpec, Sack, Sender, SenderSpec};
use units::{Duration, Time};

pub use self::info::Info;
pub use self::measured::Heard;
use self::measured::Measured;
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
    /// Those that the peer was told a segment of its own may have.
    pub advmss: u32,
    /// The peer's window, segments; `u64::MAX` for no limit.
    pub window: u64,
    /// The device may become full: [`Drive::fill_device`].
    pub device: bool,
    /// The peer opened it.
    pub accepts: bool,
    /// When the handshake was over.
    pub opened: Time,
    /// What it measured; none if a SYN left twice, or if it goes on while data leaves.
    pub handshake_rtt: Option<Duration>,
    /// Bytes that the SYN brought.
    pub sent_before: u64,
    /// Marks that the handshake told of.
    pub marked_before: u16,
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
            advmss: 1448,
            window: u64::MAX,
            device: false,
            accepts: false,
            opened: Time::ZERO + rtt,
            handshake_rtt: Some(rtt),
            sent_before: 0,
            marked_before: 0,
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
    /// It has SACK information, though none of a whole segment.
    pub is_partial: bool,
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
    /// ECN feedback, as [`tcp::Ack::ecn`].
    pub ecn: u16,
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
    opened: Time,
    /// When each segment last left, and when any left again.
    last_sent: Vec<Time>,
    last_resent: Time,
    noted: usize,
    /// Timers wait until they are told to expire.
    held: bool,
    /// ECN feedback counts marks: what is known of them is no news.
    counts_marks: bool,
    marked_before: u16,
    measured: Measured,
    /// Data has arrived since the connection is open: Linux measures no spacing of what a SYN brings.
    has_heard: bool,
}

/// What a receiver takes for the round trip where the handshake has not told.
const RTT_UNKNOWN: Duration = Duration::from_ms(1);

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
            advmss,
            window,
            device,
            accepts,
            opened,
            handshake_rtt,
            sent_before,
            marked_before,
            seed,
            parameters,
            guests,
        } = connect;
        let built = cc::build_with(&guests, &algorithm, variant.as_deref(), &profile, &parameters)?;
        options.ecn = options.ecn.resolved(cc::CongestionControl::needs(&built.algorithm).ecn);
        let receiver = Receiver::new(ReceiverSpec::new(&options, handshake_rtt.unwrap_or(RTT_UNKNOWN)));
        let counts_marks = matches!(options.ecn, Ecn::Accurate | Ecn::L4s);
        let measured = Measured::new(advmss, mss, options.timestamps);
        let spec = SenderSpec { options, mss, segments: u64::MAX, window, device };
        let mut sender = Sender::new(spec, built.algorithm);
        sender.on_born(u64::MAX);
        sender.on_seeded(units::Stream::named(seed, "drive"));
        let mut sender = if accepts { sender.accepting() } else { sender }.waiting();
        let mut tape = Tape::default();
        match handshake_rtt {
            Some(rtt) => sender.on_started(opened, rtt, &mut tape),
            None => sender.on_started_untimed(opened, &mut tape),
        }
        let (answers, last_sent) = (Vec::new(), Vec::new());
        Ok(Drive {
            sender,
            receiver,
            stream: Stream::new(mss, sent_before),
            marked_before,
            measured,
            has_heard: false,
            tape,
            answers,
            now: opened,
            opened,
            last_sent,
            last_resent: Time::ZERO,
            noted: 0,
            held: false,
            counts_marks,
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

    /// What was written so far is a record: no segment holds bytes of it and of what comes next.
    pub fn end_record(&mut self) {
        self.stream.cut();
    }

    /// The application writes nothing more: a FIN leaves.
    pub fn finish(&mut self, at: Time) {
        self.advance(at);
        self.stream.finish(self.sender.connection().nxt);
        self.sender.on_finished(at, self.stream.segments(), &mut self.tape);
        self.note_sent();
    }

    /// An ACK arrives. One that tells of nothing but another window is no duplicate ACK.
    pub fn ack(&mut self, at: Time, told: &Told) {
        self.advance(at);
        let has_blocks = told.sack.iter().any(|block| !block.is_empty());
        let has_sack = has_blocks || told.duplicate.is_some() || told.is_partial;
        let is_idle = self.sender.connection().una == self.sender.connection().nxt;
        let is_update = told.window.is_some_and(|window| window != self.sender.receive_window() || (window == 0 && is_idle));
        if let Some(window) = told.window {
            self.sender.on_window_told(window);
        }
        if is_update && !has_sack && told.ecn == self.marks_known() && told.cumulative == self.sender.connection().una {
            self.sender.on_window_updated(at, &mut self.tape);
        } else {
            let ack = self.heard(told, has_sack);
            let sack = Sack { blocks: told.sack, duplicate: told.duplicate, window: None };
            self.sender.on_ack(at, ack, has_sack.then_some(&sack), &mut self.tape);
        }
        self.note_sent();
    }

    /// The same from a receiver that says with every ACK for how many segments it has room.
    pub fn ack_offering(&mut self, at: Time, told: &Told, window: u64) {
        self.advance(at);
        let ack = self.heard(told, true);
        let bytes = window as u32 * self.sender.connection().mss;
        let sack = Sack { blocks: told.sack, duplicate: told.duplicate, window: Some(bytes) };
        self.sender.on_offering_ack(at, ack, &sack, &mut self.tape);
        self.note_sent();
    }

    /// What [`Told::ecn`] is when it tells of no further mark.
    pub fn marks_known(&self) -> u16 {
        if self.counts_marks {
            self.sender.connection().delivered_ce as u16
        } else {
            0
        }
    }

    /// The ACK, with an echo that is of no original where anything was retransmitted, unless it says which.
    fn heard(&self, told: &Told, has_sack: bool) -> Ack {
        let newly = (self.sender.connection().una..told.cumulative).filter_map(|seq| self.last_sent.get(seq as usize).copied());
        let echo = told.echo.unwrap_or_else(|| newly.max().unwrap_or(Time::ZERO).max(self.last_resent));
        Ack { cumulative: told.cumulative, echo, delay: told.delay, ecn: told.ecn, has_sack }
    }

    /// Segment `seq` of the peer arrives, with these ECN bits.
    pub fn receive(&mut self, at: Time, seq: u64, bits: EcnBits) {
        self.has_heard = true;
        self.advance(at);
        if let Some(ack) = self.receiver.on_ecn_bits(bits) {
            self.note_answer(at, &ack);
        }
        if let Some(ack) = self.receiver.on_segment(Arrival { at, seq, sent: at }) {
            self.note_answer(at, &ack);
        }
    }

    /// A segment of the peer's is measured; what else it brings is told by other calls.
    pub fn hear(&mut self, heard: Heard) {
        self.measured.on_heard(heard);
    }

    /// The peer's SYN, which arrived at this time, brought its first segment; the SYN-ACK acknowledged that.
    pub fn receive_in_syn(&mut self, at: Time) {
        let _ = self.receiver.on_segment(Arrival { at, seq: 0, sent: at });
        self.take_delayed_ack();
    }

    /// The next segment of the peer that is expected.
    pub fn expected(&self) -> u64 {
        self.receiver.next()
    }

    /// A FIN without data arrives, segment `seq` of the peer; whether the stack acknowledges it at once.
    pub fn receive_end(&mut self, at: Time, seq: u64, at_once: bool) {
        self.advance(at);
        if let Some(ack) = self.receiver.on_end(Arrival { at, seq, sent: at }, at_once) {
            self.note_answer(at, &ack);
        }
    }

    /// The segment that comes next, `seq`, ends the peer's data.
    pub fn expect_end(&mut self, seq: u64) {
        self.receiver.ends_after(seq + 1);
    }

    /// The two sides converse: ACKs wait for what is said next.
    pub fn converse(&mut self) {
        self.receiver.converse();
    }

    /// Something of the handshake was marked: the receiver counts it, and answers nothing to it.
    pub fn receive_mark(&mut self) {
        let bits = EcnBits { ce: true, cwr: false };
        let _ = self.receiver.on_ecn_bits(bits);
    }

    /// Whether the timestamps of the peer's segments are newer than any before from now on.
    pub fn tell_stamp(&mut self, is_newer: bool) {
        self.sender.on_stamp_told(is_newer);
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
            } else if !self.receiver.puts_off() {
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
        for sent in &mut self.tape.sent[self.noted..] {
            sent.ecn = self.receiver.says_of_marks();
            if !sent.again && self.has_heard {
                self.receiver.on_replied(sent.at);
            }
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
        self.answers.push(Answered { at, cumulative: ack.cumulative, sack: sack.blocks, duplicate: sack.duplicate, ecn: ack.ecn });
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
            delivered_ce: c.delivered_ce + u64::from(self.marked_before),
            rto: self.sender.rto().as_us(),
            rtt: u64::from(c.srtt8_us >> 3),
            min_rtt: c.rtt_min.as_us(),
            snd_mss: c.mss,
            reordering: self.sender.reordering(),
            reord_seen: self.sender.reorderings_seen(),
            advmss: self.measured.advmss(),
            rcv_mss: self.measured.rcv_mss(),
            rcv_rtt: self.measured.rtt_us(),
            last_data_recv: (self.now - self.receiver.last_arrival().max(self.opened)).as_ms(),
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

    /// How many segments are whole below this byte, and whether it is where one begins or the last ends; none beyond what was written.
    pub fn whole_below(&self, byte: u64) -> Option<(u64, bool)> {
        self.stream.whole_below(byte)
    }
}
