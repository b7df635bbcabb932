//! FAST's view of the path: baseRTT, the smallest RTT, and avgRTT, the smoothed one. Without the way back, for fast-bqd, avgRTT is baseRTT
//! and the smoothed excess of the forward delay over its minimum.
//!
//! Source: Jin/Wei/Low, INFOCOM 2004; Hegde et al. 2004. Seconds.

use crate::{RttSample, Window};

/// The queue of the forward path: the smallest forward delay, and the smoothed excess over it.
#[derive(Clone, Copy, Debug)]
struct Forward {
    min_s: f64,
    excess_s: f64,
}

/// baseRTT and avgRTT.
#[derive(Clone, Copy, Debug)]
pub(super) struct Delay {
    pub(super) base_s: f64,
    /// 0 before the first sample.
    pub(super) avg_s: f64,
    /// Forward queueing alone counts (fast-bqd).
    forward: Option<Forward>,
}

impl Delay {
    pub(super) fn round_trip() -> Delay {
        Delay { base_s: f64::INFINITY, avg_s: 0.0, forward: None }
    }

    pub(super) fn forward_only() -> Delay {
        Delay { forward: Some(Forward { min_s: f64::INFINITY, excess_s: 0.0 }), ..Delay::round_trip() }
    }

    pub(super) fn is_known(&self) -> bool {
        self.avg_s > 0.0
    }

    /// Takes a sample at this window; weight min(3/w, 1/4).
    #[inline]
    pub(super) fn on_sampled(&mut self, w: &Window, rtt_s: f64, s: &RttSample) {
        self.base_s = self.base_s.min(rtt_s);
        let weight = (3.0 / w.cwnd).min(0.25);
        if let Some(forward) = &mut self.forward {
            if let Some(delay) = s.forward {
                forward.min_s = forward.min_s.min(delay.as_secs_f64());
                forward.excess_s += weight * (delay.as_secs_f64() - forward.min_s - forward.excess_s);
            }
            self.avg_s = self.base_s + forward.excess_s;
        } else {
            self.avg_s = if self.avg_s == 0.0 { rtt_s } else { self.avg_s + weight * (rtt_s - self.avg_s) };
        }
    }

    /// The delay that queues cause.
    pub(super) fn queueing_s(&self) -> f64 {
        self.avg_s - self.base_s
    }
}
