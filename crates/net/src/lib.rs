//! Links and queues: `(packet, now)` in, a decision out.
//!
//! This crate must never know an event queue, a flow or a window.

mod change;
mod disorder;
mod fifo;
mod loss;
pub mod queue;
mod ring;
mod served;

pub use change::{Changes, DelaySteps, RateSteps, Service, Trace};
pub use disorder::{Disorder, DisorderSpec, Fate};
pub use fifo::{Fifo, FifoSpec, Limit, LinkTotals, Occupancy, Packet, Verdict};
pub use loss::{Among, GilbertElliott, LossModel, Losses, Periodic, Scripted, Timed};
pub use queue::{DisciplineSpec, Queued, Supersede};
pub use ring::Ring;
pub use served::{Dropped, Served};
