//! Links and queues: `(packet, now)` in, a decision out.
//!
//! This crate must never know an event queue, a flow or a window.

mod fifo;
mod ring;

pub use fifo::{Fifo, FifoSpec, Limit, LinkTotals, Occupancy, Packet, Verdict};
pub use ring::Ring;
