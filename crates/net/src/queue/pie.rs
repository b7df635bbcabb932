//! PIE: drops arriving packets at random, with a probability that a proportional-integral controller moves towards a target delay.
//!
//! Source: RFC 8033 (Pan and others 2017), names of appendix A; the enhancements of section 5: ECN (5.1), random drops spread evenly
//! (5.4), a cap on the growth of the probability (5.5). Times in nanoseconds or seconds. State: the probability, the delay at the
//! latest update, the burst allowance. The queue's delay is its bytes over the link's rate (section 4.3, with a rate that is known).

use units::{Rate, Stream, Time};

use super::{DisciplineSpec, Line, Queued, Room};

const MEAN_PKTSIZE: u64 = 1500;
/// Section 5.4: no drop before this much probability has accumulated since the last, and no later than that much.
const ACCUMULATED_MIN: f64 = 0.85;
const ACCUMULATED_MAX: f64 = 8.5;

/// PIE's numbers.
#[derive(Clone, Copy, Debug)]
pub(crate) struct PieSpec {
    qdelay_ref_s: f64,
    t_update: Time,
    max_burst: Time,
    /// Per second.
    alpha: f64,
    beta: f64,
    /// Above this probability ECN-capable packets are dropped too.
    mark_ecnth: f64,
    rate: Rate,
}

impl PieSpec {
    pub(crate) fn new(spec: &DisciplineSpec, rate: Rate) -> PieSpec {
        PieSpec {
            qdelay_ref_s: spec.value("target_s"),
            t_update: spec.time("t_update_s"),
            max_burst: spec.time("max_burst_s"),
            alpha: spec.value("alpha"),
            beta: spec.value("beta"),
            mark_ecnth: spec.value("ecn_max_p"),
            rate,
        }
    }
}

/// The law.
#[derive(Clone, Debug)]
pub(crate) struct Pie {
    spec: PieSpec,
    drop_prob: f64,
    accu_prob: f64,
    qdelay_old_s: f64,
    burst_allowance: Time,
    updates_at: Time,
    stream: Stream,
}

impl Pie {
    pub(crate) fn new(spec: PieSpec, stream: Stream) -> Pie {
        let (burst_allowance, updates_at) = (spec.max_burst, spec.t_update);
        Pie { spec, drop_prob: 0.0, accu_prob: 0.0, qdelay_old_s: 0.0, burst_allowance, updates_at, stream }
    }

    /// The updates that were due up to `now`, with a queue that has held `bytes` since the last call.
    pub(crate) fn catch_up(&mut self, now: Time, bytes: u64) {
        let qdelay_s = bytes as f64 * 8.0 / self.spec.rate.0 as f64;
        while self.updates_at <= now {
            if qdelay_s == 0.0 && self.qdelay_old_s == 0.0 && self.drop_prob == 0.0 {
                // Nothing changes in an idle queue.
                self.burst_allowance = self.spec.max_burst;
                let updates = (now - self.updates_at).0 / self.spec.t_update.0 + 1;
                self.updates_at += Time(updates * self.spec.t_update.0);
                return;
            }
            self.updates_at += self.spec.t_update;
            self.update(qdelay_s);
        }
    }

    /// Sections 4.2 and 4.4.
    fn update(&mut self, qdelay_s: f64) {
        let PieSpec { qdelay_ref_s, alpha, beta, .. } = self.spec;
        let mut p = alpha * (qdelay_s - qdelay_ref_s) + beta * (qdelay_s - self.qdelay_old_s);
        p /= match self.drop_prob {
            d if d < 0.000_001 => 2048.0,
            d if d < 0.000_01 => 512.0,
            d if d < 0.000_1 => 128.0,
            d if d < 0.001 => 32.0,
            d if d < 0.01 => 8.0,
            d if d < 0.1 => 2.0,
            _ => 1.0,
        };
        if self.drop_prob >= 0.1 && p > 0.02 {
            p = 0.02;
        }
        self.drop_prob += p;
        if qdelay_s == 0.0 && self.qdelay_old_s == 0.0 {
            self.drop_prob *= 0.98;
        }
        self.drop_prob = self.drop_prob.clamp(0.0, 1.0);
        let is_calm = self.drop_prob == 0.0 && qdelay_s < qdelay_ref_s / 2.0 && self.qdelay_old_s < qdelay_ref_s / 2.0;
        self.qdelay_old_s = qdelay_s;
        self.burst_allowance = if is_calm { self.spec.max_burst } else { self.burst_allowance.since(self.spec.t_update) };
    }

    /// Sections 4.1 and 5.4: whether a packet that meets `bytes` is dropped, or marked.
    pub(crate) fn drops_early(&mut self, bytes: u64) -> bool {
        let is_light = self.qdelay_old_s < self.spec.qdelay_ref_s / 2.0 && self.drop_prob < 0.2;
        if self.burst_allowance > Time::ZERO || is_light || bytes <= 2 * MEAN_PKTSIZE {
            return false;
        }
        self.accu_prob = if self.drop_prob == 0.0 { 0.0 } else { self.accu_prob + self.drop_prob };
        if self.accu_prob < ACCUMULATED_MIN {
            return false;
        }
        if self.accu_prob < ACCUMULATED_MAX && self.stream.unit() >= self.drop_prob {
            return false;
        }
        self.accu_prob = 0.0;
        true
    }

    /// Section 5.1: marks a packet instead of dropping it while the probability is low.
    pub(crate) fn marks<T>(&self, packet: &mut Queued<T>) -> bool {
        self.drop_prob < self.spec.mark_ecnth && packet.mark()
    }
}

/// One queue under PIE.
#[derive(Clone, Debug)]
pub(crate) struct PieQueue<T> {
    line: Line<T>,
    pie: Pie,
}

impl<T> PieQueue<T> {
    pub(crate) fn new(spec: PieSpec, stream: Stream) -> PieQueue<T> {
        PieQueue { line: Line::default(), pie: Pie::new(spec, stream) }
    }

    pub(crate) fn enqueue(&mut self, now: Time, mut packet: Queued<T>, room: Room, dropped: &mut Vec<Queued<T>>) {
        self.pie.catch_up(now, self.line.bytes());
        let is_refused = !self.line.has_room(room, &packet) || self.pie.drops_early(self.line.bytes()) && !self.pie.marks(&mut packet);
        if is_refused {
            dropped.push(packet);
        } else {
            self.line.push(packet);
        }
    }

    pub(crate) fn dequeue(&mut self, now: Time, _dropped: &mut Vec<Queued<T>>) -> Option<Queued<T>> {
        self.pie.catch_up(now, self.line.bytes());
        self.line.pop()
    }

    pub(crate) fn packets(&self) -> usize {
        self.line.packets()
    }

    pub(crate) fn bytes(&self) -> u64 {
        self.line.bytes()
    }
}
