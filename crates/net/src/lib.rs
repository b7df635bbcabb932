//! Links and queues: `(packet, now)` in, a decision out.
//!
//! This crate must never know an event queue, a flow or a window.

mod answer;
mod books;
mod change;
mod disorder;
mod fifo;
mod link;
mod loss;
mod packet;
pub mod queue;
mod ring;
mod served;
mod spec;

pub use answer::{Answer, Dropped, Left};
pub use books::{LinkTotals, Occupancy};
pub use change::{Changes, DelaySteps, LimitSteps, RateSteps, Service, Trace};
pub use disorder::{Disorder, DisorderSpec, Fate};
pub use fifo::Fifo;
pub use link::{AnyLink, Link, LinkParts, Streams};
pub use loss::{Among, GilbertElliott, GilbertElliottSpec, LossModel, Losses, Periodic, Scripted, Timed};
pub use packet::Packet;
pub use queue::{DisciplineSpec, Queued, Supersede};
pub use ring::Ring;
pub use served::Served;
pub use spec::{FifoSpec, Limit};
