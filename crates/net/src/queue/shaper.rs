//! A shaper: drop-tail, and each packet waits at the head for its tokens, so that no more than a rate and a burst leave.
//!
//! Source: the committed bucket of RFC 2697 (one rate, one burst, full at first), see [`super::bucket`]. A packet that waits for tokens is
//! in line, not in service: what the limit counts depends on when it got them, so a link with a shaper asks it when the link is free.

use units::{Rate, Stream, Time};

use super::bucket::{Bucket, BURST, BYTE, RATE};
use super::{Discipline, DisciplineSpec, Line, Queued, Room, Serving};

/// What is said of it.
pub(super) static DISCIPLINE: Discipline = Discipline {
    name: "shaper",
    year: 1999,
    source: "RFC 2697, one bucket",
    summary: "Lets packets wait for tokens, so that no more than a rate and a burst leave.",
    parameters: &[RATE, BURST],
    qdisc: None,
};

/// Drop-tail, and each packet waits at the head for its tokens.
#[derive(Debug)]
pub(crate) struct Queue<T> {
    line: Line<T>,
    bucket: Bucket,
}

/// The shaper, empty, its bucket full.
pub(super) fn queue<T>(spec: &DisciplineSpec, _rate: Rate, _draws: Stream) -> Queue<T> {
    Queue { line: Line::default(), bucket: Bucket::new(spec) }
}

impl<T> Serving<T> for Queue<T> {
    fn enqueue(&mut self, _now: Time, packet: Queued<T>, room: Room, dropped: &mut Vec<Queued<T>>) {
        // One larger than the burst would wait for ever.
        let can_pass = u128::from(packet.packet.bytes) * BYTE <= self.bucket.burst;
        if can_pass && self.line.has_room(room, &packet) {
            self.line.push(packet);
        } else {
            dropped.push(packet);
        }
    }

    fn dequeue(&mut self, now: Time, _dropped: &mut Vec<Queued<T>>) -> Option<Queued<T>> {
        let bytes = self.line.front()?.packet.bytes;
        if self.bucket.take(now, bytes) {
            self.line.pop()
        } else {
            None
        }
    }

    /// When the packet at the head has its tokens.
    fn asks_at(&self) -> Time {
        self.line.front().map_or(Time::NEVER, |packet| self.bucket.ready_at(packet.packet.bytes))
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
    use std::collections::BTreeMap;

    use super::super::discipline;
    use super::super::line::samples::{packet, ENDLESS};
    use super::*;
    use crate::Packet;

    /// 12 Mbit/s and ten packets: one token's worth of packet comes every millisecond.
    fn shaper() -> Queue<u32> {
        let given: BTreeMap<String, f64> = [("rate_bps".to_owned(), 12e6), ("burst_bytes".to_owned(), 15_000.0)].into();
        queue(&discipline("shaper", &given).expect("a discipline"), Rate(1_000_000_000), Stream::named(1, "test"))
    }

    #[test]
    fn a_shaper_says_when_to_ask_again_to_the_nanosecond() {
        let (mut shaper, mut dropped) = (shaper(), Vec::new());
        (0..12).for_each(|_| shaper.enqueue(Time::ZERO, packet(Time::ZERO, 0), ENDLESS, &mut dropped));
        assert_eq!((0..12).filter(|_| shaper.dequeue(Time::ZERO, &mut dropped).is_some()).count(), 10);
        assert_eq!(shaper.asks_at(), Time::from_ms(1));
        assert!(shaper.dequeue(Time(999_999), &mut dropped).is_none());
        assert_eq!(shaper.asks_at(), Time::from_ms(1));
        assert!(shaper.dequeue(Time::from_ms(1), &mut dropped).is_some() && shaper.asks_at() == Time::from_ms(2));
    }

    #[test]
    fn a_packet_above_the_burst_is_dropped_and_does_not_block_the_others() {
        let (mut shaper, mut dropped) = (shaper(), Vec::new());
        shaper.enqueue(Time::ZERO, Queued { packet: Packet::data(15_001, 0), ..packet(Time::ZERO, 0) }, ENDLESS, &mut dropped);
        assert_eq!((dropped.len(), shaper.packets(), shaper.asks_at()), (1, 0, Time::NEVER));
    }
}
