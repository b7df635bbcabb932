//! COBALT written down once more, step by step as Linux's `sch_cake` takes them, in signed nanoseconds.

use std::collections::VecDeque;

use net::DisciplineSpec;
use units::{Stream, Time};

use super::disciplines::{bytes_of, mark, Discipline, Fits};
use super::link::Packet;

/// One queue.
pub struct Cobalt {
    line: VecDeque<(Time, Packet)>,
    spec: DisciplineSpec,
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
        let mtu_ns = (12_000 * 1_000_000_000 / rate) as i64;
        let line = VecDeque::new();
        Cobalt { line, spec: *spec, stream, mtu_ns, count: 0, dropping: false, drop_next: 0, p_drop: 0.0, blue_timer: 0 }
    }

    fn control(&self, t: i64) -> i64 {
        let interval = self.spec.duration("interval_s").0 as f64;
        t + if self.count < 2 { interval } else { interval / (self.count as f64).sqrt() } as i64
    }

    fn target(&self) -> i64 {
        self.spec.duration("target_s").0 as i64
    }

    fn should_drop(&mut self, now: i64, arrived: i64, packet: &mut Packet) -> bool {
        let mut schedule = now - self.drop_next;
        let mut next_due = self.count > 0 && schedule >= 0;
        if now - arrived > self.target() && now - arrived > 4 * self.mtu_ns {
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
            self.drop_next = now + self.spec.duration("interval_s").0 as i64;
        } else if schedule > 0 && !drop {
            self.drop_next = now;
        }
        drop
    }
}

impl Discipline for Cobalt {
    fn arrive(&mut self, now: Time, packet: Packet, fits: Fits) -> Vec<Packet> {
        let has_room = fits(self.line.len(), bytes_of(self.line.iter().map(|(_, packet)| packet)), packet.bytes);
        self.line.push_back((now, packet));
        if has_room {
            return vec![];
        }
        let now = now.0 as i64;
        if now - self.blue_timer > self.target() {
            self.p_drop = f64::min(1.0, self.p_drop + self.spec.value("increment"));
            self.blue_timer = now;
        }
        self.dropping = true;
        self.drop_next = now;
        self.count = self.count.max(1);
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
        if self.p_drop > 0.0 && now - self.blue_timer > self.target() {
            self.p_drop = f64::max(0.0, self.p_drop - self.spec.value("decrement"));
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
