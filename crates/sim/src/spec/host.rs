//! Hosts of senders.

use serde::{Deserialize, Serialize};

use super::link::Outage;

/// A network device: what it sends waits in a queue, and what finds no room is refused.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct DeviceSpec {
    /// IP bits per second.
    pub rate_bps: u64,
    /// Packets that wait, besides the one on the wire (Linux `txqueuelen`).
    pub queue_packets: u64,
}

/// The host of one sender, or of several.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct HostSpec {
    /// Processor time to send a segment.
    pub packet_ns: u64,
    /// Processor time of an ACK.
    pub ack_ns: u64,
    /// Processor time of an ACK with SACK information for each segment outstanding, besides.
    pub sack_ns: u64,
    /// Times in which the processor does nothing; ascending, apart.
    pub stalls: Vec<Outage>,
    /// Device behind the processor; none for one that is never felt.
    pub device: Option<DeviceSpec>,
    /// ACKs are handled at ticks of this interval only; 0 for at once.
    pub ack_tick_ns: u64,
    /// It is what the hosts of transfers are like, of which each has its own, new and idle; no flow is on it.
    pub per_transfer: bool,
}
