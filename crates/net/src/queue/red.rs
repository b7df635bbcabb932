//! RED: drops or marks arriving packets with a probability that grows with the average queue; adaptive RED tunes that probability.
//!
//! Sources: Floyd and Jacobson 1993, the gentle upper range of Floyd 2000, and for adaptive RED Floyd, Gummadi and Shenker 2001.
//! Queue lengths in packets, the packet in service not counted. State: the average, the packets since the last drop, when the link
//! fell idle, and max_p.
//! At and above the upper threshold (with `gentle`, above twice that) packets are dropped, ECN-capable or not.

use units::{Rate, Stream, Time};

use super::{DisciplineSpec, Line, Queued, Room};

/// Bits of the packet whose transmission is the unit of idle time.
const PACKET_BITS: f64 = 12_000.0;
/// How often adaptive RED looks at the average.
const INTERVAL: Time = Time::from_ms(500);
const MAX_P_MIN: f64 = 0.01;
const MAX_P_MAX: f64 = 0.5;

/// RED's numbers.
#[derive(Clone, Copy, Debug)]
pub(crate) struct RedSpec {
    min_th: f64,
    max_th: f64,
    max_p: f64,
    w_q: f64,
    is_gentle: bool,
    is_adaptive: bool,
    packet_time_ns: f64,
}

impl RedSpec {
    pub(crate) fn new(spec: &DisciplineSpec, rate: Rate) -> RedSpec {
        RedSpec {
            min_th: spec.value("min"),
            max_th: spec.value("max").max(spec.value("min") + 1.0),
            max_p: spec.value("max_p"),
            w_q: spec.value("weight"),
            is_gentle: spec.value("gentle") != 0.0,
            is_adaptive: false,
            packet_time_ns: PACKET_BITS * 1e9 / rate.0 as f64,
        }
    }

    /// The adaptive paper: thresholds from a target delay, the weight from the link's packets per second.
    pub(crate) fn adaptive(spec: &DisciplineSpec, rate: Rate) -> RedSpec {
        let capacity = rate.0 as f64 / PACKET_BITS;
        let min_th = (spec.value("target_s") * capacity / 2.0).max(5.0);
        RedSpec {
            min_th,
            max_th: 3.0 * min_th,
            max_p: 0.1,
            w_q: 1.0 - libm::exp(-1.0 / capacity),
            is_gentle: true,
            is_adaptive: true,
            packet_time_ns: 1e9 / capacity,
        }
    }
}

/// The law.
#[derive(Clone, Debug)]
struct Red {
    spec: RedSpec,
    avg: f64,
    /// Packets since the last drop while the average is in the range; -1 before the first.
    count: i64,
    max_p: f64,
    idle_since: Option<Time>,
    adapts_at: Time,
    stream: Stream,
}

/// What to do with an arriving packet.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Decision {
    Accept,
    MarkOrDrop,
    Drop,
}

impl Red {
    /// The average after `queue` packets were met.
    fn average(&mut self, now: Time, queue: usize) {
        match self.idle_since.take() {
            Some(since) => {
                let m = (now.since(since).0 as f64 / self.spec.packet_time_ns) as u64;
                self.avg *= power(1.0 - self.spec.w_q, m);
            }
            None => self.avg += self.spec.w_q * (queue as f64 - self.avg),
        }
    }

    /// Adaptive RED: additive increase and multiplicative decrease keep the average in the middle of the range.
    fn adapt(&mut self, now: Time) {
        let span = self.spec.max_th - self.spec.min_th;
        let (low, high) = (self.spec.min_th + 0.4 * span, self.spec.min_th + 0.6 * span);
        while self.spec.is_adaptive && now >= self.adapts_at {
            self.adapts_at += INTERVAL;
            if self.avg > high && self.max_p <= MAX_P_MAX {
                self.max_p += f64::min(0.01, self.max_p / 4.0);
            } else if self.avg < low && self.max_p >= MAX_P_MIN {
                self.max_p *= 0.9;
            }
        }
    }

    fn decide(&mut self) -> Decision {
        let RedSpec { min_th, max_th, is_gentle, .. } = self.spec;
        if self.avg < min_th {
            self.count = -1;
            return Decision::Accept;
        }
        if self.avg >= if is_gentle { 2.0 * max_th } else { max_th } {
            self.count = 0;
            return Decision::Drop;
        }
        self.count += 1;
        let p_b = if self.avg < max_th {
            self.max_p * (self.avg - min_th) / (max_th - min_th)
        } else {
            self.max_p + (1.0 - self.max_p) * (self.avg - max_th) / max_th
        };
        let room = 1.0 - self.count as f64 * p_b;
        let p_a = if room > 0.0 { p_b / room } else { 1.0 };
        if self.stream.unit() >= p_a {
            return Decision::Accept;
        }
        self.count = 0;
        Decision::MarkOrDrop
    }
}

/// `base` to the `m`-th, the same on every machine.
fn power(mut base: f64, mut m: u64) -> f64 {
    let mut product = 1.0;
    while m > 0 {
        if m & 1 == 1 {
            product *= base;
        }
        base *= base;
        m >>= 1;
    }
    product
}

/// One queue under RED.
#[derive(Clone, Debug)]
pub(crate) struct RedQueue<T> {
    line: Line<T>,
    red: Red,
}

impl<T> RedQueue<T> {
    pub(crate) fn new(spec: RedSpec, stream: Stream) -> RedQueue<T> {
        let (idle_since, adapts_at) = (Some(Time::ZERO), INTERVAL);
        let red = Red { spec, avg: 0.0, count: -1, max_p: spec.max_p, idle_since, adapts_at, stream };
        RedQueue { line: Line::default(), red }
    }

    pub(crate) fn enqueue(&mut self, now: Time, mut packet: Queued<T>, room: Room, dropped: &mut Vec<Queued<T>>) {
        self.red.adapt(now);
        self.red.average(now, self.line.packets());
        let is_refused = match self.red.decide() {
            Decision::Accept => false,
            Decision::MarkOrDrop => !packet.mark(),
            Decision::Drop => true,
        };
        if is_refused || !self.line.has_room(room, &packet) {
            dropped.push(packet);
        } else {
            self.line.push(packet);
        }
    }

    pub(crate) fn dequeue(&mut self, now: Time, _dropped: &mut Vec<Queued<T>>) -> Option<Queued<T>> {
        let packet = self.line.pop();
        if packet.is_none() {
            self.red.idle_since = Some(now);
        }
        packet
    }

    pub(crate) fn packets(&self) -> usize {
        self.line.packets()
    }

    pub(crate) fn bytes(&self) -> u64 {
        self.line.bytes()
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use super::super::line::samples::{packet, ENDLESS};
    use super::super::registry::discipline;
    use super::*;

    const RATE: Rate = Rate(12_000_000);

    fn red(given: &[(&str, f64)]) -> Red {
        let given: BTreeMap<String, f64> = given.iter().map(|&(name, value)| (name.to_owned(), value)).collect();
        let spec = RedSpec::new(&discipline("red", &given).expect("a row"), RATE);
        RedQueue::<()>::new(spec, Stream::named(1, "test")).red
    }

    /// The 1993 paper: the packets from one drop to the next are uniform. Its algorithm counts the arriving packet before it looks,
    /// so that they are so on 1 to 1/p_b - 1: here 19, mean 10.
    #[test]
    fn drops_are_spread_evenly() {
        let mut red = Red { avg: 10.0, ..red(&[]) };
        let mut gaps = Vec::new();
        for _ in 0..20_000 {
            gaps.push((1..).find(|_| red.decide() != Decision::Accept).expect("a drop"));
        }
        // The first packet in the range is counted from 0.
        assert!(gaps[1..].iter().all(|gap| (1..=19).contains(gap)), "{:?}", gaps.iter().max());
        let mean = f64::from(gaps.iter().sum::<i32>()) / 20_000.0;
        assert!((mean - 10.0).abs() < 0.2, "{mean}");
    }

    #[test]
    fn below_the_range_nothing_is_dropped_and_beyond_it_everything() {
        for (avg, gentle, expected) in [(4.99, 1.0, Decision::Accept), (15.0, 0.0, Decision::Drop), (30.0, 1.0, Decision::Drop)] {
            let mut red = Red { avg, ..red(&[("gentle", gentle)]) };
            assert!((0..1000).all(|_| red.decide() == expected), "{avg}");
        }
    }

    /// Gentle: at 1.1 max p_b is 0.1 + 0.9/10 = 0.19, so that each gap from 1 to 4 has probability 0.19/0.81 and the gap 5 the rest.
    #[test]
    fn a_gentle_slope_leads_from_max_p_to_one() {
        let mut red = Red { avg: 16.5, ..red(&[]) };
        let dropped = (0..10_000).filter(|_| red.decide() != Decision::Accept).count();
        // The mean gap is 0.2346 x 10 + 0.0617 x 5 = 2.654.
        assert!(dropped.abs_diff(3768) < 100, "{dropped}");
    }

    /// (1 - 0.002)^1000 = 0.1351 of the average is left after an idle second at 1 ms per packet.
    #[test]
    fn the_average_decays_while_the_link_is_idle() {
        let mut red = Red { avg: 10.0, idle_since: Some(Time::ZERO), ..red(&[]) };
        red.average(Time::from_ms(1000), 0);
        assert!((red.avg - 1.350_65).abs() < 1e-4, "{}", red.avg);
        red.average(Time::from_ms(1000), 100);
        assert!((red.avg - (1.350_65 * 0.998 + 0.2)).abs() < 1e-4, "{}", red.avg);
    }

    /// 5 ms at 1 Gbit/s are 416.7 packets, the range 208.3 to 625; at 12 Mbit/s the floor of 5 to 15 holds.
    #[test]
    fn adaptive_red_sets_itself_from_the_rate() {
        let choice = discipline("ared", &BTreeMap::new()).expect("a row");
        let fast = RedSpec::adaptive(&choice, Rate(1_000_000_000));
        assert!((fast.min_th - 208.333).abs() < 0.001 && (fast.max_th - 625.0).abs() < 0.001);
        assert!((fast.w_q - 1.2e-5).abs() < 1e-9);
        let slow = RedSpec::adaptive(&choice, RATE);
        assert_eq!((slow.min_th, slow.max_th), (5.0, 15.0));
    }

    /// Above the middle fifth of the range max_p grows by 0.01 (a quarter of it if that is less), below it shrinks by a tenth.
    #[test]
    fn adaptive_red_moves_max_p_twice_a_second() {
        let adapted = |avg, max_p, ms| {
            let mut red = Red { avg, max_p, ..red(&[]) };
            red.spec.is_adaptive = true;
            red.adapt(Time::from_ms(ms));
            red.max_p
        };
        assert_eq!((adapted(12.0, 0.1, 499), adapted(10.0, 0.1, 500)), (0.1, 0.1));
        assert!((adapted(12.0, 0.1, 500) - 0.11).abs() < 1e-12 && (adapted(12.0, 0.1, 1000) - 0.12).abs() < 1e-12);
        assert!((adapted(12.0, 0.02, 500) - 0.025).abs() < 1e-12 && (adapted(8.0, 0.1, 500) - 0.09).abs() < 1e-12);
        assert_eq!((adapted(12.0, 0.51, 500), adapted(8.0, 0.009, 500)), (0.51, 0.009));
    }

    /// The packet in service is no part of the queue that is averaged, and an empty queue behind it is not idle.
    #[test]
    fn idleness_begins_when_the_link_asks_in_vain() {
        let mut queue = RedQueue { line: Line::default(), red: red(&[]) };
        let mut dropped = Vec::new();
        queue.enqueue(Time::ZERO, packet(Time::ZERO, 0), ENDLESS, &mut dropped);
        assert!(queue.dequeue(Time::ZERO, &mut dropped).is_some() && queue.red.idle_since.is_none());
        assert!(queue.dequeue(Time::from_ms(1), &mut dropped).is_none() && queue.red.idle_since == Some(Time::from_ms(1)));
    }
}
