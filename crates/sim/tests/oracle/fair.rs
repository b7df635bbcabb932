//! FQ, FQ-CoDel and FQ-PIE written down once more.

use std::collections::{BTreeMap, VecDeque};

use net::queue::bucket;
use net::DisciplineSpec;
use units::{Stream, Time};

use super::codel::Codel;
use super::disciplines::{bytes_of, Discipline, Fits};
use super::link::Packet;
use super::pie::Pie;

/// RFC 8290: whose turn it is.
struct Turns {
    new: VecDeque<usize>,
    old: VecDeque<usize>,
    credits: BTreeMap<usize, i64>,
    quantum: i64,
    hashed_to: usize,
    perturbation: u64,
}

impl Turns {
    fn new(spec: &DisciplineSpec, perturbation: u64) -> Turns {
        let (quantum, hashed_to) = (spec.value("quantum") as i64, spec.value("flows") as usize);
        Turns { new: VecDeque::new(), old: VecDeque::new(), credits: BTreeMap::new(), quantum, hashed_to, perturbation }
    }

    fn queue_of(&self, packet: &Packet) -> usize {
        let direction = u32::from(packet.load.is_of_receiver());
        bucket(2 * packet.connection as u32 + direction, self.perturbation, self.hashed_to)
    }

    fn is_listed(&self, index: usize) -> bool {
        self.new.contains(&index) || self.old.contains(&index)
    }

    fn on_arrived(&mut self, index: usize) {
        if !self.is_listed(index) {
            self.credits.insert(index, self.quantum);
            self.new.push_back(index);
        }
    }

    /// The queue to serve: those that have used their quantum up wait for their next turn.
    fn current(&mut self) -> Option<usize> {
        loop {
            let index = *self.new.front().or(self.old.front())?;
            let credits = self.credits.get_mut(&index).expect("a queue on a list");
            if *credits > 0 {
                return Some(index);
            }
            *credits += self.quantum;
            self.leave(true);
        }
    }

    fn leave(&mut self, to_old: bool) {
        let list = if self.new.is_empty() { &mut self.old } else { &mut self.new };
        let index = list.pop_front().expect("a queue on a list");
        if to_old {
            self.old.push_back(index);
        }
    }

    /// The current queue was served so many bytes, or had nothing.
    fn on_served(&mut self, index: usize, bytes: Option<u32>) {
        match bytes {
            Some(bytes) => *self.credits.get_mut(&index).expect("a queue on a list") -= i64::from(bytes),
            None => self.leave(!self.new.is_empty()),
        }
    }
}

/// What Linux's `sch_fq` does beside the turns: each queue, and when it ran empty if it did.
pub struct Fq {
    queues: BTreeMap<usize, VecDeque<Packet>>,
    idle_since: BTreeMap<usize, Time>,
    turns: Turns,
    flow_limit: usize,
    initial_quantum: i64,
}

impl Fq {
    /// Empty queues.
    pub fn new(spec: &DisciplineSpec, mut stream: Stream) -> Fq {
        Fq {
            queues: BTreeMap::new(),
            idle_since: BTreeMap::new(),
            turns: Turns::new(spec, stream.up_to(u64::MAX)),
            flow_limit: spec.value("flow_limit") as usize,
            initial_quantum: spec.value("initial_quantum") as i64,
        }
    }

    fn credits(&self, index: usize, now: Time) -> i64 {
        let (Some(&since), Some(&left)) = (self.idle_since.get(&index), self.turns.credits.get(&index)) else {
            return self.initial_quantum;
        };
        let has_rested = now.0 - since.0 > 40_000_000;
        if has_rested && left >= 0 && left < self.turns.quantum {
            self.turns.quantum
        } else {
            left
        }
    }
}

impl Discipline for Fq {
    fn arrive(&mut self, now: Time, packet: Packet, fits: Fits) -> Vec<Packet> {
        let index = self.turns.queue_of(&packet);
        let bytes = self.queues.values().map(|line| bytes_of(line.iter())).sum();
        let waiting = self.queues.get(&index).map_or(0, VecDeque::len);
        if !fits(self.packets(), bytes, packet.bytes) || waiting >= self.flow_limit {
            return vec![packet];
        }
        self.queues.entry(index).or_default().push_back(packet);
        if !self.turns.is_listed(index) {
            let credits = self.credits(index, now);
            self.turns.on_arrived(index);
            self.turns.credits.insert(index, credits);
        }
        vec![]
    }

    fn next(&mut self, now: Time) -> (Vec<Packet>, Option<Packet>) {
        while let Some(index) = self.turns.current() {
            let packet = self.queues.get_mut(&index).and_then(VecDeque::pop_front);
            self.turns.on_served(index, packet.as_ref().map(|packet| packet.bytes));
            if packet.is_some() {
                return (vec![], packet);
            }
            if !self.turns.is_listed(index) {
                self.idle_since.insert(index, now);
            }
        }
        (vec![], None)
    }

    fn packets(&self) -> usize {
        self.queues.values().map(VecDeque::len).sum()
    }
}

/// RFC 8290.
pub struct FqCodel {
    template: Codel,
    queues: BTreeMap<usize, Codel>,
    turns: Turns,
}

impl FqCodel {
    /// Empty queues.
    pub fn new(spec: &DisciplineSpec, mut stream: Stream) -> FqCodel {
        FqCodel { template: Codel::new(spec), queues: BTreeMap::new(), turns: Turns::new(spec, stream.up_to(u64::MAX)) }
    }

    fn bytes(&self) -> u64 {
        self.queues.values().map(Codel::bytes).sum()
    }
}

impl Discipline for FqCodel {
    fn arrive(&mut self, now: Time, packet: Packet, fits: Fits) -> Vec<Packet> {
        let has_room = fits(self.packets(), self.bytes(), packet.bytes);
        let index = self.turns.queue_of(&packet);
        self.queues.entry(index).or_insert_with(|| self.template.clone()).line.push_back((now, packet));
        self.turns.on_arrived(index);
        if has_room {
            return vec![];
        }
        let most = self.queues.values().map(Codel::bytes).max();
        let longest = self.queues.values_mut().find(|codel| Some(codel.bytes()) == most);
        let Some(codel) = longest else { return vec![] };
        // Half the packets, up to 64, from the head.
        let half = codel.line.len().div_ceil(2);
        codel.line.drain(..half.min(64)).map(|(_, packet)| packet).collect()
    }

    fn next(&mut self, now: Time) -> (Vec<Packet>, Option<Packet>) {
        let mut all_dropped = Vec::new();
        while let Some(index) = self.turns.current() {
            let others = self.bytes() - self.queues[&index].bytes();
            let (dropped, packet) = self.queues.get_mut(&index).expect("a queue").dequeue(now, others);
            all_dropped.extend(dropped);
            self.turns.on_served(index, packet.as_ref().map(|packet| packet.bytes));
            if packet.is_some() {
                return (all_dropped, packet);
            }
        }
        (all_dropped, None)
    }

    fn packets(&self) -> usize {
        self.queues.values().map(|codel| codel.line.len()).sum()
    }
}

/// RFC 8033 in the queues of RFC 8290: each queue, when its packets came, and how long the last to leave had waited.
pub struct FqPie {
    spec: DisciplineSpec,
    queues: BTreeMap<usize, (Pie, VecDeque<Time>, f64)>,
    turns: Turns,
}

impl FqPie {
    /// Empty queues.
    pub fn new(spec: &DisciplineSpec, mut stream: Stream) -> FqPie {
        FqPie { spec: *spec, queues: BTreeMap::new(), turns: Turns::new(spec, stream.up_to(u64::MAX)) }
    }

    fn bytes(&self) -> u64 {
        self.queues.values().map(|(pie, ..)| bytes_of(pie.line.iter())).sum()
    }

    fn tick(&mut self, now: Time) {
        for (pie, _, delay) in self.queues.values_mut() {
            pie.tick_at(now, *delay);
        }
    }
}

impl Discipline for FqPie {
    fn arrive(&mut self, now: Time, mut packet: Packet, fits: Fits) -> Vec<Packet> {
        let has_room = fits(self.packets(), self.bytes(), packet.bytes);
        let index = self.turns.queue_of(&packet);
        let stream = Stream::named(self.turns.perturbation, format_args!("queue{index}"));
        let empty = || (Pie::new(&self.spec, None, stream), VecDeque::new(), 0.0);
        self.queues.entry(index).or_insert_with(empty);
        self.tick(now);
        let (pie, came, _) = self.queues.get_mut(&index).expect("a queue");
        if !has_room {
            pie.accu_prob = 0.0;
        }
        if !has_room || pie.refuses(&mut packet) {
            return vec![packet];
        }
        pie.line.push_back(packet);
        came.push_back(now);
        self.turns.on_arrived(index);
        vec![]
    }

    fn next(&mut self, now: Time) -> (Vec<Packet>, Option<Packet>) {
        self.tick(now);
        while let Some(index) = self.turns.current() {
            let (pie, came, delay) = self.queues.get_mut(&index).expect("a queue");
            let packet = pie.line.pop_front();
            if let Some(at) = came.pop_front() {
                *delay = if came.is_empty() { 0.0 } else { (now - at).as_secs_f64() };
            }
            self.turns.on_served(index, packet.as_ref().map(|packet| packet.bytes));
            if packet.is_some() {
                return (vec![], packet);
            }
        }
        (vec![], None)
    }

    fn packets(&self) -> usize {
        self.queues.values().map(|(pie, ..)| pie.line.len()).sum()
    }
}
