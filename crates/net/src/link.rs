//! What a link is: a packet is offered, and departs at a known time, waits for a decision, or is refused.

use std::ops::Range;

use units::{Stream, Time};

use crate::answer::{Answer, Dropped, Left};
use crate::books::{LinkTotals, Occupancy};
use crate::queue::{Built, DisciplineSpec, Supersede};
use crate::{Changes, Fifo, FifoSpec, Losses, Packet, Served};

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

    /// The oldest of the packets that have left after they had to wait.
    #[inline]
    fn left(&self) -> Option<&Left<T>> {
        None
    }

    /// Takes the packet that [`Link::left`] shows.
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

impl<T> Link<T> for Fifo {
    const LATE: bool = false;

    #[inline]
    fn offer(&mut self, now: Time, packet: Packet, _load: T) -> Answer {
        self.take(now, packet)
    }

    fn as_fifo(&mut self) -> Option<&mut Fifo> {
        Some(self)
    }

    fn occupancy(&mut self, now: Time) -> Occupancy {
        self.occupancy(now)
    }

    fn totals(&mut self) -> LinkTotals {
        self.totals()
    }

    fn window_capacity_bytes(&self) -> Option<f64> {
        self.window_capacity_bytes()
    }
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
    pub window: Range<Time>,
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
    fn left(&self) -> Option<&Left<T>> {
        match self {
            AnyLink::Fifo(_) => None,
            AnyLink::Served(served) => served.left(),
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
            AnyLink::Fifo(fifo) => fifo.occupancy(now),
            AnyLink::Served(served) => served.occupancy(now),
        }
    }

    fn totals(&mut self) -> LinkTotals {
        match self {
            AnyLink::Fifo(fifo) => fifo.totals(),
            AnyLink::Served(served) => served.totals(),
        }
    }

    fn window_capacity_bytes(&self) -> Option<f64> {
        match self {
            AnyLink::Fifo(fifo) => fifo.window_capacity_bytes(),
            AnyLink::Served(served) => served.window_capacity_bytes(),
        }
    }
}
