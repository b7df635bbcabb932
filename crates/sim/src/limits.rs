//! What a scenario may say: the allowed range of every number, and how many there may be of each part. [`accept`](crate::accept()) checks by
//! them, and every front end takes them from here.

use std::fmt;

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

impl Bound {
    /// The same as a double.
    pub const fn value(self) -> f64 {
        match self {
            Whole(number) => number as f64,
            Real(number) => number,
        }
    }
}

impl Range {
    /// Whether a number is in it.
    pub fn holds(&self, value: f64) -> bool {
        let (low, high) = (self.low.value(), self.high.value());
        let is_enough = if self.low_open { value > low } else { value >= low };
        is_enough && if self.high_open { value < high } else { value <= high }
    }

    /// Whether a time is in it, of a range in seconds. Quotients are rounded right: whole nanoseconds at a bound are seconds at the bound.
    pub fn holds_ns(&self, ns: u64) -> bool {
        self.holds(ns as f64 / 1e9)
    }
}

/// As people write it: `1 us to 10 s`, `more than 0, at most 100`.
impl fmt::Display for Range {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (low, high) = (self.shown(self.low), self.shown(self.high));
        let unit = if matches!(self.unit, "" | "s" | "bit/s") { String::new() } else { format!(" {}", self.unit) };
        match (self.low_open, self.high_open) {
            (true, _) => write!(f, "more than {low}, at most {high}{unit}"),
            (_, true) => write!(f, "from {low} to below {high}{unit}"),
            _ if self.unit == "s" && self.low == Whole(0) => write!(f, "at most {high}"),
            _ => write!(f, "{low} to {high}{unit}"),
        }
    }
}

impl Range {
    fn shown(&self, bound: Bound) -> String {
        const TIMES: &[(f64, &str)] = &[(3600.0, "h"), (1.0, "s"), (1e-3, "ms"), (1e-6, "us"), (1e-9, "ns")];
        const RATES: &[(f64, &str)] = &[(1e12, "Tbit/s"), (1e9, "Gbit/s"), (1e6, "Mbit/s"), (1e3, "kbit/s"), (1.0, "bit/s")];
        let scaled = |scales: &[(f64, &str)]| {
            let value = bound.value();
            let fits = |&&(scale, unit): &&(f64, &str)| value >= scale && (unit != "h" || value % scale == 0.0);
            scales.iter().find(fits).map_or(format!("0 {}", self.unit), |(scale, unit)| format!("{} {unit}", value / scale))
        };
        match (self.unit, bound) {
            ("s", _) => scaled(TIMES),
            ("bit/s", _) => scaled(RATES),
            (_, Real(number)) if number >= 1e9 => format!("{number:e}"),
            (_, Real(number)) => number.to_string(),
            (_, Whole(number)) => number.to_string(),
        }
    }
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
pub const MOST_FLOWS: u64 = 1_000_000;
/// Forward links after the bottleneck.
pub const MOST_HOPS: u64 = 64;
/// Sources of transfers: of open loops, and of closed ones.
pub const MOST_SOURCES: u64 = 1000;
/// Kinds of transfers of a source.
pub const MOST_KINDS: u64 = 1000;
/// Sources of datagrams.
pub const MOST_DATAGRAM_SOURCES: u64 = 1000;
/// Opportunities of a trace.
pub const MOST_OPPORTUNITIES: u64 = 1_000_000;

/// How many there may be, by name.
pub const COUNTS: &[(&str, u64)] = &[
    ("flows", MOST_FLOWS),
    ("hops", MOST_HOPS),
    ("kinds_of_transfers", MOST_KINDS),
    ("loss_models", 100),
    ("queue_packets", MOST_PACKETS),
    ("samples", 50_000_000),
    ("scripted_packets", 100_000),
    ("sources_of_datagrams", MOST_DATAGRAM_SOURCES),
    ("sources_of_transfers", MOST_SOURCES),
    ("steps", 100_000),
    ("trace_ms", LONGEST_S as u64 * 1000),
    ("trace_opportunities", MOST_OPPORTUNITIES),
];

/// A constant for each range, and a table of them.
macro_rules! ranges {
    ($($constant:ident $name:literal $range:expr;)+) => {
        $(
            #[doc = concat!("The range `", $name, "`.")]
            pub const $constant: Range = $range;
        )+

        /// The ranges, by name: a field's where it has one of its own, or what it is.
        pub const RANGES: &[(&str, Range)] = &[$(($name, $constant)),+];
    };
}

ranges! {
    AMPLITUDE_BPS "amplitude_bps" real(Whole(0), Real(1e12), "bit/s");
    APPLICATION "application" whole(0, Whole(MOST_FLOWS), "");
    CLOCK_HZ "clock_hz" real(Real(1e6), Real(1e12), "Hz");
    CONNECTIONS "connections" whole(1, Whole(1000), "connections at once");
    COST_S "cost_s" real(Whole(0), Whole(1), "s");
    COUNT "count" whole(1, Whole(MOST_FLOWS), "");
    DATAGRAM_BYTES "datagram_bytes" whole(29, Whole(65_535), "bytes");
    DURATION_S "duration_s" above(Real(LONGEST_S), "s");
    EXTRA_S "extra_s" real(Whole(0), Whole(10), "s");
    FLOW_NUMBER "flow_number" whole(0, Whole(MOST_FLOWS - 1), "");
    HOP_NUMBER "hop_number" whole(1, Whole(MOST_HOPS + 1), "");
    INSTANT_S "instant_s" real(Whole(0), Real(LONGEST_S), "s");
    JITTER_S "jitter_s" real(Whole(0), Whole(1), "s");
    LOAD "load" above(Whole(10), "of the link's rate");
    LOSS_INTERVAL_S "loss_interval_s" real(Real(1e-3), Whole(3600), "s");
    MEAN_BYTES "mean_bytes" real(Whole(1), Real(1e15), "bytes");
    MTU_BYTES "mtu_bytes" whole(576, Whole(9000), "bytes");
    OBJECTS "objects" real(Whole(1), Real(1e6), "objects");
    PACKET_COUNT "packet_count" whole(2, Real(1e12), "packets");
    PACKET_NUMBER "packet_number" whole(1, Real(1e12), "");
    PACKET_RATE "packet_rate" real(Whole(1), Real(1e9), "packets per second");
    PER_SECOND "per_second" above(Real(1e7), "transfers per second");
    PERIOD_S "period_s" real(Real(1e-3), Whole(3600), "s");
    POSITIVE_SHARE "positive_share" above(Whole(1), "");
    PROBABILITY "probability" Range { high_open: true, ..real(Whole(0), Whole(1), "") };
    QUEUE_BDP "queue_bdp" above(Whole(1000), "of the bandwidth-delay product");
    QUEUE_BYTES "queue_bytes" whole(1, Whole(MOST_PACKETS * 1500), "bytes");
    QUEUE_PACKETS "queue_packets" whole(1, Whole(MOST_PACKETS), "packets");
    QUEUE_S "queue_s" above(Whole(60), "s");
    RATE_BPS "rate_bps" real(Real(1e3), Real(1e12), "bit/s");
    RCVBUF_BYTES "rcvbuf_bytes" whole(4096, Whole(1 << 30), "bytes");
    REQUEST_BYTES "request_bytes" real(Whole(1), Whole(14_480), "bytes");
    REQUEST_COUNT "request_count" whole(1, Whole(1_000_000_000), "requests");
    RESPONSE_BYTES "response_bytes" real(Whole(1), Real(1e15), "bytes");
    RTT_S "rtt_s" real(Real(1e-6), Whole(10), "s");
    SAMPLE_S "sample_s" real(Whole(0), Real(LONGEST_S), "s");
    SEED "seed" whole(0, Whole(u64::MAX), "");
    SESSION_COUNT "session_count" whole(1, Whole(100_000), "");
    SHAPE "shape" Range { low_open: true, ..real(Whole(1), Whole(100), "") };
    SHARE "share" real(Whole(0), Whole(1), "");
    SIZE_BYTES "size_bytes" real(Whole(1), Real(1e15), "bytes");
    SPAN_S "span_s" real(Real(1e-3), Real(LONGEST_S), "s");
    STREAM_COUNT "stream_count" whole(1, Whole(100), "streams");
    THINK_S "think_s" real(Real(1e-9), Real(1e5), "s");
    TRANSFER_BYTES "transfer_bytes" whole(1, Real(1e15), "bytes");
    TURN_S "turn_s" real(Whole(0), Real(0.1), "s");
    WINDOW_BYTES "window_bytes" whole(1, Real(1e12), "bytes");
    WINDOW_PACKETS "window_packets" whole(1, Whole(MOST_PACKETS), "packets");
}

/// All limits for other languages: `counts` and `ranges`.
pub fn json() -> Value {
    let counts: Map<String, Value> = COUNTS.iter().map(|&(name, most)| (name.into(), most.into())).collect();
    let ranges: Map<String, Value> = RANGES.iter().map(|(name, range)| ((*name).into(), json!(range))).collect();
    json!({"counts": counts, "ranges": ranges})
}
