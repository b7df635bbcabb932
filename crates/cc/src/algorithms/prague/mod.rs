//! Prague: DCTCP for the Internet. Its window moves on every ACK, and round trips below 25 ms count as 25 ms.
//!
//! Source: draft-briscoe-iccrg-prague-congestion-control-04 (its text not read in full); the Linux reference, `tcp_prague.c` of
//! L4STeam, read for its rules.
//! Units: segments; seconds.
//! State: one part per file: the fractional window, the share of marks, the rounds after which the target RTT counts. Then what had been
//! delivered, and when and from where the window was reduced.
//! Departures: in real numbers. No packets smaller than a segment and no pacing below two segments per round trip, so no rate mode
//! and none of its 3 % of alternation; no fallback on suspecting a classic queue. The L4S queue itself comes later: here Prague is fed by
//! step marking.

mod fractional;
mod protocol;
mod rtt_independence;
mod share;

use units::{ByteRate, Time};

use self::fractional::Fractional;
pub use self::protocol::{build, PROTOCOL};
use self::rtt_independence::RttIndependence;
use self::share::Share;
use crate::parameter::Values;
use crate::{AckArrival, CaEvent, CaState, CongestionControl, Connection, Control, EcnFeedback, Needs, Window};

/// Prague.
#[derive(Clone, Copy, Debug)]
pub struct Prague {
    share: Share,
    independence: RttIndependence,
    window: Fractional,
    in_loss: bool,
    delivered: u64,
    delivered_ce: u64,
    reduced_at: Option<Time>,
    /// Window before the latest loss.
    before_loss: f64,
}

impl Prague {
    fn new(values: &Values) -> Prague {
        Prague {
            share: Share::new(values.get("g")),
            independence: RttIndependence::new(values),
            window: Fractional::default(),
            in_loss: false,
            delivered: 0,
            delivered_ce: 0,
            reduced_at: None,
            before_loss: 0.0,
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
            self.window.0 = w.cwnd;
        }
        self.window.0 += self.independence.increase(w, c) * rest / self.window.0;
    }

    /// Half of alpha, at most once per target RTT.
    fn answer_marks(&mut self, w: &mut Window, c: &Connection) {
        if !self.reduced_at.is_some_and(|at| self.independence.is_early(w, c, at)) {
            self.reduced_at = Some(c.now);
            self.window.reduce(w, 0.5 * self.share.alpha);
        }
    }

    fn answer_loss(&mut self, w: &mut Window) {
        self.before_loss = w.cwnd;
        self.in_loss = true;
        self.window.reduce(w, 0.5);
    }
}

impl CongestionControl for Prague {
    fn needs(&self) -> Needs {
        Needs { control: Control::Full, ack_arrivals: true, ecn: Some(EcnFeedback::L4s), ..Needs::default() }
    }

    fn on_established(&mut self, w: &mut Window, c: &Connection) {
        self.window.0 = w.cwnd;
        self.share.start(c);
    }

    /// The window moves in every state: in CWR, too, which is where Prague spends its time.
    #[inline(never)]
    fn on_ack_arrived(&mut self, w: &mut Window, c: &Connection, _a: &AckArrival) {
        let delivered = c.delivered - std::mem::replace(&mut self.delivered, c.delivered);
        let marked = c.delivered_ce - std::mem::replace(&mut self.delivered_ce, c.delivered_ce);
        if marked > 0 && self.share.on_marked() {
            self.window.reduce(w, 0.5);
        }
        self.grow(w, c, delivered.saturating_sub(marked));
        self.window.lead(w);
        self.share.close_round(w, c, &mut self.independence);
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
        self.window.0 = self.window.0.max(self.before_loss);
        w.cwnd.max(self.before_loss)
    }

    fn pacing_rate(&self, w: &Window, c: &Connection) -> Option<ByteRate> {
        self.window.pacing_rate(w, c)
    }

    fn variable_names(&self) -> &'static [&'static str] {
        &["alpha", "window"]
    }

    fn variables(&self, out: &mut [f64]) {
        out[0] = self.share.alpha;
        out[1] = self.window.0;
    }
}
