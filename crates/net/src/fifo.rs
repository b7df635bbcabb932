//! A drop-tail FIFO link whose departures are known on arrival, and that may mark instead of waiting to drop.
//!
//! Serving in order at a constant rate means that the departure time of a packet is fixed the moment it is accepted: no
//! transmit-complete event exists, and the queue is the ring of departure times still in the future. A packet whose
//! transmission ends at the very nanosecond another arrives has left before it.

use units::{Rate, Serialiser, Stream, Time};

use crate::{Changes, Losses, Ring};

/// How much a queue holds.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Limit {
    /// Whole packets of any size.
    Packets(u32),
    /// Bytes.
    Bytes(u64),
    /// A packet is taken while those ahead of it need at most this long.
    Delay(Time),
}

/// What a queue looks at in a packet.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Packet {
    /// IP bytes.
    pub bytes: u32,
    /// Its sender answers congestion marks (an ECT codepoint, RFC 3168).
    pub ecn_capable: bool,
    /// A number that packets of one connection share.
    pub flow: u32,
    /// It carries no data.
    pub is_ack: bool,
}

/// What a link is made of.
#[derive(Clone, Copy, Debug)]
pub struct FifoSpec {
    /// Service rate.
    pub rate: Rate,
    /// Queue size.
    pub limit: Limit,
    /// The packet being serialised does not count against the limit (tbf and some routers; netem counts it).
    pub excludes_in_service: bool,
    /// Probability that a packet is lost on arrival, before the queue (as netem's `loss`).
    pub loss_probability: f64,
    /// Step marking (RFC 8257 3.1): an ECN-capable packet is marked where a queue of this size would have refused it.
    pub mark_at: Option<Limit>,
}

/// The link's answer to a packet.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Verdict {
    /// Accepted; its last bit leaves at this time, or is as far as if it had.
    Departs(Time),
    /// The same, marked "congestion experienced".
    DepartsMarked(Time),
    /// The queue was full.
    Dropped,
    /// Lost at random.
    Lost,
}

/// What the queue decides about a packet.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Decision {
    Accept,
    Mark,
    Lose,
    Drop,
}

/// Queue content at one moment.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Occupancy {
    /// Packets queued or in service.
    pub packets: u32,
    /// Bytes of those.
    pub bytes: u64,
    /// Bytes that left so far.
    pub delivered_bytes: u64,
    /// Packets dropped by the full queue so far.
    pub dropped: u64,
    /// Packets marked so far.
    pub marked: u64,
}

/// Totals of a link up to the end of its window; those of the window alone carry its name.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct LinkTotals {
    /// Packets accepted.
    pub accepted: u64,
    /// Packets dropped by the full queue.
    pub dropped: u64,
    /// Packets lost at random.
    pub lost: u64,
    /// Packets accepted and marked.
    pub marked: u64,
    /// Bytes that left.
    pub delivered_bytes: u64,
    /// Time spent transmitting within the window, nanoseconds.
    pub window_busy_ns: u64,
    /// Sum of the accepted packets' time in the link within the window, packet-nanoseconds.
    pub window_sojourn_ns: u64,
    /// Bytes that left within the window.
    pub window_delivered_bytes: u64,
    /// Packets dropped by the full queue within the window.
    pub window_dropped: u64,
    /// Packets marked within the window.
    pub window_marked: u64,
    /// Most packets queued or in service within the window.
    pub window_max_packets: u32,
}

/// A packet in the queue.
#[derive(Clone, Copy, Debug, Default)]
struct Queued {
    departs: Time,
    /// Bytes accepted before it.
    bytes_ahead: u64,
}

/// Running sums, as of the latest arrival; what they were at a given moment follows from the queue of that moment.
#[derive(Clone, Copy, Debug, Default)]
struct Sums {
    accepted_bytes: u64,
    dropped: u64,
    lost: u64,
    marked: u64,
    idle_ns: u64,
    sojourn_ns: u64,
    max_packets: usize,
}

/// The same, exact at one moment.
#[derive(Clone, Copy, Debug, Default)]
struct Reading {
    sums: Sums,
    accepted: u64,
    delivered_bytes: u64,
    busy_ns: u64,
    queued_ns: u64,
}

/// The link.
#[derive(Clone, Debug)]
pub struct Fifo {
    spec: FifoSpec,
    /// Queue length at which a limit in packets refuses; beyond reach for other limits.
    full_at: usize,
    free_at: Time,
    serialiser: Serialiser,
    queue: Ring<Queued>,
    sums: Sums,
    /// Beginning and end of the measurement window, and what was read there.
    window: (Time, Time),
    readings: [Option<Reading>; 2],
    /// The next of the two to be read.
    read_at: Time,
    /// More than the queue's length in packets decides about a packet.
    is_picky: bool,
    loss: Stream,
    losses: Losses,
    changes: Changes,
}

impl Fifo {
    /// An idle link that measures over `window` (from, to) and draws its random loss from `loss`.
    pub fn new(spec: FifoSpec, window: (Time, Time), loss: Stream) -> Fifo {
        let full_at = match spec.limit {
            Limit::Packets(limit) => limit as usize + usize::from(spec.excludes_in_service),
            _ => usize::MAX,
        };
        Fifo {
            spec,
            full_at,
            free_at: Time::ZERO,
            serialiser: Serialiser::new(spec.rate),
            queue: Ring::default(),
            sums: Sums::default(),
            window,
            readings: [None; 2],
            read_at: window.0,
            is_picky: full_at == usize::MAX || spec.loss_probability > 0.0 || spec.mark_at.is_some(),
            loss,
            losses: Losses::default(),
            changes: Changes::default(),
        }
    }

    /// The same with further loss.
    pub fn with_losses(mut self, losses: Losses) -> Fifo {
        self.is_picky |= !losses.is_empty();
        self.losses = losses;
        self
    }

    /// The same with changes in time.
    pub fn with_changes(mut self, changes: Changes) -> Fifo {
        self.is_picky |= !changes.is_empty();
        self.changes = changes;
        self
    }

    /// A packet arrives at `now`, not earlier than the one before it.
    #[inline]
    pub fn offer(&mut self, now: Time, packet: Packet) -> Verdict {
        self.advance(now);
        self.admit(now, packet)
    }

    /// It is `now`: what has departed leaves the queue.
    #[inline]
    pub fn advance(&mut self, now: Time) {
        if now >= self.read_at {
            self.read(now);
        }
        self.release(now);
    }

    /// [`Fifo::offer`] for a link already advanced to `now`.
    #[inline(always)]
    pub fn admit(&mut self, now: Time, packet: Packet) -> Verdict {
        if self.queue.len() >= self.full_at || self.is_picky {
            return self.admit_or_refuse(now, packet);
        }
        Verdict::Departs(self.accept(now, packet.bytes))
    }

    #[inline(never)]
    fn admit_or_refuse(&mut self, now: Time, packet: Packet) -> Verdict {
        match self.decide(now, packet) {
            Decision::Accept => Verdict::Departs(self.accept_changing(now, packet.bytes)),
            Decision::Mark => {
                self.sums.marked += 1;
                Verdict::DepartsMarked(self.accept_changing(now, packet.bytes))
            }
            Decision::Lose => {
                self.sums.lost += 1;
                Verdict::Lost
            }
            Decision::Drop => {
                self.sums.dropped += 1;
                Verdict::Dropped
            }
        }
    }

    #[inline(always)]
    fn accept(&mut self, now: Time, bytes: u32) -> Time {
        let starts = if self.free_at > now {
            self.free_at
        } else {
            self.serialiser.forget();
            self.sums.idle_ns += (now - self.free_at).0;
            now
        };
        let departs = starts + self.serialiser.serialise(bytes);
        self.enqueue(now, departs, bytes)
    }

    /// The same on a link that may change in time; the time returned includes what its changes add behind the link.
    fn accept_changing(&mut self, now: Time, bytes: u32) -> Time {
        let departs = match &mut self.changes.service {
            None => self.accept(now, bytes),
            Some(service) => {
                let was_idle = self.free_at <= now;
                self.sums.idle_ns += now.since(self.free_at).0;
                let departs = service.departure(self.free_at.max(now), was_idle, bytes);
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
        self.sums.max_packets = self.sums.max_packets.max(self.queue.len() + 1);
        self.queue.push(Queued { departs, bytes_ahead });
        departs
    }

    /// The discipline: drop-tail, with a step of marks. A packet that is not ECN-capable knows the tail alone.
    fn decide(&mut self, now: Time, packet: Packet) -> Decision {
        let is_lost = self.spec.loss_probability > 0.0 && self.loss.chance(self.spec.loss_probability);
        if self.losses.strike(now, packet) | is_lost {
            return Decision::Lose;
        }
        if self.exceeds(self.spec.limit, now, packet.bytes) {
            return Decision::Drop;
        }
        match self.spec.mark_at {
            Some(mark_at) if packet.ecn_capable && self.exceeds(mark_at, now, packet.bytes) => Decision::Mark,
            _ => Decision::Accept,
        }
    }

    /// Whether a queue of this size has no room for `bytes` more.
    fn exceeds(&self, limit: Limit, now: Time, bytes: u32) -> bool {
        match limit {
            Limit::Packets(limit) => self.queue.len() >= limit as usize + usize::from(self.spec.excludes_in_service),
            Limit::Bytes(limit) => {
                let exempt = if self.spec.excludes_in_service { self.bytes_in_service() } else { 0 };
                self.queued_bytes() - exempt + u64::from(bytes) > limit
            }
            Limit::Delay(limit) => self.free_at.since(now) > limit,
        }
    }

    /// Queue content at `now`: departures up to and including `now` have left, arrivals at `now` are not in yet.
    pub fn occupancy(&mut self, now: Time) -> Occupancy {
        self.advance(now);
        Occupancy {
            packets: self.queue.len() as u32,
            bytes: self.queued_bytes(),
            delivered_bytes: self.departed_bytes(),
            dropped: self.sums.dropped,
            marked: self.sums.marked,
        }
    }

    /// Bytes that left so far.
    fn departed_bytes(&self) -> u64 {
        self.queue.front().map_or(self.sums.accepted_bytes, |head| head.bytes_ahead)
    }

    fn queued_bytes(&self) -> u64 {
        self.sums.accepted_bytes - self.departed_bytes()
    }

    fn bytes_in_service(&self) -> u64 {
        let behind_head = self.queue.iter().nth(1).map_or(self.sums.accepted_bytes, |second| second.bytes_ahead);
        behind_head - self.departed_bytes()
    }

    /// Totals at the end of the window, which must be over.
    pub fn totals(&mut self) -> LinkTotals {
        self.read(self.window.1);
        let [Some(from), Some(to)] = self.readings else { return LinkTotals::default() };
        LinkTotals {
            accepted: to.accepted,
            dropped: to.sums.dropped,
            lost: to.sums.lost,
            marked: to.sums.marked,
            delivered_bytes: to.delivered_bytes,
            window_busy_ns: to.busy_ns - from.busy_ns,
            window_sojourn_ns: to.queued_ns - from.queued_ns,
            window_delivered_bytes: to.delivered_bytes - from.delivered_bytes,
            window_dropped: to.sums.dropped - from.sums.dropped,
            window_marked: to.sums.marked - from.sums.marked,
            window_max_packets: to.sums.max_packets as u32,
        }
    }

    /// Bytes that could have left within the window; none where the rate is constant.
    pub fn window_capacity_bytes(&self) -> Option<f64> {
        self.changes.service.as_ref().map(|service| service.capacity_bytes(self.window.0, self.window.1))
    }

    /// Takes the readings that fall due up to `now`.
    #[cold]
    fn read(&mut self, now: Time) {
        if self.readings[0].is_none() && now >= self.window.0 {
            self.readings[0] = Some(self.reading(self.window.0));
            self.sums.max_packets = self.queue.len();
            self.read_at = self.window.1;
        }
        if self.readings[1].is_none() && now >= self.window.1 {
            self.readings[1] = Some(self.reading(self.window.1));
            self.read_at = Time::NEVER;
        }
    }

    /// The sums less what is still to come at `at`.
    fn reading(&mut self, at: Time) -> Reading {
        self.release(at);
        let to_come: u64 = self.queue.iter().map(|queued| (queued.departs - at).0).sum();
        Reading {
            sums: self.sums,
            accepted: self.queue.pushed() as u64,
            delivered_bytes: self.departed_bytes(),
            // Up to its last departure the link was busy but for the idle times; of that, what lies beyond is to come.
            busy_ns: self.free_at.0.min(at.0) - self.sums.idle_ns,
            queued_ns: self.sums.sojourn_ns - to_come,
        }
    }

    #[inline]
    fn release(&mut self, now: Time) {
        while self.queue.pop_if(|head| head.departs <= now).is_some() {}
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const PACKET: Packet = Packet { bytes: 1500, ecn_capable: false, flow: 0, is_ack: false };
    const CAPABLE: Packet = Packet { ecn_capable: true, ..PACKET };

    fn link(limit: Limit, excludes_in_service: bool) -> Fifo {
        marking_link(limit, None, excludes_in_service)
    }

    fn marking_link(limit: Limit, mark_at: Option<Limit>, excludes_in_service: bool) -> Fifo {
        let spec = FifoSpec { rate: Rate(12_000_000), limit, excludes_in_service, loss_probability: 0.0, mark_at };
        Fifo::new(spec, (Time::ZERO, Time::from_ms(10)), Stream::named(1, "test"))
    }

    fn accepted_of_ten(limit: Limit, excludes_in_service: bool) -> usize {
        let mut link = link(limit, excludes_in_service);
        (0..10).filter(|_| matches!(link.offer(Time::ZERO, PACKET), Verdict::Departs(_))).count()
    }

    /// Twenty packets of a millisecond each; nothing arrives between the begin of the window at 10 ms and a look at the queue at 15 ms.
    #[test]
    fn a_look_at_the_queue_does_not_move_the_begin_of_the_window() {
        let spec = link(Limit::Packets(20), false).spec;
        let mut link = Fifo::new(spec, (Time::from_ms(10), Time::from_ms(30)), Stream::named(1, "test"));
        assert!((0..20).all(|_| matches!(link.offer(Time::ZERO, PACKET), Verdict::Departs(_))));
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
        assert_eq!(accepted_of_ten(Limit::Delay(Time::from_ms(4)), false), 5);
    }

    #[test]
    fn a_departure_at_the_moment_of_an_arrival_frees_its_place() {
        let mut link = link(Limit::Packets(1), false);
        assert_eq!(link.offer(Time::ZERO, PACKET), Verdict::Departs(Time::from_ms(1)));
        assert_eq!(link.offer(Time(999_999), PACKET), Verdict::Dropped);
        assert_eq!(link.offer(Time::from_ms(1), PACKET), Verdict::Departs(Time::from_ms(2)));
    }

    #[test]
    fn conservation_and_littles_law_hold_on_a_known_pattern() {
        let mut link = link(Limit::Packets(100), false);
        // Three packets at t = 0 on a 1 ms server: sojourns 1, 2, 3 ms; busy 3 ms.
        for _ in 0..3 {
            link.offer(Time::ZERO, PACKET);
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
            let verdicts: Vec<Verdict> = (0..10).map(|_| link.offer(Time::ZERO, packet)).collect();
            let number = |wanted: fn(&Verdict) -> bool| verdicts.iter().filter(|&verdict| wanted(verdict)).count();
            let marked = number(|verdict| matches!(verdict, Verdict::DepartsMarked(_)));
            assert_eq!(link.totals().window_marked, marked as u64);
            (number(|verdict| matches!(verdict, Verdict::Departs(_))), marked, number(|&verdict| verdict == Verdict::Dropped))
        };
        assert_eq!(count(Limit::Packets(3), false, CAPABLE), (3, 5, 2));
        assert_eq!(count(Limit::Packets(3), true, CAPABLE), (4, 5, 1));
        assert_eq!(count(Limit::Bytes(4500), false, CAPABLE), (3, 5, 2));
        assert_eq!(count(Limit::Delay(Time::from_ms(3)), false, CAPABLE), (4, 4, 2));
        assert_eq!(count(Limit::Packets(3), false, PACKET), (8, 0, 2));
    }

    /// A mark delays nothing: the departures are those of a link without marks.
    #[test]
    fn a_marked_packet_departs_as_any_other() {
        let mut link = marking_link(Limit::Packets(8), Some(Limit::Packets(1)), false);
        assert_eq!(link.offer(Time::ZERO, CAPABLE), Verdict::Departs(Time::from_ms(1)));
        assert_eq!(link.offer(Time::ZERO, CAPABLE), Verdict::DepartsMarked(Time::from_ms(2)));
        assert_eq!(link.offer(Time::from_ms(2), CAPABLE), Verdict::Departs(Time::from_ms(3)));
        assert_eq!(link.occupancy(Time::from_ms(3)).marked, 1);
    }
}
