//! Explicit congestion notification: what a receiver says of the marks it saw, and what a sender makes of that.
//!
//! Sources: RFC 3168 6.1 (classic), RFC 8257 3.2 (DCTCP), RFC 9768 (accurate), RFC 9331 (L4S); the order of steps and the quick ACKs are Linux's.

use cc::{Connection, EcnFeedback};

use crate::progress::Progress;
use crate::{Ack, Ecn, Options};

/// What a segment of an ECN-capable connection brings.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct EcnBits {
    /// Congestion experienced: a queue marked it.
    pub ce: bool,
    /// Congestion window reduced: the sender has answered.
    pub cwr: bool,
}

impl Ecn {
    /// `auto` becomes what the algorithm asks for, or off.
    pub fn resolved(self, wanted: Option<EcnFeedback>) -> Ecn {
        match (self, wanted) {
            (Ecn::Auto, None) => Ecn::Off,
            (Ecn::Auto, Some(EcnFeedback::Dctcp)) => Ecn::Dctcp,
            (Ecn::Auto, Some(EcnFeedback::L4s)) => Ecn::L4s,
            (chosen, _) => chosen,
        }
    }

    /// New segments are ECN-capable.
    pub fn is_on(self) -> bool {
        !matches!(self, Ecn::Auto | Ecn::Off)
    }

    /// Retransmissions are too: not with classic ECN (RFC 3168 6.1.5).
    pub fn marks_retransmissions(self) -> bool {
        matches!(self, Ecn::Dctcp | Ecn::Accurate | Ecn::L4s)
    }
}

/// The receiver's side.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Echo {
    mode: Ecn,
    /// The segment before was marked.
    was_marked: bool,
    /// What an ACK says: [`Ack::ecn`].
    pub(crate) said: u16,
}

/// How soon a segment must be acknowledged because of its ECN bits.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Haste {
    None,
    /// This many segments at once, one by one.
    Quick(u32),
    /// This one at once; what waits before it has an ACK of its own, which says what was said until now.
    Flush,
}

impl Echo {
    pub(crate) fn new(mode: Ecn) -> Echo {
        Echo { mode, was_marked: false, said: 0 }
    }

    /// A segment arrives: how soon it must be acknowledged, and what is said from then on.
    pub(crate) fn on_arrived(&mut self, bits: EcnBits) -> (Haste, u16) {
        let changed = std::mem::replace(&mut self.was_marked, bits.ce) != bits.ce;
        match self.mode {
            Ecn::Auto | Ecn::Off => (Haste::None, 0),
            // ECN-Echo from the first mark on, until the sender has answered; the answer may come with a mark.
            Ecn::Classic => {
                let demanding = self.said > 0 && !bits.cwr;
                let haste = match (bits.ce && !demanding, bits.cwr) {
                    (true, _) => Haste::Quick(2),
                    (_, true) => Haste::Quick(1),
                    _ => Haste::None,
                };
                (haste, u16::from(demanding || bits.ce))
            }
            Ecn::Dctcp if changed => (Haste::Flush, u16::from(bits.ce)),
            Ecn::Dctcp => (if bits.cwr { Haste::Quick(1) } else { Haste::None }, u16::from(bits.ce)),
            Ecn::Accurate | Ecn::L4s => {
                let haste = if changed && bits.ce { Haste::Quick(1) } else { Haste::None };
                (haste, self.said.wrapping_add(u16::from(bits.ce)))
            }
        }
    }
}

/// The sender's side.
#[derive(Clone, Copy, Debug)]
pub(crate) struct EcnState {
    /// What [`Ack::ecn`] says when there is nothing new.
    known: u16,
    counts: bool,
    is_on: bool,
    /// A timestamp tells that an ACK that brings nothing is newer than those before.
    is_timed: bool,
    /// The next new segment carries CWR.
    cwr_due: bool,
}

impl EcnState {
    pub(crate) fn new(options: &Options) -> EcnState {
        let mode = options.ecn;
        let counts = matches!(mode, Ecn::Accurate | Ecn::L4s);
        EcnState { known: 0, counts, is_on: mode.is_on(), is_timed: options.timestamps, cwr_due: false }
    }

    /// Whether the timestamps of ACKs from now on are newer than any before.
    pub(crate) fn on_stamp_told(&mut self, is_newer: bool) {
        self.is_timed = is_newer;
    }

    /// The window was reduced, for whatever reason (RFC 3168 6.1.2).
    pub(crate) fn on_reduced(&mut self) {
        self.cwr_due = self.is_on;
    }

    /// The window was restored: there is nothing to announce.
    pub(crate) fn on_restored(&mut self) {
        self.cwr_due = false;
    }

    /// Whether the segment that is sent next must carry CWR.
    #[inline]
    pub(crate) fn takes_announcement(&mut self) -> bool {
        self.cwr_due && std::mem::take(&mut self.cwr_due)
    }

    /// The ACK tells of no marks.
    #[inline]
    pub(crate) fn is_known(&self, ack: &Ack) -> bool {
        ack.ecn == self.known
    }

    /// Step 3 of an ACK: counts the marks that it tells of; it delivered `progress`. Returns whether it told of any. A counter is not used where the
    /// ACK may be older than others (RFC 9768 3.2.2.5.1; Linux `__tcp_accecn_process`): it brings nothing, and no timestamp says that it is newer.
    pub(crate) fn take_marks(&mut self, c: &mut Connection, ack: &Ack, progress: &Progress) -> bool {
        let is_newer = progress.acked > 0 || progress.sacked > 0 || self.is_timed;
        if self.is_known(ack) || (self.counts && !is_newer) {
            return false;
        }
        if self.counts {
            c.delivered_ce += u64::from(ack.ecn.wrapping_sub(self.known));
            self.known = ack.ecn;
        } else {
            c.delivered_ce += u64::from(progress.delivered);
        }
        true
    }

    /// Without SACK: an ACK that told of marks is found to have delivered so many segments more.
    pub(crate) fn on_delivered_marked(&self, c: &mut Connection, segments: u32) {
        if !self.counts {
            c.delivered_ce += u64::from(segments);
        }
    }
}
