//! What a run measured: rows and columns, without judgement.

use net::LinkTotals;
use tcp::SenderTotals;
use units::Time;

use crate::spec::UDP_HEADER_BYTES;

mod samples;

pub use samples::{Columns, FlowSamples, UNSAID_STATE};
pub(crate) use samples::{SaidRow, Shown, SAID};

/// What happened.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum EventKind {
    /// A window reduction: values are cwnd at back-off and ssthresh after it.
    LossEpisode,
    /// The retransmission timer expired: value is cwnd before.
    Timeout,
    /// A reduction was undone: value is the restored cwnd.
    Undo,
    /// Slow start ended: value is cwnd.
    SlowStartExit,
    /// The sender's own device was full, and the window was reduced for it: value is cwnd before.
    SendStall,
    /// The flow started.
    Start,
    /// The flow stopped, or had everything acknowledged.
    Stop,
    /// A link dropped a packet (queue full or random loss).
    Drop,
    /// A link marked a packet.
    Mark,
}

impl EventKind {
    /// The name in the records.
    pub fn name(self) -> &'static str {
        match self {
            EventKind::LossEpisode => "loss_episode",
            EventKind::Timeout => "timeout",
            EventKind::Undo => "undo",
            EventKind::SlowStartExit => "slow_start_exit",
            EventKind::SendStall => "send_stall",
            EventKind::Start => "start",
            EventKind::Stop => "stop",
            EventKind::Drop => "drop",
            EventKind::Mark => "mark",
        }
    }
}

/// One event. Times are nanoseconds in the sender's, or the link's, own clock.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Event {
    /// When.
    pub t_ns: u64,
    /// Flow, or -1.
    pub flow: i32,
    /// Link, or -1. As small as it may be: of very many flows with losses there are many events.
    pub link: i16,
    /// What.
    pub kind: EventKind,
    /// First value, NaN if none.
    pub value: f64,
    /// Second value, NaN if none.
    pub value2: f64,
}

/// Samples of the links, as columns.
#[derive(Clone, Debug, Default)]
pub struct LinkColumns {
    /// Sampling time, nanoseconds.
    pub t_ns: Vec<u64>,
    /// Link index.
    pub link: Vec<u32>,
    /// Packets queued or in service.
    pub queue_packets: Vec<u32>,
    /// Bytes queued or in service.
    pub queue_bytes: Vec<u64>,
    /// Bytes that left so far.
    pub delivered_bytes: Vec<u64>,
    /// Packets dropped by the queue so far.
    pub dropped: Vec<u64>,
    /// Packets marked so far.
    pub marked: Vec<u64>,
}

/// One flow's row.
#[derive(Clone, Debug)]
pub struct FlowRow {
    /// Our name of the protocol.
    pub algorithm: &'static str,
    /// Variant.
    pub variant: &'static str,
    /// Whether its data used the reverse link.
    pub is_reverse: bool,
    /// Start, seconds.
    pub start_s: f64,
    /// Requested stop, seconds; NaN for none.
    pub stop_s: f64,
    /// When everything asked for was acknowledged, seconds; NaN if it was not.
    pub completed_s: f64,
    /// Payload bytes of a segment.
    pub mss_bytes: u32,
    /// IP bytes of a segment.
    pub packet_bytes: u32,
    /// Packets of this flow that links dropped or lost.
    pub lost_packets: u64,
    /// Packets of this flow that links marked.
    pub marked_packets: u64,
    /// Number of its host; none if that is never felt.
    pub host: Option<u32>,
    /// Segments that its host's device refused; none without a device.
    pub send_stalls: Option<u64>,
    /// Largest window that its receiver offered, payload bytes; none if it never limits.
    pub receive_window_bytes: Option<u64>,
    /// How long only the window of a receiver with a buffer held back data, seconds of the run; NaN without a buffer.
    pub receive_limited_s: f64,
    /// Seconds of the measurement window during which the flow was there.
    pub window_s: f64,
    /// Counters at the beginning of that window.
    pub at_window: SenderTotals,
    /// Counters at the end of the run.
    pub at_end: SenderTotals,
    /// Of a whole stack, whose counters count datagrams, which differ in size, and what it tells.
    pub own: Option<OwnCounts>,
}

/// What of a whole stack's flow is counted otherwise than by the simulator's TCP.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct OwnCounts {
    /// Payload bytes that the application had read at the beginning of the window, and at the end.
    pub read_bytes: (u64, u64),
    /// Reductions of the window; none where the stack does not count them.
    pub loss_episodes: Option<u64>,
    /// Expiries of the probe timeout; none where it does not count them.
    pub timeouts: Option<u64>,
}

/// One transfer of a source.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct TransferRow {
    /// When it began, nanoseconds.
    pub start_ns: u64,
    /// Payload bytes.
    pub bytes: u64,
    /// How long until everything was acknowledged, nanoseconds; `u64::MAX` if that did not happen.
    pub completion_ns: u64,
    /// Its number among the kinds.
    pub kind: u32,
    /// Packets sent, retransmissions included.
    pub sent: u32,
    /// Retransmissions.
    pub retransmitted: u32,
    /// Expiries of the retransmission timer.
    pub timeouts: u32,
}

impl TransferRow {
    pub(crate) fn begun(at: Time, bytes: u64, kind: u32) -> TransferRow {
        TransferRow { start_ns: at.0, bytes, completion_ns: u64::MAX, kind, sent: 0, retransmitted: 0, timeouts: 0 }
    }

    /// How long until everything was acknowledged, seconds; NaN if that did not happen.
    pub fn completion_s(&self) -> f64 {
        span_s(self.completion_ns)
    }

    pub(crate) fn count(&mut self, totals: &SenderTotals) {
        self.sent = totals.sent as u32;
        self.retransmitted = totals.retransmitted as u32;
        self.timeouts = totals.timeouts as u32;
    }
}

/// One page of a session.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct PageRow {
    /// When its first object began, nanoseconds.
    pub start_ns: u64,
    /// Payload bytes of its objects that have begun.
    pub bytes: u64,
    /// How long until everything of it was acknowledged, nanoseconds; `u64::MAX` if that did not happen.
    pub completion_ns: u64,
    /// Its objects.
    pub objects: u64,
    /// Number of its source.
    pub source: u32,
    /// Number of its session among those of all sources.
    pub session: u32,
}

impl PageRow {
    /// How long until everything was acknowledged, seconds; NaN if that did not happen.
    pub fn completion_s(&self) -> f64 {
        span_s(self.completion_ns)
    }
}

/// One exchange of a flow's client: a request and its response.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ExchangeRow {
    /// Number of the flow.
    pub flow: u32,
    /// When the request left the client, nanoseconds.
    pub start_ns: u64,
    /// Payload bytes of the request.
    pub request_bytes: u64,
    /// Payload bytes of the response.
    pub bytes: u64,
    /// How long until all of the response was at the client, nanoseconds; `u64::MAX` if that did not happen.
    pub completion_ns: u64,
    /// How often the request left again.
    pub repeats: u32,
}

impl ExchangeRow {
    /// How long until all of the response was at the client, seconds; NaN if that did not happen.
    pub fn completion_s(&self) -> f64 {
        span_s(self.completion_ns)
    }
}

/// One frame of a flow's video.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct FrameRow {
    /// Number of the flow.
    pub flow: u32,
    /// When it was captured, nanoseconds.
    pub start_ns: u64,
    /// Its payload bytes; none of a frame that was skipped.
    pub bytes: u64,
    /// The payload rate it was encoded for, bits per second.
    pub rate_bps: f64,
    /// How long until all of it, and of those before it, was at the receiver, nanoseconds; `u64::MAX` if that did not happen.
    pub completion_ns: u64,
}

impl FrameRow {
    /// How long until it was at the receiver, seconds; NaN if that did not happen.
    pub fn completion_s(&self) -> f64 {
        span_s(self.completion_ns)
    }
}

/// A time in seconds; NaN for one that never ended.
fn span_s(ns: u64) -> f64 {
    if ns == u64::MAX {
        f64::NAN
    } else {
        ns as f64 * 1e-9
    }
}

/// What all transfers of a kind share.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct TransferKind {
    /// Number of its source.
    pub source: u32,
    /// Our name of the protocol.
    pub algorithm: &'static str,
    /// Variant.
    pub variant: &'static str,
    /// Base RTT, nanoseconds.
    pub rtt_ns: u64,
}

/// Transfers of all sources.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Transfers {
    /// Kinds of transfers, source by source.
    pub kinds: Vec<TransferKind>,
    /// In the order in which they began.
    pub rows: Vec<TransferRow>,
    /// Pages of sessions, in the order in which they began.
    pub pages: Vec<PageRow>,
    /// How many sessions there are.
    pub sessions: u32,
}

/// Packets of a source.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct SourceTotals {
    /// Sent.
    pub sent: u64,
    /// Of those, how many have left the link.
    pub delivered: u64,
}

/// One row of a source of datagrams.
#[derive(Clone, Copy, Debug)]
pub struct SourceRow {
    /// Its number among flows and sources.
    pub flow: u32,
    /// Whether it used the reverse link.
    pub is_reverse: bool,
    /// Start, seconds.
    pub start_s: f64,
    /// Requested stop, seconds; NaN for none.
    pub stop_s: f64,
    /// IP bytes of a packet.
    pub packet_bytes: u32,
    /// Packets that the link dropped or lost.
    pub lost_packets: u64,
    /// Seconds of the measurement window during which it sent.
    pub window_s: f64,
    /// Counters at the beginning of that window.
    pub at_window: SourceTotals,
    /// Counters at the end of the run.
    pub at_end: SourceTotals,
}

/// Samples of the sources, as columns; each source's rows are in time order.
#[derive(Clone, Debug, Default)]
pub struct SourceColumns {
    /// Sampling time, nanoseconds.
    pub t_ns: Vec<u64>,
    /// Number among flows and sources.
    pub flow: Vec<u32>,
    /// Payload bytes delivered so far.
    pub delivered_bytes: Vec<u64>,
}

/// Samples of the hosts' processors, as columns; each host's rows are in time order.
#[derive(Clone, Debug, Default)]
pub struct HostColumns {
    /// Sampling time, nanoseconds.
    pub t_ns: Vec<u64>,
    /// Number of the host.
    pub host: Vec<u32>,
    /// Processor time of the work that is done by then, nanoseconds.
    pub busy_ns: Vec<u64>,
}

/// One link's row.
#[derive(Clone, Copy, Debug)]
pub struct LinkRow {
    /// Bytes that could have left in the measurement window, where the rate changes.
    pub capacity_bytes: Option<f64>,
    /// Counters.
    pub totals: LinkTotals,
    /// Length of the measurement window, nanoseconds.
    pub window_ns: u64,
}

/// A finished run.
#[derive(Clone, Debug, Default)]
pub struct Records {
    /// One row per flow.
    pub flows: Vec<FlowRow>,
    /// Samples of the flows.
    pub flow_samples: FlowSamples,
    /// One row per source of datagrams.
    pub sources: Vec<SourceRow>,
    /// Samples of those.
    pub source_samples: SourceColumns,
    /// Samples of the processors of hosts that have one.
    pub host_samples: HostColumns,
    /// One row per real link.
    pub links: Vec<LinkRow>,
    /// Their names, in the same order.
    pub link_names: Vec<String>,
    /// Samples of the links.
    pub link_samples: LinkColumns,
    /// Events in time order.
    pub events: Vec<Event>,
    /// One row per transfer of a source.
    pub transfers: Transfers,
    /// Exchanges of flows that have a client, in the order in which they began; none if no flow has one.
    pub exchanges: Option<Vec<ExchangeRow>>,
    /// Frames of flows that carry video, in the order in which they were captured; none if no flow does.
    pub frames: Option<Vec<FrameRow>>,
    /// Segments sent by all flows and transfers, datagrams included.
    pub data_packets: u64,
    /// Events handled by the core.
    pub core_events: u64,
}

impl FlowRow {
    /// Payload bytes delivered in the measurement window, each once.
    pub fn window_goodput_bytes(&self) -> u64 {
        match self.own {
            Some(OwnCounts { read_bytes: (at_window, at_end), .. }) => at_end - at_window,
            None => (self.at_end.delivered - self.at_window.delivered) * u64::from(self.mss_bytes),
        }
    }

    /// Payload bytes delivered in the whole run, each once.
    pub fn delivered_bytes(&self) -> u64 {
        self.own.map_or_else(|| self.at_end.delivered * u64::from(self.mss_bytes), |own| own.read_bytes.1)
    }

    /// Loss episodes of the whole run; none for a stack that does not count them.
    pub fn loss_episodes(&self) -> Option<u64> {
        self.own.map_or(Some(self.at_end.loss_episodes), |own| own.loss_episodes)
    }

    /// Expiries of the retransmission timer, or of the probe timeout, in the whole run; none for a stack that does not count them.
    pub fn timeouts(&self) -> Option<u64> {
        self.own.map_or(Some(self.at_end.timeouts), |own| own.timeouts)
    }

    /// Episodes that proved spurious, in the whole run; no stack tells them.
    pub fn undos(&self) -> Option<u64> {
        self.own.is_none().then_some(self.at_end.undos)
    }

    /// Mean cwnd over the measurement window, segments; NaN if the flow was not there.
    pub fn mean_cwnd(&self) -> f64 {
        (self.at_end.cwnd_area - self.at_window.cwnd_area) / (self.window_s * 1e9)
    }

    /// Mean of the RTT samples in the measurement window, seconds; NaN without samples.
    pub fn mean_rtt_s(&self) -> f64 {
        let sum = self.at_end.rtt_sum_ns - self.at_window.rtt_sum_ns;
        sum as f64 * 1e-9 / (self.at_end.rtt_samples - self.at_window.rtt_samples) as f64
    }
}

impl SourceRow {
    /// Payload bytes of a packet.
    pub fn payload_bytes(&self) -> u64 {
        u64::from(self.packet_bytes - UDP_HEADER_BYTES)
    }
}

impl LinkRow {
    /// Share of the measurement window spent transmitting; where the rate changes, share used of what could have left.
    pub fn utilisation(&self) -> f64 {
        match self.capacity_bytes {
            None => self.totals.window_busy_ns as f64 / self.window_ns as f64,
            Some(capacity) => self.totals.window_delivered_bytes as f64 / capacity,
        }
    }

    /// Mean number of packets queued or in service, by Little's law exact.
    pub fn mean_queue_packets(&self) -> f64 {
        self.totals.window_sojourn_ns as f64 / self.window_ns as f64
    }
}
