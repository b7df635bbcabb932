//! What a router did: plain data for its caller.

use serde::Serialize;

use crate::clock::Stall;
use crate::network::{Drop, FlowCount, LinkSamples};

/// One link.
#[derive(Clone, Debug, Serialize)]
pub struct LinkReport {
    /// Name in the records.
    pub name: String,
    /// Bytes carried of those that could have been, over the measurement window.
    pub utilisation: f64,
    /// Mean number of packets queued or in service over the window.
    pub mean_queue_packets: f64,
    /// Most of them.
    pub max_queue_packets: u32,
    /// Bytes that left.
    pub delivered_bytes: u64,
    /// Packets dropped by the queue.
    pub dropped_packets: u64,
    /// Packets lost at random.
    pub lost_packets: u64,
    /// Packets marked.
    pub marked_packets: u64,
    /// Bytes that left within the window.
    pub window_delivered_bytes: u64,
    /// Packets dropped by the queue within the window.
    pub window_dropped_packets: u64,
    /// Packets marked within the window.
    pub window_marked_packets: u64,
}

/// All of it.
#[derive(Clone, Debug, Serialize)]
pub struct Report {
    /// Links, in the order of their numbers.
    pub links: Vec<LinkReport>,
    /// Their samples.
    pub samples: LinkSamples,
    /// What happened to each flow's packets.
    pub flows: Vec<FlowCount>,
    /// What happened to each source's datagrams.
    pub sources: Vec<FlowCount>,
    /// The same at the beginning of the measurement window.
    pub sources_at_window: Vec<FlowCount>,
    /// Packets with data that links dropped or lost.
    pub drops: Vec<Drop>,
    /// Pauses of the network's clock.
    pub stalls: Vec<Stall>,
    /// Network time at the end, nanoseconds.
    pub end_ns: u64,
    /// Lateness of released packets, microseconds: its median; null where none was released.
    pub late_us_p50: Option<u64>,
    /// 99 % were not later.
    pub late_us_p99: Option<u64>,
    /// The largest, nanoseconds.
    pub late_ns_max: u64,
    /// Packets that found no room in the router's socket.
    pub overflowed: u64,
    /// Packets that the kernel refused to take from the router.
    pub refused: u64,
    /// Packets that were cut off, or from no host of a flow, or no IPv4.
    pub strange: u64,
}
