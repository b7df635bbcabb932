//! Reno: one segment more per round trip, half the window on loss.
//!
//! Source: RFC 5681; Linux 6.1 `tcp_cong.c` for the integer variant.
//! Units: segments.
//! State: none beyond the window; the integer variant uses its credit counter.
//! Departures: the threshold is half of cwnd, not of FlightSize, as in every Linux module.

use super::runs;
use crate::parameter::{Either, Protocol, Values, Variant};
use crate::{CongestionControl, Connection, Credit, Window};

/// The registry's description.
pub const PROTOCOL: Protocol = Protocol {
    name: "reno",
    aliases: &["newreno"],
    family: "loss-based",
    year: 1990,
    source: "Jacobson 1990; RFC 5681",
    summary: "One segment more per round trip, half the window on loss: the yardstick.",
    signals: &["loss", "ecn"],
    variants: &[
        Variant {
            name: "linux-6.1",
            aliases: &["linux-2.6.23", "linux-2.4"],
            summary: "Linux's integer credit counter.",
            exact_kernel: true,
        },
        Variant { name: "rfc", aliases: &["altaimd-2.6.6"], summary: "RFC 5681 with a real-valued window.", exact_kernel: false },
    ],
    parameters: &[],
    constants: &[],
    profiles: &[
        runs("linux-6.1", "linux-6.1"),
        runs("linux-6.12", "linux-6.1"),
        runs("linux-2.6.23", "linux-6.1"),
        runs("altaimd-2.6.6", "rfc"),
        runs("linux-2.4", "linux-6.1"),
        runs("rfc", "rfc"),
    ],
};

/// The state of a new connection.
pub fn build(values: &Values) -> Either<Reno, RenoReal> {
    match values.variant() {
        "linux-6.1" => Either::First(Reno),
        _ => Either::Second(RenoReal),
    }
}

/// Reno in integers.
#[derive(Clone, Copy, Debug, Default)]
pub struct Reno;

impl CongestionControl for Reno {
    #[inline]
    fn on_acked(&mut self, w: &mut Window, c: &Connection, acked: u32) {
        if !c.cwnd_limited {
            return;
        }
        let rest = if w.in_slow_start() { w.slow_start(acked) } else { acked };
        if rest > 0 {
            w.add_credit(Credit { acked: rest, per_segment: w.segments() });
        }
    }

    #[inline]
    fn ssthresh(&mut self, w: &mut Window, _c: &Connection) -> f64 {
        f64::from((w.segments() >> 1).max(2))
    }
}

/// Reno with a real-valued window.
#[derive(Clone, Copy, Debug, Default)]
pub struct RenoReal;

impl CongestionControl for RenoReal {
    #[inline]
    fn on_acked(&mut self, w: &mut Window, c: &Connection, acked: u32) {
        if !c.cwnd_limited {
            return;
        }
        let rest = w.slow_start_real(acked);
        if rest > 0.0 {
            w.cwnd += rest / w.cwnd;
        }
    }

    #[inline]
    fn ssthresh(&mut self, w: &mut Window, _c: &Connection) -> f64 {
        (0.5 * w.cwnd).max(2.0)
    }
}
