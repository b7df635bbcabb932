//! The long term: the in-flight at which probing lost more than 2 % bounds what follows, and probing raises it again.

use super::super::real::larger;
use super::probe_bw::Feedback;
use super::{Bbr3, Sample, State, BETA, HEADROOM, LOSS_THRESHOLD, WINDOW_MIN};
use crate::{Connection, LostSegment, RateSample, Window};

/// The bound and how it is probed.
#[derive(Clone, Copy, Debug)]
pub(super) struct LongTerm {
    /// BBR.inflight_longterm, segments.
    pub(super) inflight: f64,
    /// Segments that must be acknowledged for one segment more.
    acked_per_step: f64,
    acked: f64,
    /// Rounds of growth: each doubles the step.
    rounds: i32,
    /// What is acknowledged now was sent while probing.
    pub(super) is_probe_sample: bool,
    /// The last probe lost too much.
    pub(super) was_too_high: bool,
}

impl Default for LongTerm {
    fn default() -> LongTerm {
        let none = f64::INFINITY;
        LongTerm { inflight: none, acked_per_step: none, acked: 0.0, rounds: 0, is_probe_sample: false, was_too_high: false }
    }
}

/// Segments in flight, and how many of them were lost.
#[derive(Clone, Copy, Debug)]
pub(super) struct Losses {
    in_flight: f64,
    lost: f64,
}

impl Losses {
    pub(super) fn of_segment(s: &LostSegment) -> Losses {
        Losses { in_flight: f64::from(s.tx_in_flight), lost: f64::from(s.lost_since_sent) }
    }

    pub(super) fn of_sample(s: &RateSample) -> Losses {
        Losses { in_flight: f64::from(s.tx_in_flight), lost: f64::from(s.lost_since_sent) }
    }

    /// The in-flight at which losses crossed the threshold, when these preceded the last lost segment.
    fn crossing(self) -> f64 {
        self.in_flight + (LOSS_THRESHOLD * self.in_flight - self.lost) / (1.0 - LOSS_THRESHOLD)
    }
}

impl LongTerm {
    /// InflightWithHeadroom.
    pub(super) fn with_headroom(&self) -> f64 {
        if self.inflight.is_finite() {
            larger(self.inflight - larger(HEADROOM * self.inflight, 1.0), WINDOW_MIN)
        } else {
            self.inflight
        }
    }

    pub(super) fn stop_growing(&mut self) {
        self.acked_per_step = f64::INFINITY;
    }

    pub(super) fn prepare_growth(&mut self) {
        self.rounds = 0;
        self.acked = 0.0;
    }

    /// RaiseInflightLongtermSlope: one segment per round, then 2, 4, 8, ...
    pub(super) fn steepen(&mut self, cwnd: f64) {
        let growth = f64::from(1 << self.rounds);
        self.rounds = (self.rounds + 1).min(30);
        self.acked_per_step = (cwnd / growth).max(1.0);
    }

    fn grow(&mut self, acked: u32) {
        self.acked += f64::from(acked);
        if self.acked >= self.acked_per_step {
            let steps = (self.acked / self.acked_per_step).floor();
            self.acked -= steps * self.acked_per_step;
            self.inflight += steps;
        }
    }
}

impl Bbr3 {
    /// IsInflightTooHigh.
    pub(super) fn is_inflight_too_high(&self, c: &Connection, Losses { in_flight, lost }: Losses) -> bool {
        lost > LOSS_THRESHOLD * in_flight || (lost > 0.0 && !c.selective_acks)
    }

    /// HandleLostPacket, after the loss was noted: reacts once per probe.
    pub(super) fn check_lost_probe(&mut self, w: &Window, c: &Connection, s: &LostSegment) {
        if !self.long.is_probe_sample || !self.is_inflight_too_high(c, Losses::of_segment(s)) {
            return;
        }
        self.long.was_too_high = true;
        self.long.is_probe_sample = false;
        if !s.app_limited {
            let Losses { in_flight, lost } = Losses::of_segment(s);
            let before = Losses { in_flight: in_flight - 1.0, lost: lost - 1.0 };
            self.long.inflight = before.crossing().max(BETA * self.target_inflight(w));
        }
        if self.state == State::Up {
            self.undo.state = Some(State::Up);
            self.start_down(c);
        }
    }

    /// AdaptLongTermModel. Returns whether it changed the state.
    pub(super) fn adapt_long_term(&mut self, w: &Window, c: &Connection, s: &Sample) -> bool {
        if self.rounds.just_began && self.cycle.feedback == Feedback::Stopping {
            self.long.is_probe_sample = false;
            self.cycle.feedback = Feedback::None;
            if self.state.is_probe_bw() && !s.of.app_limited {
                self.bandwidth.advance();
            }
            if self.state.is_probe_bw() && self.cycle.was_precautionary && !self.long.was_too_high {
                self.start_refill(c);
                return true;
            }
        }
        let is_bound = self.long.inflight.is_finite();
        if is_bound && !self.is_inflight_too_high(c, Losses::of_sample(s.of)) {
            self.long.inflight = larger(self.long.inflight, f64::from(s.of.tx_in_flight));
            if self.state == State::Up {
                self.probe_upward(w, c, s);
            }
        }
        false
    }

    /// ProbeInflightLongtermUpward: only when the bound is what limits.
    fn probe_upward(&mut self, w: &Window, c: &Connection, s: &Sample) {
        if !c.cwnd_limited || w.cwnd < self.long.inflight {
            return;
        }
        self.long.grow(s.of.acked);
        if self.rounds.just_began {
            self.long.steepen(w.cwnd);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// 700 in flight, 4 lost: (14 - 4)/0.98 = 10.2 more lost segments make it 2 %: (4 + 10.2)/(700 + 10.2).
    #[test]
    fn the_prefix_that_crosses_two_percent() {
        let at = Losses { in_flight: 700.0, lost: 4.0 }.crossing();
        assert!((at - 710.2041).abs() < 1e-4, "{at}");
        assert!(((4.0 + at - 700.0) / at - 0.02).abs() < 1e-12);
    }
}
