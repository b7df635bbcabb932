//! H-TCP: the increase grows with the time since the last loss, the decrease follows the ratio of the RTT's extremes.
//!
//! Source: Leith/Shorten, PFLDnet 2004; draft-leith-tcp-htcp-06; Linux 6.1 `tcp_htcp.c`, reproduced exactly.
//! Units: segments; time in milliseconds (kernel ticks, RTTs rounded up); alpha and beta in 128ths; throughput in segments/s.
//! State: one part per file: beta, the RTT's extremes, the throughput filter. Then alpha, the time of the last congestion, what undo
//! restores.
//! Departures: none from Linux 6.1, whose elapsed time starts again when recovery ends. `beta08` holds beta at the kernel's upper
//! limit, 102/128 = 0.797, and keeps alpha = 2(1 - beta) f.

mod backoff;
mod increase;
mod protocol;
mod real;
mod real_throughput;
mod rtt_range;
mod throughput;

use self::backoff::Backoff;
use self::increase::ONE;
pub use self::protocol::{build, PROTOCOL};
use self::protocol::{BETA08, V61};
pub use self::real::HtcpReal;
use self::rtt_range::RttRange;
use self::throughput::{Throughput, Tick};
use crate::parameter::Values;
use crate::{CaState, CongestionControl, Connection, Needs, RttSample, RttSamples, Window};

/// H-TCP in Linux's integers.
#[derive(Clone, Copy, Debug)]
pub struct Htcp {
    rtt_scaling: bool,
    alpha: u32,
    backoff: Backoff,
    /// Segments the next growth call credits.
    credit: u32,
    rtt: RttRange,
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

impl Htcp {
    fn new(values: &Values) -> Htcp {
        let bandwidth_switch = values.variant() == V61 && values.on("bandwidth_switch");
        Htcp {
            rtt_scaling: values.on("rtt_scaling"),
            alpha: ONE,
            backoff: if values.variant() == BETA08 { Backoff::fixed() } else { Backoff::adaptive(bandwidth_switch) },
            credit: 1,
            rtt: RttRange::default(),
            last_ms: 0,
            undo: None,
            throughput: Throughput::default(),
        }
    }

    fn update_alpha(&mut self, now_ms: u64) {
        let mut factor = increase::factor(now_ms.saturating_sub(self.last_ms));
        if self.rtt_scaling && self.rtt.min_ms > 0 {
            factor = increase::scaled(factor, self.rtt.min_ms);
        }
        self.alpha = increase::alpha(factor, self.backoff.beta);
    }
}

impl CongestionControl for Htcp {
    fn needs(&self) -> Needs {
        Needs { rtt_samples: RttSamples::ByStack, ..Needs::default() }
    }

    fn on_established(&mut self, _w: &mut Window, c: &Connection) {
        self.last_ms = c.now.as_ms();
    }

    #[inline]
    fn on_rtt_sampled(&mut self, w: &mut Window, c: &Connection, s: &RttSample) {
        if c.ca_state == CaState::Open {
            self.credit = s.acked;
        }
        if let Some(rtt) = s.rtt {
            self.rtt.on_sampled(rtt, c.ca_state);
        }
        if !self.backoff.bandwidth_switch {
            return;
        }
        if matches!(c.ca_state, CaState::Open | CaState::Disorder) {
            // Unsigned in Linux: a window smaller than the step of growth wraps, and nothing is measured.
            let enough = w.segments().wrapping_sub((self.alpha >> 7).max(1));
            let at = Tick { enough, now_ms: c.now.as_ms(), backoff_ms: self.last_ms, min_rtt_ms: self.rtt.min_ms };
            self.throughput.measure(s.acked, at);
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
        self.backoff.update(&self.rtt, &mut self.throughput);
        // Still the increase of the epoch that ends: it also makes the first step after recovery.
        self.update_alpha(c.now.as_ms());
        self.rtt.decay();
        f64::from(((u64::from(w.segments()) * u64::from(self.backoff.beta)) >> 7).max(2) as u32)
    }

    fn on_state_changed(&mut self, _w: &mut Window, c: &Connection, to: CaState) {
        let now_ms = c.now.as_ms();
        match to {
            CaState::Open => self.last_ms = self.undo.take().map_or(self.last_ms, |_| now_ms),
            CaState::Cwr | CaState::Recovery | CaState::Loss => {
                self.undo = Some(Undo { last_ms: self.last_ms, max_ms: self.rtt.max_ms, old_best: self.throughput.old_best });
                self.last_ms = now_ms;
            }
            CaState::Disorder => {}
        }
    }

    fn undo(&mut self, w: &mut Window, c: &Connection) -> f64 {
        if let Some(undo) = self.undo.take() {
            self.last_ms = undo.last_ms;
            self.rtt.max_ms = undo.max_ms;
            self.throughput.old_best = undo.old_best;
        }
        w.cwnd.max(c.prior_cwnd)
    }

    fn variable_names(&self) -> &'static [&'static str] {
        &["alpha", "beta"]
    }

    fn variables(&self, out: &mut [f64]) {
        out[0] = f64::from(self.alpha) / f64::from(ONE);
        out[1] = f64::from(self.backoff.beta) / f64::from(ONE);
    }
}
