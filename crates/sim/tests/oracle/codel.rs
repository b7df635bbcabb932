//! CoDel written down once more, from the RFC's pseudocode.

use std::collections::VecDeque;

use net::DisciplineSpec;
use units::{Duration, Time};

use super::disciplines::{bytes_of, mark, Discipline, Fits};
use super::link::Packet;

/// RFC 8289.
#[derive(Clone)]
pub struct Codel {
    /// Packets and when they came.
    pub line: VecDeque<(Time, Packet)>,
    target: Duration,
    interval: Duration,
    first_above_time: u64,
    drop_next: u64,
    count: u64,
    lastcount: u64,
    dropping: bool,
}

impl Codel {
    /// An empty queue.
    pub fn new(spec: &DisciplineSpec) -> Codel {
        let (target, interval) = (spec.duration("target_s"), spec.duration("interval_s"));
        let line = VecDeque::new();
        Codel { line, target, interval, first_above_time: 0, drop_next: 0, count: 0, lastcount: 0, dropping: false }
    }

    /// Bytes in line.
    pub fn bytes(&self) -> u64 {
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
    pub fn dequeue(&mut self, now: Time, others: u64) -> (Vec<Packet>, Option<Packet>) {
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
                self.count += 1;
                (packet, ok_to_drop) = self.dodequeue(now, others);
                if ok_to_drop {
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
