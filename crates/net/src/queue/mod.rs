//! Queue disciplines that decide when a packet arrives, when it is served, or both: one file each.
//!
//! A discipline is given each packet that arrives and asked for the next when the link is free. Packets that it drops, whenever
//! it does, it hands out; a packet that it marks leaves with its mark. It never sees the packet in service.

mod ack_filter;
mod bucket;
mod cobalt;
mod codel;
mod drop_head;
mod drop_tail;
mod dualpi2;
mod fair;
mod fq;
mod fq_codel;
mod fq_pie;
mod line;
mod pie;
mod red;
mod registry;

use units::{Rate, Stream, Time};

pub use ack_filter::Supersede;
pub use line::{Line, Queued, Room};
pub use registry::{discipline, DisciplineRow, DisciplineSpec, Kind, Parameter, DISCIPLINES};

use ack_filter::AckFilter;
use bucket::{Policer, Shaper};
use cobalt::CobaltQueue;
use codel::CodelQueue;
use drop_head::DropHead;
use drop_tail::DropTail;
use dualpi2::DualPi2;
use fq::Fq;
use fq_codel::FqCodel;
use fq_pie::FqPie;
use pie::PieQueue;
use red::RedQueue;

pub use fair::bucket;

/// A discipline at work.
#[derive(Clone, Debug)]
pub(crate) enum Queue<T> {
    /// Drop-tail.
    DropTail(DropTail<T>),
    /// Drop-head.
    DropHead(DropHead<T>),
    /// ACK filter.
    AckFilter(AckFilter<T>),
    /// RED and adaptive RED.
    Red(RedQueue<T>),
    /// PIE.
    Pie(PieQueue<T>),
    /// CoDel.
    Codel(CodelQueue<T>),
    /// COBALT.
    Cobalt(CobaltQueue<T>),
    /// FQ.
    Fq(Fq<T>),
    /// FQ-CoDel.
    FqCodel(FqCodel<T>),
    /// FQ-PIE.
    FqPie(FqPie<T>),
    /// DualPI2.
    DualPi2(DualPi2<T>),
    /// Token-bucket policer.
    Policer(Policer<T>),
    /// Token-bucket shaper.
    Shaper(Shaper<T>),
}

/// Calls a method of whichever discipline it is.
macro_rules! each {
    ($queue:expr, $discipline:ident => $call:expr) => {
        match $queue {
            Queue::DropTail($discipline) => $call,
            Queue::DropHead($discipline) => $call,
            Queue::AckFilter($discipline) => $call,
            Queue::Red($discipline) => $call,
            Queue::Pie($discipline) => $call,
            Queue::Codel($discipline) => $call,
            Queue::Cobalt($discipline) => $call,
            Queue::Fq($discipline) => $call,
            Queue::FqCodel($discipline) => $call,
            Queue::FqPie($discipline) => $call,
            Queue::DualPi2($discipline) => $call,
            Queue::Policer($discipline) => $call,
            Queue::Shaper($discipline) => $call,
        }
    };
}

impl<T: Supersede> Queue<T> {
    /// An empty queue at the head of a link of `rate`, with random draws from `stream`.
    pub(crate) fn new(spec: DisciplineSpec, rate: Rate, stream: Stream) -> Queue<T> {
        match spec.kind {
            Kind::DropTail => Queue::DropTail(DropTail::default()),
            Kind::DropHead => Queue::DropHead(DropHead::default()),
            Kind::AckFilter => Queue::AckFilter(AckFilter::default()),
            Kind::Red => Queue::Red(RedQueue::new(red::RedSpec::new(&spec, rate), stream)),
            Kind::AdaptiveRed => Queue::Red(RedQueue::new(red::RedSpec::adaptive(&spec, rate), stream)),
            Kind::Pie => Queue::Pie(PieQueue::new(pie::PieSpec::new(&spec, rate), stream)),
            Kind::Codel => Queue::Codel(CodelQueue::new(codel::CodelSpec::new(&spec))),
            Kind::Cobalt => Queue::Cobalt(CobaltQueue::new(cobalt::CobaltSpec::new(&spec, rate), stream)),
            Kind::Fq => Queue::Fq(fq::new(&spec, stream)),
            Kind::FqCodel => Queue::FqCodel(fq_codel::new(&spec, stream)),
            Kind::FqPie => Queue::FqPie(fq_pie::new(&spec, rate, stream)),
            Kind::DualPi2 => Queue::DualPi2(DualPi2::new(dualpi2::DualPi2Spec::new(&spec))),
            Kind::Policer => Queue::Policer(Policer::new(&spec)),
            Kind::Shaper => Queue::Shaper(Shaper::new(&spec)),
        }
    }

    /// A packet arrives; what is dropped for it, itself perhaps, goes to `dropped`.
    pub(crate) fn enqueue(&mut self, now: Time, packet: Queued<T>, room: Room, dropped: &mut Vec<Queued<T>>) {
        each!(self, queue => queue.enqueue(now, packet, room, dropped));
    }

    /// The link is free: the packet it serves next, none if nothing is left or nothing may leave yet.
    pub(crate) fn dequeue(&mut self, now: Time, dropped: &mut Vec<Queued<T>>) -> Option<Queued<T>> {
        each!(self, queue => queue.dequeue(now, dropped))
    }

    /// When it wants to be asked again, if it had nothing to serve and nothing arrives before.
    pub(crate) fn asks_at(&self) -> Time {
        match self {
            Queue::Shaper(shaper) => shaper.asks_at(),
            _ => Time::NEVER,
        }
    }

    /// Packets in line.
    pub(crate) fn packets(&self) -> usize {
        each!(self, queue => queue.packets())
    }

    /// Their bytes.
    pub(crate) fn bytes(&self) -> u64 {
        each!(self, queue => queue.bytes())
    }
}
