//! FAST TCP: moves the window, every other round trip, half of the way to where alpha segments of its own are queued.
//!
//! Source: Jin/Wei/Low, INFOCOM 2004; Hegde et al. 2004, equations 1 and 2; Li/Leith/Shorten 2007, V.E and Table II.
//! Units: segments; seconds; the levels' thresholds in kB/s.
//! State: baseRTT, avgRTT, the level of alpha, the round's boundary, the target being approached.
//! Departures: the queueing delay counts as zero below 0.75 ms, since no measured delay is ever exactly zero. The multiplicative
//! increase rate, not given, is 1. The window reference is cwnd, not the window when the acknowledged segment was sent. Pacing runs at
//! 1.2 cwnd/avgRTT (2 in slow start), since at exactly cwnd/avgRTT the window would stay unfilled whenever avgRTT lags. gamma 50 is
//! read as 0.5, burst control (pacing 3) as a token bucket of three segments that fills at the pacing rate, and the levels of alpha have the hysteresis that Table II seems to mean.

use super::{borrows, runs};
use crate::parameter::{Constant, Parameter, Protocol, Values, Variant};
use crate::slow_start::Kind;
use crate::{Algorithm, CaState, CongestionControl, Connection, Needs, RttSample, Window};

pub(super) const PAPER: &str = "paper";
pub(super) const FIXED: &str = "fixed-alpha";

/// The registry's description.
pub const PROTOCOL: Protocol = Protocol {
    name: "fast",
    aliases: &[],
    family: "delay-based",
    year: 2004,
    source: "Jin/Wei/Low 2004; Hegde et al. 2004; Li/Leith/Shorten 2007 Table II",
    summary: "Keeps alpha segments of its own in the queue.",
    signals: &["rtt", "loss", "ecn"],
    variants: &[
        Variant {
            name: PAPER,
            aliases: &["altaimd-2.6.6"],
            summary: "alpha 8, 20 or 200 by the achieved rate (2007 benchmark).",
            exact_kernel: false,
        },
        Variant { name: FIXED, aliases: &["linux-2.4"], summary: "alpha given (100 or 200 in the 2004 study).", exact_kernel: false },
    ],
    parameters: &[
        Parameter {
            name: "gamma",
            unit: "1",
            min: 0.01,
            max: 1.0,
            defaults: &[(PAPER, 0.5), (FIXED, 0.5)],
            doc: "Part of the way taken by an update.",
        },
        Parameter { name: "alpha", unit: "segments", min: 1.0, max: 1e5, defaults: &[(FIXED, 200.0)], doc: "Own segments to keep queued." },
        Parameter {
            name: "mi_threshold",
            unit: "s",
            min: 0.0,
            max: 1.0,
            defaults: &[(PAPER, 0.000_75), (FIXED, 0.000_75)],
            doc: "A smaller queueing delay counts as none.",
        },
        Parameter {
            name: "period",
            unit: "RTTs",
            min: 1.0,
            max: 8.0,
            defaults: &[(PAPER, 2.0), (FIXED, 2.0)],
            doc: "Round trips between updates; at least 20 ms.",
        },
        Parameter {
            name: "pacing",
            unit: "segments",
            min: 0.0,
            max: 64.0,
            defaults: &[(PAPER, 1.0), (FIXED, 1.0)],
            doc: "Segments that leave back to back, the others spread by a timer: 1 paces each, 3 is burst control; 0: as the ACKs come.",
        },
    ],
    constants: &[
        Constant { name: "alpha_low", variant: PAPER, value: ALPHA[0], unit: "segments" },
        Constant { name: "alpha_middle", variant: PAPER, value: ALPHA[1], unit: "segments" },
        Constant { name: "alpha_high", variant: PAPER, value: ALPHA[2], unit: "segments" },
        Constant { name: "up_from_low", variant: PAPER, value: UP[0], unit: "kB/s" },
        Constant { name: "up_from_middle", variant: PAPER, value: UP[1], unit: "kB/s" },
        Constant { name: "down_from_middle", variant: PAPER, value: DOWN[1], unit: "kB/s" },
        Constant { name: "down_from_high", variant: PAPER, value: DOWN[2], unit: "kB/s" },
    ],
    profiles: &[
        borrows("linux-6.1", PAPER),
        borrows("linux-2.6.23", PAPER),
        runs("altaimd-2.6.6", PAPER),
        runs("linux-2.4", FIXED),
        borrows("rfc", PAPER),
    ],
    build: |values| Algorithm::Fast(Fast::new(values)),
};

/// alpha by level, segments.
const ALPHA: [f64; 3] = [8.0, 20.0, 200.0];
/// Leave a level upwards above this rate, kB/s.
const UP: [f64; 3] = [1_500.0, 15_000.0, f64::INFINITY];
/// Leave a level downwards below this rate, kB/s.
const DOWN: [f64; 3] = [0.0, 1_250.0, 12_500.0];
/// Updates come no closer than this, s.
const PERIOD_MIN_S: f64 = 0.02;

/// The queue on the way there: the smallest forward delay, and the smoothed excess over it.
#[derive(Clone, Copy, Debug)]
struct Forward {
    min_s: f64,
    excess_s: f64,
}

/// FAST TCP.
#[derive(Clone, Copy, Debug)]
pub struct Fast {
    gamma: f64,
    mi_threshold_s: f64,
    period: u32,
    /// Longest burst; 0 for no limit.
    pacing: u32,
    /// The level of alpha; none when alpha is fixed.
    level: Option<u8>,
    alpha: f64,
    base_s: f64,
    avg_s: f64,
    /// Forward queueing alone counts (fast-bqd).
    forward: Option<Forward>,
    round_end: u64,
    rounds: u32,
    updated_s: f64,
    target: f64,
    /// Growth per acknowledged segment that reaches the target within a round trip.
    slope: f64,
}

impl Fast {
    fn new(values: &Values) -> Fast {
        let tuned = values.variant() == PAPER;
        Fast {
            gamma: values.get("gamma"),
            mi_threshold_s: values.get("mi_threshold"),
            period: values.get("period") as u32,
            pacing: values.get("pacing") as u32,
            level: tuned.then_some(0),
            alpha: if tuned { ALPHA[0] } else { values.get("alpha") },
            base_s: f64::INFINITY,
            avg_s: 0.0,
            forward: None,
            round_end: 0,
            rounds: 0,
            updated_s: 0.0,
            target: 0.0,
            slope: 0.0,
        }
    }

    /// FAST on forward queueing alone.
    pub(super) fn forward_only(values: &Values) -> Fast {
        Fast { forward: Some(Forward { min_s: f64::INFINITY, excess_s: 0.0 }), ..Fast::new(values) }
    }

    /// avgRTT after a sample; weight min(3/w, 1/4).
    #[inline]
    fn average(&mut self, w: f64, rtt_s: f64, s: &RttSample) {
        let weight = (3.0 / w).min(0.25);
        if let Some(forward) = &mut self.forward {
            if let Some(delay) = s.forward {
                forward.min_s = forward.min_s.min(delay.as_secs_f64());
                forward.excess_s += weight * (delay.as_secs_f64() - forward.min_s - forward.excess_s);
            }
            self.avg_s = self.base_s + forward.excess_s;
        } else {
            self.avg_s = if self.avg_s == 0.0 { rtt_s } else { self.avg_s + weight * (rtt_s - self.avg_s) };
        }
    }

    /// The window after an update (2004, equation 1).
    fn step(&self, w: f64) -> f64 {
        let queueing_s = self.avg_s - self.base_s;
        let alpha = if queueing_s < self.mi_threshold_s { w } else { self.alpha };
        let w_new = (1.0 - self.gamma) * w + self.gamma * (self.base_s / self.avg_s * w + alpha);
        w_new.min(2.0 * w).max(2.0)
    }

    fn tune_alpha(&mut self, w: f64, mss: u32) {
        let Some(level) = self.level else { return };
        let rate = w * f64::from(mss) / self.avg_s / 1_000.0;
        let at = usize::from(level);
        let level = if rate > UP[at] {
            level + 1
        } else if rate < DOWN[at] {
            level - 1
        } else {
            level
        };
        self.level = Some(level);
        self.alpha = ALPHA[usize::from(level)];
    }

    /// Once per round trip; the window moves in one and rests in the next, so that an update sees what the last one did to the
    /// delay (Jin/Wei/Low 2004, IV.C).
    fn close_round(&mut self, w: &mut Window, c: &Connection) {
        self.round_end = c.nxt;
        if self.avg_s == 0.0 {
            return;
        }
        self.tune_alpha(w.cwnd, c.mss);
        self.rounds += 1;
        let now_s = c.now.as_secs_f64();
        if w.in_slow_start() || self.rounds < self.period || now_s - self.updated_s < PERIOD_MIN_S {
            return;
        }
        self.rounds = 0;
        self.updated_s = now_s;
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
        Needs { pacing: self.pacing > 0, strict_pacing: true, ahead: self.pacing.saturating_sub(1), rtt_stamps: true, ..Needs::default() }
    }

    #[inline]
    fn on_rtt_sampled(&mut self, w: &mut Window, _c: &Connection, s: &RttSample) {
        let Some(rtt) = s.rtt else { return };
        let rtt_s = rtt.as_secs_f64().max(1e-9);
        self.base_s = self.base_s.min(rtt_s);
        self.average(w.cwnd, rtt_s, s);
        // The own backlog has reached its aim: slow start is over.
        if w.in_slow_start() && w.cwnd * (self.avg_s - self.base_s) > self.alpha * self.avg_s {
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
        self.rounds = 0;
        self.round_end = c.nxt;
    }

    fn pacing_rate(&self, w: &Window, c: &Connection) -> Option<u64> {
        if self.avg_s == 0.0 || self.pacing == 0 {
            return None;
        }
        let gain = if w.in_slow_start() { 2.0 } else { 1.2 };
        Some((gain * w.cwnd * f64::from(c.mss) / self.avg_s) as u64)
    }

    fn variable_names(&self) -> &'static [&'static str] {
        &["alpha_packets", "base_rtt_s", "avg_rtt_s"]
    }

    fn variables(&self, out: &mut [f64]) {
        let known = |x: f64| if self.avg_s > 0.0 { x } else { f64::NAN };
        out[0] = self.alpha;
        out[1] = known(self.base_s);
        out[2] = known(self.avg_s);
    }
}
