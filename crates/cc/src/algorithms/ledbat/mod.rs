//! LEDBAT: a background flow that keeps a target delay in the queue, whatever else is there.
//!
//! Source: RFC 6817; for `plus-plus` see `plus.rs`.
//! Units: segments; seconds.
//! State: the delay filters, the pipe before the ACK being handled.
//! Departures: of the segments that one ACK answers the first gives the delay. Slow start, when switched on, ends at three quarters of
//! the target, as in LEDBAT++. A window that falls takes the threshold along, so that it does not become slow start.

mod delay;
mod plus;
mod protocol;
mod slowdowns;

use self::delay::Delays;
pub use self::plus::LedbatPlus;
pub use self::protocol::{build, PROTOCOL};
use crate::parameter::Values;
use crate::slow_start::Kind;
use crate::{CongestionControl, Connection, Needs, RttSample, RttSamples, Window};

/// The initial and the smallest window.
const WINDOW_MIN: f64 = 2.0;
/// Slow start ends at this part of the target.
const EXIT_SHARE: f64 = 0.75;
/// The window exceeds what was in flight by no more.
const ALLOWED_INCREASE: f64 = 1.0;

/// A connection begins with the smallest window, and without slow start unless that is asked for.
fn start(w: &mut Window, slow_start: bool) {
    w.cwnd = w.cwnd.min(WINDOW_MIN);
    if !slow_start {
        w.ssthresh = WINDOW_MIN;
    }
}

/// LEDBAT.
#[derive(Clone, Copy, Debug)]
pub struct Ledbat {
    target_s: f64,
    gain: f64,
    slow_start: bool,
    delays: Delays,
    flight: f64,
}

impl Ledbat {
    fn new(values: &Values) -> Ledbat {
        Ledbat {
            target_s: values.get("target"),
            gain: values.get("gain"),
            slow_start: values.on("slow_start"),
            delays: Delays::default(),
            flight: 0.0,
        }
    }
}

impl CongestionControl for Ledbat {
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
        self.flight = f64::from(s.in_flight);
        if let Some(forward) = s.forward {
            self.delays.on_sampled(forward.as_secs_f64(), c.now);
        }
    }

    #[inline]
    fn on_acked(&mut self, w: &mut Window, c: &Connection, acked: u32) {
        let Some(queueing_s) = self.delays.queueing_s() else { return };
        if w.in_slow_start() && queueing_s > EXIT_SHARE * self.target_s {
            w.ssthresh = w.cwnd.max(WINDOW_MIN);
        }
        if w.in_slow_start() {
            if c.cwnd_limited {
                w.slow_start_real(acked);
            }
            return;
        }
        let off_target = (self.target_s - queueing_s) / self.target_s;
        let step = self.gain * off_target * f64::from(acked) / w.cwnd;
        if step < 0.0 || c.cwnd_limited {
            w.cwnd = (w.cwnd + step).min(self.flight + ALLOWED_INCREASE).max(WINDOW_MIN);
            w.ssthresh = w.ssthresh.min(w.cwnd);
        }
    }

    fn ssthresh(&mut self, w: &mut Window, _c: &Connection) -> f64 {
        (0.5 * w.cwnd).max(WINDOW_MIN)
    }

    fn variable_names(&self) -> &'static [&'static str] {
        Delays::VARIABLES
    }

    fn variables(&self, out: &mut [f64]) {
        self.delays.variables(out);
    }
}
