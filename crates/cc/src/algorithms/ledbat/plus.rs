//! LEDBAT++: LEDBAT on the round-trip delay, gentler up, multiplicative down, with slowdowns in which the queue empties.
//!
//! Source: draft-irtf-iccrg-ledbat-plus-plus-06.
//! Units: segments; seconds.
//! State: the delay filters, the phase of the slowdowns (`slowdowns.rs`).
//! Departures: a loss while slowed down halves the window to return to. A window that falls takes the threshold along, so that it does
//! not become slow start.

use super::delay::Delays;
use super::slowdowns::Slowdowns;
use super::{start, EXIT_SHARE, WINDOW_MIN};
use crate::parameter::Values;
use crate::slow_start::Kind;
use crate::{CongestionControl, Connection, Needs, RttSample, RttSamples, Window};

/// The increase is at least this part of a segment per RTT.
const GAIN_DIVISOR_MAX: f64 = 16.0;

/// LEDBAT++.
#[derive(Clone, Copy, Debug)]
pub struct LedbatPlus {
    target_s: f64,
    c: f64,
    slow_start: bool,
    slowdowns: Slowdowns,
    delays: Delays,
}

impl LedbatPlus {
    pub(super) fn new(values: &Values) -> LedbatPlus {
        LedbatPlus {
            target_s: values.get("target"),
            c: values.get("c"),
            slow_start: values.on("slow_start"),
            slowdowns: Slowdowns::new(values.on("slowdowns")),
            delays: Delays::default(),
        }
    }

    /// GAIN = 1/min(16, ceil(2 TARGET/base)).
    fn gain(&self) -> f64 {
        1.0 / libm::ceil(2.0 * self.target_s / self.delays.base_s()).clamp(1.0, GAIN_DIVISOR_MAX)
    }

    /// Segments per RTT at this queueing delay.
    fn increase(&self, w: &Window, queueing_s: f64) -> f64 {
        if queueing_s <= self.target_s {
            self.gain()
        } else {
            (self.gain() - self.c * w.cwnd * (queueing_s / self.target_s - 1.0)).max(-0.5 * w.cwnd)
        }
    }
}

impl CongestionControl for LedbatPlus {
    fn needs(&self) -> Needs {
        Needs { rtt_samples: RttSamples::Exact, ..Needs::default() }
    }

    fn slow_start(&self) -> Option<Kind> {
        None
    }

    fn on_established(&mut self, w: &mut Window, _c: &Connection) {
        start(w, self.slow_start);
    }

    #[inline]
    fn on_rtt_sampled(&mut self, _w: &mut Window, c: &Connection, s: &RttSample) {
        if let Some(rtt) = s.rtt {
            self.delays.on_sampled(rtt.as_secs_f64().max(1e-9), c.now);
        }
    }

    #[inline]
    fn on_acked(&mut self, w: &mut Window, c: &Connection, acked: u32) {
        let Some(queueing_s) = self.delays.queueing_s() else { return };
        let is_first = self.slowdowns.is_starting();
        if is_first && w.in_slow_start() && queueing_s > EXIT_SHARE * self.target_s {
            w.ssthresh = w.cwnd.max(WINDOW_MIN);
        }
        if self.slowdowns.turn(w, c) {
            return;
        }
        if w.in_slow_start() {
            if c.cwnd_limited {
                w.cwnd = (w.cwnd + self.gain() * f64::from(acked)).min(w.ssthresh);
            }
            return;
        }
        let step = self.increase(w, queueing_s) * f64::from(acked) / w.cwnd;
        if step < 0.0 || c.cwnd_limited {
            w.cwnd = (w.cwnd + step).max(WINDOW_MIN);
            w.ssthresh = w.ssthresh.min(w.cwnd);
        }
    }

    fn ssthresh(&mut self, w: &mut Window, _c: &Connection) -> f64 {
        let from = self.slowdowns.began_from().map_or(w.cwnd, |from| from.min(w.ssthresh));
        (0.5 * from).max(WINDOW_MIN)
    }

    fn variable_names(&self) -> &'static [&'static str] {
        Delays::VARIABLES
    }

    fn variables(&self, out: &mut [f64]) {
        self.delays.variables(out);
    }
}
