//! Round trips counted in deliveries: a round ends when a segment is delivered that was sent after the round had begun.

use crate::{Connection, RateSample};

/// Packet-timed rounds (Cardwell et al. 2016; draft-ietf-ccwg-bbr, "Tracking Packet-Timed Round Trips").
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Rounds {
    /// `delivered` when the round began.
    began_at: u64,
    /// Rounds begun so far.
    pub(crate) count: u64,
    /// The segment just delivered began a round.
    pub(crate) just_began: bool,
}

impl Rounds {
    /// The segment of this sample was delivered.
    #[inline]
    pub(crate) fn on_delivered(&mut self, c: &Connection, s: &RateSample) {
        self.just_began = s.prior_delivered >= self.began_at;
        if self.just_began {
            self.began_at = c.delivered;
            self.count += 1;
        }
    }

    /// The round begins anew, uncounted.
    pub(crate) fn restart(&mut self, delivered: u64) {
        self.began_at = delivered;
    }
}
