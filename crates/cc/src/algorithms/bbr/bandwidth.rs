//! The bandwidth: the largest delivery rate of ten rounds, or a policer's rate.
//!
//! Source: draft-cardwell-iccrg-bbr-congestion-control-00; Linux 6.1.

use units::Duration;

use super::{Bbr, BW_SHIFT};
use crate::{Connection, RateSample};

/// The bandwidth is the largest of this many rounds.
const BW_ROUNDS: u64 = 10;

/// What was delivered, and over how long.
#[derive(Clone, Copy, Debug)]
pub(super) struct Rate {
    pub(super) delivered: u32,
    pub(super) interval: Duration,
}

impl Bbr {
    /// The largest bandwidth of ten rounds.
    pub(super) fn max_bw(&self) -> u64 {
        self.bw.largest()
    }

    /// The bandwidth estimate in use: a policer's, where one was found.
    pub(super) fn bw(&self) -> u64 {
        self.policer.bw().unwrap_or_else(|| self.max_bw())
    }

    /// Rounds, the policer's intervals and the bandwidth filter.
    #[inline]
    pub(super) fn update_bw(&mut self, c: &Connection, s: &RateSample, Rate { delivered, interval }: Rate) {
        self.rounds.on_delivered(c, s);
        if self.rounds.just_began {
            self.recovery.conserves = false;
        }
        self.sample_policer(c, s);
        let bw = (u64::from(delivered) << BW_SHIFT) / interval.as_us().max(1);
        if !s.app_limited || bw >= self.max_bw() {
            self.bw.on_sampled(self.rounds.count, bw, BW_ROUNDS);
        }
    }
}
