//! CoDel and FQ-CoDel written down once more, from the RFCs' pseudocode.

use std::collections::{BTreeMap, VecDeque};

use net::queue::bucket;
use net::DisciplineSpec;
use units::{Stream, Time};

use super::disciplines::{bytes_of, mark, Discipline, Fits};
use super::link::{Load, Packet};

/// RFC 8289.
#[derive(Clone)]
pub struct Codel {
    line: VecDeque<(Time, Packet)>,
    target: Time,
    interval: Time,
    first_above_time: u64,
    drop_next: u64,
    count: u64,
    lastcount: u64,
    dropping: bool,
}

impl Codel {
    /// An empty queue.
    pub fn new(spec: &DisciplineSpec) -> Codel {
        let (target, interval) = (spec.time("target_s"), spec.time("interval_s"));
        let line = VecDeque::new();
        Codel { line, target, interval, first_above_time: 0, drop_next: 0, count: 0, lastcount: 0, dropping: false }
    }

    fn bytes(&self) -> u64 {
        bytes_of(self.line.iter().map(|(_, packet)| packet))
    }

    fn control_law(&self, t: u64) -> u64 {
        t + (self.interval.0 as f64 / (self.count as f64).sqrt()) as u64
    }

    /// `dodequeue`: the packet, and whether it is fine to drop it.
    fn dodequeue(&mut self, now: u64, others: u64) -> (Option<Packet>, bool) {
        let Some((arrived, packet)) = self.line.pop_front() else {
            self.first_above_time = 0;
            return (None, false);
        };
        let mut ok_to_drop = false;
        if now - arrived.0 < self.target.0 || self.bytes() + others <= 1500 {
            self.first_above_time = 0;
        } else if self.first_above_time == 0 {
            self.first_above_time = now + self.interval.0;
        } else {
            ok_to_drop = now >= self.first_above_time;
        }
        (Some(packet), ok_to_drop)
    }

    /// `dequeue`, with marks in the place of drops.
    fn dequeue(&mut self, now: Time, others: u64) -> (Vec<Packet>, Option<Packet>) {
        let now = now.0;
        let mut dropped = Vec::new();
        let (mut packet, mut ok_to_drop) = self.dodequeue(now, others);
        if self.dropping {
            if !ok_to_drop {
                self.dropping = false;
            }
            while now >= self.drop_next && self.dropping {
                if packet.as_mut().is_some_and(mark) {
                    self.count += 1;
                    self.drop_next = self.control_law(self.drop_next);
                    return (dropped, packet);
                }
                dropped.extend(packet);
                (packet, ok_to_drop) = self.dodequeue(now, others);
                if ok_to_drop {
                    self.count += 1;
                    self.drop_next = self.control_law(self.drop_next);
                } else {
                    self.dropping = false;
                }
            }
        } else if ok_to_drop {
            if !packet.as_mut().is_some_and(mark) {
                dropped.extend(packet);
                (packet, _) = self.dodequeue(now, others);
            }
            self.dropping = true;
            let delta = self.count - self.lastcount;
            let is_recent = now < self.drop_next + 16 * self.interval.0;
            self.count = if delta > 1 && is_recent { delta } else { 1 };
            self.drop_next = self.control_law(now);
            self.lastcount = self.count;
        }
        (dropped, packet)
    }
}

impl Discipline for Codel {
    fn arrive(&mut self, now: Time, packet: Packet, fits: Fits) -> Vec<Packet> {
        if !fits(self.line.len(), self.bytes(), packet.bytes) {
            return vec![packet];
        }
        self.line.push_back((now, packet));
        vec![]
    }

    fn next(&mut self, now: Time) -> (Vec<Packet>, Option<Packet>) {
        self.dequeue(now, 0)
    }

    fn packets(&self) -> usize {
        self.line.len()
    }
}

/// RFC 8290.
pub struct FqCodel {
    template: Codel,
    queues: BTreeMap<usize, (Codel, i64)>,
    new: VecDeque<usize>,
    old: VecDeque<usize>,
    quantum: i64,
    hashed_to: usize,
    perturbation: u64,
}

impl FqCodel {
    /// Empty queues.
    pub fn new(spec: &DisciplineSpec, mut stream: Stream) -> FqCodel {
        FqCodel {
            template: Codel::new(spec),
            queues: BTreeMap::new(),
            new: VecDeque::new(),
            old: VecDeque::new(),
            quantum: spec.value("quantum") as i64,
            hashed_to: spec.value("flows") as usize,
            perturbation: stream.up_to(u64::MAX),
        }
    }

    fn bytes(&self) -> u64 {
        self.queues.values().map(|(codel, _)| codel.bytes()).sum()
    }
}

impl Discipline for FqCodel {
    fn arrive(&mut self, now: Time, packet: Packet, fits: Fits) -> Vec<Packet> {
        let has_room = fits(self.packets(), self.bytes(), packet.bytes);
        let direction = u32::from(matches!(packet.load, Load::Ack { .. }));
        let index = bucket(2 * packet.connection as u32 + direction, self.perturbation, self.hashed_to);
        let (codel, credits) = self.queues.entry(index).or_insert_with(|| (self.template.clone(), 0));
        codel.line.push_back((now, packet));
        if !self.new.contains(&index) && !self.old.contains(&index) {
            *credits = self.quantum;
            self.new.push_back(index);
        }
        if has_room {
            return vec![];
        }
        let most = self.queues.values().map(|(codel, _)| codel.bytes()).max();
        let longest = self.queues.values_mut().find(|(codel, _)| Some(codel.bytes()) == most);
        longest.and_then(|(codel, _)| codel.line.pop_front()).map(|(_, packet)| packet).into_iter().collect()
    }

    fn next(&mut self, now: Time) -> (Vec<Packet>, Option<Packet>) {
        let mut all_dropped = Vec::new();
        loop {
            let Some(&index) = self.new.front().or(self.old.front()) else { return (all_dropped, None) };
            let is_new = !self.new.is_empty();
            let others = self.bytes() - self.queues[&index].0.bytes();
            let (codel, credits) = self.queues.get_mut(&index).expect("a queue on a list");
            let mut leaves_list = |to_old: bool| {
                if is_new {
                    self.new.pop_front();
                } else {
                    self.old.pop_front();
                }
                if to_old {
                    self.old.push_back(index);
                }
            };
            if *credits <= 0 {
                *credits += self.quantum;
                leaves_list(true);
                continue;
            }
            let (dropped, packet) = codel.dequeue(now, others);
            all_dropped.extend(dropped);
            if let Some(packet) = packet {
                *credits -= i64::from(packet.bytes);
                return (all_dropped, Some(packet));
            }
            leaves_list(is_new);
        }
    }

    fn packets(&self) -> usize {
        self.queues.values().map(|(codel, _)| codel.line.len()).sum()
    }
}
