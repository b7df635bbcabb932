//! What a scenario may say: the allowed range of every number, and how many there may be of each part. Every front end takes them from here.

use serde::{Serialize, Serializer};
use serde_json::{json, Map, Value};

/// A bound, written as people write it.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Bound {
    /// A whole number.
    Whole(u64),
    /// Any other.
    Real(f64),
}

use Bound::{Real, Whole};

/// The allowed range of a number.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct Range {
    /// Smallest.
    pub low: Bound,
    /// Largest.
    pub high: Bound,
    /// SI unit, or what is counted; empty for a plain number.
    pub unit: &'static str,
    /// Whether the smallest itself is excluded.
    pub low_open: bool,
    /// Whether the largest itself is excluded.
    pub high_open: bool,
    /// Whether the number must be an integer.
    pub whole: bool,
}

impl Serialize for Bound {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        match *self {
            Whole(number) => serializer.serialize_u64(number),
            Real(number) => serializer.serialize_f64(number),
        }
    }
}

const fn real(low: Bound, high: Bound, unit: &'static str) -> Range {
    Range { low, high, unit, low_open: false, high_open: false, whole: false }
}

const fn whole(low: u64, high: Bound, unit: &'static str) -> Range {
    Range { whole: true, ..real(Whole(low), high, unit) }
}

/// Above zero.
const fn above(high: Bound, unit: &'static str) -> Range {
    Range { low_open: true, ..real(Whole(0), high, unit) }
}

/// Longest run, seconds.
pub const LONGEST_S: f64 = 14_400.0;
/// Packets that a queue holds at most.
pub const MOST_PACKETS: u64 = 10_000_000;
/// Flows of a scenario, their counts and streams included.
pub const MOST_FLOWS: u64 = 100_000;
/// Forward links after the bottleneck.
pub const MOST_HOPS: u64 = 64;

/// How many there may be, by name.
pub const COUNTS: &[(&str, u64)] = &[
    ("flows", MOST_FLOWS),
    ("hops", MOST_HOPS),
    ("kinds_of_transfers", 1000),
    ("loss_models", 100),
    ("queue_packets", MOST_PACKETS),
    ("samples", 50_000_000),
    ("scripted_packets", 100_000),
    ("sources_of_datagrams", 1000),
    ("sources_of_transfers", 1000),
    ("steps", 100_000),
    ("trace_ms", LONGEST_S as u64 * 1000),
    ("trace_opportunities", 1_000_000),
];

/// The ranges, by name: a field's where it has one of its own, or what it is.
pub const RANGES: &[(&str, Range)] = &[
    ("amplitude_bps", real(Whole(0), Real(1e12), "bit/s")),
    ("application", whole(0, Whole(MOST_FLOWS), "")),
    ("clock_hz", real(Real(1e6), Real(1e12), "Hz")),
    ("connections", whole(1, Whole(1000), "connections at once")),
    ("cost_s", real(Whole(0), Whole(1), "s")),
    ("count", whole(1, Whole(MOST_FLOWS), "")),
    ("datagram_bytes", whole(29, Whole(65_535), "bytes")),
    ("duration_s", above(Real(LONGEST_S), "s")),
    ("extra_s", real(Whole(0), Whole(10), "s")),
    ("flow_number", whole(0, Whole(MOST_FLOWS - 1), "")),
    ("hop_number", whole(1, Whole(MOST_HOPS + 1), "")),
    ("instant_s", real(Whole(0), Real(LONGEST_S), "s")),
    ("jitter_s", real(Whole(0), Whole(1), "s")),
    ("load", above(Whole(10), "of the link's rate")),
    ("loss_interval_s", real(Real(1e-3), Whole(3600), "s")),
    ("mean_bytes", real(Whole(1), Real(1e15), "bytes")),
    ("mtu_bytes", whole(576, Whole(9000), "bytes")),
    ("objects", real(Whole(1), Real(1e6), "objects")),
    ("packet_count", whole(2, Real(1e12), "packets")),
    ("packet_number", whole(1, Real(1e12), "")),
    ("packet_rate", real(Whole(1), Real(1e9), "packets per second")),
    ("per_second", above(Real(1e7), "transfers per second")),
    ("period_s", real(Real(1e-3), Whole(3600), "s")),
    ("positive_share", above(Whole(1), "")),
    ("probability", Range { high_open: true, ..real(Whole(0), Whole(1), "") }),
    ("queue_bdp", above(Whole(1000), "of the bandwidth-delay product")),
    ("queue_bytes", whole(1, Whole(MOST_PACKETS * 1500), "bytes")),
    ("queue_packets", whole(1, Whole(MOST_PACKETS), "packets")),
    ("queue_s", above(Whole(60), "s")),
    ("rate_bps", real(Real(1e3), Real(1e12), "bit/s")),
    ("rtt_s", real(Real(1e-6), Whole(10), "s")),
    ("sample_s", real(Whole(0), Real(LONGEST_S), "s")),
    ("seed", whole(0, Whole(u64::MAX), "")),
    ("session_count", whole(1, Whole(100_000), "")),
    ("shape", Range { low_open: true, ..real(Whole(1), Whole(100), "") }),
    ("share", real(Whole(0), Whole(1), "")),
    ("size_bytes", real(Whole(1), Real(1e15), "bytes")),
    ("span_s", real(Real(1e-3), Real(LONGEST_S), "s")),
    ("think_s", real(Real(1e-9), Real(1e5), "s")),
    ("transfer_bytes", whole(1, Real(1e15), "bytes")),
    ("window_bytes", whole(1, Real(1e12), "bytes")),
    ("window_packets", whole(1, Whole(MOST_PACKETS), "packets")),
];

/// All limits for other languages: `counts` and `ranges`.
pub fn json() -> Value {
    let counts: Map<String, Value> = COUNTS.iter().map(|&(name, most)| (name.into(), most.into())).collect();
    let ranges: Map<String, Value> = RANGES.iter().map(|(name, range)| ((*name).into(), json!(range))).collect();
    json!({"counts": counts, "ranges": ranges})
}
