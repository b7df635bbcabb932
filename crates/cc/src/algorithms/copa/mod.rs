//! Copa: moves the rate towards 1/(delta d_q), d_q the queueing delay.
//!
//! Source: Arun/Balakrishnan, NSDI 2018.
//! Units: segments; seconds.
//! State: one part per file: the filters of RTTmin, RTTstanding and RTTmax, the velocity and its direction, the mode.
//! Departures: the direction is looked at once per round trip; the velocity also falls to 1 on the ACK that reverses it, and a round
//! trip changes the window by no more than itself (third-party notes on the authors' code). A loss moves nothing but delta, and delta
//! only in competitive mode; after a timeout Copa starts anew. The start's queue is its own.

mod competition;
mod delays;
mod protocol;
mod velocity;

use units::{ByteRate, Duration, Time};

use self::competition::Competition;
use self::delays::Delays;
pub use self::protocol::{build, PROTOCOL};
use self::velocity::Velocity;
use crate::parameter::Values;
use crate::{CaEvent, CaState, CongestionControl, Connection, Control, Needs, RttSample, RttSamples, Window};

/// The smallest window.
const WINDOW_MIN: f64 = 2.0;

/// Copa.
#[derive(Clone, Debug)]
pub struct Copa {
    starting: bool,
    delays: Delays,
    velocity: Velocity,
    competition: Competition,
    /// A round ends with the ACK of a segment that left after it began.
    round_began: Time,
    delivered: u64,
}

impl Copa {
    fn new(values: &Values) -> Copa {
        Copa {
            starting: true,
            delays: Delays::new(),
            velocity: Velocity::new(),
            competition: Competition::new(values),
            round_began: Time::ZERO,
            delivered: 0,
        }
    }

    fn measure(&mut self, rtt_s: f64, now: Time, srtt: Duration) {
        let is_empty = self.delays.on_sampled(rtt_s, now, srtt);
        // While it starts the queue is its own.
        if self.starting || is_empty {
            self.competition.empty_at = now;
        }
        self.competition.choose_mode(now, srtt);
    }

    fn start_round(&mut self, cwnd: f64, now: Time) {
        self.round_began = now;
        self.velocity.start_round(cwnd);
    }

    /// One ACK of `acked` segments.
    fn step(&mut self, w: &mut Window, acked: f64, c: &Connection) {
        let d_q = self.delays.queueing_s();
        // lambda = cwnd/RTTstanding against 1/(delta d_q).
        let rises = w.cwnd * d_q <= self.competition.queued * self.delays.standing_s;
        if self.starting && rises {
            w.cwnd += if c.cwnd_limited { acked } else { 0.0 };
            return;
        }
        if self.starting {
            self.starting = false;
            w.ssthresh = w.cwnd.max(WINDOW_MIN);
            self.velocity.turn(false);
            self.start_round(w.cwnd, c.now);
        }
        if rises != self.velocity.rises && self.velocity.value > 1.0 {
            self.velocity.turn(rises);
        }
        let change = self.velocity.value * acked * self.competition.queued / w.cwnd;
        if !rises {
            w.cwnd = (w.cwnd - change).max(WINDOW_MIN);
        } else if c.cwnd_limited {
            w.cwnd += change;
        }
    }
}

impl CongestionControl for Copa {
    fn needs(&self) -> Needs {
        Needs { control: Control::Full, rtt_samples: RttSamples::Exact, ..Needs::default() }
    }

    fn on_established(&mut self, w: &mut Window, c: &Connection) {
        self.competition.empty_at = c.now;
        self.start_round(w.cwnd, c.now);
    }

    /// The whole law: it runs in every state, and loss does not stop it.
    fn on_rtt_sampled(&mut self, w: &mut Window, c: &Connection, s: &RttSample) {
        let acked = c.delivered.saturating_sub(self.delivered);
        self.delivered = c.delivered;
        self.competition.count_lost(c.lost);
        if let Some(rtt) = s.rtt {
            self.measure(rtt.as_secs_f64().max(1e-9), c.now, Duration::from_us(u64::from(c.srtt8_us >> 3)));
        }
        if !self.delays.are_known() {
            return;
        }
        if !self.starting && s.rtt.is_some_and(|rtt| rtt <= c.now.since(self.round_began)) {
            self.velocity.close_round(w, self.competition.queued);
            self.competition.close_round();
            self.start_round(w.cwnd, c.now);
        }
        self.step(w, acked as f64, c);
    }

    fn on_acked(&mut self, _w: &mut Window, _c: &Connection, _acked: u32) {}

    fn ssthresh(&mut self, w: &mut Window, _c: &Connection) -> f64 {
        self.competition.on_lost();
        w.cwnd.max(WINDOW_MIN)
    }

    fn on_event(&mut self, _w: &mut Window, _c: &Connection, e: CaEvent) {
        if e == CaEvent::TimedOut {
            self.starting = true;
            self.velocity.turn(true);
        }
    }

    fn undo(&mut self, w: &mut Window, c: &Connection) -> f64 {
        // Only a timeout has taken anything.
        if c.ca_state == CaState::Loss {
            w.cwnd.max(c.prior_cwnd)
        } else {
            w.cwnd
        }
    }

    fn pacing_rate(&self, w: &Window, c: &Connection) -> Option<ByteRate> {
        self.delays.are_known().then(|| ByteRate(((2.0 * w.cwnd * f64::from(c.mss) / self.delays.standing_s) as u64).max(1)))
    }

    fn variable_names(&self) -> &'static [&'static str] {
        &["velocity", "delta", "queueing_s", "competes"]
    }

    fn variables(&self, out: &mut [f64]) {
        out[0] = self.velocity.value;
        out[1] = 1.0 / self.competition.queued;
        out[2] = if self.delays.are_known() { self.delays.queueing_s() } else { f64::NAN };
        out[3] = f64::from(u8::from(self.competition.competes));
    }
}
