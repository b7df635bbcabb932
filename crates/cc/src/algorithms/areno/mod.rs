//! Adaptive Reno: beside Reno's window a probe window whose growth, or shrinking, follows how congested the path is.
//!
//! Source: Shimonishi/Hama/Murase, GLOBECOM 2005 and PFLDnet 2006, not re-read: known from ports that agree on the formulas.
//! Units: segments; seconds; bandwidth in segments/s.
//! State: the probe window (the base window is cwnd less it), the RTTs of the congestion level (`congestion_level.rs`), the bandwidth
//! filter (`bandwidth.rs`), what undo restores.
//! Departures: before the first loss the congestion level is (RTT - min)/min; a loss is judged by the level known before it. The
//! bandwidth is Westwood+'s filter, 0.9 and 0.1. A negative sum of probe growth stops at zero.

mod bandwidth;
mod congestion_level;
mod protocol;

use self::bandwidth::Bandwidth;
use self::congestion_level::CongestionLevel;
pub use self::protocol::{build, PROTOCOL};
use crate::parameter::Values;
use crate::{CaEvent, CaState, CongestionControl, Connection, Needs, RttSample, RttSamples, Window};

/// Adaptive Reno.
#[derive(Clone, Copy, Debug)]
pub struct Areno {
    alpha: f64,
    m: f64,
    total: bool,
    probe: f64,
    level: CongestionLevel,
    bandwidth: Bandwidth,
    undo: Option<(f64, Option<f64>)>,
}

impl Areno {
    fn new(values: &Values) -> Areno {
        Areno {
            alpha: values.get("alpha"),
            m: values.get("m"),
            total: values.on("total"),
            probe: 0.0,
            level: CongestionLevel::new(values.get("a")),
            bandwidth: Bandwidth::default(),
            undo: None,
        }
    }

    /// Winc(c) = Wm e^(-alpha c) + beta c + gamma: Wm + 1 nearly, when idle, 1 at c = 1, and 1 on average over c.
    fn increment(&self, c: f64) -> f64 {
        let w_m = self.bandwidth.smoothed.unwrap_or(0.0) / self.m;
        let (inverse, decay) = (1.0 / self.alpha, libm::exp(-self.alpha));
        let beta = 2.0 * w_m * (inverse - (inverse + 1.0) * decay);
        let gamma = 1.0 - 2.0 * w_m * (inverse - (inverse + 0.5) * decay);
        let increment = w_m * libm::exp(-self.alpha * c) + beta * c + gamma;
        if self.total {
            increment - 1.0
        } else {
            increment
        }
    }
}

impl CongestionControl for Areno {
    fn needs(&self) -> Needs {
        Needs { rtt_samples: RttSamples::ByStack, ..Needs::default() }
    }

    fn on_established(&mut self, _w: &mut Window, c: &Connection) {
        self.bandwidth.start(c.now);
    }

    #[inline]
    fn on_rtt_sampled(&mut self, _w: &mut Window, c: &Connection, s: &RttSample) {
        if let Some(rtt) = s.rtt {
            self.level.on_sampled(rtt.as_secs_f64().max(1e-9));
        }
        self.bandwidth.on_acked(s.acked, c.now, self.level.rtt_s);
    }

    #[inline]
    fn on_acked(&mut self, w: &mut Window, c: &Connection, acked: u32) {
        if !c.cwnd_limited {
            return;
        }
        let rest = w.slow_start_real(acked);
        if rest > 0.0 {
            let base = w.cwnd - self.probe;
            let probe = (self.probe + self.increment(self.level.c()) * rest / w.cwnd).max(0.0);
            w.cwnd = base + rest / w.cwnd + probe;
            self.probe = probe;
        }
    }

    fn ssthresh(&mut self, w: &mut Window, _c: &Connection) -> f64 {
        let kept = w.cwnd / (1.0 + self.level.c());
        self.undo = Some((self.probe, self.level.congested_s));
        self.level.on_lost();
        self.probe = 0.0;
        kept.max(2.0)
    }

    fn on_state_changed(&mut self, _w: &mut Window, _c: &Connection, to: CaState) {
        if to == CaState::Loss {
            self.probe = 0.0;
        }
    }

    fn on_event(&mut self, _w: &mut Window, _c: &Connection, e: CaEvent) {
        if e == CaEvent::WindowRestarted {
            self.probe = 0.0;
        }
    }

    fn undo(&mut self, w: &mut Window, c: &Connection) -> f64 {
        if let Some(saved) = self.undo.take() {
            (self.probe, self.level.congested_s) = saved;
        }
        w.cwnd.max(c.prior_cwnd)
    }

    fn variable_names(&self) -> &'static [&'static str] {
        &["probe_packets", "level", "increment_packets", "bandwidth_packets_s"]
    }

    fn variables(&self, out: &mut [f64]) {
        let level = self.level.c();
        out[0] = self.probe;
        out[1] = level;
        out[2] = self.increment(level);
        out[3] = self.bandwidth.smoothed.unwrap_or(f64::NAN);
    }
}
