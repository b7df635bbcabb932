//! FAST TCP: moves the window, every other round trip, half of the way to where alpha segments of its own are queued.
//!
//! Source: Jin/Wei/Low, INFOCOM 2004; Hegde et al. 2004, equations 1 and 2; Li/Leith/Shorten 2007, V.E and Table II.
//! Units: segments; seconds.
//! State: one part per file: baseRTT and avgRTT, alpha, when to update. Then the round's boundary and the target being approached.
//! Departures: the queueing delay counts as zero below 0.75 ms, since no measured delay is ever exactly zero. The multiplicative
//! increase rate, not given, is 1. The window reference is cwnd, not the window when the acknowledged segment was sent. Pacing runs at
//! 1.2 cwnd/avgRTT (2 in slow start), since at exactly cwnd/avgRTT the window would stay unfilled whenever avgRTT lags. gamma 50 is
//! read as 0.5, burst control (pacing 3) as a token bucket of three segments that fills at the pacing rate.

mod alpha;
mod cadence;
mod delay;
mod protocol;

use units::ByteRate;

use self::alpha::Alpha;
use self::cadence::Cadence;
use self::delay::Delay;
pub use self::protocol::{build, PROTOCOL};
pub(super) use self::protocol::{FIXED, PAPER};
use crate::parameter::Values;
use crate::slow_start::Kind;
use crate::{CaState, CongestionControl, Connection, Control, Needs, RttSample, RttSamples, Window};

/// FAST TCP.
#[derive(Clone, Copy, Debug)]
pub struct Fast {
    gamma: f64,
    mi_threshold_s: f64,
    cadence: Cadence,
    /// Longest burst; 0 for no limit.
    pacing: u32,
    alpha: Alpha,
    delay: Delay,
    round_end: u64,
    target: f64,
    /// Growth per acknowledged segment that reaches the target within a round trip.
    slope: f64,
}

impl Fast {
    fn new(values: &Values) -> Fast {
        Fast {
            gamma: values.get("gamma"),
            mi_threshold_s: values.get("mi_threshold"),
            cadence: Cadence::new(values.get("period") as u32),
            pacing: values.get("pacing") as u32,
            alpha: if values.variant() == PAPER { Alpha::tuned() } else { Alpha::fixed(values.get("alpha")) },
            delay: Delay::round_trip(),
            round_end: 0,
            target: 0.0,
            slope: 0.0,
        }
    }

    /// FAST on forward queueing alone.
    pub(super) fn forward_only(values: &Values) -> Fast {
        Fast { delay: Delay::forward_only(), ..Fast::new(values) }
    }

    /// The window after an update (2004, equation 1).
    fn step(&self, w: f64) -> f64 {
        let alpha = if self.delay.queueing_s() < self.mi_threshold_s { w } else { self.alpha.segments };
        let w_new = (1.0 - self.gamma) * w + self.gamma * (self.delay.base_s / self.delay.avg_s * w + alpha);
        w_new.min(2.0 * w).max(2.0)
    }

    /// Once per round trip.
    fn close_round(&mut self, w: &mut Window, c: &Connection) {
        self.round_end = c.nxt;
        if !self.delay.is_known() {
            return;
        }
        self.alpha.tune(w.cwnd * f64::from(c.mss) / self.delay.avg_s / 1_000.0);
        if !self.cadence.on_round(w.in_slow_start(), c.now.as_secs_f64()) {
            return;
        }
        self.target = self.step(w.cwnd);
        self.slope = (self.target - w.cwnd) / w.cwnd;
        if self.target < w.cwnd {
            w.cwnd = self.target;
            // A window below the threshold would count as slow start, and the next ACK would undo the step.
            w.ssthresh = w.ssthresh.min(w.cwnd);
        }
    }
}

impl CongestionControl for Fast {
    fn slow_start(&self) -> Option<Kind> {
        None
    }

    fn needs(&self) -> Needs {
        let control = self.pacing.checked_sub(1).map_or(Control::Window, |ahead| Control::PacedWindow { ahead });
        Needs { control, rtt_samples: RttSamples::Exact, ..Needs::default() }
    }

    #[inline]
    fn on_rtt_sampled(&mut self, w: &mut Window, _c: &Connection, s: &RttSample) {
        let Some(rtt) = s.rtt else { return };
        let rtt_s = rtt.as_secs_f64().max(1e-9);
        self.delay.on_sampled(w, rtt_s, s);
        // The own backlog has reached its aim: slow start is over.
        if w.in_slow_start() && w.cwnd * self.delay.queueing_s() > self.alpha.segments * self.delay.avg_s {
            w.ssthresh = w.cwnd.max(2.0);
            self.target = w.cwnd;
        }
    }

    #[inline]
    fn on_acked(&mut self, w: &mut Window, c: &Connection, acked: u32) {
        if c.una > self.round_end && c.ca_state != CaState::Loss {
            self.close_round(w, c);
        }
        if !c.cwnd_limited {
            return;
        }
        if w.in_slow_start() {
            w.slow_start(acked);
        } else if w.cwnd < self.target {
            w.cwnd = (w.cwnd + self.slope * f64::from(acked)).min(self.target);
        }
    }

    fn ssthresh(&mut self, w: &mut Window, _c: &Connection) -> f64 {
        (0.5 * w.cwnd).max(2.0)
    }

    fn on_state_changed(&mut self, _w: &mut Window, c: &Connection, to: CaState) {
        let reducing = |state: CaState| matches!(state, CaState::Cwr | CaState::Recovery | CaState::Loss);
        if !reducing(to) && !reducing(c.ca_state) {
            return;
        }
        // The law is frozen from loss to recovery's end and resumes with a whole round.
        self.target = 0.0;
        self.cadence.restart();
        self.round_end = c.nxt;
    }

    fn pacing_rate(&self, w: &Window, c: &Connection) -> Option<ByteRate> {
        let is_paced = self.pacing > 0 && self.delay.is_known();
        let gain = if w.in_slow_start() { 2.0 } else { 1.2 };
        // Signed first: the conversion is then shorter, and the rate far below its end.
        is_paced.then(|| ByteRate((gain * w.cwnd * f64::from(c.mss) / self.delay.avg_s) as i64 as u64))
    }

    fn variable_names(&self) -> &'static [&'static str] {
        &["alpha_packets", "base_rtt_s", "avg_rtt_s"]
    }

    fn variables(&self, out: &mut [f64]) {
        let known = |x: f64| if self.delay.is_known() { x } else { f64::NAN };
        out[0] = self.alpha.segments;
        out[1] = known(self.delay.base_s);
        out[2] = known(self.delay.avg_s);
    }
}
