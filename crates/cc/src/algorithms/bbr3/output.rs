//! From the model to pacing rate and window.

use super::super::real::{larger, smaller};
use super::state::PROBE_RTT_CWND_GAIN;
use super::{Bbr3, Sample, State, WINDOW_MIN};
use crate::{Connection, Window};

/// Pacing stays 1 % below the bandwidth.
const MARGIN: f64 = 0.99;
/// Largest burst, bytes.
const BURST_BYTES: f64 = 65_536.0;
/// Smallest burst, segments.
const BURST_MIN: f64 = 2.0;
/// Bursts in the sender, on the way and in the receiver (BBR.offload_budget).
const BURSTS: f64 = 3.0;

impl Bbr3 {
    /// SetPacingRateWithGain: never lower before the pipe is full.
    pub(super) fn pace(&mut self, gain: f64) {
        let rate = gain * self.bw * MARGIN;
        if self.pipe.reached || rate > self.pacing_rate {
            self.pacing_rate = rate;
        }
    }

    /// BDPMultiple: the initial window, whatever the gain, while no RTT is known.
    fn bdp_times(&self, gain: f64, bw: f64) -> f64 {
        let min_s = self.rtt.min_s();
        if min_s.is_finite() {
            gain * (bw * min_s)
        } else {
            self.initial
        }
    }

    /// The bandwidth-delay product, segments.
    pub(super) fn bdp(&self, bw: f64) -> f64 {
        self.bdp_times(1.0, bw)
    }

    /// TargetInflight.
    pub(super) fn target_inflight(&self, w: &Window) -> f64 {
        smaller(self.bdp(self.bw), w.cwnd)
    }

    /// Segments of three bursts of a millisecond each.
    fn offload_budget(&self) -> f64 {
        BURSTS * larger(smaller(self.pacing_rate * 1e-3, BURST_BYTES / self.mss), BURST_MIN)
    }

    /// QuantizationBudget.
    fn with_budget(&self, inflight: f64) -> f64 {
        let extra = if self.state == State::Up { 2.0 } else { 0.0 };
        larger(larger(inflight, self.offload_budget()), WINDOW_MIN) + extra
    }

    /// Inflight, at gain 1.
    pub(super) fn inflight_at(&self, bw: f64) -> f64 {
        self.with_budget(self.bdp(bw))
    }

    /// ProbeRTTCwnd.
    pub(super) fn probe_rtt_cwnd(&self) -> f64 {
        self.bdp_times(PROBE_RTT_CWND_GAIN, self.bw).max(WINDOW_MIN)
    }

    /// SetCwnd.
    pub(super) fn set_cwnd(&self, w: &mut Window, c: &Connection, s: &Sample) {
        let most = self.with_budget(self.bdp_times(self.state.cwnd_gain(), self.bw) + self.aggregation.most());
        let grown = w.cwnd + f64::from(s.of.acked);
        let mut cwnd = w.cwnd;
        if self.pipe.reached {
            cwnd = smaller(grown, most);
        } else if cwnd < most || (c.delivered as f64) < self.initial {
            cwnd = grown;
        }
        cwnd = larger(cwnd, WINDOW_MIN);
        if self.state == State::ProbeRtt {
            cwnd = smaller(cwnd, self.probe_rtt_cwnd());
        }
        w.cwnd = smaller(cwnd, self.cap());
    }

    /// BoundCwndForModel.
    fn cap(&self) -> f64 {
        let long = match self.state {
            State::Cruise | State::ProbeRtt => self.long.with_headroom(),
            State::Down | State::Refill | State::Up => self.long.inflight,
            State::Startup | State::Drain => f64::INFINITY,
        };
        larger(smaller(long, self.short.inflight), WINDOW_MIN)
    }
}
