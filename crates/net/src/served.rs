//! A link whose queue decides when it is served: what becomes of a packet is not known when it arrives.
//!
//! It serves only when it is asked: an offered packet, or a read of the queue, makes it serve until then first.
//! Packets that have left it, transmitted or dropped, wait to be taken, with their loads.

use std::collections::VecDeque;
use std::ops::Range;

use units::{Duration, Serialiser, Stream, Time};

use crate::answer::{Dropped, Left};
use crate::books::{LinkTotals, Occupancy, Reading, Sums, Window};
use crate::queue::{Queue, Queued, Room, Serving as _, Supersede};
use crate::spec::{FifoSpec, Limit};
use crate::{Changes, Losses, Packet};

/// So many packets that have left may wait to be taken: more would not fit into the nearest cache.
const UNTOLD_MAX: usize = 64;

/// What counts of the packet in service.
#[derive(Clone, Copy, Debug)]
struct InService {
    bytes: u32,
    is_marked: bool,
}

/// The link.
#[derive(Debug)]
pub struct Served<T> {
    spec: FifoSpec,
    queue: Queue<T>,
    in_service: Option<InService>,
    /// When the transmission under way ends, or the queue wants to be asked again.
    free_at: Time,
    /// When the latest transmission ended or will end.
    busy_until: Time,
    serialiser: Serialiser,
    /// Packets may be lost before the queue.
    is_lossy: bool,
    loss: Stream,
    losses: Losses,
    changes: Changes,
    /// Packets that have left, then the one in service; they wait here until the engine takes them.
    served: VecDeque<Left<T>>,
    /// Packets that were dropped or lost, until the engine takes them.
    gone: VecDeque<Dropped<T>>,
    /// What the queue has just dropped.
    scratch: Vec<Queued<T>>,
    sums: Sums,
    /// Packets accepted, and not dropped later.
    accepted: u64,
    /// Packets in the queue or in service.
    inside: usize,
    window: Window,
}

impl<T: Supersede> Served<T> {
    /// An idle link that measures over `window`; random losses come from `loss`.
    pub(crate) fn new(spec: FifoSpec, queue: Queue<T>, window: Range<Time>, loss: Stream) -> Served<T> {
        Served {
            spec,
            queue,
            in_service: None,
            free_at: Time::NEVER,
            busy_until: Time::ZERO,
            serialiser: Serialiser::new(spec.rate),
            is_lossy: spec.loss_probability > 0.0,
            loss,
            losses: Losses::default(),
            changes: Changes::default(),
            served: VecDeque::new(),
            gone: VecDeque::new(),
            scratch: Vec::new(),
            sums: Sums::default(),
            accepted: 0,
            inside: 0,
            window: Window::new(window),
        }
    }

    /// The same link with these models of loss, changing in time; [`Limit::Delay`] looks at its constant rate.
    pub(crate) fn with(mut self, losses: Losses, changes: Changes) -> Served<T> {
        self.is_lossy |= !losses.is_empty();
        self.window.wake_at(changes.limit_at());
        (self.losses, self.changes) = (losses, changes);
        self
    }

    /// A packet arrives at `now`, not earlier than whatever happened before.
    #[inline]
    pub fn offer(&mut self, now: Time, packet: Packet, load: T) {
        self.settle(now);
        if now >= self.window.read_at {
            self.read(now);
        }
        let queued = Queued { packet, is_marked: false, arrived: now, load };
        if self.is_struck(now, packet) {
            self.sums.lost += 1;
            return self.gone.push_back(Dropped { at: now, packet: queued });
        }
        self.accepted += 1;
        self.inside += 1;
        self.sums.accepted_bytes += u64::from(packet.bytes);
        self.sums.sojourn_ns = self.sums.sojourn_ns.wrapping_sub(now.0);
        let room = self.room(now);
        self.queue.enqueue(now, queued, room, &mut self.scratch);
        if !self.scratch.is_empty() {
            self.hand_out_dropped(now);
        }
        if self.in_service.is_none() {
            self.serve_at_once(now);
        }
        self.sums.max_packets = self.sums.max_packets.max(self.inside);
    }

    /// The first moment at which a packet has left, or may leave, that was not taken yet.
    #[inline]
    pub fn next_at(&self) -> Time {
        self.served.front().map_or(self.free_at, |left| left.departed)
    }

    /// Serves until `now`: transmissions that end then have ended.
    #[inline]
    pub(crate) fn settle(&mut self, now: Time) {
        while self.free_at <= now {
            self.step(self.free_at);
        }
    }

    /// A transmission ends, or the queue is asked again. The next packet, if one may leave, is being transmitted from now on.
    #[inline(never)]
    fn step(&mut self, now: Time) {
        let is_read = now < self.window.read_at;
        if !is_read {
            self.read(now);
        }
        let packet = self.in_service.take();
        if let Some(InService { bytes, is_marked }) = packet {
            let marks = u64::from(is_marked);
            self.inside -= 1;
            self.sums.marked += marks;
            self.sums.sojourn_ns = self.sums.sojourn_ns.wrapping_add(now.0);
            // Several may leave at one time; all but the first find it read.
            if is_read && now >= self.window.ends().start && self.window.amend(now, bytes, marks) {
                self.sums.max_packets = self.inside;
            }
        }
        self.serve(now, packet.is_none());
    }

    /// Bytes that could have left within the window; none where the rate is constant.
    pub(crate) fn window_capacity_bytes(&self) -> Option<f64> {
        self.changes.service.as_ref().map(|service| service.capacity_bytes(self.window.ends()))
    }

    /// Whether one of the models of loss takes the packet.
    #[inline]
    fn is_struck(&mut self, now: Time, packet: Packet) -> bool {
        if !self.is_lossy {
            return false;
        }
        let is_lost = self.spec.loss_probability > 0.0 && self.loss.chance(self.spec.loss_probability);
        self.losses.strike(now, packet) | is_lost
    }

    /// So many packets have left that they should be taken now.
    #[inline]
    pub fn is_brimming(&self) -> bool {
        self.served.len() > UNTOLD_MAX
    }

    /// The oldest of the packets that have left.
    #[inline]
    pub(crate) fn left(&self) -> Option<&Left<T>> {
        if self.served.len() == usize::from(self.in_service.is_some()) {
            return None;
        }
        self.served.front()
    }

    /// Takes the packet that [`Served::left`] shows.
    #[inline]
    pub(crate) fn take_left(&mut self) -> Option<Left<T>> {
        self.left()?;
        self.served.pop_front()
    }

    /// Takes one of the packets dropped or lost, oldest first.
    #[inline]
    pub(crate) fn take_dropped(&mut self) -> Option<Dropped<T>> {
        self.gone.pop_front()
    }

    /// Queue content at `now`.
    pub(crate) fn occupancy(&mut self, now: Time) -> Occupancy {
        self.settle(now);
        Occupancy {
            packets: self.inside as u32,
            bytes: self.queued_bytes(),
            delivered_bytes: self.sums.accepted_bytes - self.queued_bytes(),
            dropped: self.sums.dropped,
            marked: self.sums.marked,
        }
    }

    fn queued_bytes(&self) -> u64 {
        self.queue.bytes() + self.in_service.as_ref().map_or(0, |served| u64::from(served.bytes))
    }

    /// Totals at the end of the window, when nothing more happens before it.
    pub(crate) fn totals(&mut self) -> LinkTotals {
        self.read(self.window.ends().end);
        self.window.totals()
    }

    /// Takes the readings that fall due up to `now`, before anything happens then, and the queue's new size, if it has one.
    #[cold]
    fn read(&mut self, now: Time) {
        while let Some((end, at)) = self.window.due(now) {
            let reading = self.reading(at);
            self.window.keep(end, reading);
            if end == 0 {
                self.sums.max_packets = self.population_at(at);
            }
        }
        if let Some(limit) = self.changes.new_limit(now) {
            self.spec.limit = limit;
        }
        self.window.wake_at(self.changes.limit_at());
    }

    /// The sums as they were at `at`, not before the latest event. A transmission that ends at that very time has ended.
    fn reading(&self, at: Time) -> Reading {
        let ending = self.in_service.as_ref().filter(|_| self.free_at <= at);
        let inside = self.population_at(at) as u64;
        Reading {
            dropped: self.sums.dropped,
            lost: self.sums.lost,
            marked: self.sums.marked + ending.map_or(0, |served| u64::from(served.is_marked)),
            max_packets: self.sums.max_packets,
            accepted: self.accepted,
            delivered_bytes: self.sums.accepted_bytes - self.queued_bytes() + ending.map_or(0, |served| u64::from(served.bytes)),
            busy_ns: self.busy_until.0.min(at.0) - self.sums.idle_ns,
            // Of each packet inside the time of its arrival is in the sum with a minus.
            sojourn_ns: self.sums.sojourn_ns.wrapping_add(inside * at.0).wrapping_add(ending.map_or(0, |_| self.free_at.0)),
        }
    }

    /// Packets inside at `at`, not before the latest event.
    fn population_at(&self, at: Time) -> usize {
        self.inside - usize::from(self.in_service.is_some() && self.free_at <= at)
    }

    /// The link is free, and a packet has arrived. Out of line, for a link that matters is seldom idle.
    #[inline(never)]
    fn serve_at_once(&mut self, now: Time) {
        self.serve(now, true);
    }

    /// Takes the next packet into service, if there is one, after an idle time or after the packet before.
    #[inline(always)]
    fn serve(&mut self, now: Time, was_idle: bool) {
        let next = self.queue.dequeue(now, &mut self.scratch);
        if !self.scratch.is_empty() {
            self.hand_out_dropped(now);
        }
        if was_idle {
            self.serialiser.forget();
        }
        let Some(packet) = next else {
            self.free_at = self.queue.asks_at();
            return;
        };
        let bytes = packet.packet.bytes;
        self.in_service = Some(InService { bytes, is_marked: packet.is_marked });
        self.sums.idle_ns += (now - self.busy_until).0;
        self.free_at = match &mut self.changes.service {
            None => now + self.serialiser.serialise(bytes),
            Some(service) => service.departure(now, was_idle, bytes),
        };
        let departed = self.free_at;
        self.busy_until = departed;
        let at = self.changes.delay.as_mut().map_or(departed, |delay| delay.arrival(departed));
        self.served.push_back(Left { departed, at, packet });
    }

    /// What the queue dropped was accepted, until it was not.
    #[cold]
    fn hand_out_dropped(&mut self, now: Time) {
        for packet in self.scratch.drain(..) {
            self.sums.dropped += 1;
            self.accepted -= 1;
            self.inside -= 1;
            self.sums.accepted_bytes -= u64::from(packet.packet.bytes);
            self.sums.sojourn_ns = self.sums.sojourn_ns.wrapping_add(now.0);
            self.gone.push_back(Dropped { at: now, packet });
        }
    }

    /// What the queue may hold at `now`.
    #[inline]
    fn room(&self, now: Time) -> Room {
        let served = self.in_service.as_ref().filter(|_| !self.spec.excludes_in_service);
        let mut room = Room { packets: usize::MAX, bytes: u64::MAX, bytes_ahead: Some(u64::MAX) };
        match self.spec.limit {
            Limit::Packets(limit) => room.packets = limit as usize - usize::from(served.is_some()),
            Limit::Bytes(limit) => room.bytes = limit.saturating_sub(served.map_or(0, |served| u64::from(served.bytes))),
            Limit::Delay(limit) => {
                let residual = if self.in_service.is_some() { self.free_at - now } else { Duration::ZERO };
                room.bytes_ahead = limit.checked_sub(residual).map(|wait| self.serialiser.bytes_within(wait));
            }
        }
        room
    }
}
