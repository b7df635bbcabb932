//! Scalable TCP: a fixed gain per acknowledged segment, an eighth of the window on loss.
//!
//! Source: Kelly, "Scalable TCP", CCR 2003; Li/Leith/Shorten 2007, V.A; Linux 6.1 `tcp_scalable.c` for the integer variant.
//! Units: segments.
//! State: none beyond the window; the integer variant uses its credit counter.
//! Departures: `linux-6.1` has no legacy window, it grows like Reno below 100 segments and like Scalable above. `kelly` switches to
//! Reno at and below 16 segments, so between 16 and 100 it grows more slowly than Reno, as the 2007 benchmark's rule says.

use super::{borrows, runs};
use crate::parameter::{Either, Parameter, Protocol, Values, Variant};
use crate::{CongestionControl, Connection, Credit, Window};

/// The registry's description.
pub const PROTOCOL: Protocol = Protocol {
    name: "scalable",
    aliases: &["stcp"],
    family: "loss-based high-speed",
    year: 2002,
    source: "Kelly 2003; Li/Leith/Shorten 2007 Table II; Linux 6.1",
    summary: "Multiplicative increase and decrease: recovery takes the same number of round trips at any window.",
    signals: &["loss", "ecn"],
    variants: &[
        Variant {
            name: "linux-6.1",
            aliases: &["linux-2.6.23"],
            summary: "Linux's integers: the larger of Reno and 1 %.",
            exact_kernel: true,
        },
        Variant {
            name: "kelly",
            aliases: &["altaimd-2.6.6"],
            summary: "Real-valued, Reno up to a legacy window of 16.",
            exact_kernel: false,
        },
    ],
    parameters: &[
        Parameter {
            name: "a",
            unit: "segments per segment",
            min: 1e-4,
            max: 1.0,
            defaults: &[("kelly", 0.01)],
            doc: "Gain per acknowledged segment.",
        },
        Parameter {
            name: "beta",
            unit: "1",
            min: 0.1,
            max: 0.99,
            defaults: &[("kelly", 0.875)],
            doc: "Fraction of the window kept on loss.",
        },
        Parameter {
            name: "low_window",
            unit: "segments",
            min: 0.0,
            max: 1e6,
            defaults: &[("kelly", 16.0)],
            doc: "Reno's rules up to here.",
        },
    ],
    constants: &[],
    profiles: &[
        runs("linux-6.1", "linux-6.1"),
        runs("linux-6.12", "linux-6.1"),
        runs("linux-2.6.23", "linux-6.1"),
        runs("altaimd-2.6.6", "kelly"),
        runs("linux-2.4", "kelly"),
        borrows("rfc", "kelly"),
    ],
};

/// The state of a new connection.
pub fn build(values: &Values) -> Either<Scalable, Kelly> {
    match values.variant() {
        "linux-6.1" => Either::First(Scalable),
        _ => Either::Second(Kelly { a: values.get("a"), beta: values.get("beta"), low_window: values.get("low_window") }),
    }
}

/// Window from which Linux's increase is a fixed gain per segment.
const AI_CNT: u32 = 100;

/// Scalable in Linux's integers.
#[derive(Clone, Copy, Debug, Default)]
pub struct Scalable;

impl CongestionControl for Scalable {
    #[inline]
    fn on_acked(&mut self, w: &mut Window, c: &Connection, acked: u32) {
        if !c.cwnd_limited {
            return;
        }
        let rest = if w.in_slow_start() { w.slow_start(acked) } else { acked };
        if rest > 0 {
            w.add_credit(Credit { acked: rest, per_segment: w.segments().min(AI_CNT) });
        }
    }

    #[inline]
    fn ssthresh(&mut self, w: &mut Window, _c: &Connection) -> f64 {
        let cwnd = w.segments();
        f64::from((cwnd - (cwnd >> 3)).max(2))
    }
}

/// Scalable as Kelly and the 2007 benchmark write it.
#[derive(Clone, Copy, Debug)]
pub struct Kelly {
    a: f64,
    beta: f64,
    low_window: f64,
}

impl CongestionControl for Kelly {
    #[inline]
    fn on_acked(&mut self, w: &mut Window, c: &Connection, acked: u32) {
        if !c.cwnd_limited {
            return;
        }
        let rest = w.slow_start_real(acked);
        if rest > 0.0 {
            w.cwnd += if w.cwnd <= self.low_window { rest / w.cwnd } else { self.a * rest };
        }
    }

    #[inline]
    fn ssthresh(&mut self, w: &mut Window, _c: &Connection) -> f64 {
        let keep = if w.cwnd <= self.low_window { 0.5 } else { self.beta };
        (keep * w.cwnd).max(2.0)
    }
}
