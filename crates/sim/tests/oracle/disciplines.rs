//! Queue disciplines written down once more, from their sources' pseudocode: plain lists, floating-point seconds where the source
//! has them, no state kept that could be computed. They share with the simulator's only the parameters and the hash of a flow.

use std::collections::VecDeque;

use net::DisciplineSpec;
use tcp::EcnBits;
use units::{Stream, Time};

use super::cake::Cake;
use super::cobalt::Cobalt;
use super::codel::Codel;
use super::dualpi2::DualPi2;
use super::fair::{Fq, FqCodel, FqPie};
use super::link::{Load, Packet};
use super::pie::Pie;

/// Whether a packet of so many bytes fits behind so many packets and bytes.
pub type Fits<'a> = &'a dyn Fn(usize, u64, u32) -> bool;

/// A queue before a link.
pub trait Discipline {
    /// A packet arrives: what is dropped.
    fn arrive(&mut self, now: Time, packet: Packet, fits: Fits) -> Vec<Packet>;
    /// The link is free: what is dropped, and what it transmits.
    fn next(&mut self, now: Time) -> (Vec<Packet>, Option<Packet>);
    /// When what is left may leave, if nothing might now.
    fn waits_until(&self) -> Option<Time> {
        None
    }
    /// Packets in line.
    fn packets(&self) -> usize;
}

/// The discipline of a link of `rate` bit/s, always or to begin with.
pub fn make(spec: &DisciplineSpec, rate: u64, is_constant: bool, stream: Stream) -> Box<dyn Discipline> {
    match spec.name() {
        "drop-head" => Box::new(DropHead(VecDeque::new())),
        "ack-filter" => Box::new(AckFilter(Vec::new())),
        "red" => Box::new(Red::new(spec, rate, stream)),
        "ared" => Box::new(Red::adaptive(spec, rate, stream)),
        "pie" => Box::new(Pie::new(spec, is_constant.then_some(rate), stream)),
        "codel" => Box::new(Codel::new(spec)),
        "policer" => Box::new(Policer(VecDeque::new(), Gcra::new(spec))),
        "shaper" => Box::new(Shaper(VecDeque::new(), Gcra::new(spec))),
        "cobalt" => Box::new(Cobalt::new(spec, rate, stream)),
        "cake" => Box::new(Cake::new(spec, rate, stream)),
        "fq" => Box::new(Fq::new(spec, stream)),
        "fq-codel" => Box::new(FqCodel::new(spec, stream)),
        "fq-pie" => Box::new(FqPie::new(spec, stream)),
        "dualpi2" => Box::new(DualPi2::new(spec)),
        name => panic!("the textbook has no {name}: write it down once more here"),
    }
}

/// Bytes of all these packets.
pub fn bytes_of<'a>(packets: impl Iterator<Item = &'a Packet>) -> u64 {
    packets.map(|packet| u64::from(packet.bytes)).sum()
}

/// Whether the packet could be marked, and is now.
pub fn mark(packet: &mut Packet) -> bool {
    match &mut packet.load {
        Load::Segment { ecn: Some(EcnBits { ce, .. }), .. } => {
            *ce = true;
            true
        }
        _ => false,
    }
}

struct DropHead(VecDeque<Packet>);

impl Discipline for DropHead {
    fn arrive(&mut self, _now: Time, packet: Packet, fits: Fits) -> Vec<Packet> {
        let arriving = packet.bytes;
        self.0.push_back(packet);
        let mut dropped = Vec::new();
        while !self.0.is_empty() && !fits(self.0.len() - 1, bytes_of(self.0.iter()) - u64::from(arriving), arriving) {
            dropped.extend(self.0.pop_front());
            if self.0.is_empty() {
                break;
            }
        }
        dropped
    }

    fn next(&mut self, _now: Time) -> (Vec<Packet>, Option<Packet>) {
        (vec![], self.0.pop_front())
    }

    fn packets(&self) -> usize {
        self.0.len()
    }
}

/// Balakrishnan, Padmanabhan and Katz 1997.
struct AckFilter(Vec<Packet>);

impl Discipline for AckFilter {
    fn arrive(&mut self, _now: Time, packet: Packet, fits: Fits) -> Vec<Packet> {
        let Load::Ack { ack, .. } = packet.load else { return self.append(packet, fits) };
        if ack.is_syn_ack() {
            return self.append(packet, fits);
        }
        let is_old = |waiting: &Packet| match &waiting.load {
            Load::Ack { ack: old, sack } if sack.is_none_or(|sack| !sack.tells_of_disorder()) => {
                waiting.connection == packet.connection && old.cumulative < ack.cumulative && old.ecn == ack.ecn
            }
            _ => false,
        };
        let mut line = Vec::new();
        let mut gone = Vec::new();
        for waiting in std::mem::take(&mut self.0) {
            if !is_old(&waiting) {
                line.push(waiting);
            } else {
                if gone.is_empty() {
                    line.push(packet.clone());
                }
                gone.push(waiting);
            }
        }
        self.0 = line;
        if gone.is_empty() {
            self.append(packet, fits)
        } else {
            gone
        }
    }

    fn next(&mut self, _now: Time) -> (Vec<Packet>, Option<Packet>) {
        (vec![], (!self.0.is_empty()).then(|| self.0.remove(0)))
    }

    fn packets(&self) -> usize {
        self.0.len()
    }
}

impl AckFilter {
    fn append(&mut self, packet: Packet, fits: Fits) -> Vec<Packet> {
        if !fits(self.0.len(), bytes_of(self.0.iter()), packet.bytes) {
            return vec![packet];
        }
        self.0.push(packet);
        vec![]
    }
}

/// Floyd and Jacobson 1993; `adapts` for Floyd, Gummadi and Shenker 2001.
struct Red {
    line: VecDeque<Packet>,
    stream: Stream,
    thresholds: (f64, f64),
    max_p: f64,
    w: f64,
    is_gentle: bool,
    adapts: bool,
    next_adaptation_s: f64,
    avg: f64,
    since_drop: Option<u64>,
    idle_from: Option<Time>,
    packet_s: f64,
}

impl Red {
    fn new(spec: &DisciplineSpec, rate: u64, stream: Stream) -> Red {
        let (min, max) = (spec.value("min"), spec.value("max").max(spec.value("min") + 1.0));
        Red {
            line: VecDeque::new(),
            stream,
            thresholds: (min, max),
            max_p: spec.value("max_p"),
            w: spec.value("weight"),
            is_gentle: spec.value("gentle") != 0.0,
            adapts: false,
            next_adaptation_s: 0.5,
            avg: 0.0,
            since_drop: None,
            idle_from: Some(Time::ZERO),
            packet_s: 12_000.0 / rate as f64,
        }
    }

    fn adaptive(spec: &DisciplineSpec, rate: u64, stream: Stream) -> Red {
        let per_second = rate as f64 / 12_000.0;
        let min = f64::max(5.0, spec.value("target_s") * per_second / 2.0);
        Red {
            line: VecDeque::new(),
            stream,
            thresholds: (min, 3.0 * min),
            max_p: 0.1,
            w: 1.0 - (-1.0 / per_second).exp(),
            is_gentle: true,
            adapts: true,
            next_adaptation_s: 0.5,
            avg: 0.0,
            since_drop: None,
            idle_from: Some(Time::ZERO),
            packet_s: 1.0 / per_second,
        }
    }

    fn probability(&self) -> f64 {
        let (min, max) = self.thresholds;
        let p = match self.avg {
            avg if avg < max => self.max_p * (avg - min) / (max - min),
            avg => self.max_p + (avg / max - 1.0) * (1.0 - self.max_p),
        };
        let count = self.since_drop.map_or(0, |count| count + 1) as f64;
        if count * p < 1.0 {
            p / (1.0 - count * p)
        } else {
            1.0
        }
    }
}

impl Discipline for Red {
    fn arrive(&mut self, now: Time, mut packet: Packet, fits: Fits) -> Vec<Packet> {
        let (min, max) = self.thresholds;
        while self.adapts && now.as_secs_f64() >= self.next_adaptation_s {
            self.next_adaptation_s += 0.5;
            if self.avg > 0.4 * min + 0.6 * max && self.max_p <= 0.5 {
                self.max_p += (self.max_p / 4.0).min(0.01);
            } else if self.avg < 0.6 * min + 0.4 * max && self.max_p >= 0.01 {
                self.max_p *= 0.9;
            }
        }
        self.avg = match self.idle_from.take() {
            Some(from) => self.avg * (1.0 - self.w).powf(((now.0 - from.0) as f64 / (self.packet_s * 1e9)).floor()),
            None => (1.0 - self.w) * self.avg + self.w * self.line.len() as f64,
        };
        let ceiling = if self.is_gentle { 2.0 * max } else { max };
        let is_dropped = if self.avg < min {
            self.since_drop = None;
            false
        } else if self.avg >= ceiling {
            self.since_drop = Some(0);
            true
        } else {
            let is_hit = self.stream.unit() < self.probability();
            self.since_drop = Some(if is_hit { 0 } else { self.since_drop.map_or(0, |count| count + 1) });
            is_hit && !mark(&mut packet)
        };
        if is_dropped || !fits(self.line.len(), bytes_of(self.line.iter()), packet.bytes) {
            return vec![packet];
        }
        self.line.push_back(packet);
        vec![]
    }

    fn next(&mut self, now: Time) -> (Vec<Packet>, Option<Packet>) {
        if self.line.is_empty() {
            self.idle_from = Some(now);
        }
        (vec![], self.line.pop_front())
    }

    fn packets(&self) -> usize {
        self.line.len()
    }
}

/// The token bucket as a virtual schedule: when a bucket that is drained without pause would be full again.
struct Gcra {
    rate: u128,
    burst: u128,
    full_at: u128,
}

impl Gcra {
    fn new(spec: &DisciplineSpec) -> Gcra {
        let (rate, burst) = (spec.value("rate_bps") as u128, spec.value("burst_bytes") as u128 * 8_000_000_000);
        Gcra { rate, burst, full_at: 0 }
    }

    /// Times are multiples of a nanosecond over the rate. When the bucket would be full again after `bytes` more.
    fn full_after(&self, now: Time, bytes: u32) -> u128 {
        self.full_at.max(u128::from(now.0) * self.rate) + u128::from(bytes) * 8_000_000_000
    }

    fn conforms(&mut self, now: Time, bytes: u32) -> bool {
        let full_after = self.full_after(now, bytes);
        let conforms = full_after <= u128::from(now.0) * self.rate + self.burst;
        if conforms {
            self.full_at = full_after;
        }
        conforms
    }

    fn conforms_at(&self, bytes: u32) -> Time {
        let earliest = (self.full_at + u128::from(bytes) * 8_000_000_000).saturating_sub(self.burst);
        Time(earliest.div_ceil(self.rate) as u64)
    }
}

struct Policer(VecDeque<Packet>, Gcra);

impl Discipline for Policer {
    fn arrive(&mut self, now: Time, packet: Packet, fits: Fits) -> Vec<Packet> {
        if !self.1.conforms(now, packet.bytes) || !fits(self.0.len(), bytes_of(self.0.iter()), packet.bytes) {
            return vec![packet];
        }
        self.0.push_back(packet);
        vec![]
    }

    fn next(&mut self, _now: Time) -> (Vec<Packet>, Option<Packet>) {
        (vec![], self.0.pop_front())
    }

    fn packets(&self) -> usize {
        self.0.len()
    }
}

struct Shaper(VecDeque<Packet>, Gcra);

impl Discipline for Shaper {
    fn arrive(&mut self, _now: Time, packet: Packet, fits: Fits) -> Vec<Packet> {
        let can_pass = u128::from(packet.bytes) * 8_000_000_000 <= self.1.burst;
        if !can_pass || !fits(self.0.len(), bytes_of(self.0.iter()), packet.bytes) {
            return vec![packet];
        }
        self.0.push_back(packet);
        vec![]
    }

    fn next(&mut self, now: Time) -> (Vec<Packet>, Option<Packet>) {
        let may_leave = self.0.front().is_some_and(|packet| self.1.conforms(now, packet.bytes));
        (vec![], if may_leave { self.0.pop_front() } else { None })
    }

    fn waits_until(&self) -> Option<Time> {
        self.0.front().map(|packet| self.1.conforms_at(packet.bytes))
    }

    fn packets(&self) -> usize {
        self.0.len()
    }
}
