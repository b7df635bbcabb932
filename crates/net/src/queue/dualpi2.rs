//! DualPI2: one queue for scalable senders, marked early and often, beside one for all others, held at a target delay; coupled, so that a
//! scalable flow and a classic one get the same rate.
//!
//! Source: RFC 9332 (De Schepper, Briscoe and White 2023), appendix A with its overload handling, names of its pseudocode. Times in
//! nanoseconds or seconds. State: the base probability p', the delay at the latest update, what is left of a mark in each queue, the
//! scheduler's credit. The scheduler is the recommended weighted round robin, by bytes; its credit changes only while both queues have
//! packets and is zero again when the link is idle.

use units::{Duration, Rate, Stream, Time};

use super::description::{gain, number, seconds};
use super::{Discipline, DisciplineSpec, Line, Queued, Room, Serving};

/// What is said of it.
pub(super) static DISCIPLINE: Discipline = Discipline {
    name: "dualpi2",
    year: 2023,
    source: "RFC 9332",
    summary: "A queue for scalable senders beside one for the others, coupled so that both get their share.",
    parameters: &[
        seconds("target_s", (1e-6, 10.0), 0.015, "Target delay of the classic queue."),
        seconds("t_update_s", (1e-5, 10.0), 0.016, "Time between updates of the base probability, Tupdate."),
        gain("alpha", 0.16, "Weight of the distance from the target."),
        gain("beta", 3.2, "Weight of the delay's change."),
        number("k", (0.1, 100.0), 2.0, "Coupling: marks of scalable senders per base probability."),
        seconds("min_th_s", (0.0, 10.0), 0.0008, "Delay of the L4S queue from which on it marks."),
        seconds("range_s", (0.0, 10.0), 0.0004, "From there to where it marks every packet."),
        number("classic_share", (0.001, 0.999), 1.0 / 16.0, "Share of the link kept for the classic queue."),
    ],
    qdisc: None,
};

/// The native AQM does not mark while no more than this many packets are left behind.
const TH_LEN: usize = 1;

/// DualPI2's numbers.
#[derive(Clone, Copy, Debug)]
pub(crate) struct DualPi2Spec {
    target_s: f64,
    t_update: Duration,
    /// Per second.
    alpha: f64,
    beta: f64,
    k: f64,
    min_th_s: f64,
    range_s: f64,
    classic_share: f64,
}

impl DualPi2Spec {
    pub(crate) fn new(spec: &DisciplineSpec) -> DualPi2Spec {
        DualPi2Spec {
            target_s: spec.value("target_s"),
            t_update: spec.duration("t_update_s"),
            alpha: spec.value("alpha"),
            beta: spec.value("beta"),
            k: spec.value("k"),
            min_th_s: spec.value("min_th_s"),
            range_s: spec.value("range_s"),
            classic_share: spec.value("classic_share"),
        }
    }

    /// `laqm`: the native marking probability of the L4S queue at this delay.
    fn laqm(&self, qdelay_s: f64) -> f64 {
        if qdelay_s >= self.min_th_s + self.range_s {
            1.0
        } else if qdelay_s > self.min_th_s {
            (qdelay_s - self.min_th_s) / self.range_s
        } else {
            0.0
        }
    }
}

/// One of the two queues, and `recur`'s count: probabilities are added up, nothing is drawn.
#[derive(Debug)]
struct Side<T> {
    line: Line<T>,
    count: f64,
}

impl<T> Side<T> {
    fn empty() -> Side<T> {
        Side { line: Line::default(), count: 0.0 }
    }

    fn recur(&mut self, likelihood: f64) -> bool {
        self.count += likelihood;
        let is_hit = self.count > 1.0;
        self.count -= f64::from(u8::from(is_hit));
        is_hit
    }

    /// How long the packet at its head has waited.
    fn delay_s(&self, now: Time) -> f64 {
        self.line.front().map_or(0.0, |head| now.since(head.arrived).as_secs_f64())
    }
}

/// The two queues.
#[derive(Debug)]
pub(crate) struct Queue<T> {
    spec: DualPi2Spec,
    l4s: Side<T>,
    classic: Side<T>,
    /// p', squared for classic packets, times k for L4S ones.
    p: f64,
    prevq_s: f64,
    updates_at: Time,
    /// Bytes that the L4S queue may still send before it is the other's turn; below 0 it is.
    credit: f64,
}

/// It, empty.
pub(super) fn queue<T>(spec: &DisciplineSpec, _rate: Rate, _draws: Stream) -> Queue<T> {
    let spec = DualPi2Spec::new(spec);
    let updates_at = Time::ZERO + spec.t_update;
    Queue { spec, l4s: Side::empty(), classic: Side::empty(), p: 0.0, prevq_s: 0.0, updates_at, credit: 0.0 }
}

/// The head of a queue, and what becomes of it.
struct Taken<T> {
    packet: Queued<T>,
    is_dropped: bool,
}

impl<T> Serving<T> for Queue<T> {
    fn enqueue(&mut self, now: Time, packet: Queued<T>, room: Room, dropped: &mut Vec<Queued<T>>) {
        self.catch_up(now);
        if !room.fits(self.packets(), self.bytes(), packet.packet.bytes) {
            return dropped.push(packet);
        }
        let side = if packet.packet.is_l4s { &mut self.l4s } else { &mut self.classic };
        side.line.push(packet);
    }

    fn dequeue(&mut self, now: Time, dropped: &mut Vec<Queued<T>>) -> Option<Queued<T>> {
        self.catch_up(now);
        while self.packets() > 0 {
            let Taken { packet, is_dropped } = if self.schedules_l4s() { self.take_l4s(now)? } else { self.take_classic()? };
            if !is_dropped {
                return Some(packet);
            }
            dropped.push(packet);
        }
        self.credit = 0.0;
        None
    }

    fn packets(&self) -> usize {
        self.l4s.line.packets() + self.classic.line.packets()
    }

    fn bytes(&self) -> u64 {
        self.l4s.line.bytes() + self.classic.line.bytes()
    }
}

impl<T> Queue<T> {
    /// Whose turn it is.
    fn schedules_l4s(&mut self) -> bool {
        let (Some(l4s), Some(classic)) = (self.l4s.line.front(), self.classic.line.front()) else {
            return self.l4s.line.packets() > 0;
        };
        let is_l4s = self.credit >= 0.0;
        let share = self.spec.classic_share;
        self.credit += if is_l4s { -share * f64::from(l4s.packet.bytes) } else { (1.0 - share) * f64::from(classic.packet.bytes) };
        is_l4s
    }

    /// The head of the L4S queue, which is dropped only where marks cannot say more.
    fn take_l4s(&mut self, now: Time) -> Option<Taken<T>> {
        let mut packet = self.l4s.line.pop()?;
        let coupled = self.spec.k * self.p;
        let is_overloaded = coupled >= 1.0;
        if is_overloaded && self.l4s.recur(self.p * self.p) {
            return Some(Taken { packet, is_dropped: true });
        }
        let is_native = !is_overloaded && self.l4s.line.packets() > TH_LEN;
        let native = if is_native { self.spec.laqm((now - packet.arrived).as_secs_f64()) } else { 0.0 };
        if self.l4s.recur(native.max(coupled)) {
            packet.mark();
        }
        Some(Taken { packet, is_dropped: false })
    }

    /// The head of the classic queue.
    fn take_classic(&mut self) -> Option<Taken<T>> {
        let mut packet = self.classic.line.pop()?;
        let p_c = self.p * self.p;
        let p_c_max = (1.0 / (self.spec.k * self.spec.k)).min(1.0);
        let is_dropped = self.classic.recur(p_c) && (p_c >= p_c_max || !packet.mark());
        Some(Taken { packet, is_dropped })
    }

    /// The updates of p' that were due up to `now`; the queues have not changed since the last call.
    fn catch_up(&mut self, now: Time) {
        while self.updates_at <= now {
            if self.packets() == 0 && self.p == 0.0 && self.prevq_s == 0.0 {
                let updates = (now - self.updates_at) / self.spec.t_update + 1;
                self.updates_at += self.spec.t_update * updates;
                return;
            }
            let DualPi2Spec { target_s, alpha, beta, .. } = self.spec;
            let curq_s = self.classic.delay_s(self.updates_at).max(self.l4s.delay_s(self.updates_at));
            self.p = (self.p + alpha * (curq_s - target_s) + beta * (curq_s - self.prevq_s)).clamp(0.0, 1.0);
            self.prevq_s = curq_s;
            self.updates_at += self.spec.t_update;
        }
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use super::super::discipline;
    use super::super::line::samples::{capable, packet, ENDLESS};
    use super::*;
    use crate::Packet;

    fn dualpi2() -> Queue<u32> {
        queue(&discipline("dualpi2", &BTreeMap::new()).expect("a row"), Rate(12_000_000), Stream::named(1, "test"))
    }

    fn scalable(arrived: Time) -> Queued<u32> {
        let packet = Packet { is_l4s: true, ecn_capable: true, ..Packet::data(1500, 9) };
        Queued { packet, is_marked: false, arrived, load: 9 }
    }

    fn fill(queue: &mut Queue<u32>, packets: usize, make: impl Fn(Time) -> Queued<u32>) {
        (0..packets).for_each(|_| queue.enqueue(Time::ZERO, make(Time::ZERO), ENDLESS, &mut Vec::new()));
    }

    /// A head that came at 0 has waited 16, 32 ms: 0.16 x 1 ms + 3.2 x 16 ms = 0.05136, then 0.16 x 17 ms + 3.2 x 16 ms = 0.05392 more.
    #[test]
    fn the_base_probability_follows_the_delay_and_its_change() {
        let mut queue = dualpi2();
        fill(&mut queue, 1, |at| packet(at, 0));
        queue.catch_up(Time::from_ms(16));
        assert!((queue.p - 0.05136).abs() < 1e-12, "{}", queue.p);
        queue.catch_up(Time::from_ms(32));
        assert!((queue.p - 0.10528).abs() < 1e-12, "{}", queue.p);
    }

    /// Of the L4S queue's packets 2 p' are marked, of the classic one's p' squared are dropped: 0.2 and 0.01 of 4000 each.
    #[test]
    fn marks_are_coupled_linearly_and_drops_by_the_square() {
        let mut queue = Queue { p: 0.1, updates_at: Time::NEVER, ..dualpi2() };
        fill(&mut queue, 4000, scalable);
        fill(&mut queue, 4000, |at| packet(at, 0));
        let (mut marked, mut dropped) = (0, Vec::new());
        while let Some(packet) = queue.dequeue(Time::ZERO, &mut dropped) {
            marked += usize::from(packet.is_marked);
        }
        assert!(marked.abs_diff(800) <= 1 && dropped.len().abs_diff(40) <= 1, "{marked} marks, {} drops", dropped.len());
    }

    /// 800 us unmarked, 1200 us and more always; half of the packets half way.
    #[test]
    fn the_native_ramp_goes_from_800_to_1200_microseconds() {
        let spec = dualpi2().spec;
        assert_eq!([0.0008, 0.001201, 0.005].map(|delay_s| spec.laqm(delay_s)), [0.0, 1.0, 1.0]);
        assert!((spec.laqm(0.001) - 0.5).abs() < 1e-9);
    }

    /// Two packets of 1500 bytes at 1 Mbit/s would wait far beyond the ramp: the last two go unmarked.
    #[test]
    fn a_queue_of_one_packet_is_not_marked() {
        let mut queue = Queue { updates_at: Time::NEVER, ..dualpi2() };
        fill(&mut queue, 4, scalable);
        let marks: Vec<bool> =
            std::iter::from_fn(|| queue.dequeue(Time::from_ms(100), &mut Vec::new())).map(|packet| packet.is_marked).collect();
        // The first hit only makes the count 1, which is not more than 1.
        assert_eq!(marks, [false, true, false, false]);
    }

    /// Fifteen to one while both have packets.
    #[test]
    fn the_classic_queue_keeps_a_sixteenth() {
        let mut queue = Queue { updates_at: Time::NEVER, ..dualpi2() };
        fill(&mut queue, 4000, scalable);
        fill(&mut queue, 4000, |at| packet(at, 0));
        let served = (0..1600).filter_map(|_| queue.dequeue(Time::ZERO, &mut Vec::new()));
        let classic = served.filter(|packet| packet.load == 0).count();
        assert!(classic.abs_diff(100) <= 1, "{classic}");
    }

    /// From p' = 1/k on ECN does not help any more, in neither queue: a quarter and more is dropped.
    #[test]
    fn overload_drops_whoever_it_is() {
        let mut queue = Queue { p: 0.5, updates_at: Time::NEVER, ..dualpi2() };
        fill(&mut queue, 4000, scalable);
        fill(&mut queue, 4000, capable);
        let (mut dropped, mut unmarked) = (Vec::new(), 0);
        while let Some(packet) = queue.dequeue(Time::ZERO, &mut dropped) {
            unmarked += usize::from(packet.packet.is_l4s && !packet.is_marked);
        }
        let scalable = dropped.iter().filter(|packet| packet.packet.is_l4s).count();
        assert!(scalable.abs_diff(1000) <= 2 && (dropped.len() - scalable).abs_diff(1000) <= 2, "{scalable} of {}", dropped.len());
        assert!(unmarked <= 1, "{unmarked}");
    }
}
