//! Westwood+: Reno that returns, after a loss, to the window its own ACK rate would fill without a queue.
//!
//! Source: Grieco/Mascolo, ACM CCR 2004; Linux 6.1 `tcp_westwood.c`, reproduced exactly.
//! Units: segments; bandwidth in bytes per millisecond; time in milliseconds (kernel ticks, RTTs rounded up).
//! State: the bandwidth filter's two poles, the open measurement window, duplicate ACKs already counted, the last and smallest RTT.
//! Departures: none from Linux 6.1. It filters by 7/8 twice where the paper has 0.9 once, enters recovery with half the window and
//! moves to bandwidth times smallest RTT only when recovery ends, also after an undo. Products are 64 bits wide, the kernel's 32.

use super::of_linux61;
use super::reno::Reno;
use crate::parameter::{Constant, Protocol, Variant};
use crate::{AckArrival, Algorithm, CaEvent, CongestionControl, Connection, RttSample, Window};

const V61: &str = "linux-6.1";

/// The registry's description.
pub const PROTOCOL: Protocol = Protocol {
    name: "westwood",
    aliases: &["westwood+", "westwoodplus"],
    family: "loss-based with bandwidth estimate",
    year: 2001,
    source: "Mascolo et al. 2001; Grieco/Mascolo 2004; Linux 6.1",
    summary: "Reno that backs off to its measured bandwidth times the smallest RTT.",
    signals: &["loss", "ecn", "rate", "rtt"],
    variants: &[Variant { name: V61, aliases: &[], summary: "Linux's integers.", exact_kernel: true }],
    parameters: &[],
    constants: &[
        Constant { name: "window_min", variant: V61, value: WINDOW_MIN_MS as f64 * 1e-3, unit: "s" },
        Constant { name: "filter", variant: V61, value: 0.875, unit: "1" },
    ],
    profiles: &of_linux61(V61),
    build: |_| Algorithm::Westwood(Westwood::new()),
};

/// A measurement window is longer than this and than the RTT.
const WINDOW_MIN_MS: u64 = 50;
/// The RTT before any sample.
const INITIAL_MS: u64 = 20_000;

/// Westwood+ in Linux's integers.
#[derive(Clone, Copy, Debug)]
pub struct Westwood {
    /// The first pole: the filtered samples.
    samples: u64,
    /// The second pole: the estimate.
    bandwidth: u64,
    /// Bytes acknowledged in the open window.
    bytes: u64,
    opened_ms: u64,
    /// The cumulative ACK up to which bytes were counted; none before the first ACK.
    counted_to: Option<u64>,
    /// Bytes counted for duplicate ACKs, which a later advance will bring again.
    ahead: u64,
    rtt_ms: u64,
    min_ms: u64,
    /// The next RTT replaces the smallest.
    forget_min: bool,
}

impl Westwood {
    fn new() -> Westwood {
        Westwood {
            samples: 0,
            bandwidth: 0,
            bytes: 0,
            opened_ms: 0,
            counted_to: None,
            ahead: 0,
            rtt_ms: INITIAL_MS,
            min_ms: INITIAL_MS,
            forget_min: true,
        }
    }

    #[inline]
    fn close_window(&mut self, now_ms: u64) {
        let elapsed_ms = now_ms.saturating_sub(self.opened_ms);
        if self.rtt_ms == 0 || elapsed_ms <= self.rtt_ms.max(WINDOW_MIN_MS) {
            return;
        }
        let sample = self.bytes / elapsed_ms;
        if self.samples == 0 && self.bandwidth == 0 {
            self.samples = sample;
            self.bandwidth = sample;
        } else {
            self.samples = (7 * self.samples + sample) >> 3;
            self.bandwidth = (7 * self.bandwidth + self.samples) >> 3;
        }
        self.bytes = 0;
        self.opened_ms = now_ms;
    }

    /// What an ACK off the fast path is worth: a duplicate one segment, an advance no more than duplicates have left of it.
    fn worth(&mut self, advance: u64, mss: u64) -> u64 {
        if advance == 0 {
            self.ahead += mss;
            mss
        } else if advance <= mss {
            advance
        } else if self.ahead >= advance {
            self.ahead -= advance;
            mss
        } else {
            advance - std::mem::take(&mut self.ahead)
        }
    }

    /// The window that fills the path without a queue.
    fn pipe(&self, mss: u32) -> f64 {
        f64::from((self.bandwidth * self.min_ms / u64::from(mss)).clamp(2, u64::from(u32::MAX >> 1)) as u32)
    }
}

impl CongestionControl for Westwood {
    fn on_established(&mut self, _w: &mut Window, c: &Connection) {
        self.opened_ms = c.now.as_ms();
    }

    #[inline]
    fn on_rtt_sampled(&mut self, _w: &mut Window, _c: &Connection, s: &RttSample) {
        if let Some(rtt) = s.rtt {
            self.rtt_ms = rtt.as_us().div_ceil(1_000);
        }
    }

    #[inline]
    fn on_ack_arrived(&mut self, _w: &mut Window, c: &Connection, a: &AckArrival) {
        let counted_to = self.counted_to.unwrap_or(c.una);
        self.close_window(c.now.as_ms());
        let mss = u64::from(c.mss);
        let advance = c.una.saturating_sub(counted_to) * mss;
        self.bytes += if a.slow_path { self.worth(advance, mss) } else { advance };
        self.counted_to = Some(c.una);
        self.min_ms = if self.forget_min { self.rtt_ms } else { self.min_ms.min(self.rtt_ms) };
        self.forget_min = false;
    }

    #[inline]
    fn on_acked(&mut self, w: &mut Window, c: &Connection, acked: u32) {
        Reno.on_acked(w, c, acked);
    }

    fn ssthresh(&mut self, w: &mut Window, c: &Connection) -> f64 {
        Reno.ssthresh(w, c)
    }

    fn on_event(&mut self, w: &mut Window, c: &Connection, e: CaEvent) {
        match e {
            CaEvent::ReductionCompleted => {
                w.ssthresh = self.pipe(c.mss);
                w.cwnd = w.ssthresh;
            }
            CaEvent::TimedOut => {
                w.ssthresh = self.pipe(c.mss);
                self.forget_min = true;
            }
            CaEvent::TxStarted | CaEvent::WindowRestarted => {}
        }
    }

    fn variable_names(&self) -> &'static [&'static str] {
        &["bandwidth_bps", "rtt_min_s"]
    }

    fn variables(&self, out: &mut [f64]) {
        let known = self.bandwidth > 0;
        out[0] = if known { self.bandwidth as f64 * 8e3 } else { f64::NAN };
        out[1] = if self.forget_min { f64::NAN } else { self.min_ms as f64 * 1e-3 };
    }
}
