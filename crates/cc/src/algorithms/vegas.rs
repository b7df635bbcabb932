//! Vegas: once per round trip, one segment more or less, so that a few segments of its own stay queued.
//!
//! Source: Brakmo/Peterson, IEEE JSAC 1995; Linux 6.1 `tcp_vegas.c`, reproduced exactly.
//! Units: segments; RTTs in microseconds.
//! State: the smallest RTT ever and of this round, the number of samples, the round's boundary.
//! Departures: Linux's backlog is w (rtt - base)/base, larger than the paper's w (rtt - base)/rtt; slow start doubles every round trip, not
//! every other; a round of fewer than three samples takes one Reno step; a loss halves, whatever found it. The decisions, unlike the Reno
//! steps, do not ask whether the window limits the sender, and take the threshold to 1 at a window of 2.

use super::of_linux61;
use super::reno::Reno;
use super::vegas_round::Round;
use crate::parameter::{Parameter, Protocol, Values, Variant};
use crate::slow_start::Kind;
use crate::{CaEvent, CaState, CongestionControl, Connection, Needs, RttSample, RttSamples, Window};

const V61: &str = "linux-6.1";

const fn backlog(name: &'static str, defaults: &'static [(&'static str, f64)], doc: &'static str) -> Parameter {
    Parameter { name, unit: "segments", min: 0.0, max: 1e5, defaults, doc }
}

/// The registry's description.
pub const PROTOCOL: Protocol = Protocol {
    name: "vegas",
    aliases: &[],
    family: "delay-based",
    year: 1994,
    source: "Brakmo/Peterson 1995; Linux 6.1",
    summary: "Keeps a few segments of its own in the queue, one step per round trip.",
    signals: &["rtt", "loss", "ecn"],
    variants: &[Variant { name: V61, aliases: &[], summary: "Linux's integers.", exact_kernel: true }],
    parameters: &[
        backlog("alpha", &[(V61, 2.0)], "Grow while fewer are queued."),
        backlog("beta", &[(V61, 4.0)], "Shrink while more are queued."),
        backlog("gamma", &[(V61, 1.0)], "Leave slow start when more are queued."),
    ],
    constants: &[],
    profiles: &of_linux61(V61),
};

/// The state of a new connection.
pub fn build(values: &Values) -> Vegas {
    Vegas { alpha: values.get("alpha") as u64, beta: values.get("beta") as u64, gamma: values.get("gamma") as u64, round: Round::new() }
}

/// Vegas in Linux's integers.
#[derive(Clone, Copy, Debug)]
pub struct Vegas {
    alpha: u64,
    beta: u64,
    gamma: u64,
    round: Round,
}

impl Vegas {
    fn decide(&self, w: &mut Window, acked: u32) {
        let cwnd = u64::from(w.segments());
        let (base, rtt) = (u64::from(self.round.rtt.base_us), u64::from(self.round.rtt.min_us));
        let backlog = cwnd * (rtt - base) / base;
        if w.in_slow_start() {
            if backlog > self.gamma {
                w.cwnd = w.cwnd.min((cwnd * base / rtt + 1) as f64);
                w.ssthresh = w.ssthresh.min(w.cwnd);
            } else {
                w.slow_start(acked);
            }
        } else if backlog > self.beta {
            w.cwnd -= 1.0;
            w.ssthresh = w.ssthresh.min(w.cwnd);
        } else if backlog < self.alpha {
            w.cwnd += 1.0;
        }
        w.cwnd = w.cwnd.max(2.0);
        let cwnd = w.segments();
        w.ssthresh = w.ssthresh.max(f64::from((cwnd >> 1) + (cwnd >> 2)));
    }
}

impl CongestionControl for Vegas {
    fn needs(&self) -> Needs {
        Needs { rtt_samples: RttSamples::Exact, ..Needs::default() }
    }

    fn slow_start(&self) -> Option<Kind> {
        None
    }

    fn on_established(&mut self, _w: &mut Window, c: &Connection) {
        self.round.forget(c);
    }

    #[inline]
    fn on_rtt_sampled(&mut self, _w: &mut Window, _c: &Connection, s: &RttSample) {
        self.round.rtt.on_sampled(s.rtt);
    }

    #[inline]
    fn on_acked(&mut self, w: &mut Window, c: &Connection, acked: u32) {
        if !self.round.measuring {
            Reno.on_acked(w, c, acked);
        } else if c.una > self.round.end {
            if self.round.rtt.count <= 2 {
                Reno.on_acked(w, c, acked);
            } else {
                self.decide(w, acked);
            }
            self.round.start(c);
        } else if w.in_slow_start() {
            w.slow_start(acked);
        }
    }

    fn ssthresh(&mut self, w: &mut Window, c: &Connection) -> f64 {
        Reno.ssthresh(w, c)
    }

    fn on_state_changed(&mut self, _w: &mut Window, c: &Connection, to: CaState) {
        self.round.on_state_changed(c, to);
    }

    fn on_event(&mut self, _w: &mut Window, c: &Connection, e: CaEvent) {
        if matches!(e, CaEvent::WindowRestarted | CaEvent::TxStarted) {
            self.round.forget(c);
        }
    }

    fn variable_names(&self) -> &'static [&'static str] {
        &["base_rtt_s"]
    }

    fn variables(&self, out: &mut [f64]) {
        out[0] = self.round.rtt.base_s();
    }
}
