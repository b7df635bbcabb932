//! Undo of reductions that proved spurious: DSACK of every retransmission, or an ACK of an original (Eifel, RFC 4015).

use std::num::NonZeroU64;

use cc::{CaState, CongestionControl};
use units::Time;

use crate::sender::{Progress, Sender, Wire};

/// What is remembered of the episode.
#[derive(Clone, Debug)]
pub(crate) struct Undo {
    /// One past the first segment outstanding when the episode began (Linux `undo_marker`); none when it cannot be undone.
    past_marker: Option<NonZeroU64>,
    /// Retransmissions not yet reported as duplicates; none before the first.
    retransmissions: Option<u32>,
    /// When the first retransmission of the episode was sent (Linux `retrans_stamp`).
    pub(crate) first_retransmission: Option<Time>,
    /// What an undo restores; NaN when congestion was marked since.
    prior_ssthresh: f64,
}

impl Default for Undo {
    fn default() -> Undo {
        Undo { past_marker: None, retransmissions: None, first_retransmission: None, prior_ssthresh: f64::NAN }
    }
}

impl Undo {
    pub(crate) fn arm(&mut self, una: u64, outstanding: u32, prior_ssthresh: f64) {
        self.past_marker = NonZeroU64::new(una + 1);
        self.retransmissions = (outstanding > 0).then_some(outstanding);
        self.prior_ssthresh = prior_ssthresh;
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

    pub(crate) fn on_retransmitted(&mut self, now: Time) {
        self.first_retransmission.get_or_insert(now);
        self.retransmissions = Some(self.retransmissions.unwrap_or(0) + 1);
    }

    /// The receiver reported `seq` as a duplicate.
    pub(crate) fn on_duplicate(&mut self, seq: u64) {
        if self.past_marker.is_some_and(|marker| seq + 1 >= marker.get()) {
            self.retransmissions = self.retransmissions.map(|count| count.saturating_sub(1));
        }
    }

    /// Every retransmission arrived twice.
    fn all_were_duplicates(&self) -> bool {
        self.past_marker.is_some() && self.retransmissions == Some(0)
    }

    /// The ACK echoes a segment older than the first retransmission: it answers an original.
    pub(crate) fn answers_original(&self, progress: &Progress) -> bool {
        self.past_marker.is_some() && progress.acked > 0 && self.first_retransmission.is_some_and(|sent| progress.echo < sent)
    }
}

impl<C: CongestionControl> Sender<C> {
    /// Remembers what an undo of the episode that begins would restore.
    pub(crate) fn arm_undo(&mut self) {
        let prior = if self.in_reduction() { self.undo.prior_ssthresh } else { self.current_ssthresh() };
        self.undo.arm(self.c.una, self.board.retrans_out, prior);
    }

    /// Linux `tcp_current_ssthresh`: outside a reduction at least three quarters of the window.
    pub(crate) fn current_ssthresh(&self) -> f64 {
        let cwnd = self.w.cwnd;
        self.w.ssthresh.max((cwnd / 2.0).floor() + (cwnd / 4.0).floor())
    }

    /// Whether the current episode is shown to be spurious by this ACK.
    pub(crate) fn is_spurious(&self, progress: &Progress) -> bool {
        self.spec.options.undo && (self.undo.all_were_duplicates() || self.undo.answers_original(progress))
    }

    /// Whether duplicates alone show it.
    pub(crate) fn is_spurious_by_duplicates(&self) -> bool {
        self.spec.options.undo && self.undo.all_were_duplicates()
    }

    /// Restores the window; `forget_losses` also takes back the loss marks.
    pub(crate) fn restore(&mut self, forget_losses: bool, wire: &mut impl Wire) {
        if forget_losses {
            self.board.unmark_lost(self.c.una);
            self.publish_in_flight();
        }
        if !self.undo.prior_ssthresh.is_nan() {
            self.w.cwnd = self.cc.undo(&mut self.w, &self.c);
            self.w.ssthresh = self.w.ssthresh.max(self.undo.prior_ssthresh);
            self.ecn.cwr_due = false;
        }
        self.note_window_set();
        self.undo.disarm();
        self.totals.undos += 1;
        wire.on_undo(self.c.now, self.w.cwnd);
    }

    /// Linux `tcp_any_retrans_done`: something outstanding was retransmitted.
    pub(crate) fn clear_episode_stamp(&mut self) {
        if self.board.retrans_out == 0 {
            self.undo.first_retransmission = None;
        }
    }

    /// Open, or Disorder while something is missing.
    pub(crate) fn keep_open(&mut self) {
        let missing = self.board.sacked_out + self.board.lost_out + self.board.retrans_out > 0;
        let state = if missing { CaState::Disorder } else { CaState::Open };
        if self.c.ca_state != state {
            self.enter(state);
            self.recovery_point = self.c.nxt;
        }
    }
}
