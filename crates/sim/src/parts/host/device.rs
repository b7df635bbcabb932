//! A network device and its queue: Linux's `txqueuelen` packets wait, besides the one on the wire; what finds no room is refused.

use net::{Fifo, FifoSpec, Limit};
use units::{Rate, Stream};

/// A device of this rate, and this many packets of queue.
pub(crate) fn device(rate: Rate, queue_packets: u32, idle: Stream) -> Fifo {
    let spec = FifoSpec { rate, limit: Limit::Packets(queue_packets), excludes_in_service: true, loss_probability: 0.0, mark_at: None };
    Fifo::new(spec, units::Time::NEVER..units::Time::NEVER, idle)
}
