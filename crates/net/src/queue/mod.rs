//! Queue disciplines: one file each, and one word in the list below.
//!
//! Those of the first kind decide when a packet arrives: a file has `DISCIPLINE`, its description, and `Law`, which is [`Arriving`]. Those
//! of the second kind decide when a packet is served, or serve in another order: a file has `DISCIPLINE` and `Queue`, which is [`Serving`].
//! A discipline never sees the packet in service.

mod ack_filter;
mod ared;
mod bucket;
mod cake;
mod cobalt;
mod codel;
mod description;
mod drop_head;
mod dualpi2;
mod fair;
mod fq;
mod fq_codel;
mod fq_pie;
mod line;
mod pie;
mod policer;
mod qdisc;
mod red;
mod shaper;

use units::{Duration, Rate, Stream, Time};

use crate::Packet;

pub use ack_filter::Supersede;
pub use description::{discipline, Discipline, DisciplineSpec, Parameter};
pub use fair::{bucket, hash};
pub use line::{Line, Queued, Room};
pub use qdisc::{Demand, Is, Number, Qdisc, Unit};

/// What a law on arrival, or a link, decides about a packet.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Decision {
    Accept,
    Mark,
    Lose,
    Drop,
}

/// What stands in line behind the packet in service.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Waiting {
    pub(crate) packets: usize,
    /// Zero where the law does not look at bytes.
    pub(crate) bytes: u64,
    /// How long the latest packet to be served had waited, where bytes and rate do not tell it: the rate changes. For a law that looks at
    /// bytes; zero if that packet left none in line.
    pub(crate) waited: Option<Duration>,
}

impl Waiting {
    /// No packet is in line.
    #[cfg(test)]
    pub(crate) const EMPTY: Waiting = Waiting { packets: 0, bytes: 0, waited: None };
}

/// A discipline that decides when a packet arrives. Packets leave in their order.
pub(crate) trait Arriving {
    /// It looks at the bytes in line, not at packets alone.
    const COUNTS_BYTES: bool = false;
    /// What becomes of a packet that meets `waiting`, in a queue that has room for it or not.
    fn decide(&mut self, now: Time, packet: Packet, waiting: Waiting, has_room: bool) -> Decision;
    /// When it next does something by itself. Before that it need not be told when the link asked for a packet, but for the last time at which
    /// none was left.
    fn acts_at(&self) -> Time {
        Time::NEVER
    }
    /// The link was free at `at` and asked for the next packet, of those in `waiting`.
    fn on_asked(&mut self, _at: Time, _waiting: Waiting) {}
}

/// A discipline that is given each packet that arrives and asked for the next when the link is free. It hands out the packets that it
/// drops, whenever it does; a packet that it marks leaves with its mark.
pub(crate) trait Serving<T> {
    /// A packet arrives; what is dropped for it, itself perhaps, goes to `dropped`.
    fn enqueue(&mut self, now: Time, packet: Queued<T>, room: Room, dropped: &mut Vec<Queued<T>>);
    /// The link is free: the packet it serves next, none if nothing is left or nothing may leave yet.
    fn dequeue(&mut self, now: Time, dropped: &mut Vec<Queued<T>>) -> Option<Queued<T>>;
    /// When it wants to be asked again, if it had nothing to serve and nothing arrives before.
    fn asks_at(&self) -> Time {
        Time::NEVER
    }
    /// Packets in line.
    fn packets(&self) -> usize;
    /// Their bytes.
    fn bytes(&self) -> u64;
}

/// A discipline, built.
#[derive(Debug)]
pub(crate) enum Built<T> {
    Law(Law),
    Served(Queue<T>),
}

macro_rules! disciplines {
    ($($kind:ident $name:ident;)+) => {
        /// All disciplines beside drop-tail, which every link has.
        pub static DISCIPLINES: &[&Discipline] = &[$(&$name::DISCIPLINE,)+];

        disciplines! { @split [] [] $($kind $name;)+ }
    };
    (@split [$($law:ident)*] [$($queue:ident)*] arriving $name:ident; $($rest:tt)*) => {
        disciplines! { @split [$($law)* $name] [$($queue)*] $($rest)* }
    };
    (@split [$($law:ident)*] [$($queue:ident)*] serving $name:ident; $($rest:tt)*) => {
        disciplines! { @split [$($law)*] [$($queue)* $name] $($rest)* }
    };
    (@split [$($law:ident)+] [$($queue:ident)+]) => {
        /// A discipline that decides on arrival.
        #[allow(non_camel_case_types)]
        #[derive(Clone, Debug)]
        pub(crate) enum Law {
            $($law($law::Law),)+
        }

        impl Law {
            pub(crate) fn counts_bytes(&self) -> bool {
                match self { $(Law::$law(_) => <$law::Law as Arriving>::COUNTS_BYTES,)+ }
            }
        }

        impl Arriving for Law {
            #[inline]
            fn decide(&mut self, now: Time, packet: Packet, waiting: Waiting, has_room: bool) -> Decision {
                match self { $(Law::$law(law) => law.decide(now, packet, waiting, has_room),)+ }
            }
            #[inline]
            fn acts_at(&self) -> Time {
                match self { $(Law::$law(law) => law.acts_at(),)+ }
            }
            #[inline]
            fn on_asked(&mut self, at: Time, waiting: Waiting) {
                match self { $(Law::$law(law) => law.on_asked(at, waiting),)+ }
            }
        }

        /// A discipline that holds packets. With a tag of its own: which it is is asked twice for every packet.
        #[allow(non_camel_case_types)]
        #[derive(Debug)]
        #[repr(u8)]
        pub(crate) enum Queue<T> {
            $($queue($queue::Queue<T>),)+
        }

        impl<T: Supersede> Serving<T> for Queue<T> {
            #[inline]
            fn enqueue(&mut self, now: Time, packet: Queued<T>, room: Room, dropped: &mut Vec<Queued<T>>) {
                match self { $(Queue::$queue(queue) => queue.enqueue(now, packet, room, dropped),)+ }
            }
            #[inline]
            fn dequeue(&mut self, now: Time, dropped: &mut Vec<Queued<T>>) -> Option<Queued<T>> {
                match self { $(Queue::$queue(queue) => queue.dequeue(now, dropped),)+ }
            }
            #[inline]
            fn asks_at(&self) -> Time {
                match self { $(Queue::$queue(queue) => Serving::<T>::asks_at(queue),)+ }
            }
            #[inline]
            fn packets(&self) -> usize {
                match self { $(Queue::$queue(queue) => Serving::<T>::packets(queue),)+ }
            }
            #[inline]
            fn bytes(&self) -> u64 {
                match self { $(Queue::$queue(queue) => Serving::<T>::bytes(queue),)+ }
            }
        }

        impl DisciplineSpec {
            /// The discipline, empty, at the head of a link of `rate`, with random draws from `draws`.
            pub(crate) fn build<T: Supersede>(&self, rate: Rate, draws: Stream) -> Built<T> {
                $(if self.is(&$law::DISCIPLINE) {
                    return Built::Law(Law::$law($law::law(self, rate, draws)));
                })+
                $(if self.is(&$queue::DISCIPLINE) {
                    return Built::Served(Queue::$queue($queue::queue(self, rate, draws)));
                })+
                unreachable!("a discipline comes from the list")
            }
        }
    };
}

disciplines! {
    serving drop_head;
    serving ack_filter;
    arriving red;
    arriving ared;
    arriving pie;
    serving codel;
    serving cobalt;
    serving fq;
    serving fq_codel;
    serving fq_pie;
    serving cake;
    serving dualpi2;
    arriving policer;
    serving shaper;
}
