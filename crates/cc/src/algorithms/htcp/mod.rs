//! H-TCP: the increase grows with the time since the last loss, the decrease follows the ratio of the RTT's extremes.
//!
//! Source: Leith/Shorten, PFLDnet 2004; draft-leith-tcp-htcp-06; Linux 6.1 `tcp_htcp.c`, reproduced exactly.
//! Units: segments; time in milliseconds (kernel ticks, RTTs rounded up); alpha and beta in 128ths; throughput in segments/s.
//! State: alpha, beta, the mode switch, the RTT's extremes, the time of the last congestion, the throughput filter, what undo restores.
//! Departures: none from Linux 6.1, whose elapsed time starts again when recovery ends. `beta08` holds beta at the kernel's upper
//! limit, 102/128 = 0.797, and keeps alpha = 2(1 - beta) f.

mod real;
mod throughput;

use units::Time;

pub use self::real::HtcpReal;
use self::throughput::{Throughput, Tick};
use super::{borrows, runs, switch};
use crate::parameter::{Parameter, Protocol, Variant};
use crate::{Algorithm, CaState, CongestionControl, Connection, RttSample, Window};

const V61: &str = "linux-6.1";
const REAL: &str = "altaimd-2.6.6";
const BETA08: &str = "beta08";

/// The registry's description.
pub const PROTOCOL: Protocol = Protocol {
    name: "htcp",
    aliases: &["h-tcp"],
    family: "loss-based high-speed",
    year: 2004,
    source: "Leith/Shorten 2004; draft-leith-tcp-htcp-06; Li/Leith/Shorten 2007 Table II; Linux 6.1",
    summary: "Increase by the time since the last loss, adaptive backoff.",
    signals: &["loss", "ecn", "time", "rtt"],
    variants: &[
        Variant { name: V61, aliases: &["linux-2.6.23"], summary: "Linux's integers.", exact_kernel: true },
        Variant {
            name: REAL,
            aliases: &["rfc", "draft"],
            summary: "Real-valued, time counted from the backoff (2007 benchmark).",
            exact_kernel: false,
        },
        Variant {
            name: BETA08,
            aliases: &[],
            summary: "Linux's integers with the backoff fixed at 0.8 (the 2008 control run).",
            exact_kernel: false,
        },
    ],
    parameters: &[
        switch("rtt_scaling", &[(V61, 1.0), (REAL, 1.0), (BETA08, 1.0)], "Scale the increase by the RTT, relative to 100 ms."),
        switch("bandwidth_switch", &[(V61, 1.0), (REAL, 1.0)], "Back off by half after the throughput has changed."),
        switch("adaptive_backoff", &[(REAL, 1.0)], "Off: always halve."),
        Parameter {
            name: "delta_l",
            unit: "s",
            min: 0.0,
            max: 100.0,
            defaults: &[(REAL, 1.0)],
            doc: "Reno for this long after a backoff.",
        },
        Parameter {
            name: "delta_b",
            unit: "1",
            min: 0.0,
            max: 1.0,
            defaults: &[(REAL, 0.2)],
            doc: "Relative change of throughput that halves.",
        },
        Parameter { name: "t_ref", unit: "s", min: 0.001, max: 10.0, defaults: &[(REAL, 0.1)], doc: "RTT at which scaling does nothing." },
    ],
    constants: &[],
    profiles: &[runs(V61, V61), runs("linux-2.6.23", V61), runs("altaimd-2.6.6", REAL), borrows("linux-2.4", REAL), runs("rfc", REAL)],
    build: |values| match values.variant() {
        REAL => Algorithm::HtcpReal(Box::new(HtcpReal::new(values))),
        variant => Algorithm::Htcp(Htcp {
            rtt_scaling: values.on("rtt_scaling"),
            bandwidth_switch: variant == V61 && values.on("bandwidth_switch"),
            fixed_beta: (variant == BETA08).then_some(BETA_MAX),
            alpha: ONE,
            beta: BETA_MIN,
            mode_switch: false,
            credit: 1,
            min_ms: 0,
            max_ms: 0,
            last_ms: 0,
            undo: None,
            throughput: Throughput::default(),
        }),
    },
};

/// 1.0 in fixed point.
const ONE: u32 = 128;
const BETA_MIN: u32 = 64;
const BETA_MAX: u32 = 102;
/// A larger rise of the largest RTT is taken for a spike.
const SPIKE_MS: u32 = 20;

/// H-TCP in Linux's integers.
#[derive(Clone, Copy, Debug)]
pub struct Htcp {
    rtt_scaling: bool,
    bandwidth_switch: bool,
    fixed_beta: Option<u32>,
    alpha: u32,
    beta: u32,
    mode_switch: bool,
    /// Segments the next growth call credits.
    credit: u32,
    min_ms: u32,
    max_ms: u32,
    last_ms: u64,
    undo: Option<Undo>,
    throughput: Throughput,
}

#[derive(Clone, Copy, Debug)]
struct Undo {
    last_ms: u64,
    max_ms: u32,
    old_best: u32,
}

fn ceil_ms(rtt: Time) -> u32 {
    rtt.as_us().div_ceil(1_000) as u32
}

impl Htcp {
    #[inline]
    fn measure_rtt(&mut self, rtt_ms: u32, state: CaState) {
        if self.min_ms == 0 || rtt_ms < self.min_ms {
            self.min_ms = rtt_ms;
        }
        if state == CaState::Open {
            self.max_ms = self.max_ms.max(self.min_ms);
            if rtt_ms > self.max_ms && rtt_ms <= self.max_ms + SPIKE_MS {
                self.max_ms = rtt_ms;
            }
        }
    }

    fn update_beta(&mut self) {
        if let Some(beta) = self.fixed_beta {
            self.beta = beta;
            return;
        }
        if self.bandwidth_switch {
            let (new, old) = (u64::from(self.throughput.best), u64::from(self.throughput.old_best));
            self.throughput.old_best = self.throughput.best;
            // Changed by more than a fifth.
            if 5 * new < 4 * old || 5 * new > 6 * old {
                self.beta = BETA_MIN;
                self.mode_switch = false;
                return;
            }
        }
        if self.mode_switch && self.min_ms > 10 && self.max_ms > 0 {
            self.beta = ((self.min_ms << 7) / self.max_ms).clamp(BETA_MIN, BETA_MAX);
        } else {
            self.beta = BETA_MIN;
            self.mode_switch = true;
        }
    }

    /// alpha = 2 (1 - beta) f(Delta), f in whole numbers, scaled in eighths.
    fn update_alpha(&mut self, now_ms: u64) {
        let delta_ms = now_ms.saturating_sub(self.last_ms);
        let mut factor = 1;
        if delta_ms > 1_000 {
            let x = delta_ms - 1_000;
            factor = 1 + (10 * x + (x / 2) * (x / 2) / 1_000) / 1_000;
        }
        if self.rtt_scaling && self.min_ms > 0 {
            let scale = (8_000 / (10 * u64::from(self.min_ms))).clamp(4, 80);
            factor = ((factor << 3) / scale).max(1);
        }
        self.alpha = (2 * factor * u64::from(ONE - self.beta)).min(1 << 30) as u32;
    }
}

impl CongestionControl for Htcp {
    fn on_established(&mut self, _w: &mut Window, c: &Connection) {
        self.last_ms = c.now.as_ms();
    }

    #[inline]
    fn on_rtt_sampled(&mut self, w: &mut Window, c: &Connection, s: &RttSample) {
        if c.ca_state == CaState::Open {
            self.credit = s.acked;
        }
        if let Some(rtt) = s.rtt {
            self.measure_rtt(ceil_ms(rtt), c.ca_state);
        }
        if !self.bandwidth_switch {
            return;
        }
        if matches!(c.ca_state, CaState::Open | CaState::Disorder) {
            let enough = w.segments().saturating_sub((self.alpha >> 7).max(1));
            let now = Tick { now_ms: c.now.as_ms(), backoff_ms: self.last_ms, min_rtt_ms: self.min_ms };
            self.throughput.measure(s.acked, enough, now);
        } else {
            self.throughput.pause(c.now.as_ms());
        }
    }

    #[inline]
    fn on_acked(&mut self, w: &mut Window, c: &Connection, acked: u32) {
        if !c.cwnd_limited {
            return;
        }
        if w.in_slow_start() {
            w.slow_start(acked);
            return;
        }
        // Tested before crediting: the ACK that raises the window earns nothing, and the remainder is lost.
        if (u64::from(w.cnt) * u64::from(self.alpha)) >> 7 >= u64::from(w.segments()) {
            w.cwnd += 1.0;
            w.cnt = 0;
            self.update_alpha(c.now.as_ms());
        } else {
            w.cnt = w.cnt.saturating_add(self.credit);
        }
        self.credit = 1;
    }

    fn ssthresh(&mut self, w: &mut Window, c: &Connection) -> f64 {
        self.update_beta();
        // Still the increase of the epoch that ends: it also makes the first step after recovery.
        self.update_alpha(c.now.as_ms());
        if self.min_ms > 0 && self.max_ms > self.min_ms {
            self.max_ms = self.min_ms + (self.max_ms - self.min_ms) * 95 / 100;
        }
        f64::from(((u64::from(w.segments()) * u64::from(self.beta)) >> 7).max(2) as u32)
    }

    fn on_state_changed(&mut self, _w: &mut Window, c: &Connection, to: CaState) {
        let now_ms = c.now.as_ms();
        match to {
            CaState::Open => {
                if self.undo.take().is_some() {
                    self.last_ms = now_ms;
                }
            }
            CaState::Cwr | CaState::Recovery | CaState::Loss => {
                self.undo = Some(Undo { last_ms: self.last_ms, max_ms: self.max_ms, old_best: self.throughput.old_best });
                self.last_ms = now_ms;
            }
            CaState::Disorder => {}
        }
    }

    fn undo(&mut self, w: &mut Window, c: &Connection) -> f64 {
        if let Some(undo) = self.undo.take() {
            self.last_ms = undo.last_ms;
            self.max_ms = undo.max_ms;
            self.throughput.old_best = undo.old_best;
        }
        w.cwnd.max(c.prior_cwnd)
    }

    fn variable_names(&self) -> &'static [&'static str] {
        &["alpha", "beta"]
    }

    fn variables(&self, out: &mut [f64]) {
        out[0] = f64::from(self.alpha) / f64::from(ONE);
        out[1] = f64::from(self.beta) / f64::from(ONE);
    }
}
