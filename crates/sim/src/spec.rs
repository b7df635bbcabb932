//! A scenario as the engine takes it: integers, resolved sizes, no defaults left to guess.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::arrivals::{ArrivalSpec, SessionSpec};
use crate::hops::{HopSpec, StretchSpec};

/// Unit of a queue's limit.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum QueueUnit {
    /// Whole packets.
    Packets,
    /// Bytes.
    Bytes,
    /// Nanoseconds of waiting.
    Ns,
}

/// A queue's size.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct QueueSpec {
    /// Unit of `limit`.
    pub unit: QueueUnit,
    /// Size.
    pub limit: u64,
}

/// A queue discipline beside drop-tail.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct DisciplineChoice {
    /// Its name.
    pub name: String,
    /// Parameters that differ from the defaults.
    #[serde(default)]
    pub parameters: BTreeMap<String, f64>,
}

/// A link.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct LinkSpec {
    /// IP bits per second.
    pub rate_bps: u64,
    /// Queue.
    pub queue: QueueSpec,
    /// The packet in service does not count against the queue's limit.
    #[serde(default)]
    pub excludes_in_service: bool,
    /// Probability that a packet is lost on arrival.
    #[serde(default)]
    pub loss_probability: f64,
    /// An ECN-capable packet is marked where a queue of this size would have refused it; none for no marks.
    #[serde(default)]
    pub mark: Option<QueueSpec>,
    /// Queue discipline; none for drop-tail.
    #[serde(default)]
    pub discipline: Option<DisciplineChoice>,
    /// Further models of loss.
    #[serde(default)]
    pub losses: Vec<LossSpec>,
    /// What changes in time.
    #[serde(default)]
    pub changes: ChangesSpec,
    /// What happens behind it to the order of the data that it carries.
    #[serde(default)]
    pub disorder: DisorderSpec,
}

/// Segments held back, and segments doubled.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct DisorderSpec {
    /// Probability that a segment is held back.
    pub late_probability: f64,
    /// How long then.
    pub late_ns: u64,
    /// Probability that a segment arrives twice.
    pub double_probability: f64,
}

/// What of a link changes in time.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct ChangesSpec {
    /// Rates that follow the link's own, each from its time on; ascending.
    pub rate_steps: Vec<RateStep>,
    /// Times in which nothing is transmitted; ascending, apart.
    pub outages: Vec<Outage>,
    /// Opportunities to deliver 1500 bytes, milliseconds, in place of any rate; none for a rate.
    pub trace_ms: Vec<u64>,
    /// Propagation that packets over this link have besides their path's, each from its time on; ascending.
    pub delay_steps: Vec<DelayStep>,
}

/// A new rate.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct RateStep {
    /// From when on.
    pub at_ns: u64,
    /// IP bits per second.
    pub rate_bps: u64,
}

/// A time in which nothing is transmitted.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Outage {
    /// From when on.
    pub at_ns: u64,
    /// How long.
    pub length_ns: u64,
}

/// A new delay.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct DelayStep {
    /// From when on.
    pub at_ns: u64,
    /// Additional propagation from then on.
    pub extra_ns: u64,
}

/// Which packets a model of loss sees.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum AmongSpec {
    /// All.
    #[default]
    All,
    /// Data.
    Data,
    /// Pure acknowledgements.
    Acks,
}

/// A model of loss, and what it sees.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct LossSpec {
    /// What it sees.
    #[serde(default)]
    pub among: AmongSpec,
    /// The model.
    #[serde(flatten)]
    pub model: LossModelSpec,
}

/// A model of loss.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(tag = "model", rename_all = "kebab-case", deny_unknown_fields)]
pub enum LossModelSpec {
    /// Bursts: a good and a bad state.
    GilbertElliott {
        /// Probability per packet that the good state turns bad.
        to_bad: f64,
        /// Probability per packet that the bad state turns good.
        to_good: f64,
        /// Loss probability in the bad state.
        loss_bad: f64,
        /// Loss probability in the good state.
        loss_good: f64,
    },
    /// One packet in so many.
    Periodic {
        /// Packets from one loss to the next.
        every: u64,
        /// Number of the first packet lost, counted from 1.
        first: u64,
    },
    /// The packets on a list.
    Scripted {
        /// Whose packets are counted; none for everybody's.
        #[serde(default)]
        flow: Option<u32>,
        /// Their numbers, counted from 1, ascending.
        packets: Vec<u64>,
    },
    /// By the clock.
    Timed {
        /// Unit of time.
        interval_ns: u64,
        /// Probability that such an interval brings a loss.
        probability: f64,
    },
}

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
    /// When the connection is established.
    #[serde(default)]
    pub start_ns: u64,
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
    /// Which of several hops its data, or its ACKs if they go forward, cross.
    #[serde(default)]
    pub hops: StretchSpec,
}

/// When a flow's application writes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "kind", rename_all = "kebab-case", deny_unknown_fields)]
pub enum WritesSpec {
    /// As fast as the connection takes it for a while, then nothing for a while, from the flow's start on.
    OnOff {
        /// How long it writes.
        on_ns: u64,
        /// How long it is silent.
        off_ns: u64,
    },
    /// So much at once, at the flow's start and whenever so much time has passed.
    Chunks {
        /// Payload bits per second: a chunk is what this rate makes of the time between two.
        rate_bps: u64,
        /// From one chunk to the next.
        every_ns: u64,
    },
}

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

/// A run.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Spec {
    /// Seed of every random stream.
    pub seed: u64,
    /// Simulated time.
    pub duration_ns: u64,
    /// Part left out of every mean.
    #[serde(default)]
    pub warmup_ns: u64,
    /// Sampling interval; 0 for no samples.
    #[serde(default)]
    pub sample_ns: u64,
    /// Record every ACK.
    #[serde(default)]
    pub per_ack: bool,
    /// Record every drop as an event.
    #[serde(default)]
    pub record_drops: bool,
    /// Record every mark as an event.
    #[serde(default)]
    pub record_marks: bool,
    /// The bottleneck.
    pub forward: LinkSpec,
    /// Further links in a row behind it.
    #[serde(default)]
    pub hops: Vec<HopSpec>,
    /// The reverse link; none when only ACKs use it, and no queue can form.
    #[serde(default)]
    pub reverse: Option<LinkSpec>,
    /// Hosts of senders.
    #[serde(default)]
    pub hosts: Vec<HostSpec>,
    /// The flows.
    pub flows: Vec<FlowSpec>,
    /// Sources of transfers that come and go.
    #[serde(default)]
    pub arrivals: Vec<ArrivalSpec>,
    /// Sessions of people who look at pages.
    #[serde(default)]
    pub sessions: Vec<SessionSpec>,
    /// Sources of datagrams beside them; numbered after the flows.
    #[serde(default)]
    pub traffic: Vec<UdpSpec>,
}

fn default_profile() -> String {
    "linux-6.1".into()
}

fn default_mss() -> u32 {
    1448
}

fn default_packet() -> u32 {
    1500
}
