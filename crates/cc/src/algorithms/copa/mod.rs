//! Copa: moves the rate towards 1/(delta d_q), d_q the queueing delay.
//!
//! Source: Arun/Balakrishnan, NSDI 2018.
//! Units: segments; seconds.
//! State: the filters of RTTmin, RTTstanding and RTTmax, the velocity and its direction, the mode.
//! Departures: the direction is looked at once per round trip; the velocity also falls to 1 on the ACK that reverses it, and a round
//! trip changes the window by no more than itself (third-party notes on the authors' code). A loss moves nothing but delta, and delta
//! only in competitive mode; after a timeout Copa starts anew. It competes after ten RTTs without a nearly empty queue, not five: its own
//! cycle is five and a half here, and it would take itself for a competitor. The start's queue is its own.

use units::Time;

use super::borrows;
use super::sliding::SlidingMin;
use crate::parameter::{Constant, Parameter, Protocol, Values, Variant};
use crate::{Algorithm, CaEvent, CaState, CongestionControl, Connection, Needs, RttSample, Window};

const PAPER: &str = "paper";
const DEFAULT_MODE: &str = "default-mode";

/// The registry's description.
pub const PROTOCOL: Protocol = Protocol {
    name: "copa",
    aliases: &[],
    family: "delay-based",
    year: 2018,
    source: "Arun/Balakrishnan 2018",
    summary: "Aims at the rate 1/(delta x queueing delay), and competes when somebody keeps the queue full.",
    signals: &["rtt", "loss"],
    variants: &[
        Variant { name: PAPER, aliases: &[], summary: "Switches to a competitive mode.", exact_kernel: false },
        Variant { name: DEFAULT_MODE, aliases: &["mvfst"], summary: "Default mode only.", exact_kernel: false },
    ],
    parameters: &[
        Parameter {
            name: "empty_within",
            unit: "RTTs",
            min: 1.0,
            max: 1e3,
            defaults: &[(PAPER, 10.0)],
            doc: "Competes after so long without a nearly empty queue.",
        },
        Parameter {
            name: "delta",
            unit: "1/segment",
            min: 0.004,
            max: 1.0,
            defaults: &[(PAPER, 0.5), (DEFAULT_MODE, 0.5)],
            doc: "Inverse of the segments to keep queued; in competitive mode the largest value.",
        },
    ],
    constants: &[
        Constant { name: "rtt_min_window", variant: PAPER, value: 10.0, unit: "s" },
        Constant { name: "nearly_empty", variant: PAPER, value: NEARLY_EMPTY, unit: "1" },
    ],
    profiles: &[
        borrows("linux-6.1", PAPER),
        borrows("linux-2.6.23", PAPER),
        borrows("altaimd-2.6.6", PAPER),
        borrows("linux-2.4", PAPER),
        borrows("rfc", PAPER),
    ],
    build: |values| Algorithm::Copa(Box::new(Copa::new(values))),
};

/// RTTmin is that of the last 10 s.
const RTT_MIN_SPAN: Time = Time::from_ms(10_000);
/// RTTmax is that of this many RTTs.
const MAX_RTTS: u64 = 4;
/// A queueing delay below this part of RTTmax - RTTmin is nearly empty.
const NEARLY_EMPTY: f64 = 0.1;
/// Rounds in one direction before the velocity doubles.
const STEADY_ROUNDS: u32 = 3;
/// The smallest window.
const WINDOW_MIN: f64 = 2.0;

/// Copa.
#[derive(Clone, Debug)]
pub struct Copa {
    /// RTTs without a nearly empty queue after which it competes; none if it never does.
    empty_within: Option<f64>,
    /// 1/delta of the default mode, segments.
    own: f64,
    /// 1/delta now.
    queued: f64,
    competes: bool,
    lost: bool,
    starting: bool,
    velocity: f64,
    rises: bool,
    rounds: u32,
    round_end: u64,
    round_cwnd: f64,
    delivered: u64,
    min_s: f64,
    standing_s: f64,
    empty_at: Time,
    least: SlidingMin,
    standing: SlidingMin,
    most: SlidingMin,
}

impl Copa {
    fn new(values: &Values) -> Copa {
        let own = 1.0 / values.get("delta");
        Copa {
            empty_within: (values.variant() == PAPER).then(|| values.get("empty_within")),
            own,
            queued: own,
            competes: false,
            lost: false,
            starting: true,
            velocity: 1.0,
            rises: true,
            rounds: 0,
            round_end: 0,
            round_cwnd: 0.0,
            delivered: 0,
            min_s: f64::INFINITY,
            standing_s: 0.0,
            empty_at: Time::ZERO,
            least: SlidingMin::default(),
            standing: SlidingMin::default(),
            most: SlidingMin::default(),
        }
    }

    fn measure(&mut self, rtt_s: f64, now: Time, srtt: Time) {
        self.min_s = self.least.on_sampled(rtt_s, now, RTT_MIN_SPAN);
        self.standing_s = self.standing.on_sampled(rtt_s, now, Time(srtt.0 / 2));
        let max_s = -self.most.on_sampled(-rtt_s, now, Time(MAX_RTTS * srtt.0));
        if self.starting || self.standing_s - self.min_s <= NEARLY_EMPTY * (max_s - self.min_s) {
            self.empty_at = now;
        }
        // While it starts the queue is its own.
        let age = now.since(self.empty_at).0 as f64 / srtt.0.max(1) as f64;
        let competes = self.empty_within.is_some_and(|rtts| age > rtts);
        if competes != self.competes {
            self.competes = competes;
            self.queued = self.own;
        }
    }

    /// Once per round trip: the velocity, and in competitive mode the additive increase of 1/delta.
    fn close_round(&mut self, w: &Window, c: &Connection) {
        let rose = w.cwnd > self.round_cwnd;
        if rose == self.rises {
            self.rounds += 1;
            if self.rounds > STEADY_ROUNDS {
                self.velocity *= 2.0;
            }
        } else {
            self.turn(rose);
        }
        self.velocity = self.velocity.min(w.cwnd / self.queued).max(1.0);
        self.round_end = c.nxt;
        self.round_cwnd = w.cwnd;
        if self.competes && !self.lost {
            self.queued += 1.0;
        }
        self.lost = false;
    }

    fn turn(&mut self, rises: bool) {
        self.rises = rises;
        self.rounds = 0;
        self.velocity = 1.0;
    }

    /// One ACK of `acked` segments.
    fn step(&mut self, w: &mut Window, acked: f64, is_limited: bool) {
        let d_q = self.standing_s - self.min_s;
        // lambda = cwnd/RTTstanding against 1/(delta d_q).
        let rises = w.cwnd * d_q <= self.queued * self.standing_s;
        if self.starting && rises {
            w.cwnd += if is_limited { acked } else { 0.0 };
            return;
        }
        if self.starting {
            self.starting = false;
            w.ssthresh = w.cwnd.max(WINDOW_MIN);
            self.turn(false);
        }
        if rises != self.rises && self.velocity > 1.0 {
            self.turn(rises);
        }
        let change = self.velocity * acked * self.queued / w.cwnd;
        if !rises {
            w.cwnd = (w.cwnd - change).max(WINDOW_MIN);
        } else if is_limited {
            w.cwnd += change;
        }
    }
}

impl CongestionControl for Copa {
    fn needs(&self) -> Needs {
        Needs { full_control: true, pacing: true, rtt_stamps: true, ..Needs::default() }
    }

    fn on_established(&mut self, w: &mut Window, c: &Connection) {
        self.empty_at = c.now;
        self.round_cwnd = w.cwnd;
    }

    /// The whole law: it runs in every state, and loss does not stop it.
    fn on_rtt_sampled(&mut self, w: &mut Window, c: &Connection, s: &RttSample) {
        let acked = c.delivered.saturating_sub(self.delivered);
        self.delivered = c.delivered;
        if let Some(rtt) = s.rtt {
            self.measure(rtt.as_secs_f64().max(1e-9), c.now, Time::from_us(u64::from(c.srtt8_us >> 3)));
        }
        if self.standing_s == 0.0 {
            return;
        }
        if c.una > self.round_end && !self.starting {
            self.close_round(w, c);
        }
        self.step(w, acked as f64, c.cwnd_limited);
    }

    fn on_acked(&mut self, _w: &mut Window, _c: &Connection, _acked: u32) {}

    fn ssthresh(&mut self, w: &mut Window, _c: &Connection) -> f64 {
        self.lost = true;
        if self.competes {
            self.queued = (0.5 * self.queued).max(self.own);
        }
        w.cwnd.max(WINDOW_MIN)
    }

    fn on_event(&mut self, _w: &mut Window, _c: &Connection, e: CaEvent) {
        if e == CaEvent::TimedOut {
            self.starting = true;
            self.turn(true);
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

    fn pacing_rate(&self, w: &Window, c: &Connection) -> Option<u64> {
        (self.standing_s > 0.0).then(|| ((2.0 * w.cwnd * f64::from(c.mss) / self.standing_s) as u64).max(1))
    }

    fn variable_names(&self) -> &'static [&'static str] {
        &["velocity", "delta", "queueing_s", "competes"]
    }

    fn variables(&self, out: &mut [f64]) {
        out[0] = self.velocity;
        out[1] = 1.0 / self.queued;
        out[2] = if self.standing_s > 0.0 { self.standing_s - self.min_s } else { f64::NAN };
        out[3] = f64::from(u8::from(self.competes));
    }
}
