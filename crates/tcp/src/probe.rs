//! The tail loss probe: when an answer stays out, one segment more tells whether the last ones were lost (RFC 8985 section 7).

use cc::{CaState, Connection};

use crate::progress::Progress;

/// The probe outstanding, if any.
#[derive(Clone, Debug)]
pub(crate) struct TailLossProbe {
    is_on: bool,
    /// It was the last segment again, not a new one.
    is_retransmission: bool,
    /// One past its end; 0 for none (Linux `tlp_high_seq`).
    end: u64,
}

impl TailLossProbe {
    pub(crate) fn new(is_on: bool) -> TailLossProbe {
        TailLossProbe { is_on, is_retransmission: false, end: 0 }
    }

    /// A probe may follow what is sent in this state.
    #[inline]
    pub(crate) fn is_possible(&self, state: CaState) -> bool {
        self.is_on && matches!(state, CaState::Open | CaState::Cwr)
    }

    /// A probe is not yet answered.
    #[inline]
    pub(crate) fn is_out(&self) -> bool {
        self.end > 0
    }

    /// The probe has left, as the last outstanding segment.
    pub(crate) fn on_sent(&mut self, c: &Connection, is_retransmission: bool) {
        self.end = c.nxt;
        self.is_retransmission = is_retransmission;
    }

    /// What follows is not the probe's answer.
    pub(crate) fn forget(&mut self) {
        self.end = 0;
    }

    /// An ACK up to `cumulative`. Returns whether the probe repaired a loss that nothing else told of (Linux `tcp_process_tlp_ack`;
    /// RFC 8985 section 7.4).
    pub(crate) fn on_acked(&mut self, cumulative: u64, progress: &Progress) -> bool {
        if !self.is_out() || cumulative < self.end {
            return false;
        }
        let has_repaired = self.is_retransmission && !progress.duplicate && cumulative > self.end;
        let is_answered = !self.is_retransmission || progress.duplicate || (progress.is_duplicate_ack() && progress.sacked == 0);
        if has_repaired || is_answered {
            self.forget();
        }
        has_repaired
    }
}
