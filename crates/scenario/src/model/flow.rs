//! Flows.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};
use serde_json::{json, Value};
use sim::Direction;

use super::{by_default, is_default, is_packet, one, packet, Host, Law};

/// A value of an algorithm's parameter.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(untagged)]
pub enum ParameterValue {
    /// A number, in the catalogue's unit.
    Number(f64),
    /// A word: the choice of a slow start.
    Word(String),
}

/// One TCP flow, or `count` equal ones.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Flow {
    /// `name` or `name:variant`.
    pub algorithm: String,
    /// The algorithm's own parameters.
    #[serde(default)]
    pub parameters: BTreeMap<String, ParameterValue>,
    /// Overrides of the profile's transport options.
    #[serde(default)]
    pub transport: BTreeMap<String, Value>,
    /// Base round-trip time, seconds; the scenario's when absent.
    #[serde(default)]
    pub rtt_s: Option<f64>,
    /// Start, seconds.
    #[serde(default)]
    pub start_s: f64,
    /// Stop, seconds; never when absent.
    #[serde(default)]
    pub stop_s: Option<f64>,
    /// Payload bytes to transfer; unlimited when absent.
    #[serde(default)]
    pub bytes: Option<u64>,
    /// How many flows like this one.
    #[serde(default = "one")]
    pub count: u32,
    /// Cap on the window in the flow's packets.
    #[serde(default)]
    pub window_packets: Option<u64>,
    /// Cap on the window in bytes of payload.
    #[serde(default, skip_serializing_if = "is_default")]
    pub window_bytes: Option<u64>,
    /// IP bytes of a full packet.
    #[serde(default = "packet", skip_serializing_if = "is_packet")]
    pub mtu_bytes: u32,
    /// IP bytes of the receiver's own packets.
    #[serde(default, skip_serializing_if = "is_default")]
    pub receiver_mtu_bytes: Option<u32>,
    /// The sender's host.
    #[serde(default, skip_serializing_if = "is_default")]
    pub host: Option<Host>,
    /// Stack profile; the scenario's when absent.
    #[serde(default)]
    pub profile: Option<String>,
    /// Which way the data goes.
    #[serde(default)]
    pub direction: Direction,
    /// Number shared by the connections of one application.
    #[serde(default, skip_serializing_if = "is_default")]
    pub application: Option<u32>,
    /// How long the application writes, seconds; always when absent.
    #[serde(default, skip_serializing_if = "is_default")]
    pub on_s: Option<f64>,
    /// How long it then pauses, seconds.
    #[serde(default, skip_serializing_if = "is_default")]
    pub off_s: Option<f64>,
    /// Payload rate of an application that writes in chunks, bits per second.
    #[serde(default, skip_serializing_if = "is_default")]
    pub app_rate_bps: Option<f64>,
    /// Time from one chunk to the next, seconds.
    #[serde(default, skip_serializing_if = "is_default")]
    pub chunk_s: Option<f64>,
    /// Largest payload rate of video that follows what the connection carries, bits per second.
    #[serde(default, skip_serializing_if = "is_default")]
    pub video_bps: Option<f64>,
    /// Its smallest payload rate, bits per second.
    #[serde(default, skip_serializing_if = "is_default")]
    pub video_min_bps: Option<f64>,
    /// Time from one of its frames to the next, seconds.
    #[serde(default, skip_serializing_if = "is_default")]
    pub frame_s: Option<f64>,
    /// Payload of a response, bytes: there is a client, which asks for what the flow sends.
    #[serde(default, skip_serializing_if = "is_default")]
    pub response_bytes: Option<Law>,
    /// Payload of a request, bytes.
    #[serde(default, skip_serializing_if = "is_default")]
    pub request_bytes: Option<Law>,
    /// Seconds from the end of a response to the next request.
    #[serde(default, skip_serializing_if = "is_default")]
    pub think_s: Option<Law>,
    /// How many requests; until the end when absent.
    #[serde(default, skip_serializing_if = "is_default")]
    pub requests: Option<u64>,
    /// Memory of the receiver's buffer, bytes; one that is never full when absent.
    #[serde(default, skip_serializing_if = "is_default")]
    pub rcvbuf_bytes: Option<u64>,
    /// Bytes to which it may grow.
    #[serde(default, skip_serializing_if = "is_default")]
    pub rcvbuf_max_bytes: Option<u64>,
    /// Payload rate at which the application at the receiver reads, bits per second.
    #[serde(default, skip_serializing_if = "is_default")]
    pub read_rate_bps: Option<f64>,
    /// Time from one of its reads to the next, seconds.
    #[serde(default, skip_serializing_if = "is_default")]
    pub read_every_s: Option<f64>,
    /// How long it reads what arrives, seconds.
    #[serde(default, skip_serializing_if = "is_default")]
    pub read_on_s: Option<f64>,
    /// How long it then pauses, seconds.
    #[serde(default, skip_serializing_if = "is_default")]
    pub read_off_s: Option<f64>,
    /// Number of the first hop, counted from 1.
    #[serde(default, skip_serializing_if = "is_default")]
    pub enter: Option<u32>,
    /// Number of the last hop.
    #[serde(default, skip_serializing_if = "is_default")]
    pub leave: Option<u32>,
    /// Whether it begins with a handshake; as the scenario says, or not, when absent.
    #[serde(default, skip_serializing_if = "is_default")]
    pub handshake: Option<bool>,
    /// Largest delay of one of its ACKs, seconds; as the scenario says when absent.
    #[serde(default, skip_serializing_if = "is_default")]
    pub jitter_s: Option<f64>,
    /// The stack whose own program it is, `quinn:KEY`; the simulator's TCP when absent.
    #[serde(default, skip_serializing_if = "is_default")]
    pub stack: Option<String>,
    /// Of a whole stack: how many streams share its connection; one when absent.
    #[serde(default, skip_serializing_if = "is_default")]
    pub streams: Option<u32>,
    /// Of a whole stack: how often each end's program reads what has arrived, seconds; at each arrival when zero.
    #[serde(default, skip_serializing_if = "is_default")]
    pub turn_s: f64,
}

impl Flow {
    /// A flow of that algorithm, and all else by default.
    pub fn of(algorithm: &str) -> Flow {
        by_default(json!({ "algorithm": algorithm }))
    }
}
