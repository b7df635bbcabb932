//! Transport options by name: overriding one, and describing all.

use serde_json::{json, Value};
use tcp::Options;

/// Name, kind, choices or range, meaning.
struct OptionRow {
    name: &'static str,
    kind: Kind,
    doc: &'static str,
}

enum Kind {
    Boolean,
    Integer(u64, u64),
    Seconds(f64, f64),
    Choice(&'static [&'static str]),
}

const OPTIONS: [OptionRow; 32] = [
    OptionRow { name: "sack", kind: Kind::Boolean, doc: "Selective acknowledgements (RFC 2018); without them NewReno (RFC 6582)." },
    OptionRow {
        name: "loss_detection",
        kind: Kind::Choice(&["rack", "rfc6675", "fack"]),
        doc: "How segments are found lost: by time (RFC 8985), by count (RFC 6675), or by distance from the highest SACKed (Linux 2.4 and 2.6).",
    },
    OptionRow {
        name: "recovery",
        kind: Kind::Choice(&["prr", "rfc9937", "rate-halving", "at-once", "to-one"]),
        doc: "Window reduction: proportional to the window before (Linux 6.1) or to what was in flight (RFC 9937), one segment per second ACK (Linux 2.4 and 2.6), at once (RFC 6675), or at once and then slow start from one segment (Windows Vista before SP1).",
    },
    OptionRow {
        name: "rto",
        kind: Kind::Choice(&["linux", "rfc6298"]),
        doc: "Retransmission timeout: the RTT and its variation, of `rto_min_s` at least; or at least 1 s.",
    },
    OptionRow {
        name: "rto_min_s",
        kind: Kind::Seconds(0.001, 10.0),
        doc: "Least variation that enters Linux's timeout, which is never shorter than the RTT and this (`rto_min` of a route).",
    },
    OptionRow {
        name: "timestamps",
        kind: Kind::Boolean,
        doc: "Timestamps (RFC 7323). Without them retransmitted segments give no RTT samples, and no ACK shows that a reduction was spurious.",
    },
    OptionRow { name: "limited_transmit", kind: Kind::Boolean, doc: "New data on the first two duplicate ACKs (RFC 3042)." },
    OptionRow { name: "undo", kind: Kind::Boolean, doc: "Undo reductions shown to be spurious by DSACK or timestamps." },
    OptionRow { name: "frto", kind: Kind::Boolean, doc: "Forward RTO recovery (RFC 5682)." },
    OptionRow { name: "tlp", kind: Kind::Boolean, doc: "Tail loss probe (RFC 8985)." },
    OptionRow { name: "ack_every", kind: Kind::Integer(1, 64), doc: "In-order segments per ACK." },
    OptionRow { name: "delayed_ack_s", kind: Kind::Seconds(0.001, 0.5), doc: "Delayed-ACK timer." },
    OptionRow {
        name: "delayed_ack_max_s",
        kind: Kind::Seconds(0.04, 0.5),
        doc: "The longest that the delayed-ACK timer adapts to; no shorter than the timer itself.",
    },
    OptionRow { name: "quickack", kind: Kind::Integer(0, 1000), doc: "Segments acknowledged one by one at the start." },
    OptionRow {
        name: "opening_acks",
        kind: Kind::Boolean,
        doc: "Every segment is acknowledged while the receiver's window opens, by two segments for each, from 64 kB to the flow's cap or four times what its path holds (Linux).",
    },
    OptionRow {
        name: "fin_past_window",
        kind: Kind::Boolean,
        doc: "The last segment of a transfer, with its FIN, leaves whatever the congestion window is (Linux before 6.12).",
    },
    OptionRow {
        name: "ack_compression",
        kind: Kind::Boolean,
        doc: "Behind a hole, after three duplicates, one ACK stands for the segments of 5 % of the RTT, at most 1 ms (Linux since 4.18).",
    },
    OptionRow { name: "abc", kind: Kind::Choice(&["linux", "rfc3465", "off"]), doc: "Byte counting in window growth." },
    OptionRow { name: "abc_limit", kind: Kind::Integer(1, 64), doc: "Segments an ACK counts for in slow start under rfc3465." },
    OptionRow { name: "initial_window", kind: Kind::Integer(1, 1000), doc: "Initial window, segments." },
    OptionRow {
        name: "initial_ssthresh",
        kind: Kind::Integer(0, 0x7fff_ffff),
        doc: "Slow-start threshold of a new connection, segments, as Linux 2.4 and 2.6 cached it; 0 for none.",
    },
    OptionRow {
        name: "rtt_granularity_s",
        kind: Kind::Seconds(0.0, 0.1),
        doc: "Tick of the clock that times segments (jiffies of Linux 2.4 and 2.6); 0 for an exact one.",
    },
    OptionRow {
        name: "min_rtt_error_s",
        kind: Kind::Seconds(0.0, 10.0),
        doc: "No RTT sample is shorter than the handshake's and this: by so much at least the base RTT is taken for too long.",
    },
    OptionRow {
        name: "rtt_error_after_loss_s",
        kind: Kind::Seconds(0.0, 10.0),
        doc: "RTT samples are too long by this from a back-off until two smoothed RTTs later (a host busy with the loss).",
    },
    OptionRow {
        name: "rto_freeze",
        kind: Kind::Boolean,
        doc: "After a timeout the window stays until the losses are repaired (a bug of Linux 2.4.22).",
    },
    OptionRow {
        name: "timer_tick_s",
        kind: Kind::Seconds(0.0, 0.1),
        doc: "Interval of the clock that wakes the timers of sender and receiver (jiffies: 10, 4 or 1 ms); 0 for an exact one.",
    },
    OptionRow {
        name: "offload_segments",
        kind: Kind::Integer(1, 45),
        doc: "Segments leave in bursts of so many, at most a third of the window (segmentation offload).",
    },
    OptionRow {
        name: "autotune",
        kind: Kind::Boolean,
        doc: "The receiver's window grows with what a round trip brings, from 64 kB to the flow's cap (Linux's dynamic right-sizing).",
    },
    OptionRow { name: "pacing", kind: Kind::Choice(&["none", "linux", "full"]), doc: "Spreading segments over the round trip." },
    OptionRow {
        name: "pacing_credit",
        kind: Kind::Boolean,
        doc: "A paced segment that leaves late brings the next one forward, by at most half a distance (Linux since 5.0).",
    },
    OptionRow {
        name: "ecn",
        kind: Kind::Choice(&["auto", "off", "classic", "dctcp", "accurate", "l4s"]),
        doc: "ECN and its feedback: what the algorithm asks for, none, RFC 3168, RFC 8257, RFC 9768.",
    },
    OptionRow {
        name: "idle_restart",
        kind: Kind::Choice(&["linux", "rfc5681", "none"]),
        doc: "The window after the application was silent or wrote little: halved per timeout and moved towards its use (Linux, RFC 2861), the initial window (RFC 5681), or as it was.",
    },
];

/// Sets one option by name.
///
/// # Errors
/// What is allowed, in words.
pub(crate) fn override_option(options: &mut Options, name: &str, value: &Value) -> Result<(), String> {
    let Some(row) = OPTIONS.iter().find(|row| row.name == name) else {
        let names: Vec<_> = OPTIONS.iter().map(|row| row.name).collect();
        return Err(format!("there is no such transport option; choose one of {}", names.join(", ")));
    };
    let fits = match row.kind {
        Kind::Boolean => value.is_boolean(),
        Kind::Integer(min, max) => value.as_u64().is_some_and(|n| (min..=max).contains(&n)),
        Kind::Seconds(min, max) => value.as_f64().is_some_and(|s| (min..=max).contains(&s)),
        Kind::Choice(choices) => value.as_str().is_some_and(|choice| choices.contains(&choice)),
    };
    if !fits {
        return Err(row.kind.allowed());
    }
    let mut all = serde_json::to_value(&*options).map_err(|error| error.to_string())?;
    all[name] = value.clone();
    *options = serde_json::from_value(all).map_err(|error| error.to_string())?;
    Ok(())
}

impl Kind {
    fn allowed(&self) -> String {
        match self {
            Kind::Boolean => "give true or false".into(),
            Kind::Integer(min, max) => format!("give a whole number from {min} to {max}"),
            Kind::Seconds(min, max) => format!("give {min} s to {max} s"),
            Kind::Choice(choices) => format!("choose one of {}", choices.join(", ")),
        }
    }

    fn describe(&self) -> Value {
        match self {
            Kind::Boolean => json!({"kind": "boolean"}),
            Kind::Integer(min, max) => json!({"kind": "integer", "min": min, "max": max}),
            Kind::Seconds(min, max) => json!({"kind": "duration_s", "min": min, "max": max}),
            Kind::Choice(choices) => json!({"kind": "choice", "choices": choices}),
        }
    }
}

/// All of them; `defaults` holds the value of each by name.
pub(crate) fn described_options(defaults: &Value) -> Vec<Value> {
    let described = |row: &OptionRow| {
        let mut described = row.kind.describe();
        described["name"] = row.name.into();
        described["doc"] = row.doc.into();
        described["default"] = defaults[row.name].clone();
        described
    };
    OPTIONS.iter().map(described).collect()
}
