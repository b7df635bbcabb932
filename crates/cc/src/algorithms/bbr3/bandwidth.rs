//! The largest bandwidth of this probing cycle and the one before, and how much aggregation adds to it.

use units::Time;

use super::super::real::{larger, smaller};
use super::super::windowed_max::WindowedMax;
use super::{Bbr3, Sample};
use crate::{Connection, Window};

/// Rounds that the aggregation filter remembers, once the pipe was full.
const AGGREGATION_ROUNDS: u64 = 10;

/// BBR.max_bw: the largest rates of the previous and the current cycle, segments per second.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Bandwidth {
    previous: f64,
    current: f64,
}

impl Bandwidth {
    pub(super) fn largest(self) -> f64 {
        larger(self.previous, self.current)
    }

    /// A cycle is over; one without samples does not count.
    pub(super) fn advance(&mut self) {
        if self.current > 0.0 {
            self.previous = std::mem::take(&mut self.current);
        }
    }
}

/// BBR.extra_acked: segments acknowledged beyond what the bandwidth explains.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Aggregation {
    began: Time,
    delivered: f64,
    extra: WindowedMax<f64>,
}

impl Aggregation {
    pub(super) fn restart(&mut self, now: Time) {
        self.began = now;
        self.delivered = 0.0;
    }

    pub(super) fn most(&self) -> f64 {
        self.extra.largest()
    }
}

impl Bbr3 {
    /// UpdateMaxBw, with UpdateRound.
    pub(super) fn update_max_bw(&mut self, c: &Connection, s: &Sample) {
        self.rounds.just_began = false;
        if s.of.delivered.is_some() {
            self.rounds.on_delivered(c, s.of);
            self.cycle.rounds += u64::from(self.rounds.just_began);
        }
        if s.rate > 0.0 && (s.rate >= self.bandwidth.largest() || !s.of.app_limited) {
            self.bandwidth.current = larger(self.bandwidth.current, s.rate);
        }
    }

    /// UpdateACKAggregation.
    pub(super) fn update_aggregation(&mut self, w: &Window, c: &Connection, s: &Sample) {
        let seen = &mut self.aggregation;
        let mut expected = self.bw * c.now.since(seen.began).as_secs_f64();
        if seen.delivered <= expected {
            seen.restart(c.now);
            expected = 0.0;
        }
        seen.delivered += f64::from(s.of.acked);
        let extra = smaller(seen.delivered - expected, w.cwnd);
        let span = if self.pipe.reached { AGGREGATION_ROUNDS } else { 1 };
        seen.extra.on_sampled(self.rounds.count, extra, span);
    }
}
