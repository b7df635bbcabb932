//! A drop-tail FIFO link whose departures are known on arrival.
//!
//! Serving in order at a constant rate means that the departure time of a packet is fixed the moment it is accepted: no
//! transmit-complete event exists, and the queue is the ring of departure times still in the future. A packet whose
//! transmission ends at the very nanosecond another arrives has left before it.

use units::{Rate, Serialiser, Stream, Time};

use crate::Ring;

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
}

/// The link's answer to a packet.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Verdict {
    /// Accepted; its last bit leaves at this time.
    Departs(Time),
    /// The queue was full.
    Dropped,
    /// Lost at random.
    Lost,
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
    /// Most packets queued or in service within the window.
    pub window_max_packets: u32,
}

#[derive(Clone, Copy, Debug, Default)]
struct Queued {
    departs: Time,
    bytes: u32,
}

/// The link.
#[derive(Clone, Debug)]
pub struct Fifo {
    spec: FifoSpec,
    free_at: Time,
    serialiser: Serialiser,
    queue: Ring<Queued>,
    queued_bytes: u64,
    totals: LinkTotals,
    window: (Time, Time),
    loss: Stream,
}

impl Fifo {
    /// An idle link that measures over `window` (from, to) and draws its random loss from `loss`.
    pub fn new(spec: FifoSpec, window: (Time, Time), loss: Stream) -> Fifo {
        Fifo {
            spec,
            free_at: Time::ZERO,
            serialiser: Serialiser::new(spec.rate),
            queue: Ring::default(),
            queued_bytes: 0,
            totals: LinkTotals::default(),
            window,
            loss,
        }
    }

    /// A packet of `bytes` arrives at `now`, not earlier than the one before it.
    #[inline]
    pub fn offer(&mut self, now: Time, bytes: u32) -> Verdict {
        if self.spec.loss_probability > 0.0 && self.loss.chance(self.spec.loss_probability) {
            self.totals.lost += u64::from(now < self.window.1);
            return Verdict::Lost;
        }
        self.release(now);
        if self.is_full(now, bytes) {
            self.totals.dropped += u64::from(now < self.window.1);
            self.totals.window_dropped += u64::from(self.window.0 <= now && now < self.window.1);
            return Verdict::Dropped;
        }
        let starts = if self.free_at > now {
            self.free_at
        } else {
            self.serialiser.forget();
            now
        };
        let departs = starts + self.serialiser.serialise(bytes);
        self.free_at = departs;
        self.queue.push(Queued { departs, bytes });
        self.queued_bytes += u64::from(bytes);
        self.count(now, starts, departs);
        Verdict::Departs(departs)
    }

    /// Queue content at `now`: departures up to and including `now` have left, arrivals at `now` are not in yet.
    pub fn occupancy(&mut self, now: Time) -> Occupancy {
        self.release(now);
        Occupancy {
            packets: self.queue.len() as u32,
            bytes: self.queued_bytes,
            delivered_bytes: self.totals.delivered_bytes,
            dropped: self.totals.dropped,
        }
    }

    /// Totals at `now`, the end of the run.
    pub fn totals(&mut self, now: Time) -> LinkTotals {
        self.release(now);
        self.totals
    }

    #[inline]
    fn release(&mut self, now: Time) {
        while let Some(&Queued { departs, bytes }) = self.queue.front() {
            if departs > now {
                break;
            }
            self.queue.pop();
            self.queued_bytes -= u64::from(bytes);
            if departs <= self.window.1 {
                self.totals.delivered_bytes += u64::from(bytes);
                self.totals.window_delivered_bytes += if departs > self.window.0 { u64::from(bytes) } else { 0 };
            }
        }
    }

    #[inline]
    fn is_full(&self, now: Time, bytes: u32) -> bool {
        let in_service = u32::from(self.spec.excludes_in_service && !self.queue.is_empty());
        match self.spec.limit {
            Limit::Packets(limit) => self.queue.len() as u32 - in_service >= limit,
            Limit::Bytes(limit) => {
                let excluded = if in_service == 1 { self.queue.front().map_or(0, |head| head.bytes) } else { 0 };
                self.queued_bytes - u64::from(excluded) + u64::from(bytes) > limit
            }
            Limit::Delay(limit) => self.free_at.since(now) > limit,
        }
    }

    #[inline]
    fn count(&mut self, arrives: Time, starts: Time, departs: Time) {
        let (from, to) = self.window;
        self.totals.accepted += u64::from(arrives < to);
        let until = departs.min(to);
        self.totals.window_busy_ns += until.since(starts.max(from)).0;
        self.totals.window_sojourn_ns += until.since(arrives.max(from)).0;
        if arrives >= from && arrives < to {
            self.totals.window_max_packets = self.totals.window_max_packets.max(self.queue.len() as u32);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn link(limit: Limit, excludes_in_service: bool) -> Fifo {
        let spec = FifoSpec { rate: Rate(12_000_000), limit, excludes_in_service, loss_probability: 0.0 };
        Fifo::new(spec, (Time::ZERO, Time::NEVER), Stream::named(1, "test"))
    }

    fn accepted_of_ten(limit: Limit, excludes_in_service: bool) -> usize {
        let mut link = link(limit, excludes_in_service);
        (0..10).filter(|_| matches!(link.offer(Time::ZERO, 1500), Verdict::Departs(_))).count()
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
        assert_eq!(link.offer(Time::ZERO, 1500), Verdict::Departs(Time::from_ms(1)));
        assert_eq!(link.offer(Time(999_999), 1500), Verdict::Dropped);
        assert_eq!(link.offer(Time::from_ms(1), 1500), Verdict::Departs(Time::from_ms(2)));
    }

    #[test]
    fn conservation_and_littles_law_hold_on_a_known_pattern() {
        let mut link = link(Limit::Packets(100), false);
        // Three packets at t = 0 on a 1 ms server: sojourns 1, 2, 3 ms; busy 3 ms.
        for _ in 0..3 {
            link.offer(Time::ZERO, 1500);
        }
        assert_eq!(link.occupancy(Time::from_ms(1)).packets, 2);
        let totals = link.totals(Time::from_ms(10));
        assert_eq!((totals.accepted, totals.delivered_bytes), (3, 4500));
        assert_eq!((totals.window_busy_ns, totals.window_sojourn_ns), (3_000_000, 6_000_000));
    }
}
