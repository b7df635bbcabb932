//! RED: drops or marks arriving packets with a probability that grows with the average queue; adaptive RED tunes that probability.
//!
//! Sources: Floyd and Jacobson 1993, the gentle upper range of Floyd 2000, and for adaptive RED Floyd, Gummadi and Shenker 2001.
//! Queue lengths in packets, the packet in service not counted. State: the average, the packets since the last drop, when the link
//! fell idle, and max_p.
//! At and above the upper threshold (with `gentle`, above twice that) packets are dropped, ECN-capable or not.

use units::{Duration, Rate, Stream, Time};

use super::description::{number, packets};
use super::Number::{Beyond, Constant, Limit, Of};
use super::Unit::{BytesButOne, Halvings, IdleCell, IdleDecay, Of32Bits};
use super::{Arriving, Decision, Demand, Discipline, DisciplineSpec, Is, Qdisc, Waiting};
use crate::Packet;

/// What is said of it.
pub(super) static DISCIPLINE: Discipline = Discipline {
    name: "red",
    year: 1993,
    source: "Floyd and Jacobson 1993; Floyd 2000 (gentle)",
    summary: "Drops or marks at random, the more so the longer the average queue.",
    parameters: &[
        packets("min", 5.0, "Average queue from which on packets are dropped."),
        packets("max", 15.0, "Average queue at which the probability is max_p; at least min + 1."),
        number("max_p", (1e-6, 1.0), 0.1, "Drop probability at the upper threshold."),
        number("weight", (1e-9, 1.0), 0.002, "Weight of a new sample in the average."),
        number("gentle", (0.0, 1.0), 1.0, "Beyond max the probability rises to 1 at twice max, instead of at once."),
    ],
    qdisc: Some(QDISC),
};

/// In the kernel, where those who wait are one fewer (see `discipline.h` of the guest). With ECN and harddrop, 1 and 2: beyond its range the
/// simulator's RED drops those who could be marked, too.
const QDISC: Qdisc = Qdisc {
    kind: "red",
    option: Some("NET_SCH_RED"),
    counts_bytes: true,
    numbers: &[
        Limit(BytesButOne),
        Of("min", BytesButOne),
        Beyond("max", "min", BytesButOne),
        Of("weight", Halvings),
        Of("weight", IdleCell),
        Of("weight", IdleDecay),
        Of("max_p", Of32Bits),
        Constant(3),
    ],
    demands: &[
        Demand {
            parameter: "weight",
            is: Is::PowerOfTwo(0.03),
            otherwise: "{value} is no power of two, as the kernel's is; {nearest} is the nearest",
        },
        Demand { parameter: "gentle", is: Is::Exactly(0.0), otherwise: "the kernel's RED has no slope beyond max; give gentle={bound}" },
        Demand {
            parameter: "max",
            is: Is::Fits(32, "weight"),
            otherwise: "{value} packets at a weight of {nearest} do not fit into the kernel's {bound} bits",
        },
    ],
};

/// Bits of the packet whose transmission is the unit of idle time.
const PACKET_BITS: f64 = 12_000.0;
/// How often adaptive RED looks at the average.
const INTERVAL: Duration = Duration::from_ms(500);
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
pub(crate) struct Law {
    spec: RedSpec,
    avg: f64,
    /// Packets since the last drop while the average is in the range; -1 before the first.
    count: i64,
    max_p: f64,
    idle_since: Option<Time>,
    adapts_at: Time,
    stream: Stream,
}

/// What the average says of an arriving packet.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Signal {
    Nothing,
    MarkOrDrop,
    Drop,
}

impl Law {
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

    fn signal(&mut self) -> Signal {
        let RedSpec { min_th, max_th, is_gentle, .. } = self.spec;
        if self.avg < min_th {
            self.count = -1;
            return Signal::Nothing;
        }
        if self.avg >= if is_gentle { 2.0 * max_th } else { max_th } {
            self.count = 0;
            return Signal::Drop;
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
            return Signal::Nothing;
        }
        self.count = 0;
        Signal::MarkOrDrop
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

/// RED.
pub(super) fn law(spec: &DisciplineSpec, rate: Rate, draws: Stream) -> Law {
    Law::new(RedSpec::new(spec, rate), draws)
}

impl Law {
    pub(super) fn new(spec: RedSpec, stream: Stream) -> Law {
        let (idle_since, adapts_at) = (Some(Time::ZERO), Time::ZERO + INTERVAL);
        Law { spec, avg: 0.0, count: -1, max_p: spec.max_p, idle_since, adapts_at, stream }
    }
}

impl Arriving for Law {
    fn decide(&mut self, now: Time, packet: Packet, waiting: Waiting, has_room: bool) -> Decision {
        self.adapt(now);
        self.average(now, waiting.packets);
        match self.signal() {
            _ if !has_room => Decision::Drop,
            Signal::Nothing => Decision::Accept,
            Signal::MarkOrDrop if packet.ecn_capable => Decision::Mark,
            Signal::MarkOrDrop | Signal::Drop => Decision::Drop,
        }
    }

    fn on_asked(&mut self, at: Time, waiting: Waiting) {
        if waiting.packets == 0 {
            self.idle_since = Some(at);
        }
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use super::super::discipline;
    use super::*;

    const RATE: Rate = Rate(12_000_000);

    fn red(given: &[(&str, f64)]) -> Law {
        let given: BTreeMap<String, f64> = given.iter().map(|&(name, value)| (name.to_owned(), value)).collect();
        let spec = RedSpec::new(&discipline("red", &given).expect("a row"), RATE);
        Law::new(spec, Stream::named(1, "test"))
    }

    /// The 1993 paper: the packets from one drop to the next are uniform. Its algorithm counts the arriving packet before it looks,
    /// so that they are so on 1 to 1/p_b - 1: here 19, mean 10.
    #[test]
    fn drops_are_spread_evenly() {
        let mut red = Law { avg: 10.0, ..red(&[]) };
        let mut gaps = Vec::new();
        for _ in 0..20_000 {
            gaps.push((1..).find(|_| red.signal() != Signal::Nothing).expect("a drop"));
        }
        // The first packet in the range is counted from 0.
        assert!(gaps[1..].iter().all(|gap| (1..=19).contains(gap)), "{:?}", gaps.iter().max());
        let mean = f64::from(gaps.iter().sum::<i32>()) / 20_000.0;
        assert!((mean - 10.0).abs() < 0.2, "{mean}");
    }

    #[test]
    fn below_the_range_nothing_is_dropped_and_beyond_it_everything() {
        for (avg, gentle, expected) in [(4.99, 1.0, Signal::Nothing), (15.0, 0.0, Signal::Drop), (30.0, 1.0, Signal::Drop)] {
            let mut red = Law { avg, ..red(&[("gentle", gentle)]) };
            assert!((0..1000).all(|_| red.signal() == expected), "{avg}");
        }
    }

    /// Gentle: at 1.1 max p_b is 0.1 + 0.9/10 = 0.19, so that each gap from 1 to 4 has probability 0.19/0.81 and the gap 5 the rest.
    #[test]
    fn a_gentle_slope_leads_from_max_p_to_one() {
        let mut red = Law { avg: 16.5, ..red(&[]) };
        let dropped = (0..10_000).filter(|_| red.signal() != Signal::Nothing).count();
        // The mean gap is 0.2346 x 10 + 0.0617 x 5 = 2.654.
        assert!(dropped.abs_diff(3768) < 100, "{dropped}");
    }

    /// (1 - 0.002)^1000 = 0.1351 of the average is left after an idle second at 1 ms per packet.
    #[test]
    fn the_average_decays_while_the_link_is_idle() {
        let mut red = Law { avg: 10.0, idle_since: Some(Time::ZERO), ..red(&[]) };
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
            let mut red = Law { avg, max_p, ..red(&[]) };
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
        let mut law = red(&[]);
        let nobody = Waiting::EMPTY;
        assert_eq!(law.decide(Time::ZERO, Packet::data(1500, 0), nobody, true), Decision::Accept);
        assert!(law.idle_since.is_none());
        law.on_asked(Time::from_ms(1), Waiting { packets: 1, bytes: 1500, waited: None });
        assert!(law.idle_since.is_none());
        law.on_asked(Time::from_ms(2), nobody);
        assert_eq!(law.idle_since, Some(Time::from_ms(2)));
    }
}
