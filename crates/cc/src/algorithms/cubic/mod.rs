//! CUBIC: the window follows a cubic of the time since the last loss, flat around the window at which that loss came.
//!
//! Source: Ha/Rhee/Xu 2008; Linux 6.1 `tcp_cubic.c`, reproduced exactly; the 2.6.23 rules after Linux's history of that file.
//! Units: segments; time in milliseconds (kernel ticks), K in 1/1024 s; RTTs in microseconds.
//! State: one part per file: the epoch with its curve and its Reno-friendly window, what 2.6.23 has in addition. HyStart is a part of its
//! own, `slow_start`.
//! Departures: the cube saturates where the kernel's 64-bit product would wrap (an epoch of some 350 s). `2.6.23` enters congestion
//! avoidance at cwnd = ssthresh, not above it; its tick is 1 ms; before the first loss it grows at least 5 % per RTT.

mod cube_root;
mod curve;
mod epoch;
mod linux2623;
mod protocol;
mod reno_friendly;
mod rfc9438;

use std::num::NonZeroU32;

use units::Duration;

use self::curve::Steepness;
use self::epoch::Epoch;
use self::linux2623::Linux2623;
pub use self::protocol::{build, PROTOCOL};
use self::protocol::{V2623, V61};
use self::reno_friendly::step_x8;
pub use self::rfc9438::CubicReal;
use crate::parameter::Values;
use crate::slow_start::Kind;
use crate::{CaEvent, CaState, CongestionControl, Connection, Credit, Needs, RttSample, RttSamples, Window};

/// CUBIC in Linux's integers.
#[derive(Clone, Copy, Debug)]
pub struct Cubic {
    /// 1024 times the kept fraction.
    beta: u32,
    c: Steepness,
    /// Of the Reno-friendly region; none when that is switched off.
    reno_step_x8: Option<NonZeroU32>,
    fast_convergence: bool,
    old: Option<Linux2623>,
    /// Linux's default: HyStart.
    slow_start: Kind,
    epoch: Epoch,
}

impl Cubic {
    fn new(values: &Values) -> Cubic {
        let beta = (values.get("beta") * 1024.0 + 0.5) as u32;
        Cubic {
            beta,
            c: Steepness::new(values.get("c")),
            reno_step_x8: NonZeroU32::new(step_x8(beta)).filter(|_| values.on("tcp_friendliness")),
            fast_convergence: values.on("fast_convergence"),
            old: (values.variant() == V2623).then(|| Linux2623::new(values.get("s_max") as u32)),
            slow_start: if values.variant() == V61 { Kind::HyStart } else { Kind::Standard },
            epoch: Epoch::default(),
        }
    }

    /// Most RTT samples change nothing: there was a smaller one.
    #[inline]
    pub(crate) fn ignores(&self, s: &RttSample) -> bool {
        let known = Duration::from_us(u64::from(self.epoch.min_us));
        self.old.is_none() && known > Duration::ZERO && s.rtt.is_some_and(|rtt| rtt >= known)
    }
}

impl CongestionControl for Cubic {
    fn needs(&self) -> Needs {
        Needs { rtt_samples: RttSamples::ByStack, ..Needs::default() }
    }

    fn slow_start(&self) -> Option<Kind> {
        Some(self.slow_start)
    }

    fn path_rtt(&self, c: &Connection) -> Option<Duration> {
        let known = if self.epoch.min_us == 0 { Duration::FOREVER } else { Duration::from_us(u64::from(self.epoch.min_us)) };
        self.epoch.shows_path(c).then_some(known)
    }

    #[inline]
    fn on_rtt_sampled(&mut self, _w: &mut Window, c: &Connection, s: &RttSample) {
        if let Some(old) = self.old.as_mut().filter(|_| c.ca_state == CaState::Open) {
            old.on_sampled(s.acked);
        }
        let Some(rtt) = s.rtt else { return };
        let rtt_us = (rtt.as_us() as u32).max(1);
        if (self.epoch.min_us == 0 || rtt_us < self.epoch.min_us) && self.epoch.shows_path(c) {
            self.epoch.min_us = rtt_us;
        }
    }

    #[inline]
    fn on_acked(&mut self, w: &mut Window, c: &Connection, acked: u32) {
        if !c.cwnd_limited {
            return;
        }
        let rest = if w.in_slow_start() { w.slow_start(acked) } else { acked };
        if rest > 0 {
            self.update(w, c, rest);
            w.add_credit(Credit { acked: rest, per_segment: self.epoch.per_segment });
        }
    }

    fn ssthresh(&mut self, w: &mut Window, _c: &Connection) -> f64 {
        let cwnd = w.segments();
        let scaled = |factor: u32, by: u32| (u64::from(cwnd) * u64::from(factor) / u64::from(by)) as u32;
        let aims_lower = self.fast_convergence && cwnd < self.epoch.last_max;
        self.epoch.start_ms = None;
        self.epoch.last_max = if aims_lower { scaled(1024 + self.beta, 2048) } else { cwnd };
        f64::from(scaled(self.beta, 1024).max(2))
    }

    fn on_state_changed(&mut self, _w: &mut Window, _c: &Connection, to: CaState) {
        if to == CaState::Loss {
            self.epoch = Epoch::default();
            if let Some(old) = &mut self.old {
                old.forget();
            }
        }
    }

    fn on_event(&mut self, _w: &mut Window, c: &Connection, e: CaEvent) {
        // An idle time is no part of the epoch. 2.6.23 did not know that yet.
        if e == CaEvent::TxStarted && self.old.is_none() {
            let now_ms = c.now.as_ms();
            let idle_ms = now_ms.saturating_sub(c.last_sent.as_ms());
            self.epoch.start_ms = self.epoch.start_ms.map(|start| (start + idle_ms).min(now_ms));
        }
    }

    fn variable_names(&self) -> &'static [&'static str] {
        &["last_max_packets", "k_s"]
    }

    fn variables(&self, out: &mut [f64]) {
        out[0] = if self.epoch.last_max == 0 { f64::NAN } else { f64::from(self.epoch.last_max) };
        out[1] = if self.epoch.start_ms.is_none() { f64::NAN } else { self.epoch.curve.k_s() };
    }
}
