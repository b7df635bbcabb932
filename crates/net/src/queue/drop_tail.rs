//! Drop-tail, for links that have events of their own for another reason: a full queue refuses what arrives.
//!
//! It must decide exactly as [`crate::Fifo`] does, which knows departures on arrival; `crates/sim/tests/oracle.rs` holds one against the other.

use units::Time;

use super::{Line, Queued, Room};

/// The queue.
#[derive(Clone, Debug)]
pub(crate) struct DropTail<T> {
    line: Line<T>,
}

impl<T> Default for DropTail<T> {
    fn default() -> DropTail<T> {
        DropTail { line: Line::default() }
    }
}

impl<T> DropTail<T> {
    pub(crate) fn enqueue(&mut self, _now: Time, packet: Queued<T>, room: Room, dropped: &mut Vec<Queued<T>>) {
        if self.line.has_room(room, &packet) {
            self.line.push(packet);
        } else {
            dropped.push(packet);
        }
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
    fn a_full_queue_refuses_what_arrives() {
        let (mut queue, mut dropped) = (DropTail::default(), Vec::new());
        (0..5).for_each(|key| queue.enqueue(Time::ZERO, packet(Time::ZERO, key), Room { packets: 3, ..ENDLESS }, &mut dropped));
        assert_eq!(dropped.iter().map(|packet| packet.key).collect::<Vec<_>>(), [3, 4]);
        assert_eq!(queue.dequeue(Time::ZERO, &mut dropped).map(|packet| packet.key), Some(0));
    }
}
