//! ProbeBW: DOWN drains, CRUISE waits, REFILL fills the pipe for a round, UP probes for more.

use units::{Duration, Stream, Time};

use super::super::real::smaller;
use super::{Bbr3, Sample, State};
use crate::{Connection, Window};

/// Reno needs about as many rounds from loss to loss.
const RENO_ROUNDS: f64 = 63.0;
/// Between probes, nanoseconds: 2 s, and up to 1 s more.
const WAIT_NS: u64 = 2_000_000_000;
const WAIT_SPREAD_NS: u64 = 1_000_000_000;

/// Of which sending the ACKs tell (BBR.ack_phase), as far as anything depends on it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) enum Feedback {
    /// Nothing special.
    #[default]
    None,
    /// Of filling the pipe, then of the probe.
    Probing,
    /// The probe has stopped, and its last round is being acknowledged.
    Stopping,
}

/// The cycle under way.
#[derive(Clone, Debug)]
pub(super) struct Cycle {
    began: Time,
    wait: Duration,
    /// Rounds since the last probe (BBR.rounds_since_probe_up).
    pub(super) rounds: u64,
    pub(super) feedback: Feedback,
    /// The last probe stopped where the one before had lost.
    pub(super) was_precautionary: bool,
    pub(super) stream: Stream,
}

impl Default for Cycle {
    fn default() -> Cycle {
        Cycle {
            began: Time::ZERO,
            wait: Duration::ZERO,
            rounds: 0,
            feedback: Feedback::None,
            was_precautionary: false,
            stream: Stream::named(0, "bbr3"),
        }
    }
}

impl Bbr3 {
    pub(super) fn start_down(&mut self, c: &Connection) {
        self.short.reset_signals();
        self.long.stop_growing();
        self.cycle.rounds = self.cycle.stream.up_to(1);
        self.cycle.wait = Duration(WAIT_NS + self.cycle.stream.up_to(WAIT_SPREAD_NS));
        self.cycle.began = c.now;
        self.cycle.feedback = Feedback::Stopping;
        self.rounds.restart(c.delivered);
        self.state = State::Down;
    }

    pub(super) fn start_refill(&mut self, c: &Connection) {
        self.short.forget();
        self.long.prepare_growth();
        self.cycle.was_precautionary = false;
        self.cycle.feedback = Feedback::Probing;
        self.rounds.restart(c.delivered);
        self.state = State::Refill;
    }

    fn start_up(&mut self, w: &Window, c: &Connection, s: &Sample) {
        self.cycle.feedback = Feedback::Probing;
        self.rounds.restart(c.delivered);
        self.pipe.reset(s.rate);
        self.state = State::Up;
        self.long.steepen(w.cwnd);
    }

    /// UpdateProbeBWCyclePhase.
    pub(super) fn update_cycle(&mut self, w: &Window, c: &Connection, s: &Sample) {
        if !self.pipe.reached || self.adapt_long_term(w, c, s) {
            return;
        }
        match self.state {
            State::Down | State::Cruise if self.is_time_to_probe(w, c) => self.start_refill(c),
            State::Down if self.is_time_to_cruise(c) => self.state = State::Cruise,
            State::Refill if self.rounds.just_began => {
                self.long.is_probe_sample = true;
                self.start_up(w, c, s);
            }
            State::Up => self.check_up_done(w, c, s),
            _ => {}
        }
    }

    fn check_up_done(&mut self, w: &Window, c: &Connection, s: &Sample) {
        if self.is_time_to_go_down(w, c, s) {
            self.long.was_too_high = false;
            self.start_down(c);
        }
    }

    /// After two to three seconds, or as many rounds as Reno would take.
    fn is_time_to_probe(&self, w: &Window, c: &Connection) -> bool {
        let has_waited = c.now > self.cycle.began + self.cycle.wait;
        // Signed, for the conversion is then one instruction.
        has_waited || self.cycle.rounds as i64 as f64 >= smaller(self.target_inflight(w), RENO_ROUNDS)
    }

    fn is_time_to_cruise(&self, c: &Connection) -> bool {
        let in_flight = f64::from(c.in_flight);
        in_flight <= self.long.with_headroom() && in_flight <= self.inflight_at(self.bandwidth.largest())
    }

    fn is_time_to_go_down(&mut self, w: &Window, c: &Connection, s: &Sample) -> bool {
        if self.long.was_too_high && f64::from(c.in_flight) >= self.long.inflight {
            self.cycle.was_precautionary = true;
            return true;
        }
        if c.cwnd_limited && w.cwnd >= self.long.inflight {
            // The bound limits the rate, not the path.
            self.pipe.reset(s.rate);
            return false;
        }
        self.pipe.now
    }
}
