//! H-TCP with a real-valued window and the 2007 benchmark's parameters.
//!
//! Source: Li/Leith/Shorten 2007, V.C and Table II; draft-leith-tcp-htcp-06.
//! Units: segments; seconds.
//! State: beta, the mode switch, the RTT's extremes, the time of the last backoff, the throughput filter, what undo restores.
//! Departures: RTT scaling is relative to 100 ms and clamped to 0.1 ... 2 as in the code, not f T_min as printed; f is floored at 1
//! before the factor 2(1 - beta), as in the code; alpha is evaluated on each ACK.

use super::real_throughput::{RealThroughput, Tick};
use crate::parameter::Values;
use crate::{CaState, CongestionControl, Connection, Needs, RttSample, RttSamples, Window};

/// H-TCP in real numbers.
#[derive(Clone, Copy, Debug)]
pub struct HtcpReal {
    bandwidth_switch: bool,
    adaptive_backoff: bool,
    rtt_scaling: bool,
    delta_l: f64,
    delta_b: f64,
    t_ref: f64,
    alpha: f64,
    beta: f64,
    mode_switch: bool,
    min_s: f64,
    max_s: f64,
    /// min_s/t_ref within its limits, 1 without scaling.
    scale: f64,
    last_s: f64,
    undo: Option<(f64, f64, f64)>,
    throughput: RealThroughput,
}

impl HtcpReal {
    pub(super) fn new(values: &Values) -> HtcpReal {
        HtcpReal {
            bandwidth_switch: values.on("bandwidth_switch"),
            adaptive_backoff: values.on("adaptive_backoff"),
            rtt_scaling: values.on("rtt_scaling"),
            delta_l: values.get("delta_l"),
            delta_b: values.get("delta_b"),
            t_ref: values.get("t_ref"),
            alpha: 1.0,
            beta: 0.5,
            mode_switch: false,
            min_s: f64::INFINITY,
            max_s: 0.0,
            scale: 1.0,
            last_s: 0.0,
            undo: None,
            throughput: RealThroughput::default(),
        }
    }

    /// 2 (1 - beta) max(f(Delta) scale, 1), with f = 1 + 10 x + (x/2)^2 and x = Delta - Delta_L.
    #[inline]
    fn increase(&self, delta_s: f64) -> f64 {
        let x = delta_s - self.delta_l;
        let f = if x <= 0.0 { 1.0 } else { 1.0 + 10.0 * x + 0.25 * x * x };
        2.0 * (1.0 - self.beta) * (f * self.scale).max(1.0)
    }

    fn update_beta(&mut self) {
        let has_changed = self.throughput.has_changed(self.delta_b);
        if self.bandwidth_switch && has_changed {
            self.beta = 0.5;
            self.mode_switch = false;
        } else if self.adaptive_backoff && self.mode_switch && self.min_s > 0.01 && self.max_s > 0.0 {
            self.beta = (self.min_s / self.max_s).clamp(0.5, 0.8);
        } else {
            self.beta = 0.5;
            self.mode_switch = true;
        }
    }

    #[inline]
    fn measure_rtt(&mut self, rtt_s: f64, state: CaState) {
        if rtt_s < self.min_s {
            self.min_s = rtt_s;
            self.scale = if self.rtt_scaling { (rtt_s / self.t_ref).clamp(0.1, 2.0) } else { 1.0 };
        }
        if state == CaState::Open {
            self.max_s = self.max_s.max(self.min_s);
            if rtt_s > self.max_s && rtt_s <= self.max_s + 0.02 {
                self.max_s = rtt_s;
            }
        }
    }
}

impl CongestionControl for HtcpReal {
    fn needs(&self) -> Needs {
        Needs { rtt_samples: RttSamples::ByStack, ..Needs::default() }
    }

    fn on_established(&mut self, _w: &mut Window, c: &Connection) {
        self.last_s = c.now.as_secs_f64();
        self.throughput.pause(self.last_s);
    }

    #[inline]
    fn on_rtt_sampled(&mut self, w: &mut Window, c: &Connection, s: &RttSample) {
        if let Some(rtt) = s.rtt {
            self.measure_rtt(rtt.as_secs_f64(), c.ca_state);
        }
        let now_s = c.now.as_secs_f64();
        if matches!(c.ca_state, CaState::Open | CaState::Disorder) {
            let enough = w.cwnd - self.alpha.max(1.0);
            self.throughput.measure(s.acked, Tick { enough, now_s, backoff_s: self.last_s, min_rtt_s: self.min_s });
        } else {
            self.throughput.pause(now_s);
        }
    }

    #[inline]
    fn on_acked(&mut self, w: &mut Window, c: &Connection, acked: u32) {
        let rest = if c.cwnd_limited { w.slow_start_real(acked) } else { 0.0 };
        if rest > 0.0 {
            self.alpha = self.increase(c.now.as_secs_f64() - self.last_s);
            w.cwnd += self.alpha * rest / w.cwnd;
        }
    }

    fn ssthresh(&mut self, w: &mut Window, _c: &Connection) -> f64 {
        self.update_beta();
        if self.max_s > self.min_s {
            self.max_s = self.min_s + 0.95 * (self.max_s - self.min_s);
        }
        (self.beta * w.cwnd).max(2.0)
    }

    fn on_state_changed(&mut self, _w: &mut Window, c: &Connection, to: CaState) {
        match to {
            CaState::Open => self.undo = None,
            CaState::Cwr | CaState::Recovery | CaState::Loss => {
                self.undo = Some((self.last_s, self.max_s, self.throughput.old_best));
                self.last_s = c.now.as_secs_f64();
            }
            CaState::Disorder => {}
        }
    }

    fn undo(&mut self, w: &mut Window, c: &Connection) -> f64 {
        if let Some(saved) = self.undo.take() {
            (self.last_s, self.max_s, self.throughput.old_best) = saved;
        }
        w.cwnd.max(c.prior_cwnd)
    }

    fn variable_names(&self) -> &'static [&'static str] {
        &["alpha", "beta"]
    }

    fn variables(&self, out: &mut [f64]) {
        out[0] = self.alpha;
        out[1] = self.beta;
    }
}
