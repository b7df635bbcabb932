//! Illinois: the increase falls and the decrease grows with the mean queueing delay of the last round trip.
//!
//! Source: Liu/Basar/Srikant, VALUETOOLS 2006 and Performance Evaluation 2008; Linux 6.1 `tcp_illinois.c`, reproduced exactly; Leith/
//! Andrew/Quetchenbach/Shorten/Lavi 2008 for the older variants.
//! Units: segments; RTTs in microseconds; alpha in 128ths, beta in 64ths.
//! State: alpha and beta with the rounds of small delay (`curves.rs`), the RTT's extremes, the sum and number of this round's samples, the
//! round's end.
//! Departures: none from Linux 6.1. `2.6.23` keeps beta of the window where it should give it up, as the first kernels did; `s5` is that
//! kernel as its 2008 study ran it, corrected, and without RTT samples for two round trips after a back-off.

mod curves;
mod protocol;

use units::{Duration, Time};

use self::curves::{Curves, Delays};
use self::protocol::BUG;
pub use self::protocol::{build, PROTOCOL};
use crate::parameter::Values;
use crate::{CaState, CongestionControl, Connection, Needs, RttSample, RttSamples, Window};

const UNKNOWN_US: u64 = 0x7fff_ffff;
/// Larger samples are cut to this, 3.36 s.
const RTT_MAX_US: u64 = 3_355_443;

/// Illinois in Linux's integers.
#[derive(Clone, Copy, Debug)]
pub struct Illinois {
    win_thresh: u32,
    max_bias_us: u64,
    ignored_rtts: f64,
    keeps_beta: bool,
    curves: Curves,
    /// Segments the next growth call credits.
    credit: u32,
    base_us: u64,
    max_us: u64,
    sum_us: u64,
    samples: u64,
    round_end: u64,
    blind_until: Time,
}

impl Illinois {
    fn new(values: &Values) -> Illinois {
        Illinois {
            win_thresh: values.get("win_thresh") as u32,
            max_bias_us: (values.get("max_rtt_bias") * 1e6 + 0.5) as u64,
            ignored_rtts: values.get("ignore_rtt_after_loss"),
            keeps_beta: values.variant() == BUG,
            curves: Curves::new(values.get("theta") as u32),
            credit: 0,
            base_us: UNKNOWN_US,
            max_us: 0,
            sum_us: 0,
            samples: 0,
            round_end: 0,
            blind_until: Time::ZERO,
        }
    }

    fn start_round(&mut self, c: &Connection) {
        self.round_end = c.nxt;
        self.sum_us = 0;
        self.samples = 0;
    }

    fn update(&mut self, w: &Window, c: &Connection) {
        if w.segments() < self.win_thresh {
            self.curves.be_reno();
        } else if let Some(mean) = self.sum_us.checked_div(self.samples) {
            let largest = self.max_us + self.max_bias_us - self.base_us;
            self.curves.follow(Delays { mean: mean - self.base_us, largest });
        }
        self.start_round(c);
    }
}

impl CongestionControl for Illinois {
    fn needs(&self) -> Needs {
        Needs { rtt_samples: RttSamples::Exact, ..Needs::default() }
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
        let grown = (u64::from(w.cnt) * self.curves.alpha) >> 7;
        let cwnd = u64::from(w.segments());
        if grown >= cwnd {
            w.cwnd += (grown / cwnd) as f64;
            w.cnt = 0;
        }
    }

    fn ssthresh(&mut self, w: &mut Window, c: &Connection) -> f64 {
        if self.ignored_rtts > 0.0 {
            self.blind_until = c.now + Duration::from_secs_f64(self.ignored_rtts * f64::from(c.srtt8_us) / 8e6);
        }
        let cwnd = u64::from(w.segments());
        let part = (cwnd * self.curves.beta) >> 6;
        let kept = if self.keeps_beta { part } else { cwnd - part };
        f64::from(kept.max(2) as u32)
    }

    fn on_state_changed(&mut self, _w: &mut Window, c: &Connection, to: CaState) {
        if to == CaState::Loss {
            self.curves.forget();
            self.start_round(c);
        }
    }

    fn variable_names(&self) -> &'static [&'static str] {
        &["alpha", "beta"]
    }

    fn variables(&self, out: &mut [f64]) {
        out[0] = self.curves.alpha as f64 / 128.0;
        out[1] = self.curves.beta as f64 / 64.0;
    }
}
