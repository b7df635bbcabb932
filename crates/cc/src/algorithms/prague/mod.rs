//! Prague: DCTCP for the Internet. Its window moves on every ACK, and round trips below 25 ms count as 25 ms.
//!
//! Source: draft-briscoe-iccrg-prague-congestion-control-04 (its text not read in full); the Linux reference, `tcp_prague.c` of
//! L4STeam, read for its rules.
//! Units: segments; seconds.
//! State: the fractional window, alpha, the window of data that is being counted, when alpha moved and the window was reduced.
//! Departures: in real numbers. No packets smaller than a segment and no pacing below two segments per round trip, so no rate mode
//! and none of its 3 % of alternation; no fallback on suspecting a classic queue. The L4S queue itself comes later: here Prague is fed by
//! step marking.

use units::Time;

use super::borrows;
use super::dctcp::Observed;
use crate::parameter::{Constant, Parameter, Protocol, Values, Variant};
use crate::{AckArrival, Algorithm, CaEvent, CaState, CongestionControl, Connection, EcnFeedback, Needs, Window};

const DRAFT: &str = "draft";

/// The registry's description.
pub const PROTOCOL: Protocol = Protocol {
    name: "prague",
    aliases: &[],
    family: "ECN-based",
    year: 2021,
    source: "De Schepper/Tilmans/Briscoe/Goel, draft-briscoe-iccrg-prague-congestion-control-04",
    summary: "DCTCP that moves on every ACK and shares equally below 25 ms.",
    signals: &["ecn", "loss", "rtt"],
    variants: &[Variant { name: DRAFT, aliases: &[], summary: "The draft, with the Linux reference's defaults.", exact_kernel: false }],
    parameters: &[
        Parameter { name: "g", unit: "1", min: 1e-4, max: 1.0, defaults: &[(DRAFT, 0.0625)], doc: "Weight of the latest round in alpha." },
        Parameter {
            name: "rtt_target",
            unit: "s",
            min: 0.0,
            max: 0.1,
            defaults: &[(DRAFT, 0.025)],
            doc: "Shorter round trips behave like one of this length; 0 for none.",
        },
        Parameter {
            name: "rtt_transition",
            unit: "RTTs",
            min: 0.0,
            max: 1e6,
            defaults: &[(DRAFT, 4.0)],
            doc: "Rounds after slow start before they do.",
        },
    ],
    constants: &[Constant { name: "window_min", variant: DRAFT, value: WINDOW_MIN, unit: "segments" }],
    profiles: &[
        borrows("linux-6.1", DRAFT),
        borrows("linux-2.6.23", DRAFT),
        borrows("altaimd-2.6.6", DRAFT),
        borrows("linux-2.4", DRAFT),
        borrows("rfc", DRAFT),
    ],
    build: |values| Algorithm::Prague(Box::new(Prague::new(values))),
};

/// The smallest window.
const WINDOW_MIN: f64 = 2.0;

/// Prague.
#[derive(Clone, Copy, Debug)]
pub struct Prague {
    g: f64,
    rtt_target: Time,
    rtt_transition: f64,
    /// The window with its fraction; cwnd is the next whole number above it.
    window: f64,
    alpha: f64,
    /// A mark was seen: there is a queue that marks.
    marked: bool,
    in_loss: bool,
    observed: Observed,
    delivered: u64,
    delivered_ce: u64,
    /// Rounds since slow start.
    rounds: f64,
    alpha_at: Time,
    reduced_at: Option<Time>,
    /// Window before the latest loss.
    before_loss: f64,
}

impl Prague {
    fn new(values: &Values) -> Prague {
        Prague {
            g: values.get("g"),
            rtt_target: Time::from_secs_f64(values.get("rtt_target")),
            rtt_transition: values.get("rtt_transition"),
            window: 0.0,
            alpha: 0.0,
            marked: false,
            in_loss: false,
            observed: Observed::default(),
            delivered: 0,
            delivered_ce: 0,
            rounds: 0.0,
            alpha_at: Time::ZERO,
            reduced_at: None,
            before_loss: 0.0,
        }
    }

    /// Whether the round trip counts as the target's: not in slow start, nor soon after it.
    fn is_rtt_independent(&self, w: &Window) -> bool {
        !w.in_slow_start() && self.rounds >= self.rtt_transition
    }

    /// Segments per round trip: one per target RTT, and at the rate that one segment more has there.
    fn increase(&self, w: &Window, c: &Connection) -> f64 {
        let ratio = f64::from(c.srtt8_us) / 8e6 / self.rtt_target.as_secs_f64();
        if self.is_rtt_independent(w) && ratio < 1.0 {
            ratio * ratio
        } else {
            1.0
        }
    }

    /// Every segment that came unmarked adds its part, whatever happens to the others.
    fn grow(&mut self, w: &mut Window, c: &Connection, unmarked: u64) {
        if self.in_loss || !c.cwnd_limited {
            return;
        }
        let mut rest = unmarked as f64;
        if w.in_slow_start() {
            rest = w.slow_start_real(unmarked as u32);
            self.window = w.cwnd;
        }
        self.window += self.increase(w, c) * rest / self.window;
    }

    /// cwnd follows by a segment per ACK, so that reductions do not stop the ACK clock.
    fn follow(&self, w: &mut Window) {
        let goal = self.window.ceil().max(WINDOW_MIN);
        if w.cwnd > goal {
            w.cwnd = (w.cwnd - 1.0).max(goal);
            w.ssthresh = w.cwnd;
        } else if w.cwnd < goal {
            w.cwnd = (w.cwnd + 1.0).min(goal);
        }
    }

    /// alpha = (1 - g) alpha + g F, once per round trip of at least the target's length.
    fn close_round(&mut self, w: &Window, c: &Connection) {
        if !self.observed.is_over(c) || (self.is_rtt_independent(w) && c.now.since(self.alpha_at) < self.rtt_target) {
            return;
        }
        let Some((delivered, marked)) = self.observed.close(c) else { return };
        if self.marked {
            let f = (marked as f64 / delivered.max(1) as f64).min(1.0);
            self.alpha += self.g * (f - self.alpha);
            self.alpha_at = c.now;
        }
        if !w.in_slow_start() {
            self.rounds += 1.0;
        }
    }

    /// The window falls by this part; cwnd follows.
    fn reduce(&mut self, w: &mut Window, part: f64) {
        self.window = (self.window * (1.0 - part)).max(WINDOW_MIN);
        w.ssthresh = self.window.ceil();
    }

    /// Half of alpha, at most once per target RTT.
    fn answer_marks(&mut self, w: &mut Window, c: &Connection) {
        let is_early = self.reduced_at.is_some_and(|at| c.now.since(at) < self.rtt_target);
        if !(self.is_rtt_independent(w) && is_early) {
            self.reduced_at = Some(c.now);
            self.reduce(w, 0.5 * self.alpha);
        }
    }

    fn answer_loss(&mut self, w: &mut Window) {
        self.before_loss = w.cwnd;
        self.in_loss = true;
        self.reduce(w, 0.5);
    }
}

impl CongestionControl for Prague {
    fn needs(&self) -> Needs {
        Needs { full_control: true, pacing: true, ecn: Some(EcnFeedback::Accurate), ..Needs::default() }
    }

    fn on_established(&mut self, w: &mut Window, c: &Connection) {
        self.window = w.cwnd;
        self.observed = Observed::starting(c);
    }

    /// The window moves in every state: in CWR, too, which is where Prague spends its time.
    #[inline(never)]
    fn on_ack_arrived(&mut self, w: &mut Window, c: &Connection, _a: &AckArrival) {
        let delivered = c.delivered - std::mem::replace(&mut self.delivered, c.delivered);
        let marked = c.delivered_ce - std::mem::replace(&mut self.delivered_ce, c.delivered_ce);
        if marked > 0 && !std::mem::replace(&mut self.marked, true) {
            self.reduce(w, 0.5);
        }
        self.grow(w, c, delivered.saturating_sub(marked));
        self.follow(w);
        self.close_round(w, c);
    }

    fn on_acked(&mut self, _w: &mut Window, _c: &Connection, _acked: u32) {}

    /// What an episode means is known with the state that it begins.
    fn ssthresh(&mut self, w: &mut Window, _c: &Connection) -> f64 {
        w.ssthresh
    }

    fn on_state_changed(&mut self, w: &mut Window, c: &Connection, to: CaState) {
        match to {
            CaState::Recovery if c.ca_state != CaState::Recovery => self.answer_loss(w),
            CaState::Cwr => self.answer_marks(w, c),
            CaState::Open => self.in_loss = false,
            _ => {}
        }
    }

    fn on_event(&mut self, w: &mut Window, _c: &Connection, e: CaEvent) {
        if e == CaEvent::TimedOut {
            self.answer_loss(w);
        }
    }

    fn undo(&mut self, w: &mut Window, _c: &Connection) -> f64 {
        self.window = self.window.max(self.before_loss);
        w.cwnd.max(self.before_loss)
    }

    /// The fractional window per round trip, twice that in slow start.
    fn pacing_rate(&self, w: &Window, c: &Connection) -> Option<u64> {
        let factor = if w.cwnd < (w.ssthresh / 2.0).floor() { 2.0 } else { 1.0 };
        let window = self.window.floor().max(f64::from(c.in_flight));
        (c.srtt8_us > 0).then(|| ((factor * window * f64::from(c.mss) * 8e6 / f64::from(c.srtt8_us)) as u64).max(1))
    }

    fn variable_names(&self) -> &'static [&'static str] {
        &["alpha", "window"]
    }

    fn variables(&self, out: &mut [f64]) {
        out[0] = self.alpha;
        out[1] = self.window;
    }
}
