//! Flows take turns: hashed to queues, served by deficit round robin with new flows first, each queue under an AQM of its own.
//!
//! Source: RFC 8290 (Hoeiland-Joergensen and others 2018), sections 4.1 and 4.2. State: per queue its packets, its AQM's state and its
//! byte credits; the lists of new and of old queues.

use std::cmp::Reverse;
use std::collections::VecDeque;

use units::{Stream, Time};

use super::description::number;
use super::{Demand, DisciplineSpec, Is, Line, Parameter, Queued, Room, Serving};

/// Parameters of all that take turns.
pub(super) const QUANTUM: Parameter =
    Parameter { name: "quantum", unit: "bytes", min: 1.0, max: 1e6, default: 1514.0, doc: "Bytes that a queue may send per turn." };
pub(super) const FLOWS: Parameter = number("flows", (1.0, 65_536.0), 1024.0, "Queues that flows are hashed to.");

/// The kernel's turns are not shorter.
pub(super) const QUANTUM_IN_KERNEL: Demand =
    Demand { parameter: "quantum", is: Is::AtLeast(256.0), otherwise: "{value}; the kernel's turns are of at least {bound} bytes" };

/// Most packets that one overflow costs (section 4.1).
const DROPPED_AT_ONCE: usize = 64;

/// What governs one of the queues.
pub(crate) trait Aqm {
    /// When the limit of all queues is reached the longest one loses its head; otherwise the packet that arrives is dropped.
    const EVICTS: bool;

    /// A packet for the queue was dropped because the limit of all queues is reached.
    fn on_full(&mut self) {}

    /// Bytes that the queue may send in its first turn as a new one, having `left` of what it had (section 4.2: a quantum).
    fn credits_of_new(&self, _now: Time, _left: i64, quantum: i64) -> i64 {
        quantum
    }

    /// The queue is empty and on no list any more.
    fn on_idle(&mut self, _now: Time) {}

    /// Whether `packet` may join `line`.
    fn admits<T>(&mut self, now: Time, line: &Line<T>, packet: &mut Queued<T>) -> bool;

    /// The packet that leaves `line`, while `others` counts the bytes of the other queues; those dropped before it go to `dropped`.
    fn take<T>(&mut self, now: Time, line: &mut Line<T>, others: u64, dropped: &mut Vec<Queued<T>>) -> Option<Queued<T>>;
}

/// The hash of `key`, perturbed at random: the finaliser of SplitMix64.
pub fn hash(key: u32, perturbation: u64) -> u64 {
    let mut z = perturbation ^ u64::from(key);
    z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    z ^ (z >> 31)
}

/// The queue that packets of `key` go to.
pub fn bucket(key: u32, perturbation: u64, queues: usize) -> usize {
    ((u128::from(hash(key, perturbation)) * queues as u128) >> 64) as usize
}

#[derive(Debug)]
struct SubQueue<T, A> {
    line: Line<T>,
    aqm: A,
    credits: i64,
    is_listed: bool,
}

/// The queues.
#[derive(Debug)]
pub(crate) struct Fair<T, A> {
    queues: Vec<SubQueue<T, A>>,
    new: VecDeque<usize>,
    old: VecDeque<usize>,
    quantum: i64,
    perturbation: u64,
    packets: usize,
    bytes: u64,
}

impl<T, A: Aqm> Fair<T, A> {
    /// Empty queues, as many and with the quantum that `spec` says, each under what `aqm` makes for it.
    pub(crate) fn new(spec: &DisciplineSpec, perturbation: u64, aqm: impl Fn(usize) -> A) -> Fair<T, A> {
        let empty = |index| SubQueue { line: Line::default(), aqm: aqm(index), credits: 0, is_listed: false };
        Fair {
            queues: (0..spec.value("flows") as usize).map(empty).collect(),
            new: VecDeque::new(),
            old: VecDeque::new(),
            quantum: spec.value("quantum") as i64,
            perturbation,
            packets: 0,
            bytes: 0,
        }
    }

    /// The perturbation of the hash, the first draw of `stream`.
    pub(crate) fn perturbation(stream: &mut Stream) -> u64 {
        stream.up_to(u64::MAX)
    }

    /// The queue with the most bytes loses half its packets, from its head on.
    fn drop_from_longest(&mut self, dropped: &mut Vec<Queued<T>>) {
        let longest = self.new.iter().chain(&self.old).copied().max_by_key(|&index| (self.queues[index].line.bytes(), Reverse(index)));
        let Some(longest) = longest else { return };
        for _ in 0..self.queues[longest].line.packets().div_ceil(2).min(DROPPED_AT_ONCE) {
            if let Some(packet) = self.queues[longest].line.pop() {
                self.forget(packet.packet.bytes);
                dropped.push(packet);
            }
        }
    }

    fn forget(&mut self, bytes: u32) {
        self.packets -= 1;
        self.bytes -= u64::from(bytes);
    }
}

impl<T, A: Aqm> Serving<T> for Fair<T, A> {
    /// A packet joins its queue, if its AQM and the limit of all queues allow it.
    fn enqueue(&mut self, now: Time, mut packet: Queued<T>, room: Room, dropped: &mut Vec<Queued<T>>) {
        let index = bucket(packet.class(), self.perturbation, self.queues.len());
        let has_room = room.fits(self.packets, self.bytes, packet.packet.bytes);
        let queue = &mut self.queues[index];
        if !has_room && !A::EVICTS {
            queue.aqm.on_full();
            return dropped.push(packet);
        }
        if !queue.aqm.admits(now, &queue.line, &mut packet) {
            return dropped.push(packet);
        }
        self.packets += 1;
        self.bytes += u64::from(packet.packet.bytes);
        queue.line.push(packet);
        if !queue.is_listed {
            queue.is_listed = true;
            queue.credits = queue.aqm.credits_of_new(now, queue.credits, self.quantum);
            self.new.push_back(index);
        }
        if !has_room {
            self.drop_from_longest(dropped);
        }
    }

    /// Deficit round robin, new queues before old ones.
    fn dequeue(&mut self, now: Time, dropped: &mut Vec<Queued<T>>) -> Option<Queued<T>> {
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
            let taken = queue.aqm.take(now, &mut queue.line, others, dropped);
            dropped[before..].iter().for_each(|packet| {
                self.packets -= 1;
                self.bytes -= u64::from(packet.packet.bytes);
            });
            if let Some(packet) = taken {
                self.queues[index].credits -= i64::from(packet.packet.bytes);
                self.forget(packet.packet.bytes);
                return Some(packet);
            }
            // An empty new queue passes through the old ones first, so that it cannot come back as new at once.
            if is_new {
                self.new.pop_front();
                self.old.push_back(index);
            } else {
                self.old.pop_front();
                self.queues[index].is_listed = false;
                self.queues[index].aqm.on_idle(now);
            }
        }
    }

    fn packets(&self) -> usize {
        self.packets
    }

    fn bytes(&self) -> u64 {
        self.bytes
    }
}
