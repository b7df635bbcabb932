//! The heap of events.

use std::cmp::Ordering;
use std::collections::BinaryHeap;

use units::Time;

use super::link::{Load, Packet};

/// What happens, in the order in which it does at one time to one flow.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Kind {
    /// A link has transmitted a packet: before everything else at that time.
    Transmitted,
    /// A packet reaches the next of several hops.
    Hop,
    Start,
    /// An ACK reaches the reverse link.
    Crossing,
    /// The host has processed an ACK.
    Processed,
    /// An ACK reaches the sender, or its host.
    Ack,
    /// A segment has left the host.
    Leaving,
    /// A segment reaches the receiver.
    Segment,
    /// The ACK of a handshake, which nobody answers, is forgotten: when an answer would first have been felt.
    Forgotten,
    /// The receiver's timer expires.
    DelayedAck,
    /// The client asks, or asks again.
    Client,
    /// The application at the receiver reads.
    Read,
    /// The timer of an ACK of a request expires, at the server.
    Hearing,
    /// The sender's timer expires.
    Deadline,
    /// The application writes, or pauses.
    Write,
    Stop,
    /// A datagram reaches its link.
    Datagram,
}

/// Whose event it is: at one time links come first, then births, flows, datagrams, transfers.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Owner {
    Link,
    Birth(usize),
    Flow(usize),
    Datagram(usize),
    Transfer(usize),
}

pub(super) struct Event {
    pub(super) at: Time,
    pub(super) owner: Owner,
    pub(super) kind: Kind,
    pub(super) sequence: u64,
    /// The link concerned.
    pub(super) link: usize,
    pub(super) load: Option<Load>,
    /// What reaches a hop.
    pub(super) packet: Option<Packet>,
}

impl Event {
    fn key(&self) -> (Time, Owner, Kind, u64) {
        (self.at, self.owner, self.kind, self.sequence)
    }
}

impl Ord for Event {
    /// The earliest is the greatest, for the heap.
    fn cmp(&self, other: &Event) -> Ordering {
        other.key().cmp(&self.key())
    }
}

impl PartialOrd for Event {
    fn partial_cmp(&self, other: &Event) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl PartialEq for Event {
    fn eq(&self, other: &Event) -> bool {
        self.key() == other.key()
    }
}

impl Eq for Event {}

/// The agenda.
#[derive(Default)]
pub(super) struct Agenda {
    pub(super) heap: BinaryHeap<Event>,
    pub(super) sequence: u64,
    /// Flows from this one on are transfers.
    transfers_at: usize,
}

impl Agenda {
    /// Of a run of so many flows that are no transfers.
    pub(super) fn of(flows: usize) -> Agenda {
        Agenda { transfers_at: flows, ..Agenda::default() }
    }

    pub(super) fn add(&mut self, at: Time, flow: usize, kind: Kind, load: Option<Load>) {
        let owner = if flow < self.transfers_at { Owner::Flow(flow) } else { Owner::Transfer(flow) };
        self.push(Event { at, owner, kind, sequence: 0, link: 0, load, packet: None });
    }

    pub(super) fn add_link(&mut self, at: Time, link: usize) {
        self.push(Event { at, owner: Owner::Link, kind: Kind::Transmitted, sequence: 0, link, load: None, packet: None });
    }

    /// A packet will reach a further hop.
    pub(super) fn add_hop(&mut self, at: Time, link: usize, packet: Packet) {
        self.push(Event { at, owner: Owner::Link, kind: Kind::Hop, sequence: 0, link, load: None, packet: Some(packet) });
    }

    pub(super) fn add_birth(&mut self, at: Time, birth: usize) {
        if at < Time::NEVER {
            self.push(Event { at, owner: Owner::Birth(birth), kind: Kind::Start, sequence: 0, link: 0, load: None, packet: None });
        }
    }

    pub(super) fn add_datagram(&mut self, at: Time, source: usize) {
        self.push(Event { at, owner: Owner::Datagram(source), kind: Kind::Datagram, sequence: 0, link: 0, load: None, packet: None });
    }

    fn push(&mut self, event: Event) {
        self.sequence += 1;
        self.heap.push(Event { sequence: self.sequence, ..event });
    }
}
