//! CoDel: drops at the head, ever more often, while packets wait longer than a target for a whole interval.
//!
//! Source: RFC 8289 (Nichols, Jacobson, McGregor and Iyengar 2018), names of its pseudocode. Times in nanoseconds. State: when the
//! sojourn time will have been above target for an interval, and the drop schedule.
//! An ECN-capable packet is marked where it would be dropped, and then leaves the queue.

use units::{Duration, Rate, Stream, Time};

use super::description::seconds;
use super::Number::{Limit, Of};
use super::Unit::{Microseconds, Whole};
use super::{Discipline, DisciplineSpec, Line, Parameter, Qdisc, Queued, Room, Serving};

/// What is said of it.
pub(super) static DISCIPLINE: Discipline = Discipline {
    name: "codel",
    year: 2012,
    source: "RFC 8289",
    summary: "Drops or marks at the head, ever more often, while packets wait too long.",
    parameters: &[TARGET, INTERVAL],
    qdisc: Some(QDISC),
};

/// In the kernel.
const QDISC: Qdisc = Qdisc {
    kind: "codel",
    option: Some("NET_SCH_CODEL"),
    counts_bytes: false,
    numbers: &[Limit(Whole), Of("target_s", Microseconds), Of("interval_s", Microseconds)],
    demands: &[],
};

/// Bytes of the largest packet: no drop while no more than that is left behind.
const MAXPACKET: u64 = 1500;

/// CoDel's parameters.
pub(super) const TARGET: Parameter = seconds("target_s", (1e-6, 1.0), 0.005, "Acceptable standing queue delay (RFC 8289).");
pub(super) const INTERVAL: Parameter =
    seconds("interval_s", (1e-5, 10.0), 0.1, "Time above the target before the first drop: a worst-case RTT.");

/// CoDel's two numbers.
#[derive(Clone, Copy, Debug)]
pub(crate) struct CodelSpec {
    target: Duration,
    interval: Duration,
}

impl CodelSpec {
    pub(crate) fn new(spec: &DisciplineSpec) -> CodelSpec {
        CodelSpec { target: spec.duration("target_s"), interval: spec.duration("interval_s") }
    }
}

/// The control law of one queue.
#[derive(Clone, Debug)]
pub(crate) struct Codel {
    spec: CodelSpec,
    first_above: Option<Time>,
    drop_next: Time,
    /// Drops since the dropping state was entered, and what it was when it was entered.
    count: u64,
    lastcount: u64,
    dropping: bool,
}

impl Codel {
    pub(crate) fn new(spec: CodelSpec) -> Codel {
        Codel { spec, first_above: None, drop_next: Time::ZERO, count: 0, lastcount: 0, dropping: false }
    }

    /// `control_law`: the next drop comes sooner by the inverse square root of the count.
    fn control_law(&self, t: Time) -> Time {
        t + Duration((self.spec.interval.0 as f64 / (self.count as f64).sqrt()) as u64)
    }

    /// `dodequeue`: whether packets have waited too long for a whole interval, the one at the head included. `others` counts the bytes that
    /// wait elsewhere for the same link.
    #[inline]
    fn judge<T>(&mut self, now: Time, line: &Line<T>, others: u64) -> bool {
        let is_late = line.front().is_some_and(|head| {
            let behind = line.bytes() - u64::from(head.packet.bytes) + others;
            now - head.arrived >= self.spec.target && behind > MAXPACKET
        });
        if !is_late {
            self.first_above = None;
            return false;
        }
        // Just above: that moment lies ahead.
        now >= *self.first_above.get_or_insert(now + self.spec.interval)
    }

    /// `dequeue`: the packet to serve next; those dropped before it go to `dropped`.
    #[inline]
    pub(crate) fn dequeue<T>(&mut self, now: Time, line: &mut Line<T>, others: u64, dropped: &mut Vec<Queued<T>>) -> Option<Queued<T>> {
        let ok_to_drop = self.judge(now, line, others);
        if self.dropping || ok_to_drop {
            self.signal(now, line, others, ok_to_drop, dropped);
        }
        line.pop()
    }

    /// In the dropping state, or about to enter it: drops from the head, or marks there. Out of line, for most packets find no signal.
    #[inline(never)]
    fn signal<T>(&mut self, now: Time, line: &mut Line<T>, others: u64, mut ok_to_drop: bool, dropped: &mut Vec<Queued<T>>) {
        if self.dropping {
            self.dropping = ok_to_drop;
            while self.dropping && now >= self.drop_next {
                self.count += 1;
                if mark(line) {
                    self.drop_next = self.control_law(self.drop_next);
                    break;
                }
                dropped.extend(line.pop());
                ok_to_drop = self.judge(now, line, others);
                self.dropping = ok_to_drop;
                if ok_to_drop {
                    self.drop_next = self.control_law(self.drop_next);
                }
            }
            return;
        }
        if !mark(line) {
            dropped.extend(line.pop());
            self.judge(now, line, others);
        }
        self.dropping = true;
        // A drop rate that was right not long ago is where to start from.
        let delta = self.count - self.lastcount;
        let was_recent = now.since(self.drop_next) < self.spec.interval * 16;
        self.count = if delta > 1 && was_recent { delta } else { 1 };
        self.drop_next = self.control_law(now);
        self.lastcount = self.count;
    }
}

/// Marks the packet at the head instead of dropping it, if it is ECN-capable.
fn mark<T>(line: &mut Line<T>) -> bool {
    line.front_mut().is_some_and(Queued::mark)
}

/// One queue under CoDel.
#[derive(Debug)]
pub(crate) struct Queue<T> {
    line: Line<T>,
    codel: Codel,
}

/// It, empty.
pub(super) fn queue<T>(spec: &DisciplineSpec, _rate: Rate, _draws: Stream) -> Queue<T> {
    Queue { line: Line::default(), codel: Codel::new(CodelSpec::new(spec)) }
}

impl<T> Serving<T> for Queue<T> {
    fn enqueue(&mut self, _now: Time, packet: Queued<T>, room: Room, dropped: &mut Vec<Queued<T>>) {
        if self.line.has_room(room, &packet) {
            self.line.push(packet);
        } else {
            dropped.push(packet);
        }
    }

    fn dequeue(&mut self, now: Time, dropped: &mut Vec<Queued<T>>) -> Option<Queued<T>> {
        self.codel.dequeue(now, &mut self.line, 0, dropped)
    }

    fn packets(&self) -> usize {
        self.line.packets()
    }

    fn bytes(&self) -> u64 {
        self.line.bytes()
    }
}

#[cfg(test)]
mod tests {
    use super::super::line::samples::{capable, packet, ENDLESS};
    use super::*;

    const SPEC: CodelSpec = CodelSpec { target: Duration::from_ms(5), interval: Duration::from_ms(100) };

    /// One packet leaves per millisecond, and each has waited for `wait`: times of drops and of marks, ms.
    fn drops(wait: Duration, until_ms: u64, make: impl Fn(Time) -> Queued<u32>) -> (Vec<u64>, Vec<u64>) {
        let mut queue = Queue { line: Line::default(), codel: Codel::new(SPEC) };
        let (mut dropped, mut times, mut marks) = (Vec::new(), Vec::new(), Vec::new());
        for ms in 100..until_ms {
            let now = Time::from_ms(ms);
            while queue.packets() < 20 {
                queue.enqueue(now, make(now.saturating_sub(wait)), ENDLESS, &mut dropped);
            }
            let served = queue.dequeue(now, &mut dropped).expect("a packet");
            times.extend(dropped.drain(..).map(|_| ms));
            marks.extend(served.is_marked.then_some(ms));
            // Those left behind would be served too late: fresh ones take their place.
            while queue.packets() > 0 {
                queue.line.pop();
            }
            while queue.packets() < 20 {
                queue.enqueue(now, make((now + Duration::from_ms(1)).saturating_sub(wait)), ENDLESS, &mut dropped);
            }
        }
        (times, marks)
    }

    /// The interval is 100 ms: first an interval above target, then 100, 100/sqrt 2, 100/sqrt 3, 100/sqrt 4 ms between drops:
    /// 200, 300, 370.7, 428.4, 478.4, 523.2 ms, each taken at the next millisecond.
    #[test]
    fn drops_come_after_an_interval_and_then_closer_by_the_root_of_their_number() {
        let (times, _) = drops(Duration::from_ms(10), 530, |arrived| packet(arrived, 0));
        assert_eq!(times, [200, 300, 371, 429, 479, 524]);
    }

    #[test]
    fn what_waits_less_than_the_target_is_let_through() {
        assert_eq!(drops(Duration::from_ms(5), 301, |arrived| packet(arrived, 0)).0, [200, 300]);
        assert_eq!(drops(Duration(4_999_999), 1000, |arrived| packet(arrived, 0)), (vec![], vec![]));
    }

    #[test]
    fn ecn_capable_packets_are_marked_where_others_are_dropped() {
        let (times, marks) = drops(Duration::from_ms(10), 530, capable);
        assert_eq!((times, marks), (vec![], vec![200, 300, 371, 429, 479, 524]));
    }

    /// With no more than a packet left behind there is no queue worth a drop.
    #[test]
    fn the_last_packet_but_one_is_never_dropped() {
        let mut queue = Queue { line: Line::default(), codel: Codel::new(SPEC) };
        let mut dropped = Vec::new();
        for ms in 0..1000 {
            let now = Time::from_ms(1000 + ms);
            while queue.packets() < 2 {
                queue.enqueue(now, packet(now.saturating_sub(Duration::from_ms(50)), 0), ENDLESS, &mut dropped);
            }
            queue.dequeue(now, &mut dropped);
        }
        assert!(dropped.is_empty());
    }

    /// RFC 8289, section 5.5: a drop counts before the next packet is looked at, so that one that ends the dropping state does, too.
    #[test]
    fn the_drop_that_ends_the_dropping_state_counts() {
        let now = Time::from_ms(1000);
        let codel = Codel { count: 3, lastcount: 1, dropping: true, first_above: Some(Time::ZERO), drop_next: now, ..Codel::new(SPEC) };
        let (mut queue, mut dropped) = (Queue { line: Line::default(), codel }, Vec::new());
        queue.enqueue(now, packet(Time::ZERO, 0), ENDLESS, &mut dropped);
        (0..4).for_each(|_| queue.enqueue(now, packet(now, 0), ENDLESS, &mut dropped));
        queue.dequeue(now, &mut dropped);
        assert_eq!((dropped.len(), queue.codel.dropping, queue.codel.count), (1, false, 4));
    }

    /// Who left the dropping state after five drops and re-enters it within 16 intervals drops at the rate it
    /// had: the next interval is 100/sqrt 4 ms; after a longer time it is 100 ms again.
    #[test]
    fn the_drop_rate_is_taken_up_again_unless_too_much_time_has_passed() {
        for (gap_ms, next_ms) in [(200, 50), (10_000, 100)] {
            let codel = Codel { count: 5, lastcount: 1, drop_next: Time::from_ms(1000), ..Codel::new(SPEC) };
            let now = Time::from_ms(1000 + gap_ms);
            let mut queue = Queue { line: Line::default(), codel: Codel { first_above: Some(now), ..codel } };
            let mut dropped = Vec::new();
            (0..5).for_each(|_| queue.enqueue(now, packet(Time::ZERO, 0), ENDLESS, &mut dropped));
            queue.dequeue(now, &mut dropped);
            assert_eq!((dropped.len(), queue.codel.drop_next), (1, now + Duration::from_ms(next_ms)));
        }
    }
}
