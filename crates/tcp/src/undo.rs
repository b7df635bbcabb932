//! Undo of reductions that proved spurious: DSACK of every retransmission, or an ACK of an original (Eifel, RFC 4015).

use std::num::NonZeroU64;

use cc::Connection;
use units::Time;

use crate::progress::Progress;

/// What is remembered of the episode.
#[derive(Clone, Debug)]
pub(crate) struct Undo {
    /// The stack undoes reductions at all.
    is_on: bool,
    /// One past the first segment outstanding when the episode began (Linux `undo_marker`); none when it cannot be undone.
    past_marker: Option<NonZeroU64>,
    /// Retransmissions not yet reported as duplicates; none before the first.
    retransmissions: Option<u32>,
    /// When the first retransmission of the episode was sent (Linux `retrans_stamp`).
    first_retransmission: Option<Time>,
    /// What an undo restores; NaN when congestion was marked since.
    prior_ssthresh: f64,
}

impl Undo {
    pub(crate) fn new(is_on: bool) -> Undo {
        Undo { is_on, past_marker: None, retransmissions: None, first_retransmission: None, prior_ssthresh: f64::NAN }
    }

    /// An episode begins with `outstanding` retransmissions under way; without a threshold the one remembered before stands.
    pub(crate) fn arm(&mut self, c: &Connection, outstanding: u32, prior_ssthresh: Option<f64>) {
        self.past_marker = NonZeroU64::new(c.una + 1);
        self.retransmissions = (outstanding > 0).then_some(outstanding);
        self.prior_ssthresh = prior_ssthresh.unwrap_or(self.prior_ssthresh);
    }

    pub(crate) fn disarm(&mut self) {
        self.past_marker = None;
    }

    /// Congestion was marked since: an undo restores no window.
    pub(crate) fn forbid(&mut self) {
        self.prior_ssthresh = f64::NAN;
    }

    pub(crate) fn is_armed(&self) -> bool {
        self.past_marker.is_some()
    }

    /// The threshold that an undo restores; none when it restores no window.
    pub(crate) fn restored_ssthresh(&self) -> Option<f64> {
        Some(self.prior_ssthresh).filter(|ssthresh| !ssthresh.is_nan())
    }

    pub(crate) fn on_retransmitted(&mut self, now: Time) {
        self.first_retransmission.get_or_insert(now);
        self.retransmissions = Some(self.retransmissions.unwrap_or(0) + 1);
    }

    /// No retransmission of an episode is under way any more.
    pub(crate) fn forget_retransmissions(&mut self) {
        self.first_retransmission = None;
    }

    /// The receiver reported `seq` as a duplicate.
    pub(crate) fn on_duplicate(&mut self, seq: u64) {
        if self.past_marker.is_some_and(|marker| seq + 1 >= marker.get()) {
            self.retransmissions = self.retransmissions.map(|count| count.saturating_sub(1));
        }
    }

    /// Every retransmission arrived twice: the episode was spurious.
    pub(crate) fn is_spurious_by_duplicates(&self) -> bool {
        self.is_on && self.is_armed() && self.retransmissions == Some(0)
    }

    /// The ACK echoes a segment older than the first retransmission: it answers an original.
    pub(crate) fn is_spurious_by_echo(&self, progress: &Progress) -> bool {
        let is_older = |sent: Time| progress.echo < sent;
        self.is_on && self.is_armed() && progress.acked > 0 && self.first_retransmission.is_some_and(is_older)
    }

    /// The episode is shown to be spurious by this ACK.
    pub(crate) fn is_spurious(&self, progress: &Progress) -> bool {
        self.is_spurious_by_duplicates() || self.is_spurious_by_echo(progress)
    }
}
