//! Illinois: the increase falls and the decrease grows with the mean queueing delay of the last round trip.
//!
//! Source: Liu/Basar/Srikant, VALUETOOLS 2006 and Performance Evaluation 2008; Linux 6.1 `tcp_illinois.c`, reproduced exactly; Leith/
//! Andrew/Quetchenbach/Shorten/Lavi 2008 for the older variants.
//! Units: segments; RTTs in microseconds; alpha in 128ths, beta in 64ths.
//! State: alpha, beta, the RTT's extremes, the sum and number of this round's samples, the round's end, the rounds of small delay.
//! Departures: none from Linux 6.1. `2.6.23` keeps beta of the window where it should give it up, as the first kernels did; `s5` is that
//! kernel as its 2008 study ran it, corrected, and blind to RTT samples for two round trips after a back-off.

use units::Time;

use super::{borrows, runs};
use crate::parameter::{Constant, Parameter, Protocol, Variant};
use crate::{Algorithm, CaState, CongestionControl, Connection, Needs, RttSample, Window};

const V61: &str = "linux-6.1";
const BUG: &str = "2.6.23";
const S5: &str = "s5";

/// The registry's description.
pub const PROTOCOL: Protocol = Protocol {
    name: "illinois",
    aliases: &[],
    family: "loss-based high-speed with delay",
    year: 2006,
    source: "Liu/Basar/Srikant 2006, 2008; Leith et al. 2008; Linux 6.1",
    summary: "AIMD whose parameters follow the queueing delay.",
    signals: &["loss", "ecn", "rtt"],
    variants: &[
        Variant { name: V61, aliases: &[], summary: "Linux's integers.", exact_kernel: true },
        Variant { name: BUG, aliases: &[], summary: "With the first kernels' mistaken backoff, to beta w.", exact_kernel: false },
        Variant { name: S5, aliases: &[], summary: "2.6.23 corrected, RTTs after a loss ignored (2008 study).", exact_kernel: false },
    ],
    parameters: &[
        Parameter {
            name: "win_thresh",
            unit: "segments",
            min: 0.0,
            max: 1e6,
            defaults: &[(V61, 15.0), (BUG, 15.0), (S5, 15.0)],
            doc: "Reno below this window.",
        },
        Parameter {
            name: "theta",
            unit: "RTTs",
            min: 1.0,
            max: 1e4,
            defaults: &[(V61, 5.0), (BUG, 5.0), (S5, 5.0)],
            doc: "Round trips of small delay before the increase is largest again.",
        },
        Parameter {
            name: "max_rtt_bias",
            unit: "s",
            min: 0.0,
            max: 10.0,
            defaults: &[(V61, 0.0), (BUG, 0.0), (S5, 0.0)],
            doc: "The largest RTT is taken for this much larger (outliers of a busy host).",
        },
        Parameter {
            name: "ignore_rtt_after_loss",
            unit: "RTTs",
            min: 0.0,
            max: 100.0,
            defaults: &[(V61, 0.0), (BUG, 0.0), (S5, 2.0)],
            doc: "No RTT sample counts for this long after a backoff.",
        },
    ],
    constants: &[
        Constant { name: "alpha_max", variant: V61, value: 10.0, unit: "segments per RTT" },
        Constant { name: "alpha_min", variant: V61, value: ALPHA_MIN as f64 / 128.0, unit: "segments per RTT" },
        Constant { name: "beta_min", variant: V61, value: 0.125, unit: "1" },
        Constant { name: "beta_max", variant: V61, value: 0.5, unit: "1" },
    ],
    profiles: &[runs(V61, V61), runs("linux-2.6.23", S5), borrows("altaimd-2.6.6", V61), borrows("linux-2.4", V61), borrows("rfc", V61)],
    build: |values| {
        Algorithm::Illinois(Illinois {
            win_thresh: values.get("win_thresh") as u32,
            theta: values.get("theta") as u32,
            max_bias_us: (values.get("max_rtt_bias") * 1e6 + 0.5) as u64,
            ignored_rtts: values.get("ignore_rtt_after_loss"),
            keeps_beta: values.variant() == BUG,
            alpha: ALPHA_MAX,
            beta: BETA_MAX,
            credit: 0,
            base_us: UNKNOWN_US,
            max_us: 0,
            sum_us: 0,
            samples: 0,
            round_end: 0,
            delayed: false,
            calm_rounds: 0,
            blind_until: Time::ZERO,
        })
    },
};

const ALPHA_ONE: u64 = 128;
const ALPHA_MAX: u64 = 10 * ALPHA_ONE;
/// 0.3, rounded down.
const ALPHA_MIN: u64 = 38;
const BETA_MIN: u64 = 8;
const BETA_MAX: u64 = 32;
const UNKNOWN_US: u64 = 0x7fff_ffff;
/// Larger samples are cut to this, 3.36 s.
const RTT_MAX_US: u64 = 3_355_443;

/// Illinois in Linux's integers.
#[derive(Clone, Copy, Debug)]
pub struct Illinois {
    win_thresh: u32,
    theta: u32,
    max_bias_us: u64,
    ignored_rtts: f64,
    keeps_beta: bool,
    alpha: u64,
    beta: u64,
    /// Segments the next growth call credits.
    credit: u32,
    base_us: u64,
    max_us: u64,
    sum_us: u64,
    samples: u64,
    round_end: u64,
    /// The delay has been above the small threshold since alpha was largest.
    delayed: bool,
    /// Rounds of small delay since; not always consecutive.
    calm_rounds: u32,
    blind_until: Time,
}

impl Illinois {
    fn start_round(&mut self, c: &Connection) {
        self.round_end = c.nxt;
        self.sum_us = 0;
        self.samples = 0;
    }

    fn update(&mut self, w: &Window, c: &Connection) {
        if w.segments() < self.win_thresh {
            self.alpha = ALPHA_ONE;
            self.beta = BETA_MAX;
        } else if let Some(mean) = self.sum_us.checked_div(self.samples) {
            let mean = mean - self.base_us;
            let largest = self.max_us + self.max_bias_us - self.base_us;
            self.update_alpha(mean, largest);
            self.beta = beta(mean, largest);
        }
        self.start_round(c);
    }

    /// alpha = k1/(k2 + d_a) above d1, 10 below it: at once before the first delay, after theta rounds otherwise.
    fn update_alpha(&mut self, mean: u64, largest: u64) {
        let d1 = largest / 100;
        if mean > d1 {
            self.delayed = true;
            let (mean, largest) = (mean - d1, largest - d1);
            self.alpha = largest * ALPHA_MAX / (largest + mean * (ALPHA_MAX - ALPHA_MIN) / ALPHA_MIN);
            return;
        }
        if self.delayed {
            self.calm_rounds += 1;
            if self.calm_rounds < self.theta {
                return;
            }
            self.calm_rounds = 0;
            self.delayed = false;
        }
        self.alpha = ALPHA_MAX;
    }
}

/// 1/8 up to a tenth of the largest delay, 1/2 from eight tenths on, linear between.
fn beta(mean: u64, largest: u64) -> u64 {
    let (d2, d3) = (largest / 10, 8 * largest / 10);
    if mean <= d2 {
        BETA_MIN
    } else if mean >= d3 || d3 <= d2 {
        BETA_MAX
    } else {
        (BETA_MIN * d3 + (BETA_MAX - BETA_MIN) * mean - BETA_MAX * d2) / (d3 - d2)
    }
}

impl CongestionControl for Illinois {
    fn needs(&self) -> Needs {
        Needs { rtt_stamps: true, ..Needs::default() }
    }

    fn on_established(&mut self, _w: &mut Window, c: &Connection) {
        self.start_round(c);
    }

    #[inline]
    fn on_rtt_sampled(&mut self, _w: &mut Window, c: &Connection, s: &RttSample) {
        self.credit = s.acked;
        let Some(rtt) = s.rtt.filter(|_| c.now >= self.blind_until) else { return };
        let rtt_us = rtt.as_us().min(RTT_MAX_US);
        self.base_us = self.base_us.min(rtt_us);
        self.max_us = self.max_us.max(rtt_us);
        self.sum_us += rtt_us;
        self.samples += 1;
    }

    #[inline]
    fn on_acked(&mut self, w: &mut Window, c: &Connection, acked: u32) {
        if c.una > self.round_end {
            self.update(w, c);
        }
        if !c.cwnd_limited {
            return;
        }
        if w.in_slow_start() {
            w.slow_start(acked);
            return;
        }
        w.cnt = w.cnt.saturating_add(self.credit);
        self.credit = 1;
        let grown = (u64::from(w.cnt) * self.alpha) >> 7;
        let cwnd = u64::from(w.segments());
        if grown >= cwnd {
            w.cwnd += (grown / cwnd) as f64;
            w.cnt = 0;
        }
    }

    fn ssthresh(&mut self, w: &mut Window, c: &Connection) -> f64 {
        if self.ignored_rtts > 0.0 {
            self.blind_until = c.now + Time::from_secs_f64(self.ignored_rtts * f64::from(c.srtt8_us) / 8e6);
        }
        let cwnd = u64::from(w.segments());
        let part = (cwnd * self.beta) >> 6;
        let kept = if self.keeps_beta { part } else { cwnd - part };
        f64::from(kept.max(2) as u32)
    }

    fn on_state_changed(&mut self, _w: &mut Window, c: &Connection, to: CaState) {
        if to == CaState::Loss {
            self.alpha = ALPHA_ONE;
            self.beta = BETA_MAX;
            self.calm_rounds = 0;
            self.delayed = false;
            self.start_round(c);
        }
    }

    fn variable_names(&self) -> &'static [&'static str] {
        &["alpha", "beta"]
    }

    fn variables(&self, out: &mut [f64]) {
        out[0] = self.alpha as f64 / 128.0;
        out[1] = self.beta as f64 / 64.0;
    }
}
