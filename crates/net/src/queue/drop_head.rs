//! Drop-head: a full queue drops its oldest packets, so that the news of a loss does not wait in line.
//!
//! Source: Lakshman, Neidhardt and Ott, "The drop from front strategy in TCP and in TCP over ATM", INFOCOM 1996.

use units::Time;

use super::{Line, Queued, Room};

/// The queue.
#[derive(Clone, Debug)]
pub(crate) struct DropHead<T> {
    line: Line<T>,
}

impl<T> Default for DropHead<T> {
    fn default() -> DropHead<T> {
        DropHead { line: Line::default() }
    }
}

impl<T> DropHead<T> {
    pub(crate) fn enqueue(&mut self, _now: Time, packet: Queued<T>, room: Room, dropped: &mut Vec<Queued<T>>) {
        while !self.line.has_room(room, &packet) {
            match self.line.pop() {
                Some(oldest) => dropped.push(oldest),
                None => return dropped.push(packet),
            }
        }
        self.line.push(packet);
    }

    pub(crate) fn dequeue(&mut self, _now: Time, _dropped: &mut Vec<Queued<T>>) -> Option<Queued<T>> {
        self.line.pop()
    }

    pub(crate) fn packets(&self) -> usize {
        self.line.packets()
    }

    pub(crate) fn bytes(&self) -> u64 {
        self.line.bytes()
    }
}

#[cfg(test)]
mod tests {
    use super::super::line::samples::{packet, ENDLESS};
    use super::*;

    #[test]
    fn a_full_queue_drops_its_oldest_packet() {
        let (mut queue, mut dropped) = (DropHead::default(), Vec::new());
        (0..5).for_each(|key| queue.enqueue(Time::ZERO, packet(Time::ZERO, key), Room { packets: 3, ..ENDLESS }, &mut dropped));
        assert_eq!(dropped.iter().map(|packet| packet.key).collect::<Vec<_>>(), [0, 1]);
        assert_eq!(queue.dequeue(Time::ZERO, &mut dropped).map(|packet| packet.key), Some(2));
    }

    #[test]
    fn a_packet_that_no_queue_of_this_size_holds_is_dropped_itself() {
        let (mut queue, mut dropped) = (DropHead::default(), Vec::new());
        queue.enqueue(Time::ZERO, packet(Time::ZERO, 7), Room { bytes: 1499, ..ENDLESS }, &mut dropped);
        assert_eq!((dropped.len(), queue.packets()), (1, 0));
    }
}
