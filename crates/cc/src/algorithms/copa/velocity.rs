//! Copa's velocity: it doubles each round trip in which the window keeps its direction, from the fourth on.
//!
//! Source: Arun/Balakrishnan, NSDI 2018, section 2.1.
//! Departures: the direction is looked at once per round trip, and a round trip changes the window by no more than itself.

use crate::Window;

/// Rounds in one direction before the velocity doubles.
const STEADY_ROUNDS: u32 = 3;

/// The velocity and the direction it holds for.
#[derive(Clone, Copy, Debug)]
pub(super) struct Velocity {
    /// In steps of 1/(delta cwnd) per segment.
    pub(super) value: f64,
    pub(super) rises: bool,
    /// In this direction.
    rounds: u32,
    /// The window when the round began.
    round_cwnd: f64,
}

impl Velocity {
    pub(super) fn new() -> Velocity {
        Velocity { value: 1.0, rises: true, rounds: 0, round_cwnd: 0.0 }
    }

    pub(super) fn start_round(&mut self, cwnd: f64) {
        self.round_cwnd = cwnd;
    }

    /// A round has ended, while `queued` segments, 1/delta, are to be kept queued.
    pub(super) fn close_round(&mut self, w: &Window, queued: f64) {
        let rose = w.cwnd > self.round_cwnd;
        if rose == self.rises {
            self.rounds += 1;
            if self.rounds > STEADY_ROUNDS {
                self.value *= 2.0;
            }
        } else {
            self.turn(rose);
        }
        self.value = self.value.min(w.cwnd / queued).max(1.0);
    }

    /// Starts anew, in that direction.
    pub(super) fn turn(&mut self, rises: bool) {
        self.rises = rises;
        self.rounds = 0;
        self.value = 1.0;
    }
}
