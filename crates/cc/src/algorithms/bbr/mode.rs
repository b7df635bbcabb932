//! The four modes, and the gains of each over the estimated bandwidth and bandwidth-delay product.
//!
//! Source: draft-cardwell-iccrg-bbr-congestion-control-00; Linux 6.1. Gains in 1/256.

use super::{Bbr, UNIT};

/// 2/ln 2: doubles the rate each round trip.
pub(super) const HIGH_GAIN: u64 = 739;
/// The inverse of the high gain.
pub(super) const DRAIN_GAIN: u64 = 88;
/// Twice the bandwidth-delay product: room for delayed ACKs.
pub(super) const CWND_GAIN: u64 = 512;

/// What BBR is doing.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Mode {
    Startup,
    Drain,
    ProbeBw,
    ProbeRtt,
}

impl Bbr {
    #[inline]
    pub(super) fn update_gains(&mut self) {
        (self.pacing_gain, self.cwnd_gain) = if self.mode == Mode::ProbeBw {
            (if self.policer.bw().is_some() { UNIT } else { self.cycle.gain() }, CWND_GAIN)
        } else {
            self.gains_outside_probe_bw()
        };
    }

    #[inline(never)]
    fn gains_outside_probe_bw(&self) -> (u64, u64) {
        match self.mode {
            Mode::Startup => (HIGH_GAIN, HIGH_GAIN),
            Mode::Drain => (DRAIN_GAIN, HIGH_GAIN),
            Mode::ProbeRtt | Mode::ProbeBw => (UNIT, UNIT),
        }
    }

    /// Leaves ProbeRTT or a timeout for what comes next.
    pub(super) fn resume(&mut self) {
        if self.pipe.is_full() {
            self.enter_probe_bw();
        } else {
            self.mode = Mode::Startup;
        }
    }
}
