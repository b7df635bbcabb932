//! BIC: binary search for the window of the last loss, then a slow and accelerating probe beyond it.
//!
//! Source: Xu/Harfoush/Rhee, INFOCOM 2004; Linux 6.1 `tcp_bic.c`, reproduced exactly.
//! Units: segments; time in milliseconds (kernel ticks); the delayed-ACK ratio in sixteenths.
//! State: the window of the last loss, ACKs per increment with the window and tick it was computed for, the delayed-ACK ratio.
//! Departures: none from Linux 6.1. Its delayed-ACK compensation counts twice when segments are credited, and rests at 31/16 with one
//! ACK per segment, so this BIC grows about 1.94 times its nominal increase: that is what Linux does.

mod protocol;
mod real;

pub use self::protocol::{build, PROTOCOL};
pub use self::real::BicReal;
use crate::parameter::Values;
use crate::{CaState, CongestionControl, Connection, Credit, Needs, RttSample, RttSamples, Window};

/// B: the search divides the distance by this.
const B: u32 = 4;
/// `cnt` stands this long while the window does, ms.
const HOLD_MS: u64 = 31;

/// BIC in Linux's integers.
#[derive(Clone, Copy, Debug)]
pub struct Bic {
    s_max: u32,
    beta: u32,
    smooth_part: u32,
    low_window: u32,
    fast_convergence: bool,
    found: Found,
}

/// What a timeout makes BIC forget.
#[derive(Clone, Copy, Debug)]
struct Found {
    last_max: u32,
    per_segment: u32,
    computed_for: u32,
    computed_ms: u64,
    /// Segments per ACK, in sixteenths, smoothed.
    delayed_ack: u32,
}

impl Found {
    fn new() -> Found {
        Found { last_max: 0, per_segment: 0, computed_for: 0, computed_ms: 0, delayed_ack: 2 << 4 }
    }
}

impl Bic {
    fn new(values: &Values) -> Bic {
        Bic {
            s_max: values.get("s_max") as u32,
            beta: (values.get("beta") * 1024.0) as u32,
            smooth_part: values.get("smooth_part") as u32,
            low_window: values.get("low_window") as u32,
            fast_convergence: values.on("fast_convergence"),
            found: Found::new(),
        }
    }

    #[inline]
    fn update(&mut self, cwnd: u32, now_ms: u64) {
        if self.found.computed_for == cwnd && now_ms <= self.found.computed_ms + HOLD_MS {
            return;
        }
        self.found.computed_for = cwnd;
        self.found.computed_ms = now_ms;
        self.found.per_segment = if cwnd <= self.low_window { cwnd } else { self.search(cwnd) };
    }

    /// Segments to acknowledge per segment of growth, above the low window.
    fn search(&self, cwnd: u32) -> u32 {
        let last_max = self.found.last_max;
        let mut per_segment = if cwnd < last_max {
            let distance = (last_max - cwnd) / B;
            if distance > self.s_max {
                cwnd / self.s_max
            } else if distance <= 1 {
                cwnd.saturating_mul(self.smooth_part) / B
            } else {
                cwnd / distance
            }
        } else if cwnd < last_max + B {
            cwnd.saturating_mul(self.smooth_part) / B
        } else if cwnd < last_max + self.s_max * (B - 1) {
            cwnd.saturating_mul(B - 1) / (cwnd - last_max)
        } else {
            cwnd / self.s_max
        };
        if last_max == 0 {
            per_segment = per_segment.min(20);
        }
        (per_segment.saturating_mul(16) / self.found.delayed_ack.max(1)).max(1)
    }
}

impl CongestionControl for Bic {
    fn needs(&self) -> Needs {
        Needs { rtt_samples: RttSamples::ByStack, ..Needs::default() }
    }

    #[inline]
    fn on_rtt_sampled(&mut self, _w: &mut Window, c: &Connection, s: &RttSample) {
        if c.ca_state == CaState::Open {
            self.found.delayed_ack = self.found.delayed_ack + s.acked - (self.found.delayed_ack >> 4);
        }
    }

    #[inline]
    fn on_acked(&mut self, w: &mut Window, c: &Connection, acked: u32) {
        if !c.cwnd_limited {
            return;
        }
        let rest = if w.in_slow_start() { w.slow_start(acked) } else { acked };
        if rest > 0 {
            self.update(w.segments(), c.now.as_ms());
            w.add_credit(Credit { acked: rest, per_segment: self.found.per_segment });
        }
    }

    fn ssthresh(&mut self, w: &mut Window, _c: &Connection) -> f64 {
        let cwnd = w.segments();
        let scaled = |factor: u32, by: u32| (u64::from(cwnd) * u64::from(factor) / u64::from(by)) as u32;
        let aims_lower = self.fast_convergence && cwnd < self.found.last_max;
        self.found.last_max = if aims_lower { scaled(1024 + self.beta, 2048) } else { cwnd };
        let kept = if cwnd <= self.low_window { cwnd >> 1 } else { scaled(self.beta, 1024) };
        f64::from(kept.max(2))
    }

    fn on_state_changed(&mut self, _w: &mut Window, _c: &Connection, to: CaState) {
        if to == CaState::Loss {
            self.found = Found::new();
        }
    }

    fn variable_names(&self) -> &'static [&'static str] {
        &["last_max_packets"]
    }

    fn variables(&self, out: &mut [f64]) {
        out[0] = if self.found.last_max == 0 { f64::NAN } else { f64::from(self.found.last_max) };
    }
}
