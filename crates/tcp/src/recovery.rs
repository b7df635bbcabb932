//! The episode under way: where it ends, how the window comes down, and whether a timeout was spurious.
//!
//! Recovery and CWR bring the window down by one of five rules. After a timeout forward RTO recovery (RFC 5682) finds out by new data
//! whether it was spurious.

use cc::{CaState, Connection, Needs, Window};

use crate::progress::Progress;
use crate::{Options, RecoveryRule};

/// The window is being reduced in this state.
#[inline]
pub(crate) fn is_reduction(state: CaState) -> bool {
    matches!(state, CaState::Cwr | CaState::Recovery)
}

/// Linux `tcp_current_ssthresh` outside a reduction: at least three quarters of the window.
pub(crate) fn current_ssthresh(w: &Window) -> f64 {
    w.ssthresh.max((w.cwnd / 2.0).floor() + (w.cwnd / 4.0).floor())
}

/// What an ACK brought, as far as a reduction asks.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Brought {
    /// Segments delivered.
    pub(crate) delivered: u32,
    /// Segments newly marked lost.
    pub(crate) lost: u32,
    /// It moved the window.
    pub(crate) advances: bool,
}

impl Brought {
    pub(crate) fn by(progress: &Progress) -> Brought {
        Brought { delivered: progress.delivered, lost: progress.lost, advances: progress.acked > 0 }
    }
}

/// Counters of the reduction under way.
#[derive(Clone, Copy, Debug, Default)]
struct Reduction {
    delivered: u32,
    sent: u32,
    ack_parity: bool,
    /// An ACK has reduced: `flight` is what it says.
    has_begun: bool,
    /// RecoverFS of RFC 9937 6.1, segments. Before the first ACK: what the connection will have delivered in all when these are.
    flight: u64,
}

impl Reduction {
    /// RecoverFS: outstanding at the beginning, less what had been SACKed before the ACK that began it all.
    fn recovery_flight(&mut self, c: &Connection, brought: Brought) -> u64 {
        if !self.has_begun {
            self.has_begun = true;
            let before = c.delivered.saturating_sub(brought.delivered.into());
            self.flight = self.flight.saturating_sub(before).max(1);
        }
        self.flight
    }

    /// Segments that proportional rate reduction allows to be sent now (RFC 9937 6.2; Linux 6.1 differs in the base alone).
    fn allowance(&mut self, pipe: u64, base: Base, brought: Brought) -> u64 {
        let Base { ssthresh, from } = base;
        self.delivered += brought.delivered;
        let allowed = if pipe > ssthresh {
            (u64::from(self.delivered) * ssthresh).div_ceil(from).saturating_sub(self.sent.into())
        } else {
            let mut allowed = u64::from(self.delivered.saturating_sub(self.sent).max(brought.delivered));
            if brought.advances && brought.lost == 0 {
                allowed += 1;
            }
            allowed.min(ssthresh - pipe)
        };
        allowed.max(u64::from(self.sent == 0))
    }
}

/// From where a reduction comes down, and to where, segments.
#[derive(Clone, Copy, Debug)]
struct Base {
    ssthresh: u64,
    from: u64,
}

/// What goes first of what may leave on an ACK.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) enum Turn {
    #[default]
    Repairs,
    /// New data; where none may leave, repairs.
    NewData,
    /// New data alone.
    NewDataAlone,
}

/// The episode, and the stack's rules for it.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Recovery {
    rule: RecoveryRule,
    /// The algorithm sets the window itself: no rule applies.
    has_full_control: bool,
    /// The window stays as a timeout left it until the losses are repaired.
    is_frozen_in_loss: bool,
    has_frto: bool,
    /// Forward RTO recovery is under way.
    in_frto: bool,
    /// What goes first on this ACK.
    turn: Turn,
    /// An ACK has arrived that was not plain, or that of the handshake: the first of a connection is no duplicate.
    is_answered: bool,
    /// Expiries of the retransmission timer since the last progress.
    expiries: u32,
    /// End of the episode (Linux `high_seq`).
    point: u64,
    reduction: Reduction,
}

impl Recovery {
    pub(crate) fn new(options: &Options, needs: &Needs) -> Recovery {
        Recovery {
            rule: options.recovery,
            has_full_control: needs.control.is_full(),
            is_frozen_in_loss: options.rto_freeze,
            has_frto: options.frto,
            in_frto: false,
            turn: Turn::default(),
            is_answered: false,
            expiries: 0,
            point: 0,
            reduction: Reduction::default(),
        }
    }

    /// An ACK has arrived that was not plain, or that of the handshake.
    pub(crate) fn is_answered(&self) -> bool {
        self.is_answered
    }

    /// An ACK has arrived: whether it is the first. A SYN-ACK offers a window of its own, unscaled, so that Linux, which opened the connection, takes
    /// the first ACK after it for news of the window (`tcp_may_update_window`).
    pub(crate) fn takes_first_answer(&mut self) -> bool {
        !std::mem::replace(&mut self.is_answered, true)
    }

    /// One past the last segment of the episode.
    pub(crate) fn point(&self) -> u64 {
        self.point
    }

    /// The episode is acknowledged.
    pub(crate) fn is_over(&self, c: &Connection) -> bool {
        c.una >= self.point
    }

    /// What is outstanding now is the episode.
    pub(crate) fn on_state_entered(&mut self, c: &Connection) {
        self.point = c.nxt;
    }

    /// A reduction begins, with so many segments SACKed.
    pub(crate) fn begin_reduction(&mut self, c: &Connection, sacked_out: u32) {
        self.point = c.nxt;
        self.reduction = Reduction { flight: c.delivered + (c.nxt - c.una).saturating_sub(sacked_out.into()), ..Reduction::default() };
    }

    /// The window falls to ssthresh when a reduction begins.
    pub(crate) fn falls_at_once(&self) -> bool {
        matches!(self.rule, RecoveryRule::AtOnce | RecoveryRule::ToOne) && !self.has_full_control
    }

    /// Segments were sent; in a reduction they count.
    pub(crate) fn on_sent(&mut self, c: &Connection, segments: u64) {
        if is_reduction(c.ca_state) {
            self.reduction.sent += segments as u32;
        }
    }

    /// One ACK's worth of reduction.
    pub(crate) fn reduce(&mut self, w: &mut Window, c: &Connection, brought: Brought) {
        if self.has_full_control {
            return;
        }
        match self.rule {
            RecoveryRule::Prr => self.reduce_in_proportion(w, c, brought, (c.prior_cwnd as i64).max(1) as u64),
            RecoveryRule::Rfc9937 => {
                let from = self.reduction.recovery_flight(c, brought);
                self.reduce_in_proportion(w, c, brought, from);
            }
            RecoveryRule::AtOnce | RecoveryRule::ToOne => {}
            RecoveryRule::RateHalving => {
                self.reduction.ack_parity = !self.reduction.ack_parity;
                if !self.reduction.ack_parity && w.cwnd > w.ssthresh {
                    w.cwnd -= 1.0;
                }
                w.cwnd = w.cwnd.min(f64::from(c.in_flight + 1));
            }
        }
    }

    fn reduce_in_proportion(&mut self, w: &mut Window, c: &Connection, brought: Brought, from: u64) {
        if brought.delivered > 0 {
            let pipe = u64::from(c.in_flight);
            // Of 32 bits, for the conversion is then shorter; more are not under way.
            let ssthresh = u64::from(w.ssthresh as u32);
            let allowed = self.reduction.allowance(pipe, Base { ssthresh, from }, brought);
            // Signed, for the conversion is then one instruction.
            w.cwnd = (pipe + allowed).max(1) as i64 as f64;
        }
    }

    /// The reduction is over; `stands` if it was not undone. Returns whether the window is the stack's to set.
    pub(crate) fn end_reduction(&self, w: &mut Window, c: &Connection, stands: bool) -> bool {
        if self.has_full_control {
            return false;
        }
        if w.ssthresh < cc::SSTHRESH_INFINITE && (c.ca_state == CaState::Cwr || stands) {
            w.cwnd = match self.rule {
                RecoveryRule::ToOne => 1.0,
                RecoveryRule::Prr | RecoveryRule::Rfc9937 => w.ssthresh,
                RecoveryRule::RateHalving | RecoveryRule::AtOnce => w.cwnd.min(w.ssthresh),
            };
        }
        true
    }

    /// No window growth while the losses of a timeout are repaired.
    pub(crate) fn is_frozen(&self, c: &Connection) -> bool {
        self.is_frozen_in_loss && c.ca_state == CaState::Loss
    }

    /// The retransmission timer expired; `is_new` if losses were not being repaired already. The episode is what is outstanding now.
    pub(crate) fn on_timed_out(&mut self, c: &Connection, is_new: bool) {
        self.point = c.nxt;
        self.in_frto = self.has_frto && (is_new || self.expiries > 0);
    }

    /// The timer expired, and nothing was acknowledged since it last did.
    pub(crate) fn has_just_expired(&self) -> bool {
        self.expiries > 0
    }

    /// One expiry more without progress.
    pub(crate) fn count_expiry(&mut self) {
        self.expiries += 1;
    }

    /// Something was acknowledged, or the timeout was none.
    pub(crate) fn forget_expiries(&mut self) {
        self.expiries = 0;
    }

    /// An original was delivered after the timeout: it was spurious (RFC 5682 step 3.b).
    pub(crate) fn is_timeout_spurious(&self, progress: &Progress) -> bool {
        self.in_frto && progress.original_delivered
    }

    /// The timeout was spurious. Where the state stays, as without SACK, an original that is delivered later still says so.
    pub(crate) fn on_timeout_undone(&mut self) {
        self.expiries = 0;
    }

    /// RFC 5682 steps 2 and 3. Returns whether new data, where it can be sent, goes before retransmissions.
    pub(crate) fn probe_timeout(&mut self, c: &Connection, progress: &Progress, can_send_new: bool) -> bool {
        if !self.in_frto {
            return false;
        }
        if c.nxt > self.point {
            if progress.sacked > 0 || progress.is_duplicate_ack() {
                self.in_frto = false;
            }
        } else if progress.acked > 0 && !self.is_over(c) {
            self.point = c.nxt;
            if can_send_new {
                self.turn = Turn::NewData;
            }
            self.in_frto = can_send_new;
            return can_send_new;
        }
        false
    }

    /// An original was late, and others may be: this ACK releases no repairs (Linux `tcp_try_undo_partial`).
    pub(crate) fn put_repairs_off(&mut self) {
        self.turn = Turn::NewDataAlone;
    }

    /// What goes first now. Asked once per ACK.
    pub(crate) fn take_turn(&mut self) -> Turn {
        std::mem::take(&mut self.turn)
    }

    /// The new data that was to tell whether the timeout was spurious may not leave: it counts as a real one.
    pub(crate) fn give_up_probing(&mut self) {
        self.in_frto = false;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Cumulative sends after 1, 2, 3, 10 and 50 deliveries from prior_cwnd 100 (transport specification, PRR vectors).
    fn sends(ssthresh: u64) -> Vec<u64> {
        let mut reduction = Reduction::default();
        let mut pipe = 99;
        (1..=50)
            .map(|_| {
                pipe -= 1;
                let brought = Brought { delivered: 1, lost: 0, advances: false };
                let allowed = reduction.allowance(pipe, Base { ssthresh, from: 100 }, brought);
                reduction.sent += allowed as u32;
                pipe += allowed;
                u64::from(reduction.sent)
            })
            .collect()
    }

    #[test]
    fn proportional_reduction_spreads_the_sends() {
        let halved = sends(50);
        assert_eq!([halved[0], halved[1], halved[2], halved[9], halved[49]], [1, 1, 2, 5, 25]);
        let gentle = sends(70);
        assert_eq!([gentle[0], gentle[1], gentle[2], gentle[9], gentle[49]], [1, 2, 3, 7, 35]);
    }
}
