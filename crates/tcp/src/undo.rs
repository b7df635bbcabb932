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

#[cfg(test)]
mod tests {
    use super::*;

    /// An episode that began with segment 7, whose two retransmissions left from 100 ms on.
    fn episode(is_on: bool) -> Undo {
        let mut undo = Undo::new(is_on);
        undo.arm(&Connection { una: 7, ..Connection::new(1448) }, 0, Some(40.0));
        undo.on_retransmitted(Time::from_ms(100));
        undo.on_retransmitted(Time::from_ms(101));
        undo
    }

    #[test]
    fn an_episode_is_spurious_when_every_retransmission_arrived_twice() {
        let mut undo = episode(true);
        undo.on_duplicate(6);
        undo.on_duplicate(7);
        assert!(!undo.is_spurious_by_duplicates(), "one of two, and one of before the episode");
        undo.on_duplicate(8);
        assert!(undo.is_spurious_by_duplicates());
        undo.disarm();
        assert!(!undo.is_spurious_by_duplicates());
    }

    /// Eifel (RFC 4015): an echo from before the first retransmission is of an original; only an ACK that moves the window tells.
    #[test]
    fn an_episode_is_spurious_when_an_original_is_acknowledged() {
        let told = |undo: &Undo, acked, echo_ms| {
            undo.is_spurious_by_echo(&Progress { acked, echo: Time::from_ms(echo_ms), ..Progress::default() })
        };
        let undo = episode(true);
        assert_eq!([(1, 99), (1, 100), (0, 99)].map(|(acked, echo)| told(&undo, acked, echo)), [true, false, false]);
        assert!(!told(&episode(false), 1, 99), "a stack that undoes nothing");
    }

    /// A mark in between forbids the window, not the rest; a second episode within the first keeps what the first remembered.
    #[test]
    fn an_undo_restores_what_there_was_unless_congestion_was_marked() {
        let mut undo = episode(true);
        undo.arm(&Connection { una: 9, ..Connection::new(1448) }, 1, None);
        assert_eq!(undo.restored_ssthresh(), Some(40.0));
        undo.forbid();
        assert_eq!((undo.restored_ssthresh(), undo.is_armed()), (None, true));
    }
}
