//! Packets in line, and how many more there is room for.

use std::collections::VecDeque;

use units::Time;

use crate::Packet;

/// A packet in a queue, with whatever the caller needs back when it leaves.
#[derive(Clone, Debug, PartialEq)]
pub struct Queued<T> {
    /// The packet as queues see it.
    pub packet: Packet,
    /// Marked "congestion experienced" here.
    pub is_marked: bool,
    /// When it arrived.
    pub arrived: Time,
    /// The caller's.
    pub load: T,
}

impl<T> Queued<T> {
    /// Marks the packet instead of dropping it, if it is ECN-capable.
    pub fn mark(&mut self) -> bool {
        self.is_marked |= self.packet.ecn_capable;
        self.packet.ecn_capable
    }

    /// What a classifier sees: equal for the packets of one connection in one direction.
    pub(crate) fn class(&self) -> u32 {
        2 * self.packet.flow + u32::from(self.packet.is_ack)
    }
}

/// What a queue may hold beside the packet in service.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Room {
    /// Most packets, the arriving one included.
    pub packets: usize,
    /// Most bytes, the arriving packet's included.
    pub bytes: u64,
    /// Most bytes ahead of the arriving packet; none if it would wait too long behind the packet in service alone.
    pub bytes_ahead: Option<u64>,
}

impl Room {
    /// Whether a packet of `bytes` fits behind `packets` with `bytes_ahead`.
    pub fn fits(&self, packets: usize, bytes_ahead: u64, bytes: u32) -> bool {
        let waits = self.bytes_ahead.is_some_and(|most| bytes_ahead <= most);
        packets < self.packets && bytes_ahead + u64::from(bytes) <= self.bytes && waits
    }
}

/// First in, first out.
#[derive(Clone, Debug)]
pub struct Line<T> {
    packets: VecDeque<Queued<T>>,
    bytes: u64,
}

impl<T> Default for Line<T> {
    fn default() -> Line<T> {
        Line { packets: VecDeque::new(), bytes: 0 }
    }
}

impl<T> Line<T> {
    /// Packets in line.
    pub fn packets(&self) -> usize {
        self.packets.len()
    }

    /// Their bytes.
    pub fn bytes(&self) -> u64 {
        self.bytes
    }

    /// Appends a packet.
    pub fn push(&mut self, packet: Queued<T>) {
        self.bytes += u64::from(packet.packet.bytes);
        self.packets.push_back(packet);
    }

    /// Takes the oldest packet.
    pub fn pop(&mut self) -> Option<Queued<T>> {
        let packet = self.packets.pop_front()?;
        self.bytes -= u64::from(packet.packet.bytes);
        Some(packet)
    }

    /// Puts a packet in the place of the first in line that it makes needless; those go, to `dropped`. Gives it back if there is none.
    pub(crate) fn replace(
        &mut self,
        packet: Queued<T>,
        is_needless: impl Fn(&Queued<T>, &Queued<T>) -> bool,
        dropped: &mut Vec<Queued<T>>,
    ) -> Option<Queued<T>> {
        let Some(place) = self.packets.iter().position(|waiting| is_needless(&packet, waiting)) else { return Some(packet) };
        let first = dropped.len();
        self.bytes += u64::from(packet.packet.bytes);
        dropped.push(std::mem::replace(&mut self.packets[place], packet));
        let mut at = place + 1;
        while at < self.packets.len() {
            if is_needless(&self.packets[place], &self.packets[at]) {
                dropped.extend(self.packets.remove(at));
            } else {
                at += 1;
            }
        }
        self.bytes -= dropped[first..].iter().map(|packet| u64::from(packet.packet.bytes)).sum::<u64>();
        None
    }

    /// The oldest packet.
    pub fn front(&self) -> Option<&Queued<T>> {
        self.packets.front()
    }

    /// The same, to be marked.
    pub(crate) fn front_mut(&mut self) -> Option<&mut Queued<T>> {
        self.packets.front_mut()
    }

    /// Whether `packet` fits.
    pub fn has_room(&self, room: Room, packet: &Queued<T>) -> bool {
        room.fits(self.packets(), self.bytes, packet.packet.bytes)
    }
}

/// Packets and room to test disciplines with.
#[cfg(test)]
pub(crate) mod samples {
    use units::Time;

    use super::{Queued, Room};
    use crate::Packet;

    pub(crate) const ENDLESS: Room = Room { packets: usize::MAX, bytes: u64::MAX, bytes_ahead: Some(u64::MAX) };

    /// 1500 bytes of connection `key` that arrive at `arrived`.
    pub(crate) fn packet(arrived: Time, key: u32) -> Queued<u32> {
        Queued { packet: Packet::data(1500, key), is_marked: false, arrived, load: key }
    }

    pub(crate) fn capable(arrived: Time) -> Queued<u32> {
        Queued { packet: Packet { ecn_capable: true, ..Packet::data(1500, 0) }, ..packet(arrived, 0) }
    }
}
