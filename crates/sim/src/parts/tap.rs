//! Who is shown every packet of TCP, and every datagram of a whole stack, where it is seen: at its sender, behind its first link, at its
//! receiver.
//!
//! A path with a tap looks at each segment on its own, as one with ECN does; what happens to it is the same. Packets are shown when the engine
//! knows of them, which for those at the receiver is ahead of time or behind it by less than a base RTT: what writes them sorts them.

use std::collections::VecDeque;
use std::fmt;
use std::sync::{Arc, Mutex, PoisonError};

use tcp::{Ack, Ecn, EcnBits, Range, Receiver, Sack};
use units::{Duration, Time};

use super::request::Piece;
use crate::accept::AcceptedFlow;

/// Where a packet is seen.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Place {
    /// Between the sender's host and the network.
    Sender,
    /// Data as it leaves its first link, its ACKs as far from the sender as that.
    Bottleneck,
    /// Where the receiver is.
    Receiver,
}

impl Place {
    /// All of them, from the sender on.
    pub const ALL: [Place; 3] = [Place::Sender, Place::Bottleneck, Place::Receiver];

    /// Its name.
    pub fn name(self) -> &'static str {
        match self {
            Place::Sender => "sender",
            Place::Bottleneck => "bottleneck",
            Place::Receiver => "receiver",
        }
    }

    /// The one with this name.
    pub fn of_name(name: &str) -> Option<Place> {
        Place::ALL.into_iter().find(|place| place.name() == name)
    }
}

/// What a packet is.
#[derive(Clone, Copy, Debug)]
pub enum Content {
    /// Of the side that sends data: a segment, a part of the handshake, or a question for room, by its number.
    Segment {
        /// Its number.
        seq: u64,
        /// The flow's clock when it was sent: what its timestamp says.
        sent: Time,
        /// ECN-capable; at the receiver only that it was marked is known.
        is_capable: bool,
        /// Its marks.
        bits: EcnBits,
        /// Of an ACK of requests, the bytes of all requests in its SACK blocks; an empty range is no block.
        blocks: [Range; 3],
    },
    /// Of the side that answers.
    Ack {
        /// The ACK or SYN-ACK.
        ack: Ack,
        /// Its SACK information.
        sack: Option<Sack>,
    },
    /// Of the side that answers, where it asks: a packet of a request.
    Request(Asked),
}

impl Content {
    /// What travels as this ACK with this SACK information.
    pub(super) fn answering(ack: Ack, sack: Option<Sack>) -> Content {
        match Piece::of(&ack).zip(sack) {
            Some((piece, sack)) => Content::Request(Asked::new(piece, &ack, &sack)),
            None => Content::Ack { ack, sack },
        }
    }
}

/// A packet of a request.
#[derive(Clone, Copy, Debug)]
pub struct Asked {
    /// Number of its exchange, counted from 0; its last 24 bits.
    pub exchange: u32,
    /// Its place in the request: all before it are full segments.
    pub number: u32,
    /// Payload bytes.
    pub payload: u32,
    /// When it left, in the receiver's clock.
    pub sent: Time,
    /// The ACK that it carries.
    pub ack: Ack,
}

impl Asked {
    fn new(piece: Piece, ack: &Ack, sack: &Sack) -> Asked {
        let (sent, ack) = Piece::carries(ack, sack);
        let Piece { exchange, number, payload } = piece;
        Asked { exchange, number, payload, sent, ack }
    }
}

/// A packet that is seen.
#[derive(Clone, Copy, Debug)]
pub struct Seen {
    /// Simulated time.
    pub at: Time,
    /// Number of its connection: of flows, then of transfers.
    pub flow: u32,
    /// Where.
    pub place: Place,
    /// What.
    pub content: Content,
}

/// A datagram of a whole stack that is seen.
#[derive(Clone, Copy, Debug)]
pub struct SeenDatagram<'a> {
    /// Simulated time.
    pub at: Time,
    /// Number of its flow.
    pub flow: u32,
    /// Where.
    pub place: Place,
    /// From the side that sends data.
    pub is_data: bool,
    /// The two bits of ECN in its IP header.
    pub ecn: u8,
    /// Its payload.
    pub bytes: &'a [u8],
}

/// What is known of a whole stack's connection before its first datagram.
#[derive(Clone, Copy, Debug)]
pub struct TappedStack<'a> {
    /// Base RTT.
    pub rtt: Duration,
    /// What records call the stack.
    pub known_as: &'a str,
}

/// What is known of a connection before its first packet.
#[derive(Clone, Debug)]
pub struct Tapped {
    /// When it opens, or is established.
    pub start: Time,
    /// Base RTT.
    pub rtt: Duration,
    /// Payload bytes of a segment.
    pub mss: u32,
    /// Segments of the transfer; `u64::MAX` without an end.
    pub segments: u64,
    /// The window that the receiver offers at most, segments; `u64::MAX` for no limit.
    pub window: u64,
    /// It says SACK blocks.
    pub sack: bool,
    /// It says timestamps.
    pub timestamps: bool,
    /// How marks are told.
    pub ecn: Ecn,
    /// It begins with a handshake of its own.
    pub opens: bool,
}

impl Tapped {
    pub(crate) fn of_flow(accepted: &AcceptedFlow) -> Tapped {
        let (given, sender) = (accepted.spec, &accepted.sender);
        let options = &sender.options;
        Tapped {
            start: Time(given.start_ns),
            rtt: Duration(given.rtt_ns),
            mss: sender.mss,
            segments: sender.segments,
            window: sender.window,
            sack: options.sack,
            timestamps: options.timestamps,
            ecn: options.ecn,
            opens: given.handshake,
        }
    }
}

/// Is shown connections and their packets.
pub trait Tap: Send {
    /// A connection will begin: nothing of it has been seen.
    fn on_connection(&mut self, flow: u32, tapped: &Tapped);

    /// A packet is seen.
    fn on_seen(&mut self, seen: &Seen);

    /// The connection of a whole stack will begin: nothing of it has been seen.
    fn on_stack(&mut self, flow: u32, tapped: &TappedStack<'_>);

    /// A datagram is seen.
    fn on_datagram(&mut self, seen: &SeenDatagram<'_>);
}

/// A tap that many paths have.
#[derive(Clone)]
pub struct SharedTap(Arc<Mutex<dyn Tap>>);

impl SharedTap {
    /// Of this one.
    pub fn new(tap: Arc<Mutex<dyn Tap>>) -> SharedTap {
        SharedTap(tap)
    }

    pub(super) fn with(&self, show: impl FnOnce(&mut dyn Tap)) {
        show(&mut *self.0.lock().unwrap_or_else(PoisonError::into_inner));
    }
}

impl fmt::Debug for SharedTap {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("SharedTap")
    }
}

/// The tap of one path.
#[derive(Clone, Debug)]
pub(crate) struct PathTap {
    pub(super) to: SharedTap,
    pub(super) tapped: Box<Tapped>,
    /// SACK blocks of the latest ACKs of requests that have some, by their numbers among segments.
    pub(super) blocks: VecDeque<(u64, [Range; 3])>,
}

/// The SACK information that an ACK which leaves now carries.
pub(crate) fn carried(receiver: &Receiver, ack: &Ack) -> Option<Sack> {
    (ack.has_sack && !ack.is_syn_ack()).then(|| *receiver.sack())
}
