//! PIE: drops arriving packets at random, with a probability that a proportional-integral controller moves towards a target delay.
//!
//! Source: RFC 8033 (Pan and others 2017), names of its pseudocode, with its enhancements: ECN, random drops spread evenly,
//! a cap on the growth of the probability. Times in nanoseconds or seconds. State: the probability, the delay at the
//! latest update, the burst allowance. The queue's delay is its bytes over the link's rate, which is known; where the rate changes, how long
//! the latest packet to be served had waited (section 5.2).

use units::{Duration, Rate, Stream, Time};

use super::description::{gain, number, seconds};
use super::Number::{Limit, Of};
use super::Unit::{Microseconds, Sixteenths, Whole};
use super::{Arriving, Decision, Demand, Discipline, DisciplineSpec, Is, Number, Parameter, Qdisc, Queued, Waiting};
use crate::Packet;

/// What is said of it.
pub(super) static DISCIPLINE: Discipline = Discipline {
    name: "pie",
    year: 2013,
    source: "RFC 8033",
    summary: "Drops or marks at random, with a probability that a controller moves towards a target delay.",
    parameters: &[TARGET, UPDATE, BURST, ALPHA, BETA, ECN],
    qdisc: Some(QDISC),
};

/// In the kernel.
const QDISC: Qdisc = Qdisc {
    kind: "pie",
    option: Some("NET_SCH_PIE"),
    counts_bytes: false,
    numbers: &[Limit(Whole), TARGET_IN_KERNEL, UPDATE_IN_KERNEL, ALPHA_IN_KERNEL, BETA_IN_KERNEL],
    demands: &[
        ALPHA_DEMANDED,
        BETA_DEMANDED,
        UPDATE_DEMANDED,
        BURST_DEMANDED,
        Demand { parameter: "ecn_max_p", is: Is::Exactly(0.1), otherwise: "{value}; the kernel's PIE marks up to {bound}" },
    ],
};

/// What the kernel's PIE and FQ-PIE share.
pub(super) const TARGET_IN_KERNEL: Number = Of("target_s", Microseconds);
pub(super) const UPDATE_IN_KERNEL: Number = Of("t_update_s", Microseconds);
pub(super) const ALPHA_IN_KERNEL: Number = Of("alpha", Sixteenths);
pub(super) const BETA_IN_KERNEL: Number = Of("beta", Sixteenths);
pub(super) const ALPHA_DEMANDED: Demand = sixteenths("alpha");
pub(super) const BETA_DEMANDED: Demand = sixteenths("beta");
pub(super) const UPDATE_DEMANDED: Demand = Demand {
    parameter: "t_update_s",
    is: Is::Multiple { times: 1e3, most: 10.0 },
    otherwise: "{value}; the kernel's PIE updates at whole milliseconds",
};
pub(super) const BURST_DEMANDED: Demand =
    Demand { parameter: "max_burst_s", is: Is::Exactly(0.15), otherwise: "{value}; the kernel's PIE lets {bound} s of a burst through" };

const fn sixteenths(parameter: &'static str) -> Demand {
    let otherwise = "{value}; the kernel's PIE takes sixteenths from 0 to 2";
    Demand { parameter, is: Is::Multiple { times: 16.0, most: 2.0 }, otherwise }
}

const MEAN_PKTSIZE: u64 = 1500;
/// No drop before this much probability has accumulated since the last, and no later than that much.
const ACCUMULATED_MIN: f64 = 0.85;
const ACCUMULATED_MAX: f64 = 8.5;

/// PIE's parameters.
pub(super) const TARGET: Parameter = seconds("target_s", (1e-6, 10.0), 0.015, "Target queueing delay, QDELAY_REF.");
pub(super) const UPDATE: Parameter = seconds("t_update_s", (1e-5, 10.0), 0.015, "Time between updates of the probability, T_UPDATE.");
pub(super) const BURST: Parameter = seconds("max_burst_s", (0.0, 10.0), 0.15, "Time for which a burst is let through, MAX_BURST.");
pub(super) const ALPHA: Parameter = gain("alpha", 0.125, "Weight of the distance from the target.");
pub(super) const BETA: Parameter = gain("beta", 1.25, "Weight of the delay's change.");
pub(super) const ECN: Parameter = number("ecn_max_p", (0.0, 1.0), 0.1, "Probability from which on ECN-capable packets are dropped too.");

/// PIE's numbers.
#[derive(Clone, Copy, Debug)]
pub(crate) struct PieSpec {
    qdelay_ref_s: f64,
    t_update: Duration,
    max_burst: Duration,
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
            t_update: spec.duration("t_update_s"),
            max_burst: spec.duration("max_burst_s"),
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
    burst_allowance: Duration,
    updates_at: Time,
    stream: Stream,
}

impl Pie {
    pub(crate) fn new(spec: PieSpec, stream: Stream) -> Pie {
        let (burst_allowance, updates_at) = (spec.max_burst, Time::ZERO + spec.t_update);
        Pie { spec, drop_prob: 0.0, accu_prob: 0.0, qdelay_old_s: 0.0, burst_allowance, updates_at, stream }
    }

    /// The updates that were due up to `now`, with a queue that has been this since the last call.
    #[inline]
    fn catch_up(&mut self, now: Time, waiting: Waiting) {
        if self.updates_at <= now {
            let qdelay_s = waiting.waited.map_or(waiting.bytes as f64 * 8.0 / self.spec.rate.0 as f64, Duration::as_secs_f64);
            self.catch_up_to(now, qdelay_s);
        }
    }

    /// The same with a queue whose delay has been this since the last call.
    pub(crate) fn catch_up_to(&mut self, now: Time, qdelay_s: f64) {
        while self.updates_at <= now {
            if qdelay_s == 0.0 && self.qdelay_old_s == 0.0 && self.drop_prob == 0.0 {
                // Nothing changes in an idle queue.
                self.burst_allowance = self.spec.max_burst;
                let updates = (now - self.updates_at) / self.spec.t_update + 1;
                self.updates_at += self.spec.t_update * updates;
                return;
            }
            self.updates_at += self.spec.t_update;
            self.update(qdelay_s);
        }
    }

    /// Moves the probability and the burst allowance.
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
        self.burst_allowance = if is_calm { self.spec.max_burst } else { self.burst_allowance.saturating_sub(self.spec.t_update) };
    }

    /// Whether a packet that meets `bytes` is dropped, or marked.
    pub(crate) fn drops_early(&mut self, bytes: u64) -> bool {
        let is_light = self.qdelay_old_s < self.spec.qdelay_ref_s / 2.0 && self.drop_prob < 0.2;
        if self.burst_allowance > Duration::ZERO || is_light || bytes <= 2 * MEAN_PKTSIZE {
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

    /// The limit has dropped a packet: a drop like any other, for those that follow.
    pub(crate) fn on_full(&mut self) {
        self.accu_prob = 0.0;
    }

    /// Marks a packet instead of dropping it while the probability is low.
    pub(crate) fn marks<T>(&self, packet: &mut Queued<T>) -> bool {
        self.may_mark() && packet.mark()
    }

    fn may_mark(&self) -> bool {
        self.drop_prob < self.spec.mark_ecnth
    }
}

/// One queue under PIE.
#[derive(Clone, Debug)]
pub(crate) struct Law(Pie);

/// PIE.
pub(super) fn law(spec: &DisciplineSpec, rate: Rate, draws: Stream) -> Law {
    Law(Pie::new(PieSpec::new(spec, rate), draws))
}

impl Arriving for Law {
    const COUNTS_BYTES: bool = true;

    fn decide(&mut self, now: Time, packet: Packet, waiting: Waiting, has_room: bool) -> Decision {
        self.0.catch_up(now, waiting);
        if !has_room {
            self.0.on_full();
            Decision::Drop
        } else if !self.0.drops_early(waiting.bytes) {
            Decision::Accept
        } else if packet.ecn_capable && self.0.may_mark() {
            Decision::Mark
        } else {
            Decision::Drop
        }
    }

    fn acts_at(&self) -> Time {
        self.0.updates_at
    }

    fn on_asked(&mut self, at: Time, waiting: Waiting) {
        self.0.catch_up(at, waiting);
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use super::super::discipline;
    use super::*;

    /// 12 Mbit/s: 1500 bytes take 1 ms.
    fn pie() -> Pie {
        let spec = PieSpec::new(&discipline("pie", &BTreeMap::new()).expect("a row"), Rate(12_000_000));
        Pie::new(spec, Stream::named(1, "test"))
    }

    fn holding(bytes: u64) -> Waiting {
        Waiting { packets: bytes.div_ceil(1500) as usize, bytes, waited: None }
    }

    fn is_about(a: f64, b: f64) -> bool {
        (a - b).abs() <= 1e-12 * b.abs()
    }

    /// At 30 ms, from 0: 0.125 x 15 ms + 1.25 x 30 ms = 0.039375, over 2048. Standing at 30 ms: 0.001875, over 128.
    #[test]
    fn the_probability_follows_the_delay_and_its_change_scaled_to_its_size() {
        let mut pie = pie();
        pie.catch_up(Time::from_ms(15), holding(45_000));
        assert!(is_about(pie.drop_prob, 0.039375 / 2048.0), "{}", pie.drop_prob);
        pie.catch_up(Time::from_ms(30), holding(45_000));
        assert!(is_about(pie.drop_prob, 0.039375 / 2048.0 + 0.001875 / 128.0), "{}", pie.drop_prob);
    }

    /// 45 000 bytes tell nothing where the rate changes: the packet before had waited 15 ms, the target.
    #[test]
    fn where_the_rate_changes_the_delay_is_what_a_packet_waited() {
        let mut pie = pie();
        pie.catch_up(Time::from_ms(15), Waiting { waited: Some(Duration::from_ms(15)), ..holding(45_000) });
        assert!(is_about(pie.drop_prob, 1.25 * 0.015 / 2048.0), "{}", pie.drop_prob);
    }

    /// Whatever the delay asks for is divided by so much below each bound.
    #[test]
    fn the_gain_is_tuned_to_the_probability() {
        let table = [(5e-7, 2048.0), (5e-6, 512.0), (5e-5, 128.0), (5e-4, 32.0), (5e-3, 8.0), (5e-2, 2.0), (0.5, 1.0)];
        for (drop_prob, divisor) in table {
            let mut pie = Pie { drop_prob, qdelay_old_s: 0.02, ..pie() };
            pie.update(0.02);
            assert!((pie.drop_prob - drop_prob - 0.125 * 0.005 / divisor).abs() < 1e-15, "{drop_prob}");
        }
    }

    /// At most 2 percentage points per update once the probability is 10 %. An idle queue forgets 2 % of it.
    #[test]
    fn growth_is_capped_and_idleness_decays() {
        let mut pie = Pie { drop_prob: 0.2, ..pie() };
        pie.update(1.0);
        assert!(is_about(pie.drop_prob, 0.22));
        let mut pie = Pie { drop_prob: 0.5, qdelay_old_s: 0.0, ..pie };
        pie.update(0.0);
        assert!(is_about(pie.drop_prob, (0.5 - 0.125 * 0.015) * 0.98));
    }

    /// The 150 ms are ten updates.
    #[test]
    fn a_burst_is_let_through_and_a_calm_queue_earns_the_next() {
        let mut pie = pie();
        for update in 1..=10 {
            assert!(pie.burst_allowance > Duration::ZERO && !pie.drops_early(1_000_000));
            pie.catch_up(Time::from_ms(15 * update), holding(75_000));
        }
        assert_eq!(pie.burst_allowance, Duration::ZERO);
        pie.drop_prob = 0.0;
        pie.qdelay_old_s = 0.005;
        pie.catch_up(Time::from_ms(165), holding(1500));
        assert_eq!(pie.burst_allowance, Duration::from_ms(150));
    }

    /// At 10 % the ninth packet after a drop is the first that may go (0.8 < 0.85 <= 0.9), the 85th must.
    #[test]
    fn drops_are_neither_bunched_nor_far_apart() {
        let mut pie = Pie { drop_prob: 0.1, qdelay_old_s: 0.05, burst_allowance: Duration::ZERO, ..pie() };
        let mut gaps = Vec::new();
        for _ in 0..20_000 {
            gaps.push((1..).find(|_| pie.drops_early(100_000)).expect("a drop"));
        }
        assert!(gaps.iter().all(|gap| (9..=86).contains(gap)));
        // Eight packets that cannot be dropped, then a geometric wait with mean 10.
        let mean = f64::from(gaps.iter().sum::<i32>()) / 20_000.0;
        assert!((mean - 18.0).abs() < 0.3, "{mean}");
    }

    /// RFC 8033, section 5.4 and appendix B: what has accumulated is gone after any drop, one at the limit included.
    #[test]
    fn a_drop_at_the_limit_keeps_random_drops_away_as_well() {
        let mut law = Law(Pie { accu_prob: 5.0, updates_at: Time::NEVER, ..pie() });
        let decision = law.decide(Time::ZERO, Packet::data(1500, 0), Waiting::EMPTY, false);
        assert_eq!((decision, law.0.accu_prob), (Decision::Drop, 0.0));
    }

    #[test]
    fn marks_take_the_place_of_drops_up_to_a_tenth() {
        let decided = |drop_prob, packet: Packet| {
            let law =
                Pie { drop_prob, accu_prob: 8.5, qdelay_old_s: 0.05, burst_allowance: Duration::ZERO, updates_at: Time::NEVER, ..pie() };
            Law(law).decide(Time::ZERO, packet, Waiting { packets: 3, bytes: 4500, waited: None }, true)
        };
        let (plain, capable) = (Packet::data(1500, 0), Packet { ecn_capable: true, ..Packet::data(1500, 0) });
        let decisions = (decided(0.09, capable), decided(0.11, capable), decided(0.09, plain));
        assert_eq!(decisions, (Decision::Mark, Decision::Drop, Decision::Drop));
    }
}
