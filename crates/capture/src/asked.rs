//! What a receiver asks: places of requests in its stream of bytes, and what of that stream has arrived.

use std::collections::VecDeque;

use sim::Asked;

/// So many exchanges are remembered: a packet of an older one is late by more than any timer.
const EXCHANGES: usize = 64;

/// The requests of a connection, as they leave.
#[derive(Debug, Default)]
pub(crate) struct Requests {
    bytes: u64,
    /// Numbers of exchanges, and the bytes before each.
    begun: VecDeque<(u32, u64)>,
}

impl Requests {
    /// Bytes asked so far.
    pub(crate) fn bytes(&self) -> u64 {
        self.bytes
    }

    /// Bytes before this packet, one of segments of so many bytes. It leaves, or did before.
    pub(crate) fn place_of(&mut self, asked: &Asked, mss: u64) -> u64 {
        let known = self.begun.iter().rev().find(|&&(exchange, _)| exchange == asked.exchange);
        let begin = known.map_or(self.bytes, |&(_, begin)| begin);
        if known.is_none() {
            self.begun.push_back((asked.exchange, begin));
            self.begun.drain(..self.begun.len().saturating_sub(EXCHANGES));
        }
        let before = begin + u64::from(asked.number) * mss;
        self.bytes = self.bytes.max(before + u64::from(asked.payload));
        before
    }
}

/// What of them has arrived.
#[derive(Debug, Default)]
pub(crate) struct Heard {
    bytes: u64,
    /// Behind a hole.
    early: Vec<(u64, u64)>,
}

impl Heard {
    /// Bytes that have arrived in order.
    pub(crate) fn bytes(&self) -> u64 {
        self.bytes
    }

    /// The bytes from `from` up to `to` arrive.
    pub(crate) fn on_arrived(&mut self, from: u64, to: u64) {
        self.early.push((from, to));
        self.early.sort_unstable();
        for &(from, to) in &self.early {
            if from <= self.bytes {
                self.bytes = self.bytes.max(to);
            }
        }
        self.early.retain(|&(_, to)| to > self.bytes);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use tcp::Ack;
    use units::Time;

    fn asked(exchange: u32, number: u32, payload: u32) -> Asked {
        Asked { exchange, number, payload, sent: Time::ZERO, ack: Ack::default() }
    }

    /// Two requests of 2500 and 400 bytes, the first of which leaves twice.
    #[test]
    fn a_request_that_leaves_again_has_the_place_that_it_had() {
        let mut requests = Requests::default();
        let mut place = |exchange, number, payload| requests.place_of(&asked(exchange, number, payload), 1000);
        assert_eq!([place(0, 0, 1000), place(0, 1, 1000), place(0, 2, 500)], [0, 1000, 2000]);
        assert_eq!([place(0, 0, 1000), place(0, 2, 500), place(1, 0, 400), place(0, 1, 1000)], [0, 2000, 2500, 1000]);
        assert_eq!(requests.bytes(), 2900);
    }

    #[test]
    fn what_arrives_behind_a_hole_is_heard_when_the_hole_is_filled() {
        let mut heard = Heard::default();
        let mut after = |from, to| {
            heard.on_arrived(from, to);
            heard.bytes()
        };
        assert_eq!([after(1000, 2000), after(2000, 2500), after(0, 1000), after(0, 1000), after(2500, 2900)], [0, 0, 2500, 2500, 2900]);
    }
}
