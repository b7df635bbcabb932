//! Copa's competitive mode: while another flow keeps the queue full, 1/delta follows an AIMD of its own.
//!
//! Source: Arun/Balakrishnan, NSDI 2018, section 2.2. Units: segments.

use units::{Duration, Time};

use super::protocol::PAPER;
use crate::parameter::Values;

/// The mode, and 1/delta in it.
#[derive(Clone, Copy, Debug)]
pub(super) struct Competition {
    /// RTTs without a nearly empty queue after which it competes; none if it never does.
    empty_within: Option<f64>,
    /// 1/delta of the default mode.
    own: f64,
    /// 1/delta now: the segments to keep queued.
    pub(super) queued: f64,
    pub(super) competes: bool,
    /// A loss was seen in this round.
    lost_in_round: bool,
    /// Segments held to be lost up to the last ACK.
    lost: u64,
    /// When the queue was last nearly empty.
    pub(super) empty_at: Time,
}

impl Competition {
    pub(super) fn new(values: &Values) -> Competition {
        let own = 1.0 / values.get("delta");
        let empty_within = (values.variant() == PAPER).then(|| values.get("empty_within"));
        Competition { empty_within, own, queued: own, competes: false, lost_in_round: false, lost: 0, empty_at: Time::ZERO }
    }

    /// Takes the mode that the age of the last nearly empty queue asks for.
    pub(super) fn choose_mode(&mut self, now: Time, srtt: Duration) {
        let age = now.since(self.empty_at).0 as f64 / srtt.0.max(1) as f64;
        let competes = self.empty_within.is_some_and(|rtts| age > rtts);
        if competes != self.competes {
            self.competes = competes;
            self.queued = self.own;
        }
    }

    /// Additive increase, once per round trip without loss.
    pub(super) fn close_round(&mut self) {
        if self.competes && !self.lost_in_round {
            self.queued += 1.0;
        }
        self.lost_in_round = false;
    }

    /// `lost` segments have been held to be lost so far: also those found in a recovery that began round trips ago.
    pub(super) fn count_lost(&mut self, lost: u64) {
        if lost > self.lost {
            self.lost = lost;
            self.on_lost();
        }
    }

    /// Multiplicative decrease, once per round trip, down to the default mode's.
    pub(super) fn on_lost(&mut self) {
        if self.competes && !self.lost_in_round {
            self.queued = (0.5 * self.queued).max(self.own);
        }
        self.lost_in_round = true;
    }
}
