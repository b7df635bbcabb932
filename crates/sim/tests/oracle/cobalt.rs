//! COBALT written down once more, step by step as Linux's `sch_cake` takes them, in signed nanoseconds.

use std::collections::VecDeque;

use net::DisciplineSpec;
use units::{Stream, Time};

use super::disciplines::{bytes_of, mark, Discipline, Fits};
use super::link::Packet;

/// One queue.
pub struct Cobalt {
    /// Its packets, and when they came.
    pub line: VecDeque<(Time, Packet)>,
    target: i64,
    interval: i64,
    increment: f64,
    decrement: f64,
    stream: Stream,
    mtu_ns: i64,
    count: u64,
    dropping: bool,
    drop_next: i64,
    p_drop: f64,
    blue_timer: i64,
}

impl Cobalt {
    /// An empty queue.
    pub fn new(spec: &DisciplineSpec, rate: u64, stream: Stream) -> Cobalt {
        let steps = (spec.value("increment"), spec.value("decrement"));
        let mtu_ns = (12_000 * 1_000_000_000 / rate) as i64;
        Cobalt::made(spec.duration("target_s").0 as i64, spec.duration("interval_s").0 as i64, steps, mtu_ns, stream)
    }

    /// One of CAKE's, which counts the header of Ethernet and fits the target to the rate.
    pub fn of_cake(spec: &DisciplineSpec, rate: u64, stream: Stream) -> Cobalt {
        let mtu_ns = (1514 * 8 * 1_000_000_000 / rate) as i64;
        let asked = spec.duration("target_s").0 as i64;
        let target = i64::max(mtu_ns * 3 / 2, asked);
        let interval = i64::max(spec.duration("interval_s").0 as i64 + target - asked, 2 * target);
        Cobalt::made(target, interval, (1.0 / 256.0, 1.0 / 4096.0), mtu_ns, stream)
    }

    fn made(target: i64, interval: i64, (increment, decrement): (f64, f64), mtu_ns: i64, stream: Stream) -> Cobalt {
        Cobalt {
            line: VecDeque::new(),
            target,
            interval,
            increment,
            decrement,
            stream,
            mtu_ns,
            count: 0,
            dropping: false,
            drop_next: 0,
            p_drop: 0.0,
            blue_timer: i64::MIN / 2,
        }
    }

    /// Bytes in line.
    pub fn bytes(&self) -> u64 {
        bytes_of(self.line.iter().map(|(_, packet)| packet))
    }

    /// Nothing is left of what it learned.
    pub fn is_at_rest(&self, now: i64) -> bool {
        self.p_drop == 0.0 && self.count == 0 && now >= self.drop_next
    }

    /// The queue overflowed.
    pub fn on_full(&mut self, now: i64) {
        if now - self.blue_timer > self.target {
            self.p_drop = f64::min(1.0, self.p_drop + self.increment);
            self.blue_timer = now;
        }
        self.dropping = true;
        self.drop_next = now;
        self.count = self.count.max(1);
    }

    fn control(&self, t: i64) -> i64 {
        let interval = self.interval as f64;
        t + if self.count < 2 { interval } else { interval / (self.count as f64).sqrt() } as i64
    }

    fn should_drop(&mut self, now: i64, arrived: i64, packet: &mut Packet) -> bool {
        let mut schedule = now - self.drop_next;
        let mut next_due = self.count > 0 && schedule >= 0;
        if now - arrived > self.target && now - arrived > 4 * self.mtu_ns {
            if !self.dropping {
                self.dropping = true;
                self.drop_next = self.control(now);
            }
            self.count = self.count.max(1);
        } else {
            self.dropping = false;
        }
        let mut drop = false;
        if next_due && self.dropping {
            drop = !mark(packet);
            self.count += 1;
            self.drop_next = self.control(self.drop_next);
            schedule = now - self.drop_next;
        } else {
            while next_due {
                self.count -= 1;
                self.drop_next = self.control(self.drop_next);
                schedule = now - self.drop_next;
                next_due = self.count > 0 && schedule >= 0;
            }
        }
        if self.p_drop > 0.0 && self.stream.unit() < self.p_drop {
            drop = true;
        }
        if self.count == 0 {
            self.drop_next = now + self.interval;
        } else if schedule > 0 && !drop {
            self.drop_next = now;
        }
        drop
    }
}

impl Discipline for Cobalt {
    fn arrive(&mut self, now: Time, packet: Packet, fits: Fits) -> Vec<Packet> {
        let has_room = fits(self.line.len(), self.bytes(), packet.bytes);
        self.line.push_back((now, packet));
        if has_room {
            return vec![];
        }
        self.on_full(now.0 as i64);
        self.line.pop_front().map(|(_, packet)| packet).into_iter().collect()
    }

    fn next(&mut self, now: Time) -> (Vec<Packet>, Option<Packet>) {
        let (now, mut dropped) = (now.0 as i64, Vec::new());
        while let Some((arrived, mut packet)) = self.line.pop_front() {
            if !self.should_drop(now, arrived.0 as i64, &mut packet) || self.line.is_empty() {
                return (dropped, Some(packet));
            }
            dropped.push(packet);
        }
        if self.p_drop > 0.0 && now - self.blue_timer > self.target {
            self.p_drop = f64::max(0.0, self.p_drop - self.decrement);
            self.blue_timer = now;
        }
        self.dropping = false;
        if self.count > 0 && now >= self.drop_next {
            self.count -= 1;
            self.drop_next = self.control(self.drop_next);
        }
        (dropped, None)
    }

    fn packets(&self) -> usize {
        self.line.len()
    }
}
