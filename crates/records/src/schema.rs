//! The columns every backend writes: names, units by suffix, types. What a backend could not measure is null, never zero.

use serde_json::{json, Value};

/// The type of a column.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// Doubles; NaN is null.
    Float64,
    /// 64-bit counts.
    UInt64,
    /// 32-bit numbers.
    UInt32,
    /// States.
    UInt8,
    /// Numbers of which -1 stands for none.
    Int32,
    /// Words.
    String,
}

impl Kind {
    /// Its name in a digest.
    pub fn name(self) -> &'static str {
        match self {
            Kind::Float64 => "Float64",
            Kind::UInt64 => "UInt64",
            Kind::UInt32 => "UInt32",
            Kind::UInt8 => "UInt8",
            Kind::Int32 => "Int32",
            Kind::String => "String",
        }
    }
}

/// One frame.
#[derive(Clone, Copy, Debug)]
pub struct FrameSchema {
    /// Its name.
    pub name: &'static str,
    /// Its columns, in order.
    pub columns: &'static [(&'static str, Kind)],
    /// Whether only runs have it that asked for it.
    pub is_optional: bool,
    /// Whether further columns of doubles may follow: the algorithms' own variables.
    pub is_open: bool,
    /// Columns that it did not always have: in a digest only where something was measured, so that older runs keep theirs.
    pub later: &'static [&'static str],
}

use Kind::{Float64, Int32, String, UInt32, UInt64, UInt8};

const PLAIN: FrameSchema = FrameSchema { name: "", columns: &[], is_optional: false, is_open: false, later: &[] };

/// The frames, in the order in which a digest takes them.
pub const FRAMES: [FrameSchema; 11] = [
    FrameSchema { name: "flows", columns: FLOWS, later: &["host", "send_stalls", "receive_window_bytes", "receive_limited_s"], ..PLAIN },
    FrameSchema { name: "flow_samples", columns: FLOW_SAMPLES, is_open: true, ..PLAIN },
    FrameSchema { name: "link_samples", columns: LINK_SAMPLES, ..PLAIN },
    FrameSchema { name: "links", columns: LINKS, ..PLAIN },
    FrameSchema { name: "events", columns: EVENTS, ..PLAIN },
    FrameSchema { name: "acks", columns: ACKS, is_optional: true, ..PLAIN },
    FrameSchema { name: "transfers", columns: TRANSFERS, is_optional: true, ..PLAIN },
    FrameSchema { name: "pages", columns: PAGES, is_optional: true, ..PLAIN },
    FrameSchema { name: "exchanges", columns: EXCHANGES, is_optional: true, ..PLAIN },
    FrameSchema { name: "video", columns: VIDEO, is_optional: true, ..PLAIN },
    FrameSchema { name: "host_samples", columns: HOST_SAMPLES, is_optional: true, ..PLAIN },
];

/// The frame of that name.
pub fn frame(name: &str) -> Option<&'static FrameSchema> {
    FRAMES.iter().find(|frame| frame.name == name)
}

/// The schema for other languages: an array of frames.
pub fn json() -> Value {
    let columns = |frame: &FrameSchema| frame.columns.iter().map(|(name, kind)| json!([name, kind.name()])).collect::<Vec<_>>();
    let described = |frame: &FrameSchema| {
        json!({
            "name": frame.name, "columns": columns(frame), "optional": frame.is_optional, "open": frame.is_open, "later": frame.later,
        })
    };
    FRAMES.iter().map(described).collect()
}

const FLOWS: &[(&str, Kind)] = &[
    ("flow", UInt32),
    ("algorithm", String),
    ("variant", String),
    ("direction", String),
    ("start_s", Float64),
    ("end_s", Float64),
    ("delivered_bytes", UInt64),
    ("delivered_packets", UInt64),
    ("sent_packets", UInt64),
    ("retransmitted_packets", UInt64),
    ("lost_packets", UInt64),
    ("marked_packets", UInt64),
    ("loss_episodes", UInt64),
    ("timeouts", UInt64),
    ("undos", UInt64),
    ("completed_s", Float64),
    ("window_s", Float64),
    ("window_delivered_packets", UInt64),
    ("window_goodput_bytes", UInt64),
    ("window_sent_packets", UInt64),
    ("window_retransmitted_packets", UInt64),
    ("mean_cwnd_packets", Float64),
    ("mean_rtt_s", Float64),
    ("host", UInt32),
    ("send_stalls", UInt64),
    ("receive_window_bytes", UInt64),
    ("receive_limited_s", Float64),
];

const FLOW_SAMPLES: &[(&str, Kind)] = &[
    ("t_s", Float64),
    ("flow", UInt32),
    ("cwnd_packets", Float64),
    ("ssthresh_packets", Float64),
    ("srtt_s", Float64),
    ("min_rtt_s", Float64),
    ("inflight_packets", Float64),
    ("delivered_bytes", UInt64),
    ("retransmitted_packets", UInt64),
    ("pacing_rate_bps", Float64),
    ("state", UInt8),
];

const LINK_SAMPLES: &[(&str, Kind)] = &[
    ("t_s", Float64),
    ("link", UInt32),
    ("queue_packets", UInt64),
    ("queue_bytes", UInt64),
    ("delivered_bytes", UInt64),
    ("dropped_packets", UInt64),
    ("marked_packets", UInt64),
];

const LINKS: &[(&str, Kind)] = &[
    ("link", UInt32),
    ("name", String),
    ("utilisation", Float64),
    ("mean_queue_packets", Float64),
    ("max_queue_packets", UInt64),
    ("delivered_bytes", UInt64),
    ("dropped_packets", UInt64),
    ("lost_packets", UInt64),
    ("marked_packets", UInt64),
    ("window_delivered_bytes", UInt64),
    ("window_dropped_packets", UInt64),
    ("window_marked_packets", UInt64),
];

const EVENTS: &[(&str, Kind)] =
    &[("t_s", Float64), ("flow", Int32), ("link", Int32), ("kind", String), ("value", Float64), ("value2", Float64)];

const ACKS: &[(&str, Kind)] = &[("t_s", Float64), ("flow", UInt32), ("cwnd", Float64), ("una", UInt64), ("inflight", Float64)];

/// One row per transfer of a source, in the order in which they began; `completion_s` is how long it took, null where it is unfinished.
const TRANSFERS: &[(&str, Kind)] = &[
    ("source", UInt32),
    ("start_s", Float64),
    ("rtt_s", Float64),
    ("bytes", UInt64),
    ("completion_s", Float64),
    ("sent_packets", UInt64),
    ("retransmitted_packets", UInt64),
    ("timeouts", UInt64),
];

/// One row per page of a session, in the order in which they began; `completion_s` from its first object's begin to its last byte's ACK.
const PAGES: &[(&str, Kind)] =
    &[("source", UInt32), ("session", UInt32), ("start_s", Float64), ("objects", UInt64), ("bytes", UInt64), ("completion_s", Float64)];

/// One row per request and its response, in the order in which the requests left; `completion_s` until all of the response was at the client,
/// null where that did not happen, `repeats` how many of its packets left again.
const EXCHANGES: &[(&str, Kind)] =
    &[("flow", UInt32), ("start_s", Float64), ("request_bytes", UInt64), ("bytes", UInt64), ("completion_s", Float64), ("repeats", UInt64)];

/// Frames of video: captured at `start_s`, at the receiver `completion_s` later.
const VIDEO: &[(&str, Kind)] =
    &[("flow", UInt32), ("start_s", Float64), ("bytes", UInt64), ("rate_bps", Float64), ("completion_s", Float64)];

/// Processors of senders' hosts: time at work from the start of the run, in the host's own clock.
const HOST_SAMPLES: &[(&str, Kind)] = &[("t_s", Float64), ("host", UInt32), ("busy_s", Float64)];
