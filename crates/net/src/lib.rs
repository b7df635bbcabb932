//! Links and queues: `(packet, now)` in, a decision out.
//!
//! This crate must never know an event queue, a flow or a window.

mod fifo;
pub mod queue;
mod ring;
mod served;

pub use fifo::{Fifo, FifoSpec, Limit, LinkTotals, Occupancy, Packet, Verdict};
pub use queue::{DisciplineSpec, Queued};
pub use ring::Ring;
pub use served::{Dropped, Served};
