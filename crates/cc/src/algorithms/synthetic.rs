//! The law of `convex` and `concave-convex`: the window is a cubic of the time since the last back-off, w0 + c (T - T0)^3.
//!
//! Source: Leith/Shorten, "Next Generation TCP: Open Questions", 2008, II.B.
//! Units: segments; T in the parameter `unit`, seconds.
//! State: the cubic's origin and the time of the back-off, and what undo restores.
//! Departures: w is the window before the back-off, the only reading with the paper's own steady state. Before the first back-off both
//! functions grow from where slow start ended, with T0 = 0. The window follows the function as CUBIC's does: each ACK goes its part of
//! the way to the value one smoothed RTT later, at most half a window, and never down.

use units::Time;

use crate::parameter::{Parameter, Values};
use crate::{CaEvent, CongestionControl, Connection, Window};

/// The one variant of both.
pub(crate) const PAPER: &str = "paper";

/// Parameters of both.
pub(crate) const PARAMETERS: &[Parameter] = &[
    Parameter { name: "c", unit: "segments per unit^3", min: 1e-6, max: 1e6, defaults: &[(PAPER, 0.5)], doc: "Factor of the cubic." },
    Parameter { name: "beta", unit: "1", min: 0.01, max: 0.99, defaults: &[(PAPER, 0.5)], doc: "Fraction of the window kept on loss." },
    Parameter { name: "unit", unit: "s", min: 1e-3, max: 1e3, defaults: &[(PAPER, 1.0)], doc: "Time is counted in this." },
];

/// One epoch's function: origin + c (T - shift)^3.
#[derive(Clone, Copy, Debug)]
struct Epoch {
    origin: f64,
    /// T0, in units.
    shift: f64,
    start: Time,
}

/// A window that follows a function of time.
#[derive(Clone, Copy, Debug)]
pub struct Synthetic {
    is_concave: bool,
    c: f64,
    beta: f64,
    unit_s: f64,
    epoch: Option<Epoch>,
    undo: Option<Epoch>,
}

impl Synthetic {
    pub(crate) fn new(values: &Values, is_concave: bool) -> Synthetic {
        let (c, beta, unit_s) = (values.get("c"), values.get("beta"), values.get("unit"));
        Synthetic { is_concave, c, beta, unit_s, epoch: None, undo: None }
    }

    /// T_w, units after which the window before the back-off is reached again.
    fn t_w(&self, w: f64) -> f64 {
        libm::cbrt((1.0 - self.beta) * w / self.c)
    }

    #[inline]
    fn at(&self, epoch: &Epoch, since_s: f64) -> f64 {
        let x = since_s / self.unit_s - epoch.shift;
        epoch.origin + self.c * x * x * x
    }
}

impl CongestionControl for Synthetic {
    #[inline]
    fn on_acked(&mut self, w: &mut Window, c: &Connection, acked: u32) {
        if !c.cwnd_limited {
            return;
        }
        let rest = w.slow_start_real(acked);
        if rest > 0.0 {
            let epoch = *self.epoch.get_or_insert(Epoch { origin: w.cwnd, shift: 0.0, start: c.now });
            let since_s = c.now.since(epoch.start).as_secs_f64() + f64::from(c.srtt8_us) * 0.125e-6;
            let target = self.at(&epoch, since_s).clamp(w.cwnd, 1.5 * w.cwnd);
            w.cwnd = (w.cwnd + rest * (target - w.cwnd) / w.cwnd).min(target);
        }
    }

    fn ssthresh(&mut self, w: &mut Window, c: &Connection) -> f64 {
        self.undo = self.epoch;
        let (origin, shift) = if self.is_concave { (w.cwnd, self.t_w(w.cwnd)) } else { (self.beta * w.cwnd, 0.0) };
        self.epoch = Some(Epoch { origin, shift, start: c.now });
        (self.beta * w.cwnd).max(2.0)
    }

    fn on_event(&mut self, _w: &mut Window, c: &Connection, e: CaEvent) {
        // An idle time is no part of the epoch.
        if let (CaEvent::TxStarted, Some(epoch)) = (e, &mut self.epoch) {
            epoch.start = (epoch.start + c.idle()).min(c.now);
        }
    }

    fn undo(&mut self, w: &mut Window, c: &Connection) -> f64 {
        self.epoch = self.undo.take();
        w.cwnd.max(c.prior_cwnd)
    }

    fn variable_names(&self) -> &'static [&'static str] {
        &["origin_packets", "t_0"]
    }

    fn variables(&self, out: &mut [f64]) {
        out[0] = self.epoch.map_or(f64::NAN, |epoch| epoch.origin);
        out[1] = self.epoch.map_or(f64::NAN, |epoch| epoch.shift);
    }
}

#[cfg(test)]
mod tests {
    use units::Duration;

    use super::*;

    /// An epoch that began at 10 s, and a segment that leaves into an empty pipe at 12 s, `silent` after the one before; the RTT is 40 ms.
    fn begun_after(silent: Duration) -> Time {
        let begun = Epoch { origin: 4.0, shift: 0.0, start: Time::from_ms(10_000) };
        let mut law = Synthetic { is_concave: false, c: 0.5, beta: 0.5, unit_s: 0.1, epoch: Some(begun), undo: None };
        let now = Time::from_ms(12_000);
        let c = Connection { now, last_sent: now.saturating_sub(silent), srtt8_us: 8 * 40_000, ..Connection::new(1448) };
        law.on_event(&mut Window { cwnd: 2.0, ssthresh: 2.0, cnt: 0 }, &c, CaEvent::TxStarted);
        law.epoch.expect("it goes on").start
    }

    /// With a window of two segments each ACK of both finds the pipe empty: time goes on. An idle time is left out but for its first round trip.
    #[test]
    fn idle_time_is_left_out_and_a_round_trip_is_not_idle() {
        assert_eq!(begun_after(Duration::from_ms(40)), Time::from_ms(10_000));
        assert_eq!(begun_after(Duration::from_ms(1040)), Time::from_ms(11_000));
    }
}
