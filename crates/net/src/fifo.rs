//! A link whose departures are known on arrival: packets are served in order, and the queue decides about each when it arrives.
//!
//! Serving in order at a known rate means that the departure time of a packet is fixed the moment it is accepted: no transmit-complete event
//! exists, and the queue is the ring of departure times still in the future. A packet whose transmission ends at the very nanosecond another
//! arrives has left before it. What has departed is removed from the ring late, when that holds as many packets as the queue ever held or may hold.

mod governed;
mod losing;
mod made;

use std::ops::Range;

use units::{Serialiser, Stream, Time};

use self::governed::Governor;
use crate::answer::Answer;
use crate::books::{LinkTotals, Occupancy, Reading, Sums, Window};
use crate::loss::Independent;
use crate::queue::Decision;
use crate::spec::{FifoSpec, Limit};
use crate::{Changes, Losses, Packet, Ring};

/// A packet in the queue.
#[derive(Clone, Copy, Debug, Default)]
struct Place {
    departs: Time,
    /// Bytes accepted before it.
    bytes_ahead: u64,
}

/// The link.
#[derive(Clone, Debug)]
pub struct Fifo {
    spec: FifoSpec,
    /// Packets in the ring from which on a packet may find no room, or the queue be longer than ever: then the ring is looked through.
    look_at: usize,
    /// Queue length at which a limit in packets refuses; 0 where more than the length decides about a packet.
    full_at: usize,
    free_at: Time,
    serialiser: Serialiser,
    queue: Ring<Place>,
    sums: Sums,
    window: Window,
    governor: Option<Box<Governor>>,
    /// Packets may be lost before the queue.
    is_lossy: bool,
    random: Independent,
    /// Packets ever queued when it was last looked how many pass.
    looked_at: usize,
    losses: Losses,
    changes: Changes,
}

impl Fifo {
    /// An idle drop-tail link that measures over `window` and draws its random loss from `loss`.
    pub fn new(spec: FifoSpec, window: Range<Time>, loss: Stream) -> Fifo {
        let full_at = match spec.limit {
            Limit::Packets(limit) if spec.mark_at.is_none() => limit as usize + usize::from(spec.excludes_in_service),
            _ => 0,
        };
        Fifo {
            spec,
            look_at: 0,
            full_at,
            free_at: Time::ZERO,
            serialiser: Serialiser::new(spec.rate),
            queue: Ring::default(),
            sums: Sums::default(),
            window: Window::new(window),
            governor: None,
            is_lossy: spec.loss_probability > 0.0,
            random: Independent::new(spec.loss_probability, loss),
            looked_at: 0,
            losses: Losses::default(),
            changes: Changes::default(),
        }
    }

    /// A packet arrives at `now`, not earlier than the one before it.
    #[inline]
    pub fn take(&mut self, now: Time, packet: Packet) -> Answer {
        self.begin(now);
        self.admit(now, packet)
    }

    /// It is `now`: readings that are due are taken, and the queue has the size that it has now. Before [`Fifo::admit`].
    #[inline(always)]
    pub fn begin(&mut self, now: Time) {
        if now >= self.window.read_at {
            self.read(now);
        }
    }

    /// [`Fifo::take`] at a time that has begun.
    #[inline(always)]
    pub fn admit(&mut self, now: Time, packet: Packet) -> Answer {
        if self.queue.len() >= self.look_at {
            return self.admit_or_refuse(now, packet);
        }
        Answer::Departs(self.accept(now, packet.bytes))
    }

    /// [`Fifo::admit`] of two packets of so many bytes that arrive together, if nothing needs a look: when they depart.
    #[inline(always)]
    pub fn admit_pair(&mut self, now: Time, bytes: u32) -> Option<[Time; 2]> {
        if self.queue.len() + 1 >= self.look_at && !self.has_room_for_pair(now) {
            return None;
        }
        let first = self.transmit(now, bytes);
        let second = self.transmit(now, bytes);
        let ahead = self.sums.accepted_bytes;
        self.sums.accepted_bytes += 2 * u64::from(bytes);
        self.sums.sojourn_ns += (first - now).0 + (second - now).0;
        let places = [(first, ahead), (second, ahead + u64::from(bytes))];
        self.queue.push_pair(places.map(|(departs, bytes_ahead)| Place { departs, bytes_ahead }));
        Some([first, second])
    }

    /// The ring is looked through: now nothing needs a look any more.
    #[inline(never)]
    fn has_room_for_pair(&mut self, now: Time) -> bool {
        if self.full_at == 0 {
            return false;
        }
        self.release(now);
        self.queue.len() + 1 < self.look_at
    }

    /// The ring is looked through first, and more than its length may decide.
    #[inline(never)]
    fn admit_or_refuse(&mut self, now: Time, packet: Packet) -> Answer {
        self.release(now);
        if self.queue.len() < self.look_at {
            return Answer::Departs(self.accept(now, packet.bytes));
        }
        let decision = self.decide(now, packet);
        let answer = self.carry_out(decision, now, packet.bytes);
        self.looked_at = self.queue.pushed();
        self.sums.max_packets = self.sums.max_packets.max(self.queue.len());
        self.look(now);
        answer
    }

    fn carry_out(&mut self, decision: Decision, now: Time, bytes: u32) -> Answer {
        match decision {
            Decision::Accept => Answer::Departs(self.accept_changing(now, bytes)),
            Decision::Mark => {
                let at = self.accept_changing(now, bytes);
                self.sums.marked += 1;
                let marked_at = self.note_mark(now);
                Answer::DepartsMarked { at, marked_at }
            }
            Decision::Lose => {
                self.sums.lost += 1;
                Answer::Lost
            }
            Decision::Drop => {
                self.sums.dropped += 1;
                Answer::Dropped
            }
        }
    }

    /// From how many packets in the ring on the next one needs a look.
    #[inline(always)]
    fn look(&mut self, now: Time) {
        self.look_at = self.sums.max_packets.min(self.full_at);
        if self.is_lossy {
            self.look_at = self.look_at.min(self.sure_to_pass(now));
        }
    }

    #[inline(always)]
    fn accept(&mut self, now: Time, bytes: u32) -> Time {
        let departs = self.transmit(now, bytes);
        self.enqueue(now, departs, bytes)
    }

    /// The transmission of a packet that arrives at `now` follows the others; returns when it ends.
    #[inline(always)]
    fn transmit(&mut self, now: Time, bytes: u32) -> Time {
        let starts = if self.free_at > now {
            self.free_at
        } else {
            self.serialiser.forget();
            self.sums.idle_ns += (now - self.free_at).0;
            now
        };
        self.free_at = starts + self.serialiser.serialise(bytes);
        self.free_at
    }

    /// The same on a link that may change in time; the time returned includes what its changes add behind the link.
    fn accept_changing(&mut self, now: Time, bytes: u32) -> Time {
        let departs = match &mut self.changes.service {
            None => self.accept(now, bytes),
            Some(service) => {
                let was_idle = self.free_at <= now;
                self.sums.idle_ns += now.since(self.free_at).0;
                let departs = service.departure(self.free_at.max(now), was_idle, bytes);
                self.note_arrival(now);
                self.enqueue(now, departs, bytes)
            }
        };
        self.changes.delay.as_mut().map_or(departs, |delay| delay.arrival(departs))
    }

    #[inline(always)]
    fn enqueue(&mut self, now: Time, departs: Time, bytes: u32) -> Time {
        let bytes_ahead = self.sums.accepted_bytes;
        self.free_at = departs;
        self.sums.accepted_bytes += u64::from(bytes);
        self.sums.sojourn_ns += (departs - now).0;
        self.queue.push(Place { departs, bytes_ahead });
        departs
    }

    /// The discipline: losses first, then a law if there is one, else drop-tail with a step of marks.
    fn decide(&mut self, now: Time, packet: Packet) -> Decision {
        if self.is_lossy && self.loses(now, packet) {
            return Decision::Lose;
        }
        let has_room = !self.exceeds(self.spec.limit, now, packet.bytes);
        if self.governor.is_some() {
            return self.ask_law(now, packet, has_room);
        }
        match self.spec.mark_at {
            _ if !has_room => Decision::Drop,
            Some(mark_at) if packet.ecn_capable && self.exceeds(mark_at, now, packet.bytes) => Decision::Mark,
            _ => Decision::Accept,
        }
    }

    /// Whether a queue of this size has no room for `bytes` more.
    fn exceeds(&self, limit: Limit, now: Time, bytes: u32) -> bool {
        match limit {
            Limit::Packets(limit) => self.queue.len() >= limit as usize + usize::from(self.spec.excludes_in_service),
            Limit::Bytes(limit) => {
                let ahead = if self.spec.excludes_in_service { self.bytes_up_to_service() } else { self.departed_bytes() };
                self.sums.accepted_bytes - ahead + u64::from(bytes) > limit
            }
            Limit::Delay(limit) => self.free_at.since(now) > limit,
        }
    }

    /// Bytes that left so far.
    fn departed_bytes(&self) -> u64 {
        self.queue.front().map_or(self.sums.accepted_bytes, |head| head.bytes_ahead)
    }

    fn queued_bytes(&self) -> u64 {
        self.sums.accepted_bytes - self.departed_bytes()
    }

    /// Bytes that left so far, and those of the packet in service.
    fn bytes_up_to_service(&self) -> u64 {
        self.queue.second().map_or(self.sums.accepted_bytes, |second| second.bytes_ahead)
    }

    /// Takes the readings that fall due up to `now`, and the queue's new size, if it has one.
    #[cold]
    fn read(&mut self, now: Time) {
        while let Some((end, at)) = self.window.due(now) {
            let reading = self.reading(at);
            self.window.keep(end, reading);
            if end == 0 {
                self.sums.max_packets = self.queue.len();
            }
        }
        if let Some(limit) = self.changes.new_limit(now) {
            self.spec.limit = limit;
        }
        self.look(now);
        self.wake();
    }

    /// It is looked again when the queue's size changes or a packet may be lost.
    fn wake(&mut self) {
        let may_lose = self.losses.quiet_until().unwrap_or(Time::NEVER);
        self.window.wake_at(self.changes.limit_at().min(may_lose));
    }

    /// The sums less what is still to come at `at`.
    fn reading(&mut self, at: Time) -> Reading {
        self.release(at);
        let to_come: u64 = self.queue.iter().map(|place| (place.departs - at).0).sum();
        Reading {
            dropped: self.sums.dropped,
            lost: self.sums.lost,
            marked: self.sums.marked - self.marks_to_come(),
            max_packets: self.sums.max_packets,
            accepted: self.queue.pushed() as u64,
            delivered_bytes: self.departed_bytes(),
            // Up to its last departure the link was busy but for the idle times; of that, what lies beyond is to come.
            busy_ns: self.free_at.0.min(at.0) - self.sums.idle_ns,
            sojourn_ns: self.sums.sojourn_ns - to_come,
        }
    }

    /// What has departed by `now` leaves the ring.
    #[inline]
    fn release(&mut self, now: Time) {
        if self.governor.is_some() {
            return self.release_governed(now);
        }
        self.queue.pop_while(|head| head.departs <= now);
        if self.is_lossy {
            self.look(now);
        }
    }

    /// Queue content: departures up to and including `now` have left, arrivals at `now` are not in yet.
    pub(crate) fn occupancy(&mut self, now: Time) -> Occupancy {
        self.begin(now);
        self.release(now);
        Occupancy {
            packets: self.queue.len() as u32,
            bytes: self.queued_bytes(),
            delivered_bytes: self.departed_bytes(),
            dropped: self.sums.dropped,
            marked: self.sums.marked - self.marks_to_come(),
        }
    }

    /// Totals at the end of the window, which must be over.
    pub(crate) fn totals(&mut self) -> LinkTotals {
        self.read(self.window.ends().end);
        self.window.totals()
    }

    /// Bytes that could have left within the window; none where the rate is constant.
    pub(crate) fn window_capacity_bytes(&self) -> Option<f64> {
        self.changes.service.as_ref().map(|service| service.capacity_bytes(self.window.ends()))
    }
}

#[cfg(test)]
mod tests {
    use units::{Duration, Rate};

    use super::*;

    const PACKET: Packet = Packet::data(1500, 0);
    const CAPABLE: Packet = Packet { ecn_capable: true, ..PACKET };

    fn link(limit: Limit, excludes_in_service: bool) -> Fifo {
        marking_link(limit, None, excludes_in_service)
    }

    fn marking_link(limit: Limit, mark_at: Option<Limit>, excludes_in_service: bool) -> Fifo {
        let spec = FifoSpec { rate: Rate(12_000_000), limit, excludes_in_service, loss_probability: 0.0, mark_at };
        Fifo::new(spec, Time::ZERO..Time::from_ms(10), Stream::named(1, "test"))
    }

    fn accepted_of_ten(limit: Limit, excludes_in_service: bool) -> usize {
        let mut link = link(limit, excludes_in_service);
        (0..10).filter(|_| matches!(link.take(Time::ZERO, PACKET), Answer::Departs(_))).count()
    }

    /// Twenty packets of a millisecond each; nothing arrives between the begin of the window at 10 ms and a look at the queue at 15 ms.
    #[test]
    fn a_look_at_the_queue_does_not_move_the_begin_of_the_window() {
        let spec = link(Limit::Packets(20), false).spec;
        let mut link = Fifo::new(spec, Time::from_ms(10)..Time::from_ms(30), Stream::named(1, "test"));
        assert!((0..20).all(|_| matches!(link.take(Time::ZERO, PACKET), Answer::Departs(_))));
        assert_eq!(link.occupancy(Time::from_ms(15)).packets, 5);
        let totals = link.totals();
        assert_eq!((totals.window_delivered_bytes, totals.window_busy_ns), (10 * 1500, 10_000_000));
        // From 10 ms on 10, 9, ... 1 ms are left to them.
        assert_eq!(totals.window_sojourn_ns, 55_000_000);
    }

    #[test]
    fn the_limit_counts_the_packet_in_service_unless_told_otherwise() {
        assert_eq!(accepted_of_ten(Limit::Packets(4), false), 4);
        assert_eq!(accepted_of_ten(Limit::Packets(4), true), 5);
        assert_eq!(accepted_of_ten(Limit::Bytes(6000), false), 4);
        assert_eq!(accepted_of_ten(Limit::Bytes(6000), true), 5);
        // 1500 bytes take 1 ms: the packet that waits exactly 4 ms is the fifth.
        assert_eq!(accepted_of_ten(Limit::Delay(Duration::from_ms(4)), false), 5);
    }

    #[test]
    fn a_departure_at_the_moment_of_an_arrival_frees_its_place() {
        let mut link = link(Limit::Packets(1), false);
        assert_eq!(link.take(Time::ZERO, PACKET), Answer::Departs(Time::from_ms(1)));
        assert_eq!(link.take(Time(999_999), PACKET), Answer::Dropped);
        assert_eq!(link.take(Time::from_ms(1), PACKET), Answer::Departs(Time::from_ms(2)));
    }

    #[test]
    fn conservation_and_littles_law_hold_on_a_known_pattern() {
        let mut link = link(Limit::Packets(100), false);
        // Three packets at t = 0 on a 1 ms server: sojourns 1, 2, 3 ms; busy 3 ms.
        for _ in 0..3 {
            link.take(Time::ZERO, PACKET);
        }
        assert_eq!(link.occupancy(Time::from_ms(1)).packets, 2);
        let totals = link.totals();
        assert_eq!((totals.accepted, totals.delivered_bytes), (3, 4500));
        assert_eq!((totals.window_busy_ns, totals.window_sojourn_ns), (3_000_000, 6_000_000));
    }

    /// Ten packets arrive at once at a link for eight: the first three meet fewer than three, the last two a full queue.
    #[test]
    fn the_step_marks_what_a_queue_of_its_size_would_have_refused() {
        let count = |mark_at, excludes_in_service, packet| {
            let mut link = marking_link(Limit::Packets(8), Some(mark_at), excludes_in_service);
            let answers: Vec<Answer> = (0..10).map(|_| link.take(Time::ZERO, packet)).collect();
            let number = |wanted: fn(&Answer) -> bool| answers.iter().filter(|&answer| wanted(answer)).count();
            let marked = number(|answer| matches!(answer, Answer::DepartsMarked { .. }));
            assert_eq!(link.totals().window_marked, marked as u64);
            (number(|answer| matches!(answer, Answer::Departs(_))), marked, number(|&answer| answer == Answer::Dropped))
        };
        assert_eq!(count(Limit::Packets(3), false, CAPABLE), (3, 5, 2));
        assert_eq!(count(Limit::Packets(3), true, CAPABLE), (4, 5, 1));
        assert_eq!(count(Limit::Bytes(4500), false, CAPABLE), (3, 5, 2));
        assert_eq!(count(Limit::Delay(Duration::from_ms(3)), false, CAPABLE), (4, 4, 2));
        assert_eq!(count(Limit::Packets(3), false, PACKET), (8, 0, 2));
    }

    /// A ring that is looked through late answers as one that is looked through at every arrival: the queue is full exactly while eight
    /// packets are in it, and its longest is counted anew from the begin of the window.
    #[test]
    fn what_has_departed_may_be_forgotten_late() {
        let mut link = Fifo::new(link(Limit::Packets(8), false).spec, Time::from_ms(20)..Time::from_ms(100), Stream::named(1, "test"));
        let mut draws = Stream::named(2, "arrivals");
        let (mut now, mut departures) = (Time::ZERO, Vec::<Time>::new());
        let mut longest = 0;
        while now < Time::from_ms(100) {
            now += Duration(draws.up_to(2_000_000));
            let mut inside = departures.iter().filter(|&&departs| departs > now).count();
            let burst = draws.up_to(5);
            for _ in 0..burst {
                match link.take(now, PACKET) {
                    Answer::Departs(departs) => departures.push(departs),
                    answer => assert_eq!((answer, inside), (Answer::Dropped, 8)),
                }
                inside = departures.iter().filter(|&&departs| departs > now).count();
                assert!(inside <= 8);
                longest = if (Time::from_ms(20)..Time::from_ms(100)).contains(&now) { longest.max(inside) } else { longest };
            }
        }
        assert_eq!(link.totals().window_max_packets as usize, longest);
    }

    /// A mark delays nothing: the departures are those of a link without marks.
    #[test]
    fn a_marked_packet_departs_as_any_other() {
        let mut link = marking_link(Limit::Packets(8), Some(Limit::Packets(1)), false);
        assert_eq!(link.take(Time::ZERO, CAPABLE), Answer::Departs(Time::from_ms(1)));
        assert_eq!(link.take(Time::ZERO, CAPABLE), Answer::DepartsMarked { at: Time::from_ms(2), marked_at: Time::ZERO });
        assert_eq!(link.take(Time::from_ms(2), CAPABLE), Answer::Departs(Time::from_ms(3)));
        assert_eq!(link.occupancy(Time::from_ms(3)).marked, 1);
    }
}
