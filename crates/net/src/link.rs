//! What a link is: a packet is offered, and departs at a known time, waits for a decision, or is refused.

use units::{Rate, Stream, Time};

use crate::books::{LinkTotals, Occupancy};
use crate::queue::{Built, DisciplineSpec, Queued, Supersede};
use crate::{Changes, Fifo, Losses, Packet, Served};

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

/// Rate, queue, random loss and marks of a link.
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
    /// Step marking of drop-tail (RFC 8257 3.1): an ECN-capable packet is marked where a queue of this size would have refused it.
    pub mark_at: Option<Limit>,
}

/// The link's answer to a packet.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Answer {
    /// Accepted; its last bit leaves at this time, in which the propagation that the link's changes add is included.
    Departs(Time),
    /// The same, marked "congestion experienced".
    DepartsMarked {
        /// As above.
        at: Time,
        /// When the mark counts.
        marked_at: Time,
    },
    /// Its queue decides later: what becomes of it is said by [`Link::take_left`] and [`Link::take_dropped`].
    Waits,
    /// Dropped by the queue.
    Dropped,
    /// Lost at random.
    Lost,
}

/// A packet that was dropped, when, and whether by the queue or at random before it.
#[derive(Clone, Debug, PartialEq)]
pub struct Dropped<T> {
    /// When.
    pub at: Time,
    /// What.
    pub packet: Queued<T>,
}

/// A packet that has left a link which decides late.
#[derive(Clone, Debug, PartialEq)]
pub struct Left<T> {
    /// When its last bit left.
    pub departed: Time,
    /// The same, plus the propagation that the link's changes add.
    pub at: Time,
    /// What.
    pub packet: Queued<T>,
}

/// A link: losses, a queue, a transmitter, and what it counts. A packet that waited for a decision is given back with its load.
pub trait Link<T> {
    /// Packets may wait for a decision.
    const LATE: bool;

    /// A packet arrives at `now`, not earlier than whatever happened before.
    fn offer(&mut self, now: Time, packet: Packet, load: T) -> Answer;

    /// The link, if it knows every departure on arrival.
    fn as_fifo(&mut self) -> Option<&mut Fifo>;

    /// The link, if its queue decides late.
    fn as_served(&mut self) -> Option<&mut Served<T>> {
        None
    }

    /// The first moment at which a packet has left, or may leave, that was not taken yet; never if departures are known on arrival.
    #[inline]
    fn next_at(&self) -> Time {
        Time::NEVER
    }

    /// The link serves until `now`, when everything before is known: transmissions that end then have ended.
    #[inline]
    fn settle(&mut self, _now: Time) {}

    /// So many packets wait for [`Link::take_left`] that they should be taken now.
    #[inline]
    fn is_brimming(&self) -> bool {
        false
    }

    /// Takes one of the packets that have left after they had to wait, oldest first.
    #[inline]
    fn take_left(&mut self) -> Option<Left<T>> {
        None
    }

    /// Takes one of the packets that were dropped or lost after they had to wait, oldest first.
    #[inline]
    fn take_dropped(&mut self) -> Option<Dropped<T>> {
        None
    }

    /// Queue content at `now`.
    fn occupancy(&mut self, now: Time) -> Occupancy;

    /// Totals at the end of the window, which must be over.
    fn totals(&mut self) -> LinkTotals;

    /// Bytes that could have left within the window; none where the rate is constant.
    fn window_capacity_bytes(&self) -> Option<f64>;
}

/// A link of either kind.
#[derive(Debug)]
pub enum AnyLink<T> {
    /// Every departure is known on arrival.
    Fifo(Box<Fifo>),
    /// Its queue decides when a packet is served.
    Served(Box<Served<T>>),
}

/// Random streams of a link.
#[derive(Clone, Debug)]
pub struct Streams {
    /// Of random loss.
    pub loss: Stream,
    /// Of the discipline.
    pub queue: Stream,
}

/// All that a link is built from.
#[derive(Clone, Debug)]
pub struct LinkParts {
    /// Rate, limit, loss, marks.
    pub fifo: FifoSpec,
    /// Its discipline; none for drop-tail.
    pub discipline: Option<DisciplineSpec>,
    /// Loss with a memory.
    pub losses: Losses,
    /// What changes in time.
    pub changes: Changes,
    /// From, to.
    pub window: (Time, Time),
    /// Where its draws come from.
    pub streams: Streams,
}

impl<T: Supersede> AnyLink<T> {
    /// An idle link.
    pub fn new(parts: LinkParts) -> AnyLink<T> {
        let LinkParts { fifo, discipline, losses, changes, window, streams } = parts;
        let built = discipline.map(|discipline| discipline.build(fifo.rate, streams.queue));
        match built {
            Some(Built::Served(queue)) => AnyLink::Served(Box::new(Served::new(fifo, queue, window, streams.loss).with(losses, changes))),
            Some(Built::Law(law)) => {
                let fifo = Fifo::new(fifo, window, streams.loss).governed(law);
                AnyLink::Fifo(Box::new(fifo.with_losses(losses).with_changes(changes)))
            }
            None => AnyLink::Fifo(Box::new(Fifo::new(fifo, window, streams.loss).with_losses(losses).with_changes(changes))),
        }
    }

    /// It knows every departure on arrival.
    pub fn is_fifo(&self) -> bool {
        matches!(self, AnyLink::Fifo(_))
    }

    /// The link, if it knows every departure on arrival.
    pub fn into_fifo(self) -> Option<Fifo> {
        match self {
            AnyLink::Fifo(fifo) => Some(*fifo),
            AnyLink::Served(_) => None,
        }
    }
}

impl<T: Supersede> Link<T> for AnyLink<T> {
    const LATE: bool = true;

    #[inline]
    fn offer(&mut self, now: Time, packet: Packet, load: T) -> Answer {
        match self {
            AnyLink::Fifo(fifo) => fifo.take(now, packet),
            AnyLink::Served(served) => {
                served.offer(now, packet, load);
                Answer::Waits
            }
        }
    }

    #[inline]
    fn as_fifo(&mut self) -> Option<&mut Fifo> {
        match self {
            AnyLink::Fifo(fifo) => Some(fifo),
            AnyLink::Served(_) => None,
        }
    }

    #[inline]
    fn as_served(&mut self) -> Option<&mut Served<T>> {
        match self {
            AnyLink::Fifo(_) => None,
            AnyLink::Served(served) => Some(served),
        }
    }

    #[inline]
    fn next_at(&self) -> Time {
        match self {
            AnyLink::Fifo(_) => Time::NEVER,
            AnyLink::Served(served) => served.next_at(),
        }
    }

    #[inline]
    fn settle(&mut self, now: Time) {
        match self {
            AnyLink::Fifo(_) => {}
            AnyLink::Served(served) => served.settle(now),
        }
    }

    #[inline]
    fn is_brimming(&self) -> bool {
        match self {
            AnyLink::Fifo(_) => false,
            AnyLink::Served(served) => served.is_brimming(),
        }
    }

    #[inline]
    fn take_left(&mut self) -> Option<Left<T>> {
        match self {
            AnyLink::Fifo(_) => None,
            AnyLink::Served(served) => served.take_left(),
        }
    }

    #[inline]
    fn take_dropped(&mut self) -> Option<Dropped<T>> {
        match self {
            AnyLink::Fifo(_) => None,
            AnyLink::Served(served) => served.take_dropped(),
        }
    }

    fn occupancy(&mut self, now: Time) -> Occupancy {
        match self {
            AnyLink::Fifo(fifo) => Link::<T>::occupancy(&mut **fifo, now),
            AnyLink::Served(served) => served.occupancy(now),
        }
    }

    fn totals(&mut self) -> LinkTotals {
        match self {
            AnyLink::Fifo(fifo) => Link::<T>::totals(&mut **fifo),
            AnyLink::Served(served) => served.totals(),
        }
    }

    fn window_capacity_bytes(&self) -> Option<f64> {
        match self {
            AnyLink::Fifo(fifo) => Link::<T>::window_capacity_bytes(&**fifo),
            AnyLink::Served(served) => served.window_capacity_bytes(),
        }
    }
}
