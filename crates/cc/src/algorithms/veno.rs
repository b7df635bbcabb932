//! Veno: Reno that asks Vegas' question, how much is queued, to tell congestion from random loss.
//!
//! Source: Fu/Liew, IEEE JSAC 2003; Linux 6.1 `tcp_veno.c`, reproduced exactly.
//! Units: segments; RTTs in microseconds; the backlog in halves of a segment.
//! State: the smallest RTT ever and since the last growth call, the number of samples, the backlog, whether the next step counts.
//! Departures: none from Linux 6.1. It measures the backlog from the ACKs since the last growth call, where the paper has a round
//! trip; its sample count, never set back, wraps after 65536 and makes the next calls plain Reno; a growth call without a sample finds
//! everything queued.

use super::of_linux61;
use super::reno::Reno;
use super::round_rtt::{RoundRtt, UNKNOWN_US};
use crate::parameter::{Constant, Protocol, Values, Variant};
use crate::{CaEvent, CaState, CongestionControl, Connection, Credit, Needs, RttSample, RttSamples, Window};

const V61: &str = "linux-6.1";

/// The registry's description.
pub const PROTOCOL: Protocol = Protocol {
    name: "veno",
    aliases: &[],
    family: "loss-based with delay",
    year: 2003,
    source: "Fu/Liew 2003; Linux 6.1",
    summary: "Reno that backs off less, and grows faster, while little is queued.",
    signals: &["loss", "ecn", "rtt"],
    variants: &[Variant { name: V61, aliases: &[], summary: "Linux's integers.", exact_kernel: true }],
    parameters: &[],
    constants: &[
        Constant { name: "beta", variant: V61, value: CONGESTED as f64 / 2.0, unit: "segments" },
        Constant { name: "keep_uncongested", variant: V61, value: 0.8, unit: "1" },
    ],
    profiles: &of_linux61(V61),
};

/// The state of a new connection.
pub fn build(_: &Values) -> Veno {
    Veno { rtt: RoundRtt::new(), estimating: true, counts: true, backlog_x2: 0 }
}

/// From this backlog on (halves of a segment) a loss is congestion's.
const CONGESTED: u32 = 3 << 1;

/// Veno in Linux's integers.
#[derive(Clone, Copy, Debug)]
pub struct Veno {
    rtt: RoundRtt,
    /// Only in Open; elsewhere plain Reno.
    estimating: bool,
    /// In the congestive region every other window's worth of ACKs raises the window: whether this one does.
    counts: bool,
    backlog_x2: u32,
}

impl Veno {
    fn estimate(&mut self, on: bool) {
        self.estimating = on;
        if on {
            self.rtt.min_us = UNKNOWN_US;
        }
    }

    fn grow(&mut self, w: &mut Window, acked: u32) {
        let cwnd = u64::from(w.segments());
        let in_transit_x2 = (cwnd * u64::from(self.rtt.base_us) * 2) / u64::from(self.rtt.min_us);
        self.backlog_x2 = (2 * cwnd - in_transit_x2) as u32;
        let rest = if w.in_slow_start() { w.slow_start(acked) } else { acked };
        if rest > 0 {
            if self.backlog_x2 < CONGESTED {
                w.add_credit(Credit { acked: rest, per_segment: w.segments() });
            } else {
                self.grow_every_other_round(w, rest);
            }
        }
        w.cwnd = w.cwnd.max(2.0);
    }

    /// Tested before crediting, the remainder lost: a step takes 2 (w + 1) ACKs.
    fn grow_every_other_round(&mut self, w: &mut Window, acked: u32) {
        if w.cnt < w.segments() {
            w.cnt = w.cnt.saturating_add(acked);
            return;
        }
        w.cnt = 0;
        w.cwnd += if self.counts { 1.0 } else { 0.0 };
        self.counts = !self.counts;
    }
}

impl CongestionControl for Veno {
    fn needs(&self) -> Needs {
        Needs { rtt_samples: RttSamples::Exact, ..Needs::default() }
    }

    /// The answer to the SYN was counted, and how long it took is forgotten: `tcp_veno_init` comes after it and leaves the count alone.
    fn on_established(&mut self, _w: &mut Window, c: &Connection) {
        self.rtt.count += u16::from(c.srtt8_us > 0);
    }

    #[inline]
    fn on_rtt_sampled(&mut self, _w: &mut Window, _c: &Connection, s: &RttSample) {
        self.rtt.on_sampled(s.rtt);
    }

    #[inline]
    fn on_acked(&mut self, w: &mut Window, c: &Connection, acked: u32) {
        if !self.estimating {
            Reno.on_acked(w, c, acked);
            return;
        }
        if !c.cwnd_limited {
            return;
        }
        if self.rtt.count <= 2 {
            Reno.on_acked(w, c, acked);
        } else {
            self.grow(w, acked);
        }
        self.rtt.min_us = UNKNOWN_US;
    }

    fn ssthresh(&mut self, w: &mut Window, _c: &Connection) -> f64 {
        let cwnd = w.segments();
        let kept = if self.backlog_x2 < CONGESTED { u64::from(cwnd) * 4 / 5 } else { u64::from(cwnd >> 1) };
        f64::from(kept.max(2) as u32)
    }

    fn on_state_changed(&mut self, _w: &mut Window, _c: &Connection, to: CaState) {
        self.estimate(to == CaState::Open);
    }

    /// An idle time forgets the base: the path may have changed.
    fn on_event(&mut self, _w: &mut Window, _c: &Connection, e: CaEvent) {
        if matches!(e, CaEvent::WindowRestarted | CaEvent::TxStarted) {
            self.rtt.base_us = UNKNOWN_US;
            self.counts = true;
            self.estimate(true);
        }
    }

    fn variable_names(&self) -> &'static [&'static str] {
        &["base_rtt_s", "backlog_packets"]
    }

    fn variables(&self, out: &mut [f64]) {
        out[0] = self.rtt.base_s();
        out[1] = f64::from(self.backlog_x2) / 2.0;
    }
}
