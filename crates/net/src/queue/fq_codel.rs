//! FQ-CoDel: flows hashed to queues, served by deficit round robin with new flows first, each queue under CoDel.
//!
//! Source: RFC 8290 (Hoeiland-Joergensen and others 2018). State: per queue its packets, CoDel's state and
//! its byte credits; the lists of new and of old queues. CoDel's floor of one packet counts the bytes of all queues, as Linux's does.

use std::cmp::Reverse;
use std::collections::VecDeque;

use units::{Stream, Time};

use super::codel::{Codel, CodelSpec};
use super::{DisciplineSpec, Line, Queued, Room};

/// The queue that packets of `key` go to (a hash perturbed at random).
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

    /// A packet joins its queue; the longest one pays if there was no room.
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

    /// Deficit round robin, new queues before old ones.
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

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use super::super::line::samples::{packet, ENDLESS};
    use super::super::registry::discipline;
    use super::*;

    fn fq_codel() -> FqCodel<u32> {
        FqCodel::new(&discipline("fq-codel", &BTreeMap::new()).expect("a row"), Stream::named(1, "test"))
    }

    fn fill(queue: &mut FqCodel<u32>, key: u32, bytes: u32, packets: usize) {
        for _ in 0..packets {
            queue.enqueue(Time::ZERO, Queued { bytes, ..packet(Time::ZERO, key) }, ENDLESS, &mut Vec::new());
        }
    }

    fn served(queue: &mut FqCodel<u32>, packets: usize) -> Vec<u32> {
        (0..packets).filter_map(|_| queue.dequeue(Time::ZERO, &mut Vec::new())).map(|packet| packet.key).collect()
    }

    /// A flow that builds no queue waits for no queue of others.
    #[test]
    fn a_new_flow_goes_first() {
        let mut queue = fq_codel();
        fill(&mut queue, 1, 1500, 100);
        assert_eq!(served(&mut queue, 3), [1, 1, 1]);
        fill(&mut queue, 2, 1500, 1);
        assert_eq!(served(&mut queue, 2), [2, 1]);
    }

    /// Deficit round robin: equal bytes, whatever the packets: three of 500 bytes to one of 1500.
    #[test]
    fn backlogged_flows_share_bytes() {
        let mut queue = fq_codel();
        fill(&mut queue, 1, 1500, 400);
        fill(&mut queue, 2, 500, 1200);
        let order = served(&mut queue, 1000);
        let large = order.iter().filter(|&&key| key == 1).count();
        assert!(large.abs_diff(250) <= 2, "{large} of {}", order.len());
    }

    /// A queue that ran empty passes through the old ones before it may be new again.
    #[test]
    fn who_empties_a_new_queue_is_not_new_at_once() {
        let mut queue = fq_codel();
        fill(&mut queue, 1, 1500, 10);
        // A quantum of 1514 lets two packets go.
        assert_eq!(served(&mut queue, 2), [1, 1]);
        fill(&mut queue, 2, 100, 1);
        assert_eq!(served(&mut queue, 1), [2]);
        // The queue of 2 is empty but still listed, behind that of 1.
        fill(&mut queue, 2, 100, 1);
        assert_eq!(served(&mut queue, 2), [2, 1]);
        assert_eq!(served(&mut queue, 1), [1]);
        fill(&mut queue, 2, 100, 1);
        assert_eq!(served(&mut queue, 2), [2, 1]);
    }

    /// The longest queue loses its head, not the packet that arrives.
    #[test]
    fn overload_is_charged_to_the_longest_queue() {
        let mut queue = fq_codel();
        fill(&mut queue, 1, 1500, 10);
        fill(&mut queue, 2, 1500, 2);
        let (mut dropped, full) = (Vec::new(), Room { packets: 12, ..ENDLESS });
        queue.enqueue(Time::ZERO, packet(Time::ZERO, 2), full, &mut dropped);
        assert_eq!((dropped.len(), dropped[0].key, queue.packets(), queue.bytes()), (1, 1, 12, 18_000));
    }

    /// With 1024 queues two flows share one in a thousandth of the cases.
    #[test]
    fn flows_are_spread_over_all_queues() {
        let mut counts = vec![0u32; 1024];
        (0..102_400).for_each(|key| counts[bucket(key, 12_345, 1024)] += 1);
        // Binomial with mean 100 and standard deviation 10.
        assert!(counts.iter().all(|n| (50..150).contains(n)));
    }
}
