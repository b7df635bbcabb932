//! Datagrams on their way to the ends of a whole stack, and those that wait there to be read.
//!
//! A program reads a datagram when it arrives; or, where it turns no more often than once in a given time, what has arrived since the first that waits,
//! that time after it: as with a network card that holds its interrupt back (`rx-usecs` of ethtool), or on a host that is busy with other work.

use std::cmp::{Ordering, Reverse};
use std::collections::BinaryHeap;

use units::{Duration, Time};

use super::load::Payload;

/// Which end.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Side {
    Client,
    Server,
}

/// A datagram on its way to an endpoint. The order of arrival, then of sending, decides.
#[derive(Debug)]
struct Arriving {
    at: Time,
    number: u64,
    payload: Box<Payload>,
}

impl PartialEq for Arriving {
    fn eq(&self, other: &Arriving) -> bool {
        (self.at, self.number) == (other.at, other.number)
    }
}

impl Eq for Arriving {}

impl PartialOrd for Arriving {
    fn partial_cmp(&self, other: &Arriving) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl Ord for Arriving {
    fn cmp(&self, other: &Arriving) -> Ordering {
        (self.at, self.number).cmp(&(other.at, other.number))
    }
}

/// What an end has not read.
#[derive(Debug)]
#[allow(clippy::vec_box)] // The box is what travels.
struct Unread {
    at: Time,
    waiting: Vec<Box<Payload>>,
}

/// Both ends' datagrams.
#[derive(Debug)]
pub(crate) struct Inbox {
    /// How long the first that waits does; zero where each is read when it arrives.
    turn: Duration,
    arriving: BinaryHeap<Reverse<Arriving>>,
    numbers: u64,
    unread: [Unread; 2],
}

impl Inbox {
    /// Of ends whose program turns at most once in `turn`, or, if that is zero, at each arrival.
    pub(crate) fn read_each(turn: Duration) -> Inbox {
        let unread = || Unread { at: Time::NEVER, waiting: Vec::new() };
        Inbox { turn, arriving: BinaryHeap::new(), numbers: 0, unread: [unread(), unread()] }
    }

    /// A datagram will arrive at `at`.
    pub(crate) fn push(&mut self, at: Time, payload: Box<Payload>) {
        self.numbers += 1;
        self.arriving.push(Reverse(Arriving { at, number: self.numbers, payload }));
    }

    /// When the next one arrives.
    pub(crate) fn arrives_at(&self) -> Time {
        self.arriving.peek().map_or(Time::NEVER, |Reverse(arriving)| arriving.at)
    }

    /// It has arrived.
    pub(crate) fn pop(&mut self) -> Option<Box<Payload>> {
        self.arriving.pop().map(|Reverse(arriving)| arriving.payload)
    }

    /// One that has arrived at `at` waits for the turn of its end, or is given back to be read at once.
    pub(crate) fn keep(&mut self, side: Side, at: Time, payload: Box<Payload>) -> Option<Box<Payload>> {
        if self.turn == Duration::ZERO {
            return Some(payload);
        }
        let unread = &mut self.unread[side as usize];
        if unread.waiting.is_empty() {
            unread.at = at + self.turn;
        }
        unread.waiting.push(payload);
        None
    }

    /// When client and server read what waits.
    pub(crate) fn reads_at(&self) -> [Time; 2] {
        [self.unread[0].at, self.unread[1].at]
    }

    /// What an end reads in its turn, in the order of arrival.
    #[allow(clippy::vec_box)]
    pub(crate) fn turn(&mut self, side: Side) -> Vec<Box<Payload>> {
        let unread = &mut self.unread[side as usize];
        unread.at = Time::NEVER;
        std::mem::take(&mut unread.waiting)
    }

    /// Whether nothing is on its way, and nothing waits.
    pub(crate) fn is_empty(&self) -> bool {
        self.arriving.is_empty() && self.unread.iter().all(|unread| unread.waiting.is_empty())
    }
}
