//! ProbeBW: a cycle of eight phases of about a minimum RTT: a quarter above the bandwidth, a quarter below, then six at it.

use units::Stream;

use super::{Bbr, Mode, UNIT};
use crate::RateSample;

/// Phases of a cycle: above the bandwidth, below it, and six at it.
const PHASES: usize = 8;
/// 0.75 in 1/256.
const BELOW: u64 = 192;

/// The gain cycle.
#[derive(Clone, Debug)]
pub(super) struct Cycle {
    pub(super) phase: usize,
    /// Microseconds, rounded down as in Linux.
    began_us: u64,
    pub(super) stream: Stream,
    /// In place of draws.
    fixed: Option<u64>,
    /// The gain above the bandwidth, in 1/256: 1.25 in Linux.
    above: u64,
}

impl Cycle {
    pub(super) fn new(fixed: Option<u64>, above: u64) -> Cycle {
        Cycle { phase: 0, began_us: 0, stream: Stream::named(0, "bbr"), fixed, above }
    }

    pub(super) fn gain(&self) -> u64 {
        match self.phase {
            0 => self.above,
            1 => BELOW,
            _ => UNIT,
        }
    }

    fn advance(&mut self, now_us: u64) {
        self.phase = (self.phase + 1) % PHASES;
        self.began_us = now_us;
    }
}

impl Bbr {
    /// Begins the cycle in any phase but the one below the bandwidth: flows that drained together would else probe together.
    pub(super) fn enter_probe_bw(&mut self) {
        self.mode = Mode::ProbeBw;
        let draw = self.cycle.fixed.unwrap_or_else(|| self.cycle.stream.up_to(6));
        self.cycle.phase = PHASES - 1 - draw as usize;
        self.cycle.advance(self.delivered_us);
    }

    /// In ProbeBW.
    pub(super) fn update_cycle(&mut self, s: &RateSample) {
        if self.is_phase_over(s) {
            self.cycle.advance(self.delivered_us);
        }
    }

    /// A phase above lasts until it had its effect, one below not longer than it must.
    fn is_phase_over(&self, s: &RateSample) -> bool {
        let is_long = self.delivered_us.saturating_sub(self.cycle.began_us) > self.min_rtt.us;
        if self.pacing_gain == UNIT {
            return is_long;
        }
        let in_flight = self.in_flight_at_departure(s.prior_in_flight);
        if self.pacing_gain > UNIT {
            return is_long && (s.lost > 0 || in_flight >= self.inflight_at(self.pacing_gain));
        }
        is_long || in_flight <= self.inflight_at(UNIT)
    }
}
