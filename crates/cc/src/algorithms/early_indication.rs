//! TCP-LP's early congestion indication: other flows' packets show in the forward delay before any is lost.
//!
//! Source: Kuzmanovic/Knightly, INFOCOM 2003. Seconds. The delay is exact: no clock ticks, and the clocks' offset cancels.
//! Departures: a further indication counts from two RTTs after the last reaction on: only then is the smoothed delay that of segments
//! sent after it, and a flow's own queue would stop it. Indications count in congestion avoidance and outside of recovery; the first
//! slow start only measures.

use units::{Duration, Time};

use crate::parameter::{Parameter, Values};
use crate::{CaState, Connection, RttSample, Window};

/// Part of the delay's range above which a queue is taken for congestion.
pub(super) const fn delta(defaults: &'static [(&'static str, f64)]) -> Parameter {
    Parameter {
        name: "delta",
        unit: "1",
        min: 0.01,
        max: 0.99,
        defaults,
        doc: "Part of the delay's range above which a queue is taken for congestion.",
    }
}

/// How long the effect of a reaction is awaited.
pub(super) const fn inference(defaults: &'static [(&'static str, f64)]) -> Parameter {
    Parameter {
        name: "inference",
        unit: "RTTs",
        min: 1.0,
        max: 20.0,
        defaults,
        doc: "Round trips without growth after an early indication.",
    }
}

/// What an indication asks for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Indication {
    /// The first one.
    First,
    /// Another in the inference phase of the one before.
    Again,
}

/// The smoothed forward delay, its extremes, and the inference phase.
#[derive(Clone, Copy, Debug)]
pub(super) struct EarlyIndication {
    delta: f64,
    inference: f64,
    /// None before the first sample.
    smoothed_s: Option<f64>,
    min_s: f64,
    max_s: f64,
    /// In the inference phase from the first to the second.
    reacted: Time,
    infers_until: Time,
}

impl EarlyIndication {
    pub(super) fn new(values: &Values) -> EarlyIndication {
        EarlyIndication {
            delta: values.get("delta"),
            inference: values.get("inference"),
            smoothed_s: None,
            min_s: f64::INFINITY,
            max_s: 0.0,
            reacted: Time::ZERO,
            infers_until: Time::ZERO,
        }
    }

    /// In the inference phase the window does not grow.
    #[inline]
    pub(super) fn infers(&self, now: Time) -> bool {
        now < self.infers_until
    }

    fn measure(&mut self, delay_s: f64) {
        self.smoothed_s = Some(self.smoothed_s.map_or(delay_s, |old| old + (delay_s - old) / 8.0));
        self.min_s = self.min_s.min(delay_s);
        self.max_s = self.max_s.max(delay_s);
    }

    fn threshold_s(&self) -> f64 {
        self.min_s + self.delta * (self.max_s - self.min_s)
    }

    /// Takes an ACK's forward delay. The caller answers an indication by cutting the window.
    #[inline]
    pub(super) fn on_rtt_sampled(&mut self, w: &Window, c: &Connection, s: &RttSample) -> Option<Indication> {
        self.measure(s.forward?.as_secs_f64());
        let rtt = s.rtt?;
        let early = self.smoothed_s.is_some_and(|smoothed_s| smoothed_s > self.threshold_s());
        let may_react = !w.in_slow_start() && matches!(c.ca_state, CaState::Open | CaState::Disorder);
        let infers = self.infers(c.now);
        if !early || !may_react || (infers && c.now < self.reacted + rtt + rtt) {
            return None;
        }
        self.reacted = c.now;
        self.infers_until = c.now + Duration::from_secs_f64(self.inference * rtt.as_secs_f64());
        Some(if infers { Indication::Again } else { Indication::First })
    }

    pub(super) const VARIABLES: &'static [&'static str] = &["sowd_s", "owd_min_s", "owd_max_s"];

    pub(super) fn variables(&self, out: &mut [f64]) {
        let known = |x: f64| if self.smoothed_s.is_some() { x } else { f64::NAN };
        out[0] = self.smoothed_s.unwrap_or(f64::NAN);
        out[1] = known(self.min_s);
        out[2] = known(self.max_s);
    }
}
