//! The long-term bandwidth: a token-bucket policer lets bursts through and then drops. Two intervals between losses with the same rate
//! and at least a fifth lost tell one; its rate is then used for 48 rounds.

use units::{ByteRate, Time};

use super::output::{self, Point};
use super::{Bbr, Mode, BW_SHIFT, UNIT};
use crate::{Connection, RateSample};

/// Rounds of a sampling interval, at least; four times as many at most.
const ROUNDS_MIN: u32 = 4;
/// Lost per delivered, in 1/256.
const LOSS: u64 = 50;
/// Rates are the same within an eighth, or within this many bytes per second.
const NEAR: ByteRate = ByteRate(500);
/// Rounds for which a policer's rate is used.
const ROUNDS_BELIEVED: u32 = 48;

/// What is known of a policer.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Policer {
    is_sampling: bool,
    is_believed: bool,
    bw: u64,
    rounds: u32,
    began_ms: u64,
    delivered: u64,
    lost: u64,
}

/// What an ACK, or a timeout, tells of the round.
#[derive(Clone, Copy, Debug)]
struct Round {
    has_lost: bool,
    is_app_limited: bool,
}

impl Policer {
    /// The policer's rate, while it is used.
    pub(super) fn bw(&self) -> Option<u64> {
        self.is_believed.then_some(self.bw)
    }

    fn restart_interval(&mut self, at: Time, c: &Connection) {
        self.began_ms = at.as_ms();
        self.delivered = c.delivered;
        self.lost = c.lost;
        self.rounds = 0;
    }

    /// Nothing is known.
    pub(super) fn reset(&mut self, at: Time, c: &Connection) {
        self.bw = 0;
        self.is_believed = false;
        self.is_sampling = false;
        self.restart_interval(at, c);
    }

    /// An interval ended with this bandwidth. Returns whether it confirms the one before.
    fn conclude(&mut self, bw: u64, at: Time, c: &Connection) -> bool {
        let difference = bw.abs_diff(self.bw);
        let is_same = 8 * difference <= self.bw || output::pacing_rate(Point { bw: difference, gain: UNIT }, c.mss) <= NEAR;
        if self.bw > 0 && is_same {
            self.bw = (self.bw + bw) / 2;
            self.is_believed = true;
            self.rounds = 0;
            return true;
        }
        self.bw = bw;
        self.restart_interval(at, c);
        false
    }
}

impl Bbr {
    #[inline]
    pub(super) fn sample_policer(&mut self, c: &Connection, s: &RateSample) {
        if s.lost == 0 && !(self.policer.is_believed | self.policer.is_sampling) {
            return;
        }
        self.look_for_policer(c, Round { has_lost: s.lost > 0, is_app_limited: s.app_limited });
    }

    /// A timeout counts as the end of a round with a loss.
    pub(super) fn on_timeout_for_policer(&mut self, c: &Connection) {
        self.look_for_policer(c, Round { has_lost: true, is_app_limited: false });
    }

    fn look_for_policer(&mut self, c: &Connection, Round { has_lost, is_app_limited }: Round) {
        let (began, at) = (self.rounds.just_began, self.delivered_at);
        let policer = &mut self.policer;
        if policer.is_believed {
            if self.mode == Mode::ProbeBw && began {
                policer.rounds += 1;
                if policer.rounds >= ROUNDS_BELIEVED {
                    policer.reset(at, c);
                    self.enter_probe_bw();
                }
            }
            return;
        }
        if !policer.is_sampling {
            // The first loss tells that the bucket is empty.
            if !has_lost {
                return;
            }
            policer.restart_interval(at, c);
            policer.is_sampling = true;
        }
        if is_app_limited {
            return policer.reset(at, c);
        }
        policer.rounds += u32::from(began);
        if policer.rounds < ROUNDS_MIN {
            return;
        }
        if policer.rounds > 4 * ROUNDS_MIN {
            return policer.reset(at, c);
        }
        let (lost, delivered) = (c.lost - policer.lost, c.delivered - policer.delivered);
        if !has_lost || delivered == 0 || lost << 8 < LOSS * delivered {
            return;
        }
        let span_ms = at.as_ms().saturating_sub(policer.began_ms);
        if span_ms > 0 && policer.conclude((delivered << BW_SHIFT) / (span_ms * 1000), at, c) {
            self.pacing_gain = UNIT;
        }
    }
}
