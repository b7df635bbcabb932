//! Round trips counted in deliveries: a round ends when a segment is delivered that was sent after the round had begun.

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
    /// A segment was delivered that was sent when `prior` had been delivered; now `delivered` are.
    #[inline]
    pub(crate) fn on_delivered(&mut self, prior: u64, delivered: u64) {
        self.just_began = prior >= self.began_at;
        if self.just_began {
            self.began_at = delivered;
            self.count += 1;
        }
    }

    /// The round begins anew, uncounted.
    pub(crate) fn restart(&mut self, delivered: u64) {
        self.began_at = delivered;
    }
}
