//! The minimum RTT of ten seconds, and ProbeRTT: half a bandwidth-delay product for 200 ms when five seconds brought no new minimum.

use units::{Duration, Time};

use super::probe_bw::Feedback;
use super::{Bbr3, Sample, State};
use crate::{Connection, Window};

const WINDOW: Duration = Duration::from_ms(10_000);
const INTERVAL: Duration = Duration::from_ms(5_000);
const HOLD: Duration = Duration::from_ms(200);

/// Both minima, and a probe under way.
#[derive(Clone, Copy, Debug)]
pub(super) struct MinRtt {
    min: Duration,
    /// The same in seconds; infinite before the first sample.
    min_s: f64,
    min_at: Time,
    /// The minimum since the last probe, and when the next is due (BBR.probe_rtt_min_delay).
    recent: Duration,
    recent_at: Time,
    /// Until then, perhaps longer, neither is too old.
    stand_until: Time,
    expired: bool,
    done_at: Option<Time>,
    round_done: bool,
    /// The last ACK was handled in ProbeRTT.
    pub(super) held_back: bool,
}

impl Default for MinRtt {
    fn default() -> MinRtt {
        MinRtt {
            min: Duration::FOREVER,
            min_s: f64::INFINITY,
            min_at: Time::ZERO,
            recent: Duration::FOREVER,
            recent_at: Time::ZERO,
            stand_until: Time::ZERO,
            expired: false,
            done_at: None,
            round_done: false,
            held_back: false,
        }
    }
}

impl MinRtt {
    /// The connection opens with this smoothed RTT, zero for none.
    pub(super) fn start(&mut self, srtt: Duration, now: Time) {
        self.set(if srtt > Duration::ZERO { srtt } else { Duration::FOREVER }, now);
        self.recent_at = now;
    }

    /// The minimum, seen at this time.
    fn set(&mut self, min: Duration, at: Time) {
        (self.min, self.min_at) = (min, at);
        self.min_s = if min == Duration::FOREVER { f64::INFINITY } else { min.as_secs_f64() };
    }

    /// Seconds; infinite before the first sample.
    #[inline]
    pub(super) fn min_s(&self) -> f64 {
        self.min_s
    }

    /// The sample may change a minimum, or one of them is too old.
    #[inline(never)]
    fn change(&mut self, now: Time, rtt: Option<Duration>) {
        self.expired = now > self.recent_at + INTERVAL;
        if let Some(rtt) = rtt.filter(|&rtt| rtt < self.recent || self.expired) {
            self.recent = rtt.max(Duration::NANOSECOND);
            self.recent_at = now;
        }
        if self.recent < self.min || now > self.min_at + WINDOW {
            self.set(self.recent, self.recent_at);
        }
        self.stand_until = (self.recent_at + INTERVAL).min(self.min_at + WINDOW);
    }
}

impl Bbr3 {
    /// UpdateMinRTT.
    pub(super) fn update_min_rtt(&mut self, c: &Connection, s: &Sample) {
        if c.now > self.rtt.stand_until || s.of.rtt.is_some_and(|rtt| rtt < self.rtt.recent) {
            return self.rtt.change(c.now, s.of.rtt);
        }
        self.rtt.expired = false;
    }

    /// CheckProbeRTT.
    pub(super) fn check_probe_rtt(&mut self, w: &mut Window, c: &Connection, s: &Sample) {
        if self.state != State::ProbeRtt && self.rtt.expired && !self.restarts {
            self.state = State::ProbeRtt;
            self.save_cwnd(w, c);
            self.rtt.done_at = None;
            self.cycle.feedback = Feedback::Stopping;
            self.rounds.restart(c.delivered);
        }
        self.rtt.held_back = self.state == State::ProbeRtt;
        if self.state == State::ProbeRtt {
            self.hold(w, c);
        }
        if s.delivered > 0.0 {
            self.restarts = false;
        }
    }

    /// HandleProbeRTT.
    fn hold(&mut self, w: &mut Window, c: &Connection) {
        if self.rtt.done_at.is_none() {
            if f64::from(c.in_flight) <= self.probe_rtt_cwnd() {
                self.rtt.done_at = Some(c.now + HOLD);
                self.rtt.round_done = false;
                self.rounds.restart(c.delivered);
            }
            return;
        }
        self.rtt.round_done |= self.rounds.just_began;
        if self.rtt.round_done {
            self.check_probe_rtt_done(w, c);
        }
    }

    /// CheckProbeRTTDone and ExitProbeRTT.
    pub(super) fn check_probe_rtt_done(&mut self, w: &mut Window, c: &Connection) {
        if self.rtt.done_at.is_none_or(|at| c.now <= at) {
            return;
        }
        self.rtt.recent_at = c.now;
        w.cwnd = self.restored_cwnd(w);
        self.short.forget();
        if self.pipe.reached {
            // What is in flight is already below the pipe.
            self.start_down(c);
            self.state = State::Cruise;
        } else {
            self.state = State::Startup;
        }
    }
}
