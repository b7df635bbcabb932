//! COBALT: CoDel for those who answer signals, BLUE for those who do not, in one queue.
//!
//! Source: Hoeiland-Joergensen, Taht and Morton, "Piece of CAKE: a comprehensive queue management solution for home gateways", IEEE LANMAN
//! 2018; the order of steps is that of Linux's `sch_cake`, which is where it is defined. Times in nanoseconds. State: CoDel's count, which
//! decreases at the pace at which it grew, its schedule, and BLUE's probability with the time of its latest change.
//! An ECN-capable packet is marked where CoDel would drop it; BLUE never marks.

use units::{Duration, Rate, Stream, Time};

use super::codel::{INTERVAL, TARGET};
use super::description::number;
use super::{Discipline, DisciplineSpec, Line, Queued, Room, Serving};

/// What is said of it.
pub(super) static DISCIPLINE: Discipline = Discipline {
    name: "cobalt",
    year: 2018,
    source: "Hoeiland-Joergensen, Taht and Morton 2018 (CAKE)",
    summary: "CoDel for those who answer, BLUE for those who do not.",
    parameters: &[
        TARGET,
        INTERVAL,
        number("increment", (0.0, 1.0), INCREMENT, "Added to BLUE's probability when the queue overflows."),
        number("decrement", (0.0, 1.0), DECREMENT, "Taken from it when the queue is empty."),
    ],
    qdisc: None,
};

const MTU: u64 = 1500;
/// With the header of Ethernet, which CAKE counts for its parameters.
const FRAME: u64 = 1514;
/// BLUE's steps in CAKE, and the defaults here.
const INCREMENT: f64 = 1.0 / 256.0;
const DECREMENT: f64 = 1.0 / 4096.0;

/// COBALT's numbers.
#[derive(Clone, Copy, Debug)]
pub(crate) struct CobaltSpec {
    target: Duration,
    interval: Duration,
    increment: f64,
    decrement: f64,
    /// How long the link takes for a packet.
    mtu_time: Duration,
}

impl CobaltSpec {
    pub(crate) fn new(spec: &DisciplineSpec, rate: Rate) -> CobaltSpec {
        CobaltSpec {
            target: spec.duration("target_s"),
            interval: spec.duration("interval_s"),
            increment: spec.value("increment"),
            decrement: spec.value("decrement"),
            mtu_time: Duration(MTU * 8 * 1_000_000_000 / rate.0),
        }
    }

    /// As CAKE sets it for a link: the target is at least one and a half frames, the interval longer by as much and at least two targets.
    pub(crate) fn at_rate(spec: &DisciplineSpec, rate: Rate) -> CobaltSpec {
        let (asked, asked_interval) = (spec.duration("target_s"), spec.duration("interval_s"));
        let mtu_time = Duration(FRAME * 8 * 1_000_000_000 / rate.0);
        let target = asked.max(Duration(mtu_time.0 * 3 / 2));
        let interval = Duration(asked_interval.0 + target.0 - asked.0).max(target * 2);
        CobaltSpec { target, interval, increment: INCREMENT, decrement: DECREMENT, mtu_time }
    }
}

/// The law.
#[derive(Clone, Debug)]
pub(crate) struct Cobalt {
    spec: CobaltSpec,
    count: u32,
    dropping: bool,
    drop_next: Time,
    p_drop: f64,
    /// When it changed last, if it did.
    blue_at: Option<Time>,
    stream: Stream,
}

impl Cobalt {
    /// At rest.
    pub(super) fn new(spec: CobaltSpec, stream: Stream) -> Cobalt {
        Cobalt { spec, count: 0, dropping: false, drop_next: Time::ZERO, p_drop: 0.0, blue_at: None, stream }
    }

    /// CoDel's control law; a count of 0 is as one of 1.
    fn control(&self, t: Time) -> Time {
        t + Duration((self.spec.interval.0 as f64 / f64::from(self.count.max(1)).sqrt()) as u64)
    }

    /// BLUE's probability changes at most once per target.
    fn blue(&mut self, now: Time, change: f64) {
        if self.blue_at.is_none_or(|at| now.since(at) > self.spec.target) {
            self.p_drop = (self.p_drop + change).clamp(0.0, 1.0);
            self.blue_at = Some(now);
        }
    }

    /// The queue overflowed: signals have not been answered.
    pub(super) fn on_full(&mut self, now: Time) {
        self.blue(now, self.spec.increment);
        self.dropping = true;
        self.drop_next = now;
        self.count = self.count.max(1);
    }

    /// The queue was found empty.
    pub(super) fn on_empty(&mut self, now: Time) {
        if self.p_drop > 0.0 {
            self.blue(now, -self.spec.decrement);
        }
        self.dropping = false;
        if self.is_due(now) {
            self.relax();
        }
    }

    /// Nothing is left of what it learned.
    pub(super) fn is_at_rest(&self, now: Time) -> bool {
        self.p_drop == 0.0 && self.count == 0 && now >= self.drop_next
    }

    fn is_due(&self, now: Time) -> bool {
        self.count > 0 && now >= self.drop_next
    }

    /// One signal fewer, and when that may be said again.
    fn relax(&mut self) {
        self.count -= 1;
        self.drop_next = self.control(self.drop_next);
    }

    /// Whether `packet`, about to leave, is dropped; it may be marked instead.
    pub(super) fn should_drop<T>(&mut self, now: Time, packet: &mut Queued<T>) -> bool {
        let is_due = self.is_due(now);
        // Whether the schedule lay behind: what begins the dropping state does not count.
        let mut is_behind = now > self.drop_next;
        self.judge(now, now - packet.arrived);
        let mut drops = false;
        if is_due && self.dropping {
            drops = !packet.mark();
            self.count = self.count.saturating_add(1);
            self.drop_next = self.control(self.drop_next);
            is_behind = now > self.drop_next;
        } else if is_due {
            while self.is_due(now) {
                self.relax();
            }
            is_behind = now > self.drop_next;
        }
        drops |= self.p_drop > 0.0 && self.stream.unit() < self.p_drop;
        // The schedule is a timeout of activity too.
        if self.count == 0 {
            self.drop_next = now + self.spec.interval;
        } else if is_behind && !drops {
            self.drop_next = now;
        }
        drops
    }

    /// Whether packets wait too long.
    fn judge(&mut self, now: Time, sojourn: Duration) {
        let is_late = sojourn > self.spec.target && sojourn > self.spec.mtu_time * 4;
        if is_late && !self.dropping {
            self.drop_next = self.control(now);
        }
        if is_late {
            self.count = self.count.max(1);
        }
        self.dropping = is_late;
    }
}

/// One queue under COBALT.
#[derive(Debug)]
pub(crate) struct Queue<T> {
    line: Line<T>,
    cobalt: Cobalt,
}

/// It, empty.
pub(super) fn queue<T>(spec: &DisciplineSpec, rate: Rate, draws: Stream) -> Queue<T> {
    Queue { line: Line::default(), cobalt: Cobalt::new(CobaltSpec::new(spec, rate), draws) }
}

impl<T> Serving<T> for Queue<T> {
    /// A packet joins the line; the oldest is dropped if there was no room.
    fn enqueue(&mut self, now: Time, packet: Queued<T>, room: Room, dropped: &mut Vec<Queued<T>>) {
        let has_room = self.line.has_room(room, &packet);
        self.line.push(packet);
        if !has_room {
            self.cobalt.on_full(now);
            dropped.extend(self.line.pop());
        }
    }

    fn dequeue(&mut self, now: Time, dropped: &mut Vec<Queued<T>>) -> Option<Queued<T>> {
        loop {
            let Some(mut packet) = self.line.pop() else {
                self.cobalt.on_empty(now);
                return None;
            };
            // The last packet of a queue may be marked, but is not dropped.
            if !self.cobalt.should_drop(now, &mut packet) || self.line.packets() == 0 {
                return Some(packet);
            }
            dropped.push(packet);
        }
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
    use std::collections::BTreeMap;

    use super::super::discipline;
    use super::super::line::samples::{capable, packet, ENDLESS};
    use super::*;

    /// 12 Mbit/s: 1500 bytes take 1 ms, four packets less than the target.
    fn cobalt() -> Cobalt {
        let spec = discipline("cobalt", &BTreeMap::new()).expect("a row");
        Cobalt::new(CobaltSpec::new(&spec, Rate(12_000_000)), Stream::named(1, "test"))
    }

    /// One packet leaves per millisecond, each having waited for `wait_ms`: times of drops and of marks, ms.
    fn signals(cobalt: &mut Cobalt, wait_ms: u64, (from_ms, to_ms): (u64, u64), make: fn(Time) -> Queued<u32>) -> (Vec<u64>, Vec<u64>) {
        let (mut drops, mut marks) = (Vec::new(), Vec::new());
        for ms in from_ms..to_ms {
            let mut packet = make(Time::from_ms(ms - wait_ms));
            let is_dropped = cobalt.should_drop(Time::from_ms(ms), &mut packet);
            drops.extend(is_dropped.then_some(ms));
            marks.extend(packet.is_marked.then_some(ms));
        }
        (drops, marks)
    }

    /// 100 ms from above target to the first signal, which counts two: then 100/sqrt 2, 100/sqrt 3, 100/sqrt 4 ms: 200, 270.7, 328.4,
    /// 378.4 ms, each taken at the next millisecond.
    #[test]
    fn signals_come_closer_by_the_root_of_their_number() {
        let mut law = cobalt();
        signals(&mut law, 1, (50, 100), |at| packet(at, 0));
        assert_eq!(signals(&mut law, 10, (100, 400), |at| packet(at, 0)).0, [200, 271, 329, 379]);
        let mut law = cobalt();
        signals(&mut law, 1, (50, 100), capable);
        assert_eq!(signals(&mut law, 10, (100, 400), capable), (vec![], vec![200, 271, 329, 379]));
    }

    /// Unlike CoDel's, the count is worked off one by one, at the pace at which it grew.
    #[test]
    fn calm_works_the_count_off() {
        let mut law = cobalt();
        signals(&mut law, 1, (50, 100), |at| packet(at, 0));
        signals(&mut law, 10, (100, 400), |at| packet(at, 0));
        assert_eq!(law.count, 5);
        // From 378.4 + 100/sqrt 5 = 423.1 ms on, after 100/sqrt 4, /sqrt 3, /sqrt 2 and 100 ms.
        signals(&mut law, 1, (400, 424), |at| packet(at, 0));
        assert_eq!(law.count, 5);
        signals(&mut law, 1, (424, 460), |at| packet(at, 0));
        assert_eq!(law.count, 4);
        signals(&mut law, 1, (460, 900), |at| packet(at, 0));
        assert_eq!(law.count, 0);
    }

    /// The first overflow counts however soon it comes; a kernel's clock does not begin with the queue.
    #[test]
    fn blue_rises_with_the_first_overflow() {
        let mut law = cobalt();
        law.on_full(Time::from_ms(1));
        assert!((law.p_drop - 1.0 / 256.0).abs() < 1e-12, "{}", law.p_drop);
    }

    /// 1/256 per overflow, 1/4096 per idle moment, no more often than every 5 ms.
    #[test]
    fn blue_rises_with_overflows_and_falls_with_idleness() {
        let mut law = cobalt();
        (1..=50).for_each(|ms| law.on_full(Time::from_ms(1000 + ms)));
        assert!((law.p_drop - 9.0 / 256.0).abs() < 1e-12, "{}", law.p_drop);
        (1..=60).for_each(|ms| law.on_empty(Time::from_ms(2000 + ms)));
        assert!((law.p_drop - 9.0 / 256.0 + 10.0 / 4096.0).abs() < 1e-12, "{}", law.p_drop);
    }

    #[test]
    fn blue_knows_no_marks() {
        let mut law = Cobalt { p_drop: 1.0, ..cobalt() };
        assert!(law.should_drop(Time::from_ms(1), &mut capable(Time::from_ms(1))));
    }

    #[test]
    fn overflow_takes_the_oldest_and_the_last_packet_stays() {
        let mut queue = Queue { line: Line::default(), cobalt: Cobalt { p_drop: 1.0, ..cobalt() } };
        let (mut dropped, full) = (Vec::new(), Room { packets: 2, ..ENDLESS });
        (1..=3).for_each(|key| queue.enqueue(Time::ZERO, packet(Time::ZERO, key), full, &mut dropped));
        assert_eq!((dropped.len(), dropped[0].packet.flow), (1, 1));
        assert_eq!(queue.dequeue(Time::ZERO, &mut dropped).map(|packet| packet.packet.flow), Some(3));
    }
}
