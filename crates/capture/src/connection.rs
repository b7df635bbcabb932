//! A connection as its packets show it: addresses, sequence numbers, timestamps, windows, options.
//!
//! The simulator numbers segments; here they are bytes. Both sides begin with sequence number 0, the first byte of data has number 1. What a
//! segment says of the other side (acknowledgement, echoed timestamp) follows from the ACKs that had reached its sender when it was sent, so it
//! is the same wherever the segment is seen.

use std::collections::VecDeque;

use sim::{Asked, Place, SeenContent, Tapped};
use tcp::{Ack, Bare, Ecn, EcnBits, Opening, Range, Sack};
use units::Time;

use crate::asked::{Heard, Requests};
use crate::headers::{headers, End, Headers, Packet, TcpOptions, ACK, AE, CWR, ECE, FIN, SYN};

/// What timestamps say at simulated time 0, milliseconds: a handshake before the run has some, too.
const CLOCK_AT_ZERO_MS: i64 = 1_000_000;
/// What is older than what an ACK echoes, by this much, is forgotten: nothing is late by more.
const MEMORY: units::Duration = units::Duration::from_ms(10_000);
const REMEMBERED_MAX: usize = 1 << 16;
/// Ports of the receivers, and the first of the senders.
pub(crate) const RECEIVER_PORT: u16 = 5001;
const SENDER_PORT: u32 = 49_152;
const SENDER_PORTS: u32 = 16_384;
/// The timestamps' option, padded.
const TIMESTAMPS: u32 = 12;
const SHIFT_MAX: u8 = 14;
/// RFC 9768 3.2.2: how many marks a side counts when a connection begins.
const FIRST_MARKS: u16 = 5;

/// An ACK that has reached the sender.
#[derive(Clone, Copy, Debug)]
struct Arrived {
    /// In the flow's clock.
    at: Time,
    /// Its timestamp.
    value: u32,
    cumulative: u64,
    /// Bytes of requests that had arrived in order.
    heard: u64,
}

/// An ACK that has left the receiver.
#[derive(Clone, Copy, Debug)]
struct Left {
    ack: Ack,
    ns: i64,
    /// Bytes of requests before it.
    asked: u64,
}

/// One connection.
#[derive(Debug)]
pub(crate) struct Connection {
    tapped: Tapped,
    sender: End,
    receiver: End,
    shift: u8,
    /// In order of time; the first stands for all before it, too.
    arrived: VecDeque<Arrived>,
    /// ACKs that have left the receiver and not reached the sender.
    answers: VecDeque<Left>,
    /// What the receiver has asked, and the sender heard of it.
    requests: Requests,
    heard: Heard,
    /// Segments of an ECN-capable connection that were sent without saying so: when, which.
    bare: VecDeque<(Time, u64)>,
    /// When a packet of it was seen last, nanoseconds.
    pub(crate) seen_ns: i64,
}

/// A packet of the receiver: its acknowledgement, timestamp, bytes of requests before it, bytes of a request in it.
struct Answer<'a> {
    ack: &'a Ack,
    sack: Sack,
    value: u32,
    before: u64,
    payload: u32,
}

/// Addresses and ports of the connection with this number: the sender's, the receiver's.
pub(crate) fn ends(number: u32, receiver_port: u16) -> (End, End) {
    let [_, a, b, c] = (number + 1).to_be_bytes();
    let port = (SENDER_PORT + number % SENDER_PORTS) as u16;
    (End { address: [10, a, b, c], port }, End { address: [172, 16, 0, 1], port: receiver_port })
}

/// Of a time, nanoseconds.
fn clock(ns: i64) -> u32 {
    (ns.div_euclid(1_000_000) + CLOCK_AT_ZERO_MS) as u32
}

/// The shift by which `bytes` fit into the header's 16 bits.
fn shift_of(bytes: u64) -> u8 {
    (0..SHIFT_MAX).find(|&shift| bytes >> shift <= 0xffff).unwrap_or(SHIFT_MAX)
}

impl Connection {
    /// The one with this number.
    pub(crate) fn new(number: u32, tapped: &Tapped) -> Connection {
        let (sender, receiver) = ends(number, RECEIVER_PORT);
        let mut connection = Connection {
            sender,
            receiver,
            shift: shift_of(tapped.window.saturating_mul(tapped.mss.into())),
            arrived: VecDeque::new(),
            answers: VecDeque::new(),
            requests: Requests::default(),
            heard: Heard::default(),
            bare: VecDeque::new(),
            seen_ns: tapped.start.0 as i64,
            tapped: tapped.clone(),
        };
        if !tapped.opens {
            let value = clock(tapped.start.0 as i64 - (tapped.rtt.0 / 2) as i64);
            connection.arrived.push_back(Arrived { at: Time::ZERO, value, cumulative: 0, heard: 0 });
        }
        connection
    }

    /// Nanoseconds from the sender to its first link, in the flow's clock.
    pub(crate) fn quarter_ns(&self) -> u64 {
        self.tapped.rtt.0 / 4
    }

    /// Everything is acknowledged.
    pub(crate) fn is_over(&self) -> bool {
        self.arrived.back().is_some_and(|latest| latest.cumulative >= self.tapped.segments)
    }

    /// Sequence number of the first byte of segment `seq`, or of what follows the last: behind it is the FIN.
    fn number(&self, seq: u64) -> u32 {
        let bytes = seq.wrapping_mul(self.tapped.mss.into());
        (bytes as u32).wrapping_add(1 + u32::from(seq >= self.tapped.segments))
    }

    /// The handshake that a run without one had before it: when, where, and its packets.
    pub(crate) fn opened_before(&mut self) -> Vec<(i64, Place, Headers)> {
        let (start, rtt, quarter) = (self.tapped.start.0 as i64, self.tapped.rtt.0 as i64, self.quarter_ns() as i64);
        let sent = |ns: i64| Time((ns + quarter).max(0) as u64);
        let answer = Ack { cumulative: 0, echo: sent(start - rtt), ..Ack::default() };
        let parts = [
            (start - rtt, [0, quarter, 2 * quarter], self.opening(Opening::Syn, clock(start - rtt + quarter), None, 0)),
            (start, [0, -quarter, -2 * quarter], self.syn_ack(&answer, clock(start - rtt / 2), clock(start - rtt + quarter))),
            (start, [0, quarter, 2 * quarter], self.opening(Opening::Ack, clock(start + quarter), self.arrived.back().copied(), 0)),
        ];
        parts
            .into_iter()
            .flat_map(|(at, after, made)| std::iter::zip(after, Place::ALL).map(move |(after, place)| (at + after, place, made)))
            .collect()
    }

    /// The headers of a packet that is seen at `ns`.
    pub(crate) fn headers(&mut self, ns: i64, place: Place, content: &SeenContent) -> Headers {
        self.seen_ns = self.seen_ns.max(ns);
        match *content {
            SeenContent::Segment { seq, sent, is_capable, bits, ref blocks } => {
                let is_capable = if place == Place::Sender { is_capable } else { self.was_capable(seq, sent) };
                if place == Place::Sender && !is_capable && self.tapped.ecn.is_on() && Opening::of(seq).is_none() {
                    self.bare.push_back((sent, seq));
                    self.bare.drain(..self.bare.len().saturating_sub(REMEMBERED_MAX));
                }
                self.segment((seq, sent), self.codepoint(is_capable, bits), bits, blocks)
            }
            SeenContent::Ack { ref ack, sack } => {
                let (value, asked) = self.left(ns, place, ack);
                if place == Place::Sender {
                    self.on_arrived(ns, value, (if ack.is_special() { 0 } else { ack.cumulative }, ack.echo));
                }
                if ack.is_syn_ack() {
                    self.syn_ack(ack, value, clock(ack.echo.0 as i64))
                } else {
                    self.answer(&Answer { ack, sack: sack.unwrap_or_default(), value, before: asked, payload: 0 })
                }
            }
            SeenContent::Request(ref asked) => self.request(ns, place, asked),
        }
    }

    fn was_capable(&self, seq: u64, sent: Time) -> bool {
        let ecn = self.tapped.ecn;
        if Opening::of(seq).is_some() || Bare::of(seq).is_some() {
            return ecn.marks_retransmissions();
        }
        ecn.is_on() && !self.bare.contains(&(sent, seq))
    }

    /// The IP header's bits.
    fn codepoint(&self, is_capable: bool, bits: EcnBits) -> u8 {
        match (bits.ce, is_capable) {
            (true, _) => 3,
            (_, true) => {
                if self.tapped.ecn == Ecn::L4s {
                    1
                } else {
                    2
                }
            }
            _ => 0,
        }
    }

    /// An ACK reaches the sender.
    fn on_arrived(&mut self, ns: i64, value: u32, (cumulative, echo): (u64, Time)) {
        let (latest, heard) = (self.arrived.back().map_or(0, |latest| latest.cumulative), self.heard.bytes());
        let at = Time((ns.max(0) as u64) + self.quarter_ns());
        self.arrived.push_back(Arrived { at, value, cumulative: cumulative.max(latest), heard });
        let oldest = echo.saturating_sub(MEMORY);
        while self.arrived.len() > REMEMBERED_MAX || self.arrived.get(1).is_some_and(|second| second.at < oldest) {
            self.arrived.pop_front();
        }
        while self.bare.front().is_some_and(|&(sent, _)| sent < oldest) {
            self.bare.pop_front();
        }
    }

    /// The timestamp of an ACK, which says when it left the receiver, and the bytes that had been asked before.
    fn left(&mut self, ns: i64, place: Place, ack: &Ack) -> (u32, u64) {
        let now = Left { ack: *ack, ns, asked: self.requests.bytes() };
        if place == Place::Receiver {
            self.answers.push_back(now);
            self.answers.drain(..self.answers.len().saturating_sub(REMEMBERED_MAX));
            return (clock(ns), now.asked);
        }
        // Those before it were lost.
        while self.answers.front().is_some_and(|left| left.ack != *ack) {
            self.answers.pop_front();
        }
        let Left { ns, asked, .. } = self.answers.front().copied().unwrap_or(now);
        if place == Place::Sender {
            self.answers.pop_front();
        }
        (clock(ns), asked)
    }

    /// A packet of a request.
    fn request(&mut self, ns: i64, place: Place, asked: &Asked) -> Headers {
        let before = self.requests.place_of(asked, self.tapped.mss.into());
        let value = clock(asked.sent.0 as i64);
        if place == Place::Sender {
            self.heard.on_arrived(before, before + u64::from(asked.payload));
            self.on_arrived(ns, value, (asked.ack.cumulative, asked.ack.echo));
        }
        // Before any data it echoes how the connection was opened.
        let ack = Ack { echo: asked.ack.echo.max(self.tapped.start + units::Duration(self.quarter_ns())), ..asked.ack };
        self.answer(&Answer { ack: &ack, sack: Sack::default(), value, before, payload: asked.payload })
    }

    /// The latest ACK that a segment sent then knows of.
    fn known_at(&self, sent: Time) -> Option<Arrived> {
        let later = self.arrived.partition_point(|arrived| arrived.at <= sent);
        self.arrived.get(later.saturating_sub(1)).copied()
    }

    fn segment(&self, (seq, sent): (u64, Time), ecn: u8, bits: EcnBits, blocks: &[Range; 3]) -> Headers {
        let (value, known) = (clock(sent.0 as i64), self.known_at(sent));
        if let Some(part) = Opening::of(seq) {
            return self.opening(part, value, known, ecn);
        }
        let bare = Bare::of(seq);
        let is_last = bare.is_none() && seq + 1 == self.tapped.segments;
        let una = known.map_or(0, |known| known.cumulative);
        let number = match bare {
            // Linux `tcp_xmit_probe_skb`.
            Some(Bare::Probe) => self.number(una).wrapping_sub(1),
            // A client asks once it has all, and says so.
            Some(Bare::Heard { .. }) => self.number(una),
            None => self.number(seq),
        };
        let cwr = if bits.cwr && !self.counts_marks() { CWR } else { 0 };
        let marks = if self.counts_marks() { counted(0) } else { 0 };
        let asked = |bytes: u64| 1u32.wrapping_add(bytes as u32);
        let told: Vec<(u32, u32)> =
            blocks.iter().filter(|block| block.to > block.from).map(|block| (asked(block.from), asked(block.to))).collect();
        headers(&Packet {
            ecn,
            id: id_of(seq, sent),
            seq: number,
            ack: asked(known.map_or(0, |known| known.heard)),
            flags: ACK | cwr | marks | if is_last { FIN } else { 0 },
            options: TcpOptions {
                timestamps: self.timestamps(value, known.map_or(0, |known| known.value)),
                sack: &told,
                ..TcpOptions::default()
            },
            payload: if bare.is_some() { 0 } else { self.tapped.mss },
            ..self.of_sender()
        })
    }

    /// A part of the handshake; `known` is the SYN-ACK.
    fn opening(&self, part: Opening, value: u32, known: Option<Arrived>, ecn: u8) -> Headers {
        let timestamps = self.timestamps(value, known.map_or(0, |known| known.value));
        let (seq, ack, flags) = match part {
            Opening::Syn => (
                0,
                0,
                SYN | if self.counts_marks() {
                    AE | CWR | ECE
                } else if self.tapped.ecn.is_on() {
                    CWR | ECE
                } else {
                    0
                },
            ),
            // RFC 9768 3.2.2.1: it repeats how the SYN-ACK came, which was without ECN.
            Opening::Ack => (1, 1, ACK | if self.counts_marks() { CWR } else { 0 }),
        };
        let options = match part {
            Opening::Syn => TcpOptions { timestamps: timestamps.map(|(value, _)| (value, 0)), ..self.syn_options() },
            Opening::Ack => TcpOptions { timestamps, ..TcpOptions::default() },
        };
        headers(&Packet { ecn, seq, ack, flags, options, ..self.of_sender() })
    }

    fn syn_ack(&self, ack: &Ack, value: u32, echo: u32) -> Headers {
        // RFC 9768 3.1.1, RFC 3168 6.1.1: the answer to a SYN that came without ECN in its IP header.
        let ecn = if self.counts_marks() {
            CWR
        } else if self.tapped.ecn.is_on() {
            ECE
        } else {
            0
        };
        let options = TcpOptions { timestamps: self.timestamps(value, echo), ..self.syn_options() };
        headers(&Packet { seq: 0, ack: 1, flags: SYN | ACK | ecn, options, id: id_of(0, ack.echo), ..self.of_receiver() })
    }

    /// A packet of the receiver behind the handshake.
    fn answer(&self, &Answer { ack, sack, value, before, payload }: &Answer<'_>) -> Headers {
        let range = |from, to| (self.number(from), self.number(to));
        let duplicate = sack.duplicate.map(|seq| range(seq, seq + 1));
        let blocks = sack.blocks.iter().filter(|block| block.to > block.from).map(|block| range(block.from, block.to));
        let all: Vec<(u32, u32)> = duplicate.into_iter().chain(blocks).collect();
        let told = if ack.has_sack && self.tapped.sack { &all[..] } else { &[] };
        let marks = if self.counts_marks() {
            counted(ack.ecn)
        } else if ack.ecn > 0 {
            ECE
        } else {
            0
        };
        let window = sack.window.map_or(self.offered(), |bytes| (u64::from(bytes) >> self.shift).min(0xffff) as u16);
        headers(&Packet {
            id: if payload > 0 { id_of(before, Time(value.into())) } else { id_of(ack.cumulative, ack.echo) },
            seq: 1u32.wrapping_add(before as u32),
            ack: self.number(ack.cumulative),
            flags: ACK | marks,
            window,
            options: TcpOptions { timestamps: self.timestamps(value, clock(ack.echo.0 as i64)), sack: told, ..TcpOptions::default() },
            payload,
            ..self.of_receiver()
        })
    }

    fn counts_marks(&self) -> bool {
        matches!(self.tapped.ecn, Ecn::Accurate | Ecn::L4s)
    }

    fn timestamps(&self, value: u32, echo: u32) -> Option<(u32, u32)> {
        self.tapped.timestamps.then_some((value, echo))
    }

    fn syn_options(&self) -> TcpOptions<'static> {
        // What a segment may hold counts the options of each (RFC 6691).
        let mss = (self.tapped.mss + if self.tapped.timestamps { TIMESTAMPS } else { 0 }) as u16;
        TcpOptions { mss: Some(mss), sack_permitted: self.tapped.sack, window_scale: Some(self.shift), ..TcpOptions::default() }
    }

    /// What the receiver's window says where its buffer is never full.
    fn offered(&self) -> u16 {
        (self.tapped.window.saturating_mul(self.tapped.mss.into()) >> self.shift).min(0xffff) as u16
    }

    fn of_sender(&self) -> Packet<'static> {
        blank(self.sender, self.receiver)
    }

    fn of_receiver(&self) -> Packet<'static> {
        Packet { window: self.offered(), ..blank(self.receiver, self.sender) }
    }
}

fn blank(from: End, to: End) -> Packet<'static> {
    Packet { from, to, ecn: 0, id: 0, seq: 0, ack: 0, flags: 0, window: 0xffff, options: TcpOptions::default(), payload: 0 }
}

/// An identification that a packet has wherever it is seen, and that a copy of it has not.
fn id_of(seq: u64, sent: Time) -> u16 {
    (seq ^ sent.0 >> 10 ^ sent.0 >> 26) as u16
}

/// The three bits of RFC 9768 3.2.2: the marks that have arrived, modulo 8.
fn counted(marks: u16) -> u16 {
    let bits = FIRST_MARKS.wrapping_add(marks);
    [(4, AE), (2, CWR), (1, ECE)].into_iter().filter(|(bit, _)| bits & bit > 0).map(|(_, flag)| flag).sum()
}
