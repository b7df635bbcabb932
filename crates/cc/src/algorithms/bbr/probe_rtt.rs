//! The minimum RTT, and ProbeRTT: four segments in flight for 200 ms when no smaller RTT was seen for ten seconds.

use units::{Duration, Time};

use super::output::WINDOW_MIN;
use super::{Bbr, Mode};
use crate::{Connection, RateSample, Window};

/// Ticks after which the minimum RTT is too old.
const WINDOW: u64 = 10_000;
/// Ticks for which the window stays at its smallest.
const HOLD: u64 = 200;

/// The kernel's clock of 1000 ticks per second.
fn ticks(at: Time) -> u64 {
    at.as_ms()
}

/// The minimum RTT and when it was seen.
#[derive(Clone, Copy, Debug)]
pub(super) struct MinRtt {
    /// Microseconds, `u64::MAX` before the first sample.
    pub(super) us: u64,
    /// RTTs below this have fewer whole microseconds.
    below: Duration,
    /// It is too old from this moment on.
    expires: Time,
}

impl Default for MinRtt {
    fn default() -> MinRtt {
        MinRtt { us: u64::MAX, below: Duration::FOREVER, expires: Time::from_ms(WINDOW + 1) }
    }
}

impl MinRtt {
    /// Of the handshake, if it had a sample.
    pub(super) fn start(&mut self, c: &Connection) {
        if c.rtt_min != Duration::FOREVER {
            self.set(c.rtt_min);
        }
        self.renew(c.now);
    }

    fn set(&mut self, rtt: Duration) {
        self.us = rtt.as_us().max(1);
        self.below = Duration::from_us(self.us);
    }

    /// It was seen, or sought, at `now`: it is too old when more than the window's ticks have passed.
    fn renew(&mut self, now: Time) {
        self.expires = Time::from_ms(ticks(now) + WINDOW + 1);
    }
}

/// A probe under way.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct ProbeRtt {
    /// When in tick the window has been small for long enough; none until it is small.
    done_at: Option<u64>,
    round_done: bool,
    /// The last ACK was handled in ProbeRTT.
    pub(super) held_back: bool,
}

impl Bbr {
    pub(super) fn update_min_rtt(&mut self, w: &mut Window, c: &Connection, s: &RateSample) {
        if c.now >= self.min_rtt.expires || s.rtt.is_some_and(|rtt| rtt < self.min_rtt.below) {
            self.change_min_rtt(w, c, s.rtt);
        }
        self.probe_rtt.held_back = self.mode == Mode::ProbeRtt;
        if self.mode == Mode::ProbeRtt {
            self.hold(w, c);
        }
        if self.restarts && s.delivered.is_some_and(|delivered| delivered > 0) {
            self.restarts = false;
        }
    }

    /// A smaller RTT was seen, or the smallest is too old.
    #[inline(never)]
    fn change_min_rtt(&mut self, w: &Window, c: &Connection, rtt: Option<Duration>) {
        let expired = c.now >= self.min_rtt.expires;
        if let Some(rtt) = rtt {
            self.min_rtt.set(rtt);
            self.min_rtt.renew(c.now);
        }
        if expired && !self.restarts && self.mode != Mode::ProbeRtt {
            self.mode = Mode::ProbeRtt;
            self.save_cwnd(w);
            self.probe_rtt.done_at = None;
        }
    }

    /// For 200 ms and at least a round.
    fn hold(&mut self, w: &mut Window, c: &Connection) {
        if self.probe_rtt.done_at.is_none() {
            if c.in_flight <= WINDOW_MIN {
                self.probe_rtt.done_at = Some(ticks(c.now) + HOLD);
                self.probe_rtt.round_done = false;
                self.rounds.restart(c.delivered);
            }
            return;
        }
        self.probe_rtt.round_done |= self.rounds.just_began;
        if self.probe_rtt.round_done {
            self.check_probe_rtt_done(w, c);
        }
    }

    pub(super) fn check_probe_rtt_done(&mut self, w: &mut Window, c: &Connection) {
        if self.probe_rtt.done_at.is_some_and(|at| ticks(c.now) > at) {
            self.min_rtt.renew(c.now);
            w.cwnd = w.cwnd.max(self.recovery.saved_cwnd);
            self.resume();
        }
    }
}
