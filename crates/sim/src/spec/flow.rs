//! Flows.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};
use serde_json::Value;
use units::Duration;

use super::hops::StretchSpec;
use super::law::Law;

/// Which way a flow's data goes.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Direction {
    /// Data over the forward links.
    #[default]
    Forward,
    /// Data over the reverse link.
    Reverse,
}

/// One flow.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct FlowSpec {
    /// Protocol name or alias.
    pub algorithm: String,
    /// Variant; none for the profile's.
    #[serde(default)]
    pub variant: Option<String>,
    /// Profile of the stack.
    #[serde(default = "default_profile")]
    pub profile: String,
    /// Parameters of the algorithm that differ from the variant's.
    #[serde(default)]
    pub parameters: BTreeMap<String, f64>,
    /// Slow start, by name; none for the variant's.
    #[serde(default)]
    pub slow_start: Option<String>,
    /// Transport options that differ from the profile's.
    #[serde(default)]
    pub transport: BTreeMap<String, Value>,
    /// Base RTT: propagation only.
    pub rtt_ns: u64,
    /// When the connection is established, or opens.
    #[serde(default)]
    pub start_ns: u64,
    /// It begins with a handshake, and its last segment ends it.
    #[serde(default)]
    pub handshake: bool,
    /// When the application stops; none for never.
    #[serde(default)]
    pub stop_ns: Option<u64>,
    /// Payload bytes to send; none for no end.
    #[serde(default)]
    pub bytes: Option<u64>,
    /// Receiver's window, packets; none for no limit.
    #[serde(default)]
    pub window_packets: Option<u64>,
    /// The same in bytes of payload, if the receiver says it so; none for whole packets.
    #[serde(default)]
    pub window_bytes: Option<u64>,
    /// Direction of the data.
    #[serde(default)]
    pub direction: Direction,
    /// Largest jitter of an ACK's arrival.
    #[serde(default)]
    pub jitter_ns: u64,
    /// Payload bytes of a full segment.
    #[serde(default = "default_mss")]
    pub mss_bytes: u32,
    /// IP bytes of a full segment.
    #[serde(default = "default_packet")]
    pub packet_bytes: u32,
    /// Number of the sender's host, counted from 0; none for one that is never felt.
    #[serde(default)]
    pub host: Option<u32>,
    /// When the application writes; none if it always has more to send.
    #[serde(default)]
    pub writes: Option<WritesSpec>,
    /// What a client asks for; none for an application that sends unasked.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub requests: Option<Box<RequestsSpec>>,
    /// The receiver's buffer and how the application there reads; none for one that is never full.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub receive: Option<Box<ReceiveSpec>>,
    /// The stack whose own program it is, and of whose controllers `algorithm` is one; none for the simulator's TCP.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub stack: Option<String>,
    /// Of a whole stack: how many streams share its connection; one when absent.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub streams: Option<u32>,
    /// Of a whole stack: what arrives at an end within this time of the first that waits there is read together; zero if each is read at once.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub turn_ns: u64,
    /// Which of several hops its data, or its ACKs if they go forward, cross.
    #[serde(default)]
    pub hops: StretchSpec,
}

impl FlowSpec {
    /// An endless flow, and all else as where a scenario does not say it.
    pub fn new(algorithm: &str, rtt_ns: u64) -> FlowSpec {
        FlowSpec {
            algorithm: algorithm.into(),
            variant: None,
            profile: default_profile(),
            parameters: BTreeMap::new(),
            slow_start: None,
            transport: BTreeMap::new(),
            rtt_ns,
            start_ns: 0,
            handshake: false,
            stop_ns: None,
            bytes: None,
            window_packets: None,
            window_bytes: None,
            direction: Direction::default(),
            jitter_ns: 0,
            mss_bytes: default_mss(),
            packet_bytes: default_packet(),
            host: None,
            writes: None,
            requests: None,
            receive: None,
            stack: None,
            streams: None,
            turn_ns: 0,
            hops: StretchSpec::default(),
        }
    }
}

/// A client that asks for what the flow sends: request, response, a thought, and again.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct RequestsSpec {
    /// How many requests; none for no end.
    #[serde(default)]
    pub count: Option<u64>,
    /// Payload bytes of a request.
    pub sizes: Law,
    /// Payload bytes of a response.
    pub responses: Law,
    /// Nanoseconds from the end of a response to the next request.
    pub think: Law,
}

/// A receiver's buffer.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ReceiveSpec {
    /// Bytes of memory, at first or for good.
    pub bytes: u64,
    /// Bytes to which it may grow; none if it does not.
    #[serde(default)]
    pub most_bytes: Option<u64>,
    /// When the application reads; none if it reads what arrives at once.
    #[serde(default)]
    pub reads: Option<ReadsSpec>,
}

/// When an application reads.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "kind", rename_all = "kebab-case", deny_unknown_fields)]
pub enum ReadsSpec {
    /// At this rate, in pieces.
    Rate {
        /// Payload bits per second.
        rate_bps: u64,
        /// From one read to the next.
        every_ns: u64,
    },
    /// What arrives for a while, then nothing for a while, from the flow's start on.
    OnOff {
        /// How long it reads.
        on_ns: u64,
        /// How long it pauses.
        off_ns: u64,
    },
}

/// When a flow's application writes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "kind", rename_all = "kebab-case", deny_unknown_fields)]
pub enum WritesSpec {
    /// As fast as the connection takes it for a while, then nothing for a while, from the flow's start on.
    OnOff {
        /// How long it writes.
        on_ns: u64,
        /// How long it pauses.
        off_ns: u64,
    },
    /// So much at once, at the flow's start and whenever so much time has passed.
    Chunks {
        /// Payload bits per second: a chunk is what this rate makes of the time between two.
        rate_bps: u64,
        /// From one chunk to the next.
        every_ns: u64,
    },
    /// Frames of video, as large as the rate that the connection carries makes them.
    Video {
        /// Smallest payload rate, and the first, bits per second.
        least_bps: u64,
        /// Largest payload rate, bits per second.
        most_bps: u64,
        /// From one frame to the next.
        every_ns: u64,
    },
}

fn default_profile() -> String {
    "linux-6.1".into()
}

fn is_zero(number: &u64) -> bool {
    *number == 0
}

fn default_mss() -> u32 {
    1448
}

fn default_packet() -> u32 {
    1500
}

/// From a sender to its first link: a flow's clock runs so much behind the sender's.
pub(crate) fn access_delay(rtt: Duration) -> Duration {
    rtt / 4
}
