//! CUBIC as RFC 9438 writes it, with a real-valued window.
//!
//! Source: RFC 9438, equation numbers in the comments.
//! Units: segments; seconds.
//! State: W_max, K, the epoch (start, its window), W_est, cwnd_prior; the whole state at the last reduction, for undo.
//! Departures: the reduction starts from cwnd, not from the flight size. The slow start is the standard one unless HyStart++ is
//! asked for. With no loss before it, an epoch has K = 0 and W_max = cwnd (section 4.10).

use crate::parameter::Values;
use crate::{CaEvent, CaState, CongestionControl, Connection, Window};

/// RFC 9438's CUBIC.
#[derive(Clone, Copy, Debug)]
pub struct CubicReal {
    beta: f64,
    c: f64,
    /// alpha_cubic = 3 (1 - beta)/(1 + beta), section 4.3.
    alpha: f64,
    fast_convergence: bool,
    friendly: bool,
    now: Epoch,
    before: Epoch,
}

#[derive(Clone, Copy, Debug, Default)]
struct Epoch {
    w_max: f64,
    k: f64,
    /// None between a reduction and the first ACK of congestion avoidance.
    start_s: Option<f64>,
    w_est: f64,
    cwnd_prior: f64,
    /// The last epoch ended in a timeout, or there was none: the next one starts on its plateau.
    fresh: bool,
}

const FRESH: Epoch = Epoch { w_max: 0.0, k: 0.0, start_s: None, w_est: 0.0, cwnd_prior: 0.0, fresh: true };

impl CubicReal {
    pub(crate) fn new(values: &Values) -> CubicReal {
        let beta = values.get("beta");
        CubicReal {
            beta,
            c: values.get("c"),
            alpha: 3.0 * (1.0 - beta) / (1.0 + beta),
            fast_convergence: values.on("fast_convergence"),
            friendly: values.on("tcp_friendliness"),
            now: FRESH,
            before: FRESH,
        }
    }

    fn start_epoch(&mut self, w: &Window, now_s: f64) -> f64 {
        let cwnd = w.cwnd;
        let e = &mut self.now;
        if e.fresh {
            e.w_max = cwnd;
            e.fresh = false;
            // Of a timeout it is the window before: ssthresh was set then (sections 4.3 and 4.6). Without any loss section 4.10.
            if e.cwnd_prior == 0.0 {
                e.cwnd_prior = cwnd;
            }
        }
        // Equation 2.
        e.k = if e.w_max > cwnd { libm::cbrt((e.w_max - cwnd) / self.c) } else { 0.0 };
        e.w_max = e.w_max.max(cwnd);
        e.w_est = cwnd;
        e.start_s = Some(now_s);
        now_s
    }

    /// Equation 1.
    #[inline]
    fn w_cubic(&self, t: f64) -> f64 {
        let x = t - self.now.k;
        self.c * x * x * x + self.now.w_max
    }
}

impl CongestionControl for CubicReal {
    #[inline]
    fn on_acked(&mut self, w: &mut Window, c: &Connection, acked: u32) {
        if !c.cwnd_limited {
            return;
        }
        let rest = w.slow_start_real(acked);
        if rest <= 0.0 {
            return;
        }
        let now_s = c.now.as_secs_f64();
        let start_s = match self.now.start_s {
            Some(start_s) => start_s,
            None => self.start_epoch(w, now_s),
        };
        let t = now_s - start_s;
        let srtt_s = f64::from(c.srtt8_us) * 0.125e-6;
        // Equation 4: from the window of the last reduction on, W_est grows as Reno does.
        let alpha = if self.now.w_est < self.now.cwnd_prior { self.alpha } else { 1.0 };
        self.now.w_est += alpha * rest / w.cwnd;
        if self.friendly && self.w_cubic(t) < self.now.w_est {
            w.cwnd = w.cwnd.max(self.now.w_est);
        } else {
            let target = self.w_cubic(t + srtt_s).clamp(w.cwnd, 1.5 * w.cwnd);
            w.cwnd += rest * (target - w.cwnd) / w.cwnd;
        }
    }

    fn ssthresh(&mut self, w: &mut Window, _c: &Connection) -> f64 {
        self.before = self.now;
        let aims_lower = self.fast_convergence && w.cwnd < self.now.w_max;
        self.now.w_max = if aims_lower { w.cwnd * (1.0 + self.beta) / 2.0 } else { w.cwnd };
        self.now.cwnd_prior = w.cwnd;
        self.now.start_s = None;
        self.now.fresh = false;
        (self.beta * w.cwnd).max(2.0)
    }

    fn on_state_changed(&mut self, _w: &mut Window, _c: &Connection, to: CaState) {
        if to == CaState::Loss {
            self.now.fresh = true;
            self.now.start_s = None;
        }
    }

    fn on_event(&mut self, _w: &mut Window, c: &Connection, e: CaEvent) {
        if e == CaEvent::TxStarted {
            let idle_s = c.idle().as_secs_f64();
            let now_s = c.now.as_secs_f64();
            self.now.start_s = self.now.start_s.map(|start_s| (start_s + idle_s).min(now_s));
        }
    }

    fn undo(&mut self, w: &mut Window, c: &Connection) -> f64 {
        if w.cwnd >= c.prior_cwnd {
            return w.cwnd;
        }
        self.now = self.before;
        c.prior_cwnd
    }

    fn variable_names(&self) -> &'static [&'static str] {
        &["w_max_packets", "k_s", "w_est_packets"]
    }

    fn variables(&self, out: &mut [f64]) {
        let known = |x: f64| if self.now.start_s.is_some() { x } else { f64::NAN };
        out[0] = if self.now.w_max > 0.0 { self.now.w_max } else { f64::NAN };
        out[1] = known(self.now.k);
        out[2] = known(self.now.w_est);
    }
}
