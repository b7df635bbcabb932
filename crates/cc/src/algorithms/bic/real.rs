//! BIC with a real-valued window and the 2007 benchmark's parameters.
//!
//! Source: Li/Leith/Shorten 2007, V.D and Table II, with the misprint of its accelerating region corrected ((w - w1)/(B - 1)).
//! Units: segments; seconds.
//! State: the window of the last loss; extremes of the RTT, and its mean over the current checking period.
//! Departures: the estimator behind Low_Util was never published in full: here the queueing delay's mean over a period, relative to the
//! largest queueing delay seen on the connection. No delayed-ACK compensation, since the transport credits segments.

use crate::parameter::Values;
use crate::{CaState, CongestionControl, Connection, Needs, RttSample, RttSamples, Window};

const B: f64 = 4.0;

/// BIC in real numbers.
#[derive(Clone, Copy, Debug)]
pub struct BicReal {
    s_max: f64,
    beta: f64,
    smooth_part: f64,
    low_window: f64,
    fast_convergence: bool,
    /// The window of the last loss; 0 before the first.
    last_max: f64,
    utilisation: Utilisation,
}

#[derive(Clone, Copy, Debug)]
struct Utilisation {
    threshold: f64,
    period_s: f64,
    start_s: f64,
    sum_s: f64,
    samples: u32,
    min_s: f64,
    max_s: f64,
    low: bool,
}

impl BicReal {
    pub(crate) fn new(values: &Values) -> BicReal {
        BicReal {
            s_max: values.get("s_max"),
            beta: values.get("beta"),
            smooth_part: values.get("smooth_part"),
            low_window: values.get("low_window"),
            fast_convergence: values.on("fast_convergence"),
            last_max: 0.0,
            utilisation: Utilisation {
                threshold: values.get("low_utilisation"),
                period_s: values.get("utilisation_check"),
                start_s: 0.0,
                sum_s: 0.0,
                samples: 0,
                min_s: f64::INFINITY,
                max_s: 0.0,
                low: false,
            },
        }
    }

    /// f_alpha: segments per round trip.
    #[inline]
    fn increase(&self, w: f64) -> f64 {
        if w <= self.low_window {
            return 1.0;
        }
        let distance = (self.last_max - w) / B;
        let increase = if w < self.last_max {
            if distance > self.s_max {
                self.s_max
            } else if distance > 1.0 {
                distance
            } else {
                B / self.smooth_part
            }
        } else if w < self.last_max + B {
            B / self.smooth_part
        } else if w < self.last_max + self.s_max * (B - 1.0) {
            (w - self.last_max) / (B - 1.0)
        } else {
            self.s_max
        };
        if self.last_max == 0.0 || self.utilisation.low {
            increase.max(w / 20.0)
        } else {
            increase
        }
    }
}

impl CongestionControl for BicReal {
    fn needs(&self) -> Needs {
        Needs { rtt_samples: RttSamples::ByStack, ..Needs::default() }
    }

    #[inline]
    fn on_rtt_sampled(&mut self, _w: &mut Window, c: &Connection, s: &RttSample) {
        let u = &mut self.utilisation;
        let Some(rtt) = s.rtt.filter(|_| u.threshold > 0.0) else { return };
        let (rtt_s, now_s) = (rtt.as_secs_f64(), c.now.as_secs_f64());
        u.min_s = u.min_s.min(rtt_s);
        u.max_s = u.max_s.max(rtt_s);
        u.sum_s += rtt_s;
        u.samples += 1;
        if now_s - u.start_s >= u.period_s {
            let mean_s = u.sum_s / f64::from(u.samples);
            // Without any spread nothing is known of the queue.
            u.low = u.max_s > u.min_s && (mean_s - u.min_s) / (u.max_s - u.min_s) < u.threshold;
            u.start_s = now_s;
            u.sum_s = 0.0;
            u.samples = 0;
        }
    }

    #[inline]
    fn on_acked(&mut self, w: &mut Window, c: &Connection, acked: u32) {
        if !c.cwnd_limited {
            return;
        }
        let rest = w.slow_start_real(acked);
        if rest > 0.0 {
            w.cwnd += self.increase(w.cwnd) * rest / w.cwnd;
        }
    }

    fn ssthresh(&mut self, w: &mut Window, _c: &Connection) -> f64 {
        let aims_lower = self.fast_convergence && w.cwnd < self.last_max;
        self.last_max = if aims_lower { w.cwnd * (1.0 + self.beta) / 2.0 } else { w.cwnd };
        self.utilisation.low = false;
        let keep = if w.cwnd <= self.low_window { 0.5 } else { self.beta };
        (keep * w.cwnd).max(2.0)
    }

    fn on_state_changed(&mut self, _w: &mut Window, _c: &Connection, to: CaState) {
        if to == CaState::Loss {
            self.last_max = 0.0;
        }
    }

    fn variable_names(&self) -> &'static [&'static str] {
        &["last_max_packets"]
    }

    fn variables(&self, out: &mut [f64]) {
        out[0] = if self.last_max == 0.0 { f64::NAN } else { self.last_max };
    }
}
