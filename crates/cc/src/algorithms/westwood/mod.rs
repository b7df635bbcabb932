//! Westwood+: Reno that returns, after a loss, to the window its own ACK rate would fill without a queue.
//!
//! Source: Grieco/Mascolo, ACM CCR 2004; Linux 6.1 `tcp_westwood.c`, reproduced exactly.
//! Units: segments; bandwidth in bytes per millisecond; time in milliseconds (kernel ticks, RTTs rounded up).
//! State: the bandwidth filter and what it has counted (`bandwidth.rs`), the last and the smallest RTT.
//! Departures: none from Linux 6.1. It filters by 7/8 twice where the paper has 0.9 once, enters recovery with half the window and
//! moves to bandwidth times smallest RTT only when recovery ends, also after an undo. Products are 64 bits wide, the kernel's 32.

mod bandwidth;
mod protocol;

use self::bandwidth::Bandwidth;
pub use self::protocol::{build, PROTOCOL};
use super::reno::Reno;
use crate::{AckArrival, CaEvent, CongestionControl, Connection, Needs, RttSample, RttSamples, Window};

/// The RTT before any sample.
const INITIAL_MS: u64 = 20_000;

/// Westwood+ in Linux's integers.
#[derive(Clone, Copy, Debug)]
pub struct Westwood {
    bandwidth: Bandwidth,
    rtt_ms: u64,
    min_ms: u64,
    /// The next RTT replaces the smallest.
    forget_min: bool,
}

impl Westwood {
    fn new() -> Westwood {
        Westwood { bandwidth: Bandwidth::default(), rtt_ms: INITIAL_MS, min_ms: INITIAL_MS, forget_min: true }
    }

    /// The window that fills the path without a queue.
    fn pipe(&self, mss: u32) -> f64 {
        f64::from((self.bandwidth.estimate * self.min_ms / u64::from(mss)).clamp(2, u64::from(u32::MAX >> 1)) as u32)
    }
}

impl CongestionControl for Westwood {
    fn needs(&self) -> Needs {
        Needs { rtt_samples: RttSamples::ByStack, ack_arrivals: true, ..Needs::default() }
    }

    fn on_established(&mut self, _w: &mut Window, c: &Connection) {
        self.bandwidth.opened_ms = c.now.as_ms();
    }

    #[inline]
    fn on_rtt_sampled(&mut self, _w: &mut Window, _c: &Connection, s: &RttSample) {
        if let Some(rtt) = s.rtt {
            self.rtt_ms = rtt.as_us().div_ceil(1_000);
        }
    }

    #[inline]
    fn on_ack_arrived(&mut self, _w: &mut Window, c: &Connection, a: &AckArrival) {
        self.bandwidth.close_window(c, self.rtt_ms);
        self.bandwidth.count(c, a.slow_path);
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
        let known = self.bandwidth.estimate > 0;
        out[0] = if known { self.bandwidth.estimate as f64 * 8e3 } else { f64::NAN };
        out[1] = if self.forget_min { f64::NAN } else { self.min_ms as f64 * 1e-3 };
    }
}
