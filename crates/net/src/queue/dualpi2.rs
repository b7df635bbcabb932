//! DualPI2: one queue for scalable senders, marked early and often, beside one for all others, held at a target delay; coupled, so that a
//! scalable flow and a classic one get the same rate.
//!
//! Source: RFC 9332 (De Schepper, Briscoe and White 2023), appendix A with its overload handling, names of its pseudocode. Times in
//! nanoseconds or seconds. State: the base probability p', the delay at the latest update, what is left of a mark in each queue, the
//! scheduler's credit. The scheduler is the recommended weighted round robin, by bytes; its credit moves only while both queues have packets
//! and is forgotten when the link is idle.

use units::Time;

use super::{DisciplineSpec, Line, Queued, Room};

/// The native AQM does not mark while no more than this many packets are left behind.
const TH_LEN: usize = 1;

/// DualPI2's numbers.
#[derive(Clone, Copy, Debug)]
pub(crate) struct DualPi2Spec {
    target_s: f64,
    t_update: Time,
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
            t_update: spec.time("t_update_s"),
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

/// One of the two queues, and `recur`'s count: a likelihood that adds up instead of dice.
#[derive(Clone, Debug)]
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
#[derive(Clone, Debug)]
pub(crate) struct DualPi2<T> {
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

impl<T> DualPi2<T> {
    pub(crate) fn new(spec: DualPi2Spec) -> DualPi2<T> {
        let updates_at = spec.t_update;
        DualPi2 { spec, l4s: Side::empty(), classic: Side::empty(), p: 0.0, prevq_s: 0.0, updates_at, credit: 0.0 }
    }

    pub(crate) fn enqueue(&mut self, now: Time, packet: Queued<T>, room: Room, dropped: &mut Vec<Queued<T>>) {
        self.catch_up(now);
        if !room.fits(self.packets(), self.bytes(), packet.bytes) {
            return dropped.push(packet);
        }
        let side = if packet.is_l4s { &mut self.l4s } else { &mut self.classic };
        side.line.push(packet);
    }

    pub(crate) fn dequeue(&mut self, now: Time, dropped: &mut Vec<Queued<T>>) -> Option<Queued<T>> {
        self.catch_up(now);
        while self.packets() > 0 {
            let (packet, is_dropped) = if self.schedules_l4s() { self.take_l4s(now)? } else { self.take_classic()? };
            if !is_dropped {
                return Some(packet);
            }
            dropped.push(packet);
        }
        self.credit = 0.0;
        None
    }

    /// Whose turn it is.
    fn schedules_l4s(&mut self) -> bool {
        let (Some(l4s), Some(classic)) = (self.l4s.line.front(), self.classic.line.front()) else {
            return self.l4s.line.packets() > 0;
        };
        let is_l4s = self.credit >= 0.0;
        let share = self.spec.classic_share;
        self.credit += if is_l4s { -share * f64::from(l4s.bytes) } else { (1.0 - share) * f64::from(classic.bytes) };
        is_l4s
    }

    /// The head of the L4S queue, and whether it is dropped: only where marks cannot say more.
    fn take_l4s(&mut self, now: Time) -> Option<(Queued<T>, bool)> {
        let mut packet = self.l4s.line.pop()?;
        let coupled = self.spec.k * self.p;
        let is_overloaded = coupled >= 1.0;
        if is_overloaded && self.l4s.recur(self.p * self.p) {
            return Some((packet, true));
        }
        let is_native = !is_overloaded && self.l4s.line.packets() > TH_LEN;
        let native = if is_native { self.spec.laqm((now - packet.arrived).as_secs_f64()) } else { 0.0 };
        if self.l4s.recur(native.max(coupled)) {
            packet.mark();
        }
        Some((packet, false))
    }

    /// The head of the classic queue, and whether it is dropped.
    fn take_classic(&mut self) -> Option<(Queued<T>, bool)> {
        let mut packet = self.classic.line.pop()?;
        let p_c = self.p * self.p;
        let p_c_max = (1.0 / (self.spec.k * self.spec.k)).min(1.0);
        let is_dropped = self.classic.recur(p_c) && (p_c >= p_c_max || !packet.mark());
        Some((packet, is_dropped))
    }

    /// The updates of p' that were due up to `now`; the queues have not changed since the last call.
    fn catch_up(&mut self, now: Time) {
        while self.updates_at <= now {
            if self.packets() == 0 && self.p == 0.0 && self.prevq_s == 0.0 {
                let updates = (now - self.updates_at).0 / self.spec.t_update.0 + 1;
                self.updates_at += Time(updates * self.spec.t_update.0);
                return;
            }
            let DualPi2Spec { target_s, alpha, beta, .. } = self.spec;
            let curq_s = self.classic.delay_s(self.updates_at).max(self.l4s.delay_s(self.updates_at));
            self.p = (self.p + alpha * (curq_s - target_s) + beta * (curq_s - self.prevq_s)).clamp(0.0, 1.0);
            self.prevq_s = curq_s;
            self.updates_at += self.spec.t_update;
        }
    }

    pub(crate) fn packets(&self) -> usize {
        self.l4s.line.packets() + self.classic.line.packets()
    }

    pub(crate) fn bytes(&self) -> u64 {
        self.l4s.line.bytes() + self.classic.line.bytes()
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use super::super::line::samples::{capable, packet, ENDLESS};
    use super::super::registry::discipline;
    use super::*;

    fn dualpi2() -> DualPi2<u32> {
        DualPi2::new(DualPi2Spec::new(&discipline("dualpi2", &BTreeMap::new()).expect("a row")))
    }

    fn scalable(arrived: Time) -> Queued<u32> {
        Queued { is_l4s: true, key: 9, load: 9, ..capable(arrived) }
    }

    fn fill(queue: &mut DualPi2<u32>, packets: usize, make: impl Fn(Time) -> Queued<u32>) {
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
        let mut queue = DualPi2 { p: 0.1, updates_at: Time::NEVER, ..dualpi2() };
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
        let mut queue = DualPi2 { updates_at: Time::NEVER, ..dualpi2() };
        fill(&mut queue, 4, scalable);
        let marks: Vec<bool> =
            std::iter::from_fn(|| queue.dequeue(Time::from_ms(100), &mut Vec::new())).map(|packet| packet.is_marked).collect();
        // The first hit only makes the count 1, which is not more than 1.
        assert_eq!(marks, [false, true, false, false]);
    }

    /// Fifteen to one while both have packets.
    #[test]
    fn the_classic_queue_keeps_a_sixteenth() {
        let mut queue = DualPi2 { updates_at: Time::NEVER, ..dualpi2() };
        fill(&mut queue, 4000, scalable);
        fill(&mut queue, 4000, |at| packet(at, 0));
        let served = (0..1600).filter_map(|_| queue.dequeue(Time::ZERO, &mut Vec::new()));
        let classic = served.filter(|packet| packet.load == 0).count();
        assert!(classic.abs_diff(100) <= 1, "{classic}");
    }

    /// From p' = 1/k on ECN does not help any more, in neither queue: a quarter and more is dropped.
    #[test]
    fn overload_drops_whoever_it_is() {
        let mut queue = DualPi2 { p: 0.5, updates_at: Time::NEVER, ..dualpi2() };
        fill(&mut queue, 4000, scalable);
        fill(&mut queue, 4000, capable);
        let (mut dropped, mut unmarked) = (Vec::new(), 0);
        while let Some(packet) = queue.dequeue(Time::ZERO, &mut dropped) {
            unmarked += usize::from(packet.is_l4s && !packet.is_marked);
        }
        let scalable = dropped.iter().filter(|packet| packet.is_l4s).count();
        assert!(scalable.abs_diff(1000) <= 2 && (dropped.len() - scalable).abs_diff(1000) <= 2, "{scalable} of {}", dropped.len());
        assert!(unmarked <= 1, "{unmarked}");
    }
}
