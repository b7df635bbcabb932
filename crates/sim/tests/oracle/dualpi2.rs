//! DualPI2 written down once more, from the RFC's pseudocode, updated at every multiple of its interval.

use std::collections::VecDeque;

use net::DisciplineSpec;
use units::Time;

use super::disciplines::{bytes_of, mark, Discipline, Fits};
use super::link::Packet;

#[derive(Default)]
struct Queue {
    line: VecDeque<(Time, Packet)>,
    count: f64,
}

impl Queue {
    fn time(&self, now_ns: u64) -> f64 {
        self.line.front().map_or(0.0, |(arrived, _)| Time(now_ns).since(*arrived).as_secs_f64())
    }

    fn recur(&mut self, likelihood: f64) -> bool {
        self.count += likelihood;
        if self.count > 1.0 {
            self.count -= 1.0;
            return true;
        }
        false
    }

    fn bytes(&self) -> u64 {
        bytes_of(self.line.iter().map(|(_, packet)| packet))
    }
}

/// RFC 9332, figures 3, 7 and 8.
pub struct DualPi2 {
    spec: DisciplineSpec,
    lq: Queue,
    cq: Queue,
    p: f64,
    prevq: f64,
    ticks: u64,
    credit: f64,
}

impl DualPi2 {
    /// Empty queues.
    pub fn new(spec: &DisciplineSpec) -> DualPi2 {
        DualPi2 { spec: *spec, lq: Queue::default(), cq: Queue::default(), p: 0.0, prevq: 0.0, ticks: 0, credit: 0.0 }
    }

    fn tick(&mut self, now: Time) {
        let period = self.spec.duration("t_update_s").0;
        while (self.ticks + 1) * period <= now.0 {
            self.ticks += 1;
            let at = self.ticks * period;
            let curq = f64::max(self.cq.time(at), self.lq.time(at));
            let (alpha, beta) = (self.spec.value("alpha"), self.spec.value("beta"));
            self.p = self.p + alpha * (curq - self.spec.value("target_s")) + beta * (curq - self.prevq);
            self.p = self.p.clamp(0.0, 1.0);
            self.prevq = curq;
        }
    }

    fn laqm(&self, qdelay: f64) -> f64 {
        let (min_th, range) = (self.spec.value("min_th_s"), self.spec.value("range_s"));
        match qdelay {
            q if q >= min_th + range => 1.0,
            q if q > min_th => (q - min_th) / range,
            _ => 0.0,
        }
    }

    /// Weighted round robin by bytes.
    fn schedules_l4s(&mut self) -> bool {
        match (self.lq.line.front(), self.cq.line.front()) {
            (Some((_, l4s)), Some((_, classic))) => {
                let share = self.spec.value("classic_share");
                if self.credit < 0.0 {
                    self.credit += (1.0 - share) * f64::from(classic.bytes);
                    return false;
                }
                self.credit += -share * f64::from(l4s.bytes);
                true
            }
            (l4s, _) => l4s.is_some(),
        }
    }
}

impl Discipline for DualPi2 {
    fn arrive(&mut self, now: Time, packet: Packet, fits: Fits) -> Vec<Packet> {
        self.tick(now);
        if !fits(self.packets(), self.lq.bytes() + self.cq.bytes(), packet.bytes) {
            return vec![packet];
        }
        let queue = if packet.is_l4s { &mut self.lq } else { &mut self.cq };
        queue.line.push_back((now, packet));
        vec![]
    }

    fn next(&mut self, now: Time) -> (Vec<Packet>, Option<Packet>) {
        self.tick(now);
        let mut dropped = Vec::new();
        let (k, p_c) = (self.spec.value("k"), self.p * self.p);
        let p_cl = k * self.p;
        while self.packets() > 0 {
            if self.schedules_l4s() {
                let (arrived, mut packet) = self.lq.line.pop_front().expect("a packet");
                if p_cl < 1.0 {
                    let alone = self.lq.line.len() <= 1;
                    let native = if alone { 0.0 } else { self.laqm((now - arrived).as_secs_f64()) };
                    if self.lq.recur(native.max(p_cl)) {
                        mark(&mut packet);
                    }
                } else {
                    if self.lq.recur(p_c) {
                        dropped.push(packet);
                        continue;
                    }
                    if self.lq.recur(p_cl) {
                        mark(&mut packet);
                    }
                }
                return (dropped, Some(packet));
            }
            let (_, mut packet) = self.cq.line.pop_front().expect("a packet");
            if self.cq.recur(p_c) && (p_c >= f64::min(1.0 / (k * k), 1.0) || !mark(&mut packet)) {
                dropped.push(packet);
                continue;
            }
            return (dropped, Some(packet));
        }
        self.credit = 0.0;
        (dropped, None)
    }

    fn packets(&self) -> usize {
        self.lq.line.len() + self.cq.line.len()
    }
}
