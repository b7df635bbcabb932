//! The tail loss probe: when an answer stays out, one segment more tells whether the last ones were lost (RFC 8985 section 7).

use cc::{CaState, Connection};

use crate::progress::Progress;

/// The probe outstanding, if any.
#[derive(Clone, Copy, Debug)]
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

    /// The stack sends probes.
    pub(crate) fn is_on(&self) -> bool {
        self.is_on
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

    /// The last segment was sent again, and that is not answered: its duplicate is none of a repair (Linux `tcp_init_undo`).
    pub(crate) fn is_again_out(&self) -> bool {
        self.is_out() && self.is_retransmission
    }

    /// The receiver reported `seq` as a duplicate: whether it is the probe's.
    pub(crate) fn is_duplicate_of(&self, seq: u64) -> bool {
        self.is_out() && seq + 1 == self.end
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
        let has_repaired = self.is_retransmission && !progress.duplicate_of_probe && cumulative > self.end;
        let is_pure_duplicate = progress.is_duplicate_ack() && progress.sacked == 0;
        let is_answered = !self.is_retransmission || progress.duplicate_of_probe || is_pure_duplicate;
        if has_repaired || is_answered {
            self.forget();
        }
        has_repaired
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[derive(Debug, PartialEq)]
    struct Answered {
        has_repaired: bool,
        is_out: bool,
    }

    const REPAIRED: Answered = Answered { has_repaired: true, is_out: false };
    const OVER: Answered = Answered { has_repaired: false, is_out: false };
    const OUT: Answered = Answered { has_repaired: false, is_out: true };

    /// A probe that ends at segment 10, and an ACK of so many.
    fn answered(is_retransmission: bool, cumulative: u64, progress: Progress) -> Answered {
        let mut probe = TailLossProbe::new(true);
        probe.on_sent(&Connection { nxt: 10, ..Connection::new(1448) }, is_retransmission);
        let has_repaired = probe.on_acked(cumulative, &progress);
        Answered { has_repaired, is_out: probe.is_out() }
    }

    /// An ACK of one segment more.
    fn advance() -> Progress {
        Progress { acked: 1, delivered: 1, ..Progress::default() }
    }

    /// RFC 8985 7.4: a retransmission that no duplicate followed replaced a lost segment, once later data is acknowledged.
    #[test]
    fn a_retransmission_that_arrived_once_repaired_a_loss() {
        assert_eq!(answered(true, 11, advance()), REPAIRED);
        assert_eq!(answered(true, 10, advance()), OUT, "a duplicate may follow");
        assert_eq!(answered(true, 9, advance()), OUT);
        assert_eq!(answered(false, 10, advance()), OVER, "new data repairs nothing");
    }

    #[test]
    fn a_duplicate_shows_that_nothing_was_lost() {
        assert_eq!(answered(true, 10, Progress { duplicate_of_probe: true, ..advance() }), OVER);
        assert_eq!(answered(true, 10, Progress { acked: 0, ..advance() }), OVER, "a duplicate ACK without SACK blocks");
        assert_eq!(answered(true, 10, Progress { acked: 0, sacked: 1, ..advance() }), OUT);
    }
}
