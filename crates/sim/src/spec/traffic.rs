//! Sources of datagrams.

use serde::{Deserialize, Serialize};

use super::flow::Direction;
use super::hops::StretchSpec;

/// IP and UDP headers of a datagram, bytes.
pub(crate) const UDP_HEADER_BYTES: u32 = 28;

/// A source of UDP datagrams: packets by the clock, at its link.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct UdpSpec {
    /// IP bits per second; the mean of a rate that swings.
    pub rate_bps: u64,
    /// How the rate swings; none for a constant one.
    #[serde(default)]
    pub wave: Option<WaveSpec>,
    /// IP bytes of a packet.
    #[serde(default = "default_packet")]
    pub packet_bytes: u32,
    /// When the first packet reaches the link.
    #[serde(default)]
    pub start_ns: u64,
    /// When no more does; none for the end of the run.
    #[serde(default)]
    pub stop_ns: Option<u64>,
    /// Which link.
    #[serde(default)]
    pub direction: Direction,
    /// Which of several hops, if forward.
    #[serde(default)]
    pub hops: StretchSpec,
}

impl UdpSpec {
    /// Payload bytes of a packet.
    pub(crate) fn payload_bytes(&self) -> u64 {
        u64::from(self.packet_bytes - UDP_HEADER_BYTES)
    }
}

/// A rate that swings about its mean as a sine, from its source's start on.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct WaveSpec {
    /// Most above and below the mean, IP bits per second.
    pub amplitude_bps: u64,
    /// One swing.
    pub period_ns: u64,
}

fn default_packet() -> u32 {
    1500
}
