//! Startup and Drain: double the rate each round until the bandwidth stops growing, then let the queue run out.

use super::{Bbr, Mode, UNIT};
use crate::{Connection, RateSample, Window};

/// Rounds without enough growth after which the pipe is full.
const ROUNDS: u32 = 3;

/// Whether the pipe is full: the bandwidth has a level that three rounds did not raise by a quarter.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Pipe {
    level: u64,
    pub(super) rounds: u32,
    full: bool,
}

impl Pipe {
    pub(super) fn is_full(self) -> bool {
        self.full
    }

    pub(super) fn level(self) -> u64 {
        self.level
    }

    /// After a timeout: look for the level anew. A pipe that was full stays full.
    pub(super) fn forget_level(&mut self) {
        self.level = 0;
    }

    /// Nothing was lost after all: look anew, with three rounds to go.
    pub(super) fn forget(&mut self) {
        self.level = 0;
        self.rounds = 0;
    }

    fn on_round(&mut self, bw: u64) {
        // 1.25 times, in 1/256.
        if bw >= (self.level * 320) >> 8 {
            self.level = bw;
            self.rounds = 0;
        } else {
            self.rounds += 1;
            self.full = self.rounds >= ROUNDS;
        }
    }
}

impl Bbr {
    pub(super) fn check_full_pipe(&mut self, s: &RateSample) {
        if !self.pipe.full && self.rounds.just_began && !s.app_limited {
            self.pipe.on_round(self.max_bw());
        }
    }

    pub(super) fn check_drain(&mut self, w: &mut Window, c: &Connection) {
        if self.mode == Mode::Startup && self.pipe.full {
            self.mode = Mode::Drain;
            w.ssthresh = self.inflight_at(UNIT) as f64;
        }
        if self.mode == Mode::Drain && self.in_flight_at_departure(c.in_flight) <= self.inflight_at(UNIT) {
            self.enter_probe_bw();
        }
    }
}
