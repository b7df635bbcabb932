//! ACK filter: an ACK that arrives takes the place of those of its connection in line that it makes needless. For the rest drop-tail.
//!
//! Source: Balakrishnan, Padmanabhan and Katz, "The effects of asymmetry on TCP performance", MobiCom 1997, section 4.1; RFC 3449 section
//! 5.2.1. Which ACK makes which needless is decided by the loads, which can read them ([`Supersede`]). The new one takes the place of the
//! first that it replaces: at the end of the line the next ACK would replace it, and behind data that keeps coming none would ever leave.

use units::{Rate, Stream, Time};

use super::{Discipline, DisciplineSpec, Line, Queued, Room, Serving};

/// What is said of it.
pub(super) static DISCIPLINE: Discipline = Discipline {
    name: "ack-filter",
    year: 1997,
    source: "RFC 3449, section 5.2.1",
    summary: "An ACK replaces those of its connection in line that it makes needless.",
    parameters: &[],
    qdisc: None,
};

/// A load that may say what another has said, and more.
pub trait Supersede {
    /// Whether its receiver does not need `waiting` any more, a packet of the same flow and direction that is ahead of it.
    fn supersedes(&self, waiting: &Self) -> bool;
}

/// The queue.
#[derive(Debug)]
pub(crate) struct Queue<T> {
    line: Line<T>,
}

/// It, empty.
pub(super) fn queue<T>(_spec: &DisciplineSpec, _rate: Rate, _draws: Stream) -> Queue<T> {
    Queue { line: Line::default() }
}

impl<T: Supersede> Serving<T> for Queue<T> {
    fn enqueue(&mut self, _now: Time, packet: Queued<T>, room: Room, dropped: &mut Vec<Queued<T>>) {
        let is_needless = |new: &Queued<T>, waiting: &Queued<T>| {
            waiting.packet.flow == new.packet.flow && waiting.packet.is_ack == new.packet.is_ack && new.load.supersedes(&waiting.load)
        };
        // What stands in another's place takes no more room than that did: ACKs are of one size.
        let Some(packet) = self.line.replace(packet, is_needless, dropped) else { return };
        if self.line.has_room(room, &packet) {
            self.line.push(packet);
        } else {
            dropped.push(packet);
        }
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
    use super::super::line::samples::ENDLESS;
    use super::*;
    use crate::Packet;

    /// A cumulative number; none for data.
    #[derive(Clone, Copy, Debug, PartialEq)]
    struct Number(Option<u32>);

    impl Supersede for Number {
        fn supersedes(&self, waiting: &Number) -> bool {
            waiting.0.is_some() && self.0 > waiting.0
        }
    }

    /// A connection, and an ACK's number; none for data.
    type Seen = (u32, Option<u32>);

    /// What is in a queue that these have reached, and what it dropped.
    fn filled(arrivals: &[Seen], room: Room) -> (Vec<Seen>, Vec<Seen>) {
        let (mut queue, mut dropped) = (Queue { line: Line::default() }, Vec::new());
        for &(key, number) in arrivals {
            let bytes = if number.is_some() { 52 } else { 1500 };
            let packet = Queued { packet: Packet::data(bytes, key), is_marked: false, arrived: Time::ZERO, load: Number(number) };
            queue.enqueue(Time::ZERO, packet, room, &mut dropped);
        }
        let said = |packet: Queued<Number>| (packet.packet.flow, packet.load.0);
        let bytes = queue.bytes();
        let left: Vec<_> = std::iter::from_fn(|| queue.dequeue(Time::ZERO, &mut dropped)).collect();
        assert_eq!(bytes, left.iter().map(|packet| u64::from(packet.packet.bytes)).sum::<u64>());
        (left.into_iter().map(said).collect(), dropped.into_iter().map(said).collect())
    }

    #[test]
    fn a_newer_ack_stands_where_the_oldest_it_replaces_stood() {
        let (left, dropped) = filled(&[(1, Some(2)), (0, None), (1, Some(4)), (3, Some(9)), (1, Some(6))], ENDLESS);
        assert_eq!(left, [(1, Some(6)), (0, None), (3, Some(9))]);
        assert_eq!(dropped, [(1, Some(2)), (1, Some(4))]);
    }

    #[test]
    fn an_ack_that_repeats_a_number_waits_beside_the_first_until_a_newer_one_replaces_both() {
        let repeated = [(1, Some(2)), (1, Some(2)), (0, None)];
        assert_eq!(filled(&repeated, ENDLESS).0, repeated);
        let (left, dropped) = filled(&[(1, Some(2)), (1, Some(2)), (0, None), (1, Some(3))], ENDLESS);
        assert_eq!((left, dropped.len()), (vec![(1, Some(3)), (0, None)], 2));
    }

    #[test]
    fn a_full_queue_takes_what_makes_room_for_itself_and_nothing_else() {
        let (left, dropped) = filled(&[(0, None), (1, Some(2)), (3, Some(2)), (1, Some(3))], Room { packets: 2, ..ENDLESS });
        assert_eq!(left, [(0, None), (1, Some(3))]);
        assert_eq!(dropped, [(3, Some(2)), (1, Some(2))]);
    }
}
