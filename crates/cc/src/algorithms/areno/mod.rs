//! Adaptive Reno: beside Reno's window a probe window whose growth, or shrinking, follows how congested the path is.
//!
//! Source: Shimonishi/Hama/Murase, GLOBECOM 2005 and PFLDnet 2006, not re-read: known from ports that agree on the formulas.
//! Units: segments; seconds; bandwidth in segments/s.
//! State: the probe window (the base window is cwnd less it), the RTT's minimum, its smoothed value at losses and its latest value,
//! the bandwidth filter, what undo restores.
//! Departures: before the first loss the congestion level is (RTT - min)/min; a loss is judged by the level known before it. The
//! bandwidth is Westwood+'s filter, 0.9 and 0.1. A negative sum of probe growth stops at zero.

use units::Time;

use super::{borrows, switch};
use crate::parameter::{Parameter, Protocol, Values, Variant};
use crate::{Algorithm, CaEvent, CaState, CongestionControl, Connection, RttSample, Window};

const PAPER: &str = "paper";

/// The registry's description.
pub const PROTOCOL: Protocol = Protocol {
    name: "areno",
    aliases: &["adaptive-reno", "tcp-ar"],
    family: "loss- and delay-based",
    year: 2005,
    source: "Shimonishi/Hama/Murase 2005 and 2006",
    summary: "Reno plus a probe window that grows with the bandwidth while the path is idle, and backs off by 1/(1 + c).",
    signals: &["loss", "ecn", "rtt", "rate"],
    variants: &[Variant { name: PAPER, aliases: &[], summary: "As the ports have it.", exact_kernel: false }],
    parameters: &[
        Parameter {
            name: "alpha",
            unit: "1",
            min: 1.0,
            max: 100.0,
            defaults: &[(PAPER, 10.0)],
            doc: "How fast the probe's growth falls with congestion.",
        },
        Parameter {
            name: "m",
            unit: "segments/s per segment",
            min: 1.0,
            max: 1e6,
            defaults: &[(PAPER, 1e3)],
            doc: "Bandwidth for which the probe may grow by one segment per RTT.",
        },
        Parameter {
            name: "a",
            unit: "1",
            min: 0.0,
            max: 0.999,
            defaults: &[(PAPER, 0.85)],
            doc: "Weight of the past in the RTT at losses.",
        },
        switch("total", &[(PAPER, 0.0)], "The printed increase is that of both windows together: the probe's is one less."),
    ],
    constants: &[],
    profiles: &[
        borrows("linux-6.1", PAPER),
        borrows("linux-2.6.23", PAPER),
        borrows("altaimd-2.6.6", PAPER),
        borrows("linux-2.4", PAPER),
        borrows("rfc", PAPER),
    ],
    build: |values| Algorithm::Areno(Box::new(Areno::new(values))),
};

/// A bandwidth sample is of one RTT, at least this long.
const SAMPLE_MIN_S: f64 = 0.05;

/// Adaptive Reno.
#[derive(Clone, Copy, Debug)]
pub struct Areno {
    alpha: f64,
    m: f64,
    a: f64,
    total: bool,
    probe: f64,
    min_s: f64,
    /// 0 before the first sample.
    rtt_s: f64,
    /// RTT at losses, smoothed; none before the first.
    congested_s: Option<f64>,
    /// Smoothed; none before the first sample.
    bandwidth: Option<f64>,
    acked: f64,
    since: Time,
    undo: Option<(f64, Option<f64>)>,
}

impl Areno {
    fn new(values: &Values) -> Areno {
        Areno {
            alpha: values.get("alpha"),
            m: values.get("m"),
            a: values.get("a"),
            total: values.on("total"),
            probe: 0.0,
            min_s: f64::INFINITY,
            rtt_s: 0.0,
            congested_s: None,
            bandwidth: None,
            acked: 0.0,
            since: Time::ZERO,
            undo: None,
        }
    }

    /// c: where the RTT stands between its minimum and what it is at losses, 0 to 1.
    fn level(&self) -> f64 {
        if self.rtt_s == 0.0 {
            return 0.0;
        }
        let range = self.congested_s.map_or(self.min_s, |congested_s| congested_s - self.min_s);
        if range > 0.0 {
            ((self.rtt_s - self.min_s) / range).min(1.0)
        } else {
            1.0
        }
    }

    /// Winc(c) = Wm e^(-alpha c) + beta c + gamma: Wm + 1 nearly, when idle, 1 at c = 1, and 1 on average over c.
    fn increment(&self, c: f64) -> f64 {
        let w_m = self.bandwidth.unwrap_or(0.0) / self.m;
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

    fn measure_bandwidth(&mut self, acked: u32, now: Time) {
        self.acked += f64::from(acked);
        let span_s = now.since(self.since).as_secs_f64();
        if span_s > self.rtt_s.max(SAMPLE_MIN_S) {
            let sample = self.acked / span_s;
            self.bandwidth = Some(self.bandwidth.map_or(sample, |old| 0.9 * old + 0.1 * sample));
            self.acked = 0.0;
            self.since = now;
        }
    }
}

impl CongestionControl for Areno {
    fn on_established(&mut self, _w: &mut Window, c: &Connection) {
        self.since = c.now;
    }

    #[inline]
    fn on_rtt_sampled(&mut self, _w: &mut Window, c: &Connection, s: &RttSample) {
        if let Some(rtt) = s.rtt {
            self.rtt_s = rtt.as_secs_f64().max(1e-9);
            self.min_s = self.min_s.min(self.rtt_s);
        }
        self.measure_bandwidth(s.acked, c.now);
    }

    #[inline]
    fn on_acked(&mut self, w: &mut Window, c: &Connection, acked: u32) {
        if !c.cwnd_limited {
            return;
        }
        let rest = w.slow_start_real(acked);
        if rest > 0.0 {
            let base = w.cwnd - self.probe;
            let probe = (self.probe + self.increment(self.level()) * rest / w.cwnd).max(0.0);
            w.cwnd = base + rest / w.cwnd + probe;
            self.probe = probe;
        }
    }

    fn ssthresh(&mut self, w: &mut Window, _c: &Connection) -> f64 {
        let kept = w.cwnd / (1.0 + self.level());
        self.undo = Some((self.probe, self.congested_s));
        if self.rtt_s > 0.0 {
            self.congested_s = Some(self.congested_s.map_or(self.rtt_s, |old| self.a * old + (1.0 - self.a) * self.rtt_s));
        }
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
            (self.probe, self.congested_s) = saved;
        }
        w.cwnd.max(c.prior_cwnd)
    }

    fn variable_names(&self) -> &'static [&'static str] {
        &["probe_packets", "level", "increment_packets", "bandwidth_packets_s"]
    }

    fn variables(&self, out: &mut [f64]) {
        let level = self.level();
        out[0] = self.probe;
        out[1] = level;
        out[2] = self.increment(level);
        out[3] = self.bandwidth.unwrap_or(f64::NAN);
    }
}
