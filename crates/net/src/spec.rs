//! What a link is given: its rate, how much its queue holds, losses and marks.

use units::{Duration, Rate};

/// How much a queue holds.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Limit {
    /// Whole packets of any size.
    Packets(u32),
    /// Bytes.
    Bytes(u64),
    /// A packet is taken while those ahead of it need at most this long.
    Delay(Duration),
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
