//! FQ-CoDel: flows hashed to queues, served by deficit round robin with new flows first, each queue under CoDel.
//!
//! Source: RFC 8290 (Hoeiland-Joergensen and others 2018), sections 4.1 and 4.2. State: per queue its packets, CoDel's state and
//! its byte credits; the lists of new and of old queues. CoDel's floor of one packet counts the bytes of all queues, as Linux's does.

use std::cmp::Reverse;
use std::collections::VecDeque;

use units::{Stream, Time};

use super::codel::{Codel, CodelSpec};
use super::{DisciplineSpec, Line, Queued, Room};

/// The queue that packets of `key` go to (section 4.1: a hash perturbed at random).
pub fn bucket(key: u32, perturbation: u64, queues: usize) -> usize {
    // The finaliser of SplitMix64.
    let mut z = perturbation ^ u64::from(key);
    z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    ((u128::from(z ^ (z >> 31)) * queues as u128) >> 64) as usize
}

#[derive(Clone, Debug)]
struct SubQueue<T> {
    line: Line<T>,
    codel: Codel,
    credits: i64,
    is_listed: bool,
}

/// The queues.
#[derive(Clone, Debug)]
pub(crate) struct FqCodel<T> {
    queues: Vec<SubQueue<T>>,
    new: VecDeque<usize>,
    old: VecDeque<usize>,
    quantum: i64,
    perturbation: u64,
    packets: usize,
    bytes: u64,
}

impl<T> FqCodel<T> {
    pub(crate) fn new(spec: &DisciplineSpec, mut stream: Stream) -> FqCodel<T> {
        let codel = Codel::new(CodelSpec::new(spec));
        let empty = || SubQueue { line: Line::default(), codel: codel.clone(), credits: 0, is_listed: false };
        FqCodel {
            queues: (0..spec.value("flows") as usize).map(|_| empty()).collect(),
            new: VecDeque::new(),
            old: VecDeque::new(),
            quantum: spec.value("quantum") as i64,
            perturbation: stream.up_to(u64::MAX),
            packets: 0,
            bytes: 0,
        }
    }

    /// Section 4.1.
    pub(crate) fn enqueue(&mut self, _now: Time, packet: Queued<T>, room: Room, dropped: &mut Vec<Queued<T>>) {
        let index = bucket(packet.key, self.perturbation, self.queues.len());
        let has_room = room.fits(self.packets, self.bytes, packet.bytes);
        self.packets += 1;
        self.bytes += u64::from(packet.bytes);
        let queue = &mut self.queues[index];
        queue.line.push(packet);
        if !queue.is_listed {
            queue.is_listed = true;
            queue.credits = self.quantum;
            self.new.push_back(index);
        }
        if !has_room {
            self.drop_from_longest(dropped);
        }
    }

    /// The queue with the most bytes loses the packet at its head.
    fn drop_from_longest(&mut self, dropped: &mut Vec<Queued<T>>) {
        let longest = self.new.iter().chain(&self.old).copied().max_by_key(|&index| (self.queues[index].line.bytes(), Reverse(index)));
        if let Some(packet) = longest.and_then(|index| self.queues[index].line.pop()) {
            self.forget(packet.bytes);
            dropped.push(packet);
        }
    }

    /// Section 4.2.
    pub(crate) fn dequeue(&mut self, now: Time, dropped: &mut Vec<Queued<T>>) -> Option<Queued<T>> {
        loop {
            let is_new = !self.new.is_empty();
            let list = if is_new { &mut self.new } else { &mut self.old };
            let index = *list.front()?;
            let queue = &mut self.queues[index];
            if queue.credits <= 0 {
                queue.credits += self.quantum;
                list.pop_front();
                self.old.push_back(index);
                continue;
            }
            let (others, before) = (self.bytes - queue.line.bytes(), dropped.len());
            let taken = queue.codel.dequeue(now, &mut queue.line, others, dropped);
            dropped[before..].iter().for_each(|packet| {
                self.packets -= 1;
                self.bytes -= u64::from(packet.bytes);
            });
            if let Some(packet) = taken {
                self.queues[index].credits -= i64::from(packet.bytes);
                self.forget(packet.bytes);
                return Some(packet);
            }
            // An empty new queue passes through the old ones first, so that it cannot come back as new at once.
            if is_new {
                self.new.pop_front();
                self.old.push_back(index);
            } else {
                self.old.pop_front();
                self.queues[index].is_listed = false;
            }
        }
    }

    fn forget(&mut self, bytes: u32) {
        self.packets -= 1;
        self.bytes -= u64::from(bytes);
    }

    pub(crate) fn packets(&self) -> usize {
        self.packets
    }

    pub(crate) fn bytes(&self) -> u64 {
        self.bytes
    }
}
