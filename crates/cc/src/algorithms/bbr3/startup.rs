//! Startup and Drain. The pipe is full when three rounds raise the delivery rate by less than a quarter, or when a round of recovery lost
//! more than 2 % in six places.

use super::long_term::Losses;
use super::{Bbr3, Sample, State};
use crate::{CaState, Connection, Window};

/// Rounds without growth.
const ROUNDS: u32 = 3;
const GROWTH: f64 = 1.25;
/// Separate losses in a round.
const LOSSES: u32 = 6;
/// Drain does not last longer.
const DRAIN_ROUNDS: u64 = 3;

/// The full-pipe estimator.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Pipe {
    rate: f64,
    count: u32,
    /// Since the estimator was last reset.
    pub(super) now: bool,
    /// Ever.
    pub(super) reached: bool,
    drain_began: u64,
}

impl Pipe {
    /// ResetFullBW, with a baseline.
    pub(super) fn reset(&mut self, rate: f64) {
        self.rate = rate;
        self.count = 0;
        self.now = false;
    }
}

impl Bbr3 {
    /// CheckFullBWReached.
    pub(super) fn check_full_pipe(&mut self, s: &Sample) {
        if !self.rounds.just_began || self.pipe.now || s.of.app_limited {
            return;
        }
        if s.rate >= self.pipe.rate * GROWTH {
            return self.pipe.reset(s.rate);
        }
        self.pipe.count += 1;
        self.pipe.now = self.pipe.count >= ROUNDS;
        self.pipe.reached |= self.pipe.now;
    }

    /// CheckStartupDone.
    pub(super) fn check_startup_done(&mut self, w: &mut Window, c: &Connection, s: &Sample) {
        if self.state != State::Startup {
            return;
        }
        if !self.pipe.reached && self.is_loss_high(c, s) {
            self.undo.state = Some(State::Startup);
            self.pipe.reached = true;
            self.long.inflight = self.bdp(self.bw).max(self.short.inflight_latest);
        }
        if self.pipe.reached {
            self.state = State::Drain;
            self.pipe.drain_began = self.rounds.count;
            w.ssthresh = self.inflight_at(self.bandwidth.largest()).floor();
        }
    }

    /// At the end of a round that began in recovery; the first loss begins one.
    fn is_loss_high(&self, c: &Connection, s: &Sample) -> bool {
        if c.ca_state != CaState::Recovery {
            return false;
        }
        if !c.selective_acks {
            return self.short.lost_in_round;
        }
        self.short.round_began && self.short.losses_before >= LOSSES && self.is_inflight_too_high(c, Losses::of_sample(s.of))
    }

    /// CheckDrainDone.
    pub(super) fn check_drain_done(&mut self, c: &Connection) {
        if self.state != State::Drain {
            return;
        }
        let drained = f64::from(c.in_flight) <= self.inflight_at(self.bw);
        if drained || self.rounds.count > self.pipe.drain_began + DRAIN_ROUNDS {
            self.start_down(c);
        }
    }
}
