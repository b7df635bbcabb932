//! PIE written down once more, from the RFC's pseudocode.

use std::collections::VecDeque;

use net::DisciplineSpec;
use units::{Stream, Time};

use super::disciplines::{bytes_of, mark, Discipline, Fits};
use super::link::Packet;

/// RFC 8033 with its enhancements.
pub struct Pie {
    /// Packets in line.
    pub line: VecDeque<Packet>,
    stream: Stream,
    spec: DisciplineSpec,
    /// Of a link of one rate; on another packets tell how long they waited.
    rate: Option<u64>,
    came: VecDeque<Time>,
    waited: f64,
    ticks: u64,
    drop_prob: f64,
    /// Reset by every drop.
    pub accu_prob: f64,
    qdelay_old: f64,
    burst_ns: i64,
}

impl Pie {
    /// An empty queue.
    pub fn new(spec: &DisciplineSpec, rate: Option<u64>, stream: Stream) -> Pie {
        let burst_ns = spec.duration("max_burst_s").0 as i64;
        let (line, came) = (VecDeque::new(), VecDeque::new());
        Pie { line, stream, spec: *spec, rate, came, waited: 0.0, ticks: 0, drop_prob: 0.0, accu_prob: 0.0, qdelay_old: 0.0, burst_ns }
    }

    fn tick(&mut self, now: Time) {
        let bytes = bytes_of(self.line.iter()) as f64;
        self.tick_at(now, self.rate.map_or(self.waited, |rate| 8.0 * bytes / rate as f64));
    }

    /// The updates up to `now` of a queue with this delay.
    pub fn tick_at(&mut self, now: Time, qdelay: f64) {
        let period = self.spec.duration("t_update_s").0;
        let target = self.spec.value("target_s");
        while (self.ticks + 1) * period <= now.0 {
            self.ticks += 1;
            let mut p = self.spec.value("alpha") * (qdelay - target) + self.spec.value("beta") * (qdelay - self.qdelay_old);
            let steps = [(0.000_001, 2048.0), (0.000_01, 512.0), (0.000_1, 128.0), (0.001, 32.0), (0.01, 8.0), (0.1, 2.0)];
            if let Some((_, divisor)) = steps.iter().find(|(below, _)| self.drop_prob < *below) {
                p /= divisor;
            }
            if self.drop_prob >= 0.1 {
                p = p.min(0.02);
            }
            self.drop_prob += p;
            if qdelay == 0.0 && self.qdelay_old == 0.0 {
                self.drop_prob *= 0.98;
            }
            self.drop_prob = self.drop_prob.clamp(0.0, 1.0);
            self.burst_ns = (self.burst_ns - period as i64).max(0);
            if self.drop_prob == 0.0 && qdelay < target / 2.0 && self.qdelay_old < target / 2.0 {
                self.burst_ns = self.spec.duration("max_burst_s").0 as i64;
            }
            self.qdelay_old = qdelay;
        }
    }

    fn hits(&mut self) -> bool {
        if self.burst_ns > 0 || (self.qdelay_old < self.spec.value("target_s") / 2.0 && self.drop_prob < 0.2) {
            return false;
        }
        if bytes_of(self.line.iter()) <= 3000 {
            return false;
        }
        if self.drop_prob == 0.0 {
            self.accu_prob = 0.0;
        }
        self.accu_prob += self.drop_prob;
        let is_hit = self.accu_prob >= 0.85 && (self.accu_prob >= 8.5 || self.stream.unit() < self.drop_prob);
        if is_hit {
            self.accu_prob = 0.0;
        }
        is_hit
    }

    /// Whether a packet that arrives is dropped at random; it may be marked instead.
    pub fn refuses(&mut self, packet: &mut Packet) -> bool {
        self.hits() && !(self.drop_prob < self.spec.value("ecn_max_p") && mark(packet))
    }
}

impl Discipline for Pie {
    fn arrive(&mut self, now: Time, mut packet: Packet, fits: Fits) -> Vec<Packet> {
        self.tick(now);
        if !fits(self.line.len(), bytes_of(self.line.iter()), packet.bytes) {
            self.accu_prob = 0.0;
            return vec![packet];
        }
        if self.refuses(&mut packet) {
            return vec![packet];
        }
        self.line.push_back(packet);
        self.came.push_back(now);
        vec![]
    }

    fn next(&mut self, now: Time) -> (Vec<Packet>, Option<Packet>) {
        self.tick(now);
        if let Some(came) = self.came.pop_front() {
            self.waited = if self.came.is_empty() { 0.0 } else { (now - came).as_secs_f64() };
        }
        (vec![], self.line.pop_front())
    }

    fn packets(&self) -> usize {
        self.line.len()
    }
}
