//! One heap of events.

use std::cmp::Ordering;
use std::collections::BinaryHeap;

use units::Time;

use super::link::{Load, Packet};

/// What happens, in the order in which it does at one time to one flow.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Kind {
    /// A link has transmitted a packet: before everything else at that time.
    Transmitted,
    /// A packet reaches the next of several hops.
    Hop,
    /// The connection opens.
    Start,
    /// An ACK reaches the reverse link.
    Crossing,
    /// An ACK reaches the sender.
    Ack,
    /// A segment reaches the receiver.
    Segment,
    /// The receiver's timer expires.
    DelayedAck,
    /// The sender's timer expires.
    Deadline,
    /// The application writes, or pauses.
    Write,
    /// The application stops.
    Stop,
    /// A datagram reaches its link.
    Datagram,
}

/// An event.
pub struct Event {
    /// When.
    pub at: Time,
    /// A flow, or a source after all flows; links come before all flows.
    pub flow: Option<usize>,
    /// What.
    pub kind: Kind,
    sequence: u64,
    /// The link concerned.
    pub link: usize,
    /// What reaches a flow.
    pub load: Option<Load>,
    /// What reaches a hop.
    pub packet: Option<Packet>,
}

impl Event {
    fn key(&self) -> (Time, Option<usize>, Kind, u64) {
        (self.at, self.flow, self.kind, self.sequence)
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
pub struct Agenda {
    /// The events to come.
    pub heap: BinaryHeap<Event>,
    sequence: u64,
}

impl Agenda {
    /// An event of a flow.
    pub fn add(&mut self, at: Time, flow: usize, kind: Kind, load: Option<Load>) {
        self.push(Event { at, flow: Some(flow), kind, sequence: 0, link: 0, load, packet: None });
    }

    /// A link will have transmitted what it serves, or asks again.
    pub fn add_link(&mut self, at: Time, link: usize) {
        self.push(Event { at, flow: None, kind: Kind::Transmitted, sequence: 0, link, load: None, packet: None });
    }

    /// A packet will reach a further hop.
    pub fn add_hop(&mut self, at: Time, link: usize, packet: Packet) {
        self.push(Event { at, flow: None, kind: Kind::Hop, sequence: 0, link, load: None, packet: Some(packet) });
    }

    fn push(&mut self, event: Event) {
        self.sequence += 1;
        self.heap.push(Event { sequence: self.sequence, ..event });
    }
}
