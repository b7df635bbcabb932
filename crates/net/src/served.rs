//! A link whose queue decides when it is served: what becomes of a packet is not known when it arrives.
//!
//! It takes (packet, now) and says when it wants to be asked again: when the transmission under way ends. Packets that leave it,
//! transmitted or dropped, are handed back with what came with them.

use units::{Serialiser, Stream, Time};

use crate::queue::{DisciplineSpec, Queue, Queued, Room, Supersede};
use crate::{Changes, FifoSpec, Limit, LinkTotals, Losses, Occupancy, Packet};

/// A packet that was dropped, when, and whether by the queue or at random before it.
#[derive(Clone, Debug, PartialEq)]
pub struct Dropped<T> {
    /// When.
    pub at: Time,
    /// What.
    pub packet: Queued<T>,
}

/// The link.
#[derive(Clone, Debug)]
pub struct Served<T> {
    spec: FifoSpec,
    queue: Queue<T>,
    in_service: Option<Queued<T>>,
    /// When the transmission under way ends, or the queue wants to be asked again.
    free_at: Time,
    serialiser: Serialiser,
    loss: Stream,
    losses: Losses,
    changes: Changes,
    gone: Vec<Dropped<T>>,
    /// What the queue has just dropped.
    scratch: Vec<Queued<T>>,
    totals: LinkTotals,
    /// As of now, the end of the window notwithstanding.
    delivered_bytes: u64,
    dropped: u64,
    marked: u64,
    window: (Time, Time),
    settled: Time,
}

impl<T: Supersede> Served<T> {
    /// An idle link that measures over `window` (from, to); random losses come from `loss`, the discipline's draws from `draws`.
    pub fn new(spec: FifoSpec, discipline: DisciplineSpec, window: (Time, Time), loss: Stream, draws: Stream) -> Served<T> {
        Served {
            spec,
            queue: Queue::new(discipline, spec.rate, draws),
            in_service: None,
            free_at: Time::NEVER,
            serialiser: Serialiser::new(spec.rate),
            loss,
            losses: Losses::default(),
            changes: Changes::default(),
            gone: Vec::new(),
            scratch: Vec::new(),
            totals: LinkTotals::default(),
            delivered_bytes: 0,
            dropped: 0,
            marked: 0,
            window,
            settled: Time::ZERO,
        }
    }

    /// The same link with these models of loss.
    pub fn with_losses(mut self, losses: Losses) -> Served<T> {
        self.losses = losses;
        self
    }

    /// The same link, changing in time; [`Limit::Delay`] looks at its constant rate.
    pub fn with_changes(mut self, changes: Changes) -> Served<T> {
        self.changes = changes;
        self
    }

    /// A packet arrives at `now`, not earlier than whatever happened before.
    pub fn offer(&mut self, now: Time, mut packet: Queued<T>) {
        self.settle(now);
        if self.is_struck(now, &packet) {
            self.totals.lost += u64::from(now < self.window.1);
            return self.gone.push(Dropped { at: now, packet });
        }
        self.totals.accepted += u64::from(now < self.window.1);
        let room = self.room(self.spec.limit, now);
        if let Some(mark_at) = self.spec.mark_at {
            self.step(now, &mut packet, (room, mark_at));
        }
        self.queue.enqueue(now, packet, room, &mut self.scratch);
        self.hand_out_dropped(now);
        if self.in_service.is_none() {
            self.serve(now, true);
        }
        if self.measures(now) {
            self.note_population();
        }
    }

    /// When the link wants [`Served::advance`] called.
    pub fn next_at(&self) -> Time {
        self.free_at
    }

    /// It is the time that [`Served::next_at`] said: the packet that leaves, if a transmission ends. The next one, if it may
    /// leave, is being transmitted from now on.
    ///
    /// # Panics
    /// At another time.
    pub fn advance(&mut self, now: Time) -> Option<Queued<T>> {
        self.settle(now);
        assert_eq!(now, self.free_at, "a transmission ends at another time");
        let packet = self.in_service.take();
        if let Some(packet) = &packet {
            self.note_departure(now, packet);
        }
        self.serve(now, packet.is_none());
        packet
    }

    /// When a packet that leaves at `now` would be where it then is, did the link's propagation not change.
    pub fn far_end(&mut self, now: Time) -> Time {
        self.changes.delay.as_mut().map_or(now, |delay| delay.arrival(now))
    }

    /// Bytes that could have left within the window; none where the rate is constant.
    pub fn window_capacity_bytes(&self) -> Option<f64> {
        self.changes.service.as_ref().map(|service| service.capacity_bytes(self.window.0, self.window.1))
    }

    /// Whether one of the models of loss takes the packet.
    fn is_struck(&mut self, now: Time, packet: &Queued<T>) -> bool {
        let seen = Packet { bytes: packet.bytes, ecn_capable: packet.ecn_capable, flow: packet.key / 2, is_ack: packet.key % 2 == 1 };
        let is_lost = self.spec.loss_probability > 0.0 && self.loss.chance(self.spec.loss_probability);
        self.losses.strike(now, seen) | is_lost
    }

    /// The step of marks of drop-tail; it is counted on arrival, when it is decided.
    fn step(&mut self, now: Time, packet: &mut Queued<T>, (room, mark_at): (Room, Limit)) {
        let (packets, bytes_ahead) = (self.queue.packets(), self.queue.bytes());
        let fits = |room: Room| room.fits(packets, bytes_ahead, packet.bytes);
        if packet.ecn_capable && fits(room) && !fits(self.room(mark_at, now)) {
            packet.is_marked = true;
            self.marked += 1;
            self.totals.marked += u64::from(now < self.window.1);
            self.totals.window_marked += u64::from(self.measures(now));
        }
    }

    /// Whether the marks of its packets were decided when they arrived.
    pub fn marks_on_arrival(&self) -> bool {
        self.spec.mark_at.is_some()
    }

    fn note_departure(&mut self, now: Time, packet: &Queued<T>) {
        let (bytes, marks) = (u64::from(packet.bytes), u64::from(packet.is_marked && !self.marks_on_arrival()));
        self.delivered_bytes += bytes;
        self.marked += marks;
        if now <= self.window.1 {
            self.totals.delivered_bytes += bytes;
            self.totals.marked += marks;
            if now > self.window.0 {
                self.totals.window_delivered_bytes += bytes;
                self.totals.window_marked += marks;
            }
        }
    }

    /// Packets dropped or lost since the last call.
    pub fn take_dropped(&mut self) -> impl Iterator<Item = Dropped<T>> + '_ {
        self.gone.drain(..)
    }

    /// Queue content, as of the latest event.
    pub fn occupancy(&self) -> Occupancy {
        Occupancy {
            packets: self.population() as u32,
            bytes: self.queue.bytes() + self.in_service.as_ref().map_or(0, |packet| u64::from(packet.bytes)),
            delivered_bytes: self.delivered_bytes,
            dropped: self.dropped,
            marked: self.marked,
        }
    }

    /// Totals at the end of the window, when nothing more happens before it.
    pub fn totals(&mut self) -> LinkTotals {
        self.settle(self.settled.max(self.window.1));
        self.totals
    }

    /// Takes the next packet into service, if there is one, after an idle time or after the packet before.
    fn serve(&mut self, now: Time, was_idle: bool) {
        self.in_service = self.queue.dequeue(now, &mut self.scratch);
        self.hand_out_dropped(now);
        if was_idle {
            self.serialiser.forget();
        }
        self.free_at = match (&self.in_service, &mut self.changes.service) {
            (Some(packet), None) => now + self.serialiser.serialise(packet.bytes),
            (Some(packet), Some(service)) => service.departure(now, was_idle, packet.bytes),
            (None, _) => self.queue.asks_at(),
        };
    }

    /// What the queue dropped was accepted, until it was not.
    fn hand_out_dropped(&mut self, now: Time) {
        let (before_end, in_window) = (u64::from(now < self.window.1), u64::from(self.measures(now)));
        for packet in self.scratch.drain(..) {
            self.dropped += 1;
            self.totals.dropped += before_end;
            self.totals.accepted -= before_end;
            self.totals.window_dropped += in_window;
            self.gone.push(Dropped { at: now, packet });
        }
    }

    fn measures(&self, now: Time) -> bool {
        now >= self.window.0 && now < self.window.1
    }

    /// What a queue of this size may hold at `now`.
    fn room(&self, limit: Limit, now: Time) -> Room {
        let served = self.in_service.as_ref().filter(|_| !self.spec.excludes_in_service);
        let mut room = Room { packets: usize::MAX, bytes: u64::MAX, bytes_ahead: Some(u64::MAX) };
        match limit {
            Limit::Packets(limit) => room.packets = limit as usize - usize::from(served.is_some()),
            Limit::Bytes(limit) => room.bytes = limit.saturating_sub(served.map_or(0, |packet| u64::from(packet.bytes))),
            Limit::Delay(limit) => {
                let residual = if self.in_service.is_some() { self.free_at - now } else { Time::ZERO };
                room.bytes_ahead = limit.0.checked_sub(residual.0).map(|wait| self.serialiser.bytes_within(Time(wait)));
            }
        }
        room
    }

    fn population(&self) -> usize {
        self.queue.packets() + usize::from(self.in_service.is_some())
    }

    fn note_population(&mut self) {
        self.totals.window_max_packets = self.totals.window_max_packets.max(self.population() as u32);
    }

    /// Keeps the integrals of the population and of the work over the window.
    fn settle(&mut self, now: Time) {
        if self.settled <= self.window.0 && now > self.window.0 {
            self.note_population();
        }
        let span = now.min(self.window.1).since(self.settled.max(self.window.0)).0;
        self.totals.window_busy_ns += if self.in_service.is_some() { span } else { 0 };
        self.totals.window_sojourn_ns += span * self.population() as u64;
        self.settled = now;
    }
}
