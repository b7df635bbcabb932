//! Sources of datagrams beside the flows.

use serde::{Deserialize, Serialize};
use sim::Direction;

use super::{is_default, packet};

/// What a source sends.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum UdpKind {
    /// UDP datagrams.
    #[default]
    Udp,
}

/// A source of UDP datagrams: packets by the clock, at its link, whatever becomes of them.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Udp {
    /// What it is.
    #[serde(default)]
    pub kind: UdpKind,
    /// IP bits per second, the mean where the rate swings.
    pub rate_bps: f64,
    /// How far the rate swings up and down, bits per second.
    #[serde(default)]
    pub amplitude_bps: Option<f64>,
    /// One swing, seconds.
    #[serde(default)]
    pub period_s: Option<f64>,
    /// IP bytes of a packet, headers included.
    #[serde(default = "packet")]
    pub packet_bytes: u32,
    /// First packet, seconds.
    #[serde(default)]
    pub start_s: f64,
    /// No packet from then on, seconds; the end when absent.
    #[serde(default)]
    pub stop_s: Option<f64>,
    /// Which link.
    #[serde(default)]
    pub direction: Direction,
    /// Number of the first hop, counted from 1.
    #[serde(default, skip_serializing_if = "is_default")]
    pub enter: Option<u32>,
    /// Number of the last hop.
    #[serde(default, skip_serializing_if = "is_default")]
    pub leave: Option<u32>,
}
