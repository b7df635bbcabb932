//! CAKE: flows take turns, each queue under COBALT, at a link whose rate is known.
//!
//! Source: Hoeiland-Joergensen, Taht and Morton, "Piece of CAKE: a comprehensive queue management solution for home gateways", IEEE LANMAN
//! 2018; the order of steps is that of Linux's `sch_cake` with `bandwidth`, `besteffort` and `flows`. State: per queue its packets, COBALT's
//! state, its byte credits and whose it is; the lists of new, of old and of decaying queues.

use std::cmp::Reverse;
use std::collections::VecDeque;

use units::{Rate, Stream, Time};

use super::cobalt::{Cobalt, CobaltSpec};
use super::codel::{INTERVAL, TARGET};
use super::fair::hash;
use super::Number::{Limit, Of, RateAbove};
use super::Unit::{FullPacketMemory, Microseconds};
use super::{Discipline, DisciplineSpec, Line, Qdisc, Queued, Room, Serving};

/// What is said of it.
pub(super) static DISCIPLINE: Discipline = Discipline {
    name: "cake",
    year: 2018,
    source: "Hoeiland-Joergensen, Taht and Morton 2018",
    summary: "Flows take turns, none shares a queue while there is one free; each queue is under COBALT.",
    parameters: &[TARGET, INTERVAL],
    qdisc: Some(QDISC),
};

/// In the kernel. CAKE's own shaper is a thousandth faster than the link: it knows the rate and holds nothing.
const QDISC: Qdisc = Qdisc {
    kind: "cake",
    option: Some("NET_SCH_CAKE"),
    counts_bytes: true,
    numbers: &[Limit(FullPacketMemory), RateAbove(1000), Of("target_s", Microseconds), Of("interval_s", Microseconds)],
    demands: &[],
};

const QUEUES: usize = 1024;
/// How many queues may be a flow's: those of the set that its hash falls in.
const WAYS: usize = 8;

/// Where a queue is listed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Listed {
    Nowhere,
    /// Among the new or the old ones.
    Active,
    /// Empty, and its COBALT not yet at rest.
    Decaying,
}

#[derive(Debug)]
struct SubQueue<T> {
    line: Line<T>,
    cobalt: Cobalt,
    credits: i64,
    /// The hash of the flow that the queue was last given to.
    owner: u64,
    listed: Listed,
}

/// The queues.
#[derive(Debug)]
pub(crate) struct Queue<T> {
    queues: Vec<SubQueue<T>>,
    new: VecDeque<usize>,
    old: VecDeque<usize>,
    decaying: VecDeque<usize>,
    quantum: i64,
    perturbation: u64,
    packets: usize,
    bytes: u64,
}

/// Empty queues.
pub(super) fn queue<T>(spec: &DisciplineSpec, rate: Rate, mut stream: Stream) -> Queue<T> {
    let perturbation = stream.up_to(u64::MAX);
    let law = CobaltSpec::at_rate(spec, rate);
    let empty = |index: usize| SubQueue {
        line: Line::default(),
        cobalt: Cobalt::new(law, Stream::named(perturbation, format_args!("queue{index}"))),
        credits: 0,
        owner: 0,
        listed: Listed::Nowhere,
    };
    Queue {
        queues: (0..QUEUES).map(empty).collect(),
        new: VecDeque::new(),
        old: VecDeque::new(),
        decaying: VecDeque::new(),
        // A 4096th of what the link carries in a second, at least 300 bytes and at most a full frame.
        quantum: (rate.0 / 8 / 4096).clamp(300, 1514) as i64,
        perturbation,
        packets: 0,
        bytes: 0,
    }
}

impl<T> Queue<T> {
    /// The queue of packets of `key`: the one that is its flow's already, else the first free one of its set, else the one it hashes to.
    fn queue_of(&mut self, key: u32) -> usize {
        let owner = hash(key, self.perturbation);
        let first = (owner % QUEUES as u64) as usize;
        let set = first - first % WAYS;
        let ways = || (0..WAYS).map(|way| set + (first + way) % WAYS);
        let index = ways()
            .find(|&index| self.queues[index].owner == owner)
            .or_else(|| ways().find(|&index| self.queues[index].listed == Listed::Nowhere))
            .unwrap_or(first);
        self.queues[index].owner = owner;
        index
    }

    /// The queue with the most bytes loses its oldest packet.
    fn drop_from_longest(&mut self, now: Time, dropped: &mut Vec<Queued<T>>) {
        let longest = self.new.iter().chain(&self.old).copied().max_by_key(|&index| (self.queues[index].line.bytes(), Reverse(index)));
        let Some(longest) = longest else { return };
        let queue = &mut self.queues[longest];
        let Some(packet) = queue.line.pop() else { return };
        queue.cobalt.on_full(now);
        self.forget(&packet);
        dropped.push(packet);
    }

    fn forget(&mut self, packet: &Queued<T>) {
        self.packets -= 1;
        self.bytes -= u64::from(packet.packet.bytes);
    }

    /// The list whose first queue has its turn: one decaying queue may go before all others.
    fn current(&mut self, is_first: bool) -> &mut VecDeque<usize> {
        let (new, old, decaying) = (self.new.is_empty(), self.old.is_empty(), self.decaying.is_empty());
        match (is_first && !decaying, new, old) {
            (true, ..) | (false, true, true) => &mut self.decaying,
            (false, false, _) => &mut self.new,
            (false, true, false) => &mut self.old,
        }
    }

    /// The next packet of a queue, past those that COBALT drops.
    fn take(&mut self, index: usize, now: Time, dropped: &mut Vec<Queued<T>>) -> Option<Queued<T>> {
        loop {
            let queue = &mut self.queues[index];
            let mut packet = queue.line.pop()?;
            // The last packet of a queue may be marked, but is not dropped.
            let is_dropped = queue.cobalt.should_drop(now, &mut packet) && queue.line.packets() > 0;
            self.forget(&packet);
            if !is_dropped {
                self.queues[index].credits -= i64::from(packet.packet.bytes);
                return Some(packet);
            }
            dropped.push(packet);
        }
    }
}

impl<T> Serving<T> for Queue<T> {
    /// A packet joins its queue; where the limit of all queues is passed, the longest loses its head, the new packet perhaps.
    fn enqueue(&mut self, now: Time, packet: Queued<T>, room: Room, dropped: &mut Vec<Queued<T>>) {
        let (index, bytes) = (self.queue_of(packet.class()), packet.packet.bytes);
        self.packets += 1;
        self.bytes += u64::from(bytes);
        let queue = &mut self.queues[index];
        queue.line.push(packet);
        if queue.listed != Listed::Active {
            if queue.listed == Listed::Decaying {
                self.decaying.retain(|&other| other != index);
            }
            queue.listed = Listed::Active;
            queue.credits = self.quantum;
            self.new.push_back(index);
        }
        while self.packets > 0 && !room.fits(self.packets - 1, self.bytes.saturating_sub(u64::from(bytes)), bytes) {
            self.drop_from_longest(now, dropped);
        }
    }

    /// Deficit round robin, new queues before old ones.
    fn dequeue(&mut self, now: Time, dropped: &mut Vec<Queued<T>>) -> Option<Queued<T>> {
        let mut is_first = true;
        while self.packets > 0 {
            let index = *self.current(is_first).front()?;
            if self.queues[index].credits > 0 {
                if let Some(packet) = self.take(index, now, dropped) {
                    return Some(packet);
                }
            }
            self.current(is_first).pop_front();
            is_first = false;
            let queue = &mut self.queues[index];
            if queue.credits <= 0 {
                queue.credits += self.quantum;
                self.old.push_back(index);
                continue;
            }
            queue.cobalt.on_empty(now);
            queue.listed = if queue.cobalt.is_at_rest(now) { Listed::Nowhere } else { Listed::Decaying };
            if queue.listed == Listed::Decaying {
                self.decaying.push_back(index);
            }
        }
        None
    }

    fn packets(&self) -> usize {
        self.packets
    }

    fn bytes(&self) -> u64 {
        self.bytes
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use super::super::discipline;
    use super::super::line::samples::{packet, ENDLESS};
    use super::*;

    fn cake(rate: Rate) -> Queue<u32> {
        queue(&discipline("cake", &BTreeMap::new()).expect("a row"), rate, Stream::named(1, "test"))
    }

    fn fill(queue: &mut Queue<u32>, at: Time, key: u32, packets: usize) {
        (0..packets).for_each(|_| queue.enqueue(at, packet(at, key), ENDLESS, &mut Vec::new()));
    }

    fn served(queue: &mut Queue<u32>, at: Time, packets: usize) -> Vec<u32> {
        (0..packets).filter_map(|_| queue.dequeue(at, &mut Vec::new())).map(|packet| packet.packet.flow).collect()
    }

    /// 128 flows on 128 sets of eight queues: hashed to single queues some 8 pairs would share one (128^2 / 2 / 1024), in sets none does.
    #[test]
    fn flows_share_no_queue_while_their_set_has_a_free_one() {
        let mut queue = cake(Rate(100_000_000));
        (0..128).for_each(|key| fill(&mut queue, Time::ZERO, key, 1));
        assert!(queue.queues.iter().all(|queue| queue.line.packets() <= 1));
        let mut first: Vec<_> = served(&mut queue, Time::ZERO, 128);
        first.sort_unstable();
        assert!(first.into_iter().eq(0..128));
    }

    /// 8 Mbit/s are 10^6 bytes a second, of which a 4096th is less than the least quantum: a packet of 1500 bytes costs five turns of 300.
    #[test]
    fn a_turn_is_a_4096th_of_a_second() {
        for (rate, quantum) in [(8_000_000, 300), (20_000_000, 610), (49_610_751, 1513), (49_610_752, 1514), (10_000_000_000, 1514)] {
            assert_eq!(cake(Rate(rate)).quantum, quantum);
        }
        let mut queue = cake(Rate(8_000_000));
        fill(&mut queue, Time::ZERO, 1, 9);
        fill(&mut queue, Time::ZERO, 2, 9);
        assert_eq!(served(&mut queue, Time::ZERO, 6), [1, 2, 1, 2, 1, 2]);
    }

    /// A flow that comes back while its queue decays is new again, and its COBALT remembers.
    #[test]
    fn a_queue_that_ran_empty_decays_before_it_is_given_away() {
        let mut queue = cake(Rate(100_000_000));
        fill(&mut queue, Time::ZERO, 1, 1);
        assert_eq!(served(&mut queue, Time::from_ms(1), 1), [1]);
        fill(&mut queue, Time::from_ms(1), 2, 2);
        // The queue of 1 is found empty; its schedule runs for an interval of 100 ms from its packet on.
        assert_eq!(served(&mut queue, Time::from_ms(1), 1), [2]);
        assert_eq!(queue.decaying.len(), 1);
        fill(&mut queue, Time::from_ms(2), 1, 1);
        assert_eq!((queue.decaying.len(), queue.new.len()), (0, 2));
        assert_eq!(served(&mut queue, Time::from_ms(2), 2), [2, 1]);
        fill(&mut queue, Time::from_ms(3), 2, 3);
        assert_eq!(served(&mut queue, Time::from_ms(3), 2), [2, 2]);
        assert_eq!(queue.decaying.len(), 1);
        assert_eq!(served(&mut queue, Time::from_ms(103), 1), [2]);
        assert_eq!(queue.decaying.len(), 0);
    }

    /// Overload is charged to the longest queue, a packet for each that is too much, and its BLUE is told.
    #[test]
    fn overload_takes_one_packet_from_the_longest_queue() {
        let mut queue = cake(Rate(100_000_000));
        fill(&mut queue, Time::ZERO, 1, 10);
        fill(&mut queue, Time::ZERO, 2, 2);
        let (mut dropped, full) = (Vec::new(), Room { packets: 12, ..ENDLESS });
        queue.enqueue(Time::from_ms(6), packet(Time::from_ms(6), 2), full, &mut dropped);
        assert_eq!(dropped.iter().map(|packet| packet.packet.flow).collect::<Vec<_>>(), [1]);
        assert_eq!((queue.packets(), queue.bytes()), (12, 18_000));
    }
}
