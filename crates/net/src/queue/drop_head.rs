//! Drop-head: a full queue drops its oldest packets, so that receivers learn of a loss without the queue's delay.
//!
//! Source: Lakshman, Neidhardt and Ott, "The drop from front strategy in TCP and in TCP over ATM", INFOCOM 1996.

use units::{Rate, Stream, Time};

use super::{Discipline, DisciplineSpec, Line, Number, Qdisc, Queued, Room, Serving, Unit};

/// What is said of it.
pub(super) static DISCIPLINE: Discipline = Discipline {
    name: "drop-head",
    year: 1996,
    source: "Lakshman, Neidhardt and Ott 1996",
    summary: "A full queue drops its oldest packets.",
    parameters: &[],
    qdisc: Some(QDISC),
};

/// In the kernel.
const QDISC: Qdisc =
    Qdisc { kind: "pfifo_head_drop", option: None, counts_bytes: false, numbers: &[Number::Limit(Unit::Whole)], demands: &[] };

/// The queue.
#[derive(Debug)]
pub(crate) struct Queue<T> {
    line: Line<T>,
}

/// It, empty.
pub(super) fn queue<T>(_spec: &DisciplineSpec, _rate: Rate, _draws: Stream) -> Queue<T> {
    Queue { line: Line::default() }
}

impl<T> Serving<T> for Queue<T> {
    fn enqueue(&mut self, _now: Time, packet: Queued<T>, room: Room, dropped: &mut Vec<Queued<T>>) {
        while !self.line.has_room(room, &packet) {
            match self.line.pop() {
                Some(oldest) => dropped.push(oldest),
                None => return dropped.push(packet),
            }
        }
        self.line.push(packet);
    }

    fn dequeue(&mut self, _now: Time, _dropped: &mut Vec<Queued<T>>) -> Option<Queued<T>> {
        self.line.pop()
    }

    fn packets(&self) -> usize {
        self.line.packets()
    }

    fn bytes(&self) -> u64 {
        self.line.bytes()
    }
}

#[cfg(test)]
mod tests {
    use super::super::line::samples::{packet, ENDLESS};
    use super::*;

    #[test]
    fn a_full_queue_drops_its_oldest_packet() {
        let (mut queue, mut dropped) = (Queue { line: Line::default() }, Vec::new());
        (0..5).for_each(|key| queue.enqueue(Time::ZERO, packet(Time::ZERO, key), Room { packets: 3, ..ENDLESS }, &mut dropped));
        assert_eq!(dropped.iter().map(|packet| packet.packet.flow).collect::<Vec<_>>(), [0, 1]);
        assert_eq!(queue.dequeue(Time::ZERO, &mut dropped).map(|packet| packet.packet.flow), Some(2));
    }

    #[test]
    fn a_packet_that_no_queue_of_this_size_holds_is_dropped_itself() {
        let (mut queue, mut dropped) = (Queue { line: Line::default() }, Vec::new());
        queue.enqueue(Time::ZERO, packet(Time::ZERO, 7), Room { bytes: 1499, ..ENDLESS }, &mut dropped);
        assert_eq!((dropped.len(), queue.packets()), (1, 0));
    }
}
