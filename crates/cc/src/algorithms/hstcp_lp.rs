//! HSTCP-LP: HighSpeed TCP that yields as soon as the one-way delay shows a queue.
//!
//! Source: Kuzmanovic/Knightly/Cottrell, PFLDnet 2004, and its parts: TCP-LP, INFOCOM 2003; RFC 3649. Bullot et al. 2003, 2.6.
//! Units: segments; seconds.
//! State: that of HighSpeed TCP; the smoothed one-way delay and its extremes, when the inference phase began and ends.
//! Departures: a further indication counts from two RTTs after the last reaction on: only then is the smoothed delay that of segments
//! sent after it, and a flow's own queue would stop it.
//! Indications count in congestion avoidance and outside of recovery; the first slow start only measures. The threshold follows the window
//! down, so that a cut does not become slow start. The delay is exact: no clock ticks, the clocks' offset cancels.

use units::Time;

use super::hstcp::HstcpReal;
use super::{borrows, runs, switch};
use crate::parameter::{Parameter, Protocol, Values, Variant};
use crate::{Algorithm, CaState, CongestionControl, Connection, RttSample, Window};

const PAPER: &str = "paper";

/// The registry's description.
pub const PROTOCOL: Protocol = Protocol {
    name: "hstcp-lp",
    aliases: &[],
    family: "low priority",
    year: 2003,
    source: "Kuzmanovic/Knightly/Cottrell 2004; Bullot et al. 2003",
    summary: "HighSpeed TCP that halves, then stops, on early signs of a queue.",
    signals: &["loss", "ecn", "owd"],
    variants: &[Variant {
        name: PAPER,
        aliases: &["linux-2.4"],
        summary: "RFC 3649's increase and decrease, TCP-LP's early indications.",
        exact_kernel: false,
    }],
    parameters: &[
        Parameter {
            name: "delta",
            unit: "1",
            min: 0.01,
            max: 0.99,
            defaults: &[(PAPER, 0.15)],
            doc: "Part of the delay's range above which a queue is taken for congestion.",
        },
        Parameter {
            name: "inference",
            unit: "RTTs",
            min: 1.0,
            max: 20.0,
            defaults: &[(PAPER, 3.0)],
            doc: "Round trips without growth after an early indication.",
        },
        switch("cut_by_b", &[(PAPER, 0.0)], "On an early indication keep 1 - b(w), not half."),
    ],
    constants: &[],
    profiles: &[
        borrows("linux-6.1", PAPER),
        borrows("linux-2.6.23", PAPER),
        borrows("altaimd-2.6.6", PAPER),
        runs("linux-2.4", PAPER),
        borrows("rfc", PAPER),
    ],
    build: |values| Algorithm::HstcpLp(HstcpLp::new(values)),
};

/// HSTCP-LP.
#[derive(Clone, Copy, Debug)]
pub struct HstcpLp {
    highspeed: HstcpReal,
    delta: f64,
    inference: f64,
    cut_by_b: bool,
    /// Smoothed forward delay; none before the first sample.
    sowd_s: Option<f64>,
    min_s: f64,
    max_s: f64,
    /// In the inference phase from the first to the second.
    reacted: Time,
    infers_until: Time,
}

impl HstcpLp {
    fn new(values: &Values) -> HstcpLp {
        HstcpLp {
            highspeed: HstcpReal::rfc3649(),
            delta: values.get("delta"),
            inference: values.get("inference"),
            cut_by_b: values.on("cut_by_b"),
            sowd_s: None,
            min_s: f64::INFINITY,
            max_s: 0.0,
            reacted: Time::ZERO,
            infers_until: Time::ZERO,
        }
    }

    fn measure(&mut self, owd_s: f64) {
        self.sowd_s = Some(self.sowd_s.map_or(owd_s, |old| old + (owd_s - old) / 8.0));
        self.min_s = self.min_s.min(owd_s);
        self.max_s = self.max_s.max(owd_s);
    }

    fn threshold_s(&self) -> f64 {
        self.min_s + self.delta * (self.max_s - self.min_s)
    }

    /// Half the window on a first indication, one segment on another in the same inference phase.
    fn react(&mut self, w: &mut Window, c: &Connection, rtt: Time) {
        w.cwnd = if c.now < self.infers_until {
            1.0
        } else if self.cut_by_b {
            self.highspeed.ssthresh(w, c)
        } else {
            (0.5 * w.cwnd).max(1.0)
        };
        w.ssthresh = w.ssthresh.min(w.cwnd).max(2.0);
        self.reacted = c.now;
        self.infers_until = c.now + Time::from_secs_f64(self.inference * rtt.as_secs_f64());
    }
}

impl CongestionControl for HstcpLp {
    #[inline]
    fn on_rtt_sampled(&mut self, w: &mut Window, c: &Connection, s: &RttSample) {
        let Some(forward) = s.forward else { return };
        self.measure(forward.as_secs_f64());
        let early = self.sowd_s.is_some_and(|sowd_s| sowd_s > self.threshold_s());
        let may_react = !w.in_slow_start() && matches!(c.ca_state, CaState::Open | CaState::Disorder);
        if let (true, true, Some(rtt)) = (early, may_react, s.rtt) {
            if c.now >= self.infers_until || c.now >= self.reacted + rtt + rtt {
                self.react(w, c, rtt);
            }
        }
    }

    #[inline]
    fn on_acked(&mut self, w: &mut Window, c: &Connection, acked: u32) {
        if c.now >= self.infers_until {
            self.highspeed.on_acked(w, c, acked);
        }
    }

    fn ssthresh(&mut self, w: &mut Window, c: &Connection) -> f64 {
        self.highspeed.ssthresh(w, c)
    }

    fn variable_names(&self) -> &'static [&'static str] {
        &["sowd_s", "owd_min_s", "owd_max_s"]
    }

    fn variables(&self, out: &mut [f64]) {
        let known = |x: f64| if self.sowd_s.is_some() { x } else { f64::NAN };
        out[0] = self.sowd_s.unwrap_or(f64::NAN);
        out[1] = known(self.min_s);
        out[2] = known(self.max_s);
    }
}
