//! YeAH: Scalable's growth while the queue is short, Reno's while it is not, and a step back when its own backlog is long.
//!
//! Source: Baiocchi/Castellani/Vacirca, PFLDnet 2007; Linux 6.1 `tcp_yeah.c`, reproduced exactly.
//! Units: segments; RTTs in microseconds.
//! State: Vegas' round, the last backlog, rounds spent as Reno and as Scalable, the estimate of a competing Reno flow's window.
//! Departures: none from Linux 6.1.

use super::of_linux61;
use super::vegas_round::Round;
use crate::parameter::{Constant, Protocol, Values, Variant};
use crate::{CaEvent, CaState, CongestionControl, Connection, Credit, Needs, RttSample, RttSamples, Window};

const V61: &str = "linux-6.1";

/// The registry's description.
pub const PROTOCOL: Protocol = Protocol {
    name: "yeah",
    aliases: &[],
    family: "loss-based high-speed with delay",
    year: 2007,
    source: "Baiocchi/Castellani/Vacirca 2007; Linux 6.1",
    summary: "Scalable's growth on a short queue, Reno's on a long one.",
    signals: &["rtt", "loss", "ecn"],
    variants: &[Variant { name: V61, aliases: &[], summary: "Linux's integers.", exact_kernel: true }],
    parameters: &[],
    constants: &[
        Constant { name: "q_max", variant: V61, value: Q_MAX as f64, unit: "segments" },
        Constant { name: "phy", variant: V61, value: 1.0 / PHY as f64, unit: "1" },
        Constant { name: "rho", variant: V61, value: RHO as f64, unit: "RTTs" },
        Constant { name: "zeta", variant: V61, value: ZETA as f64, unit: "RTTs" },
    ],
    profiles: &of_linux61(V61),
};

/// The state of a new connection.
pub fn build(_: &Values) -> Yeah {
    Yeah { round: Round::new(), backlog: 0, slow_rounds: 0, fast_rounds: 0, reno_window: 2 }
}

/// The largest backlog of its own that it tolerates.
const Q_MAX: u32 = 80;
/// Queueing delay beyond this part of the base is congestion.
const PHY: u32 = 8;
/// After this many slow rounds on end a greedy flow is taken for the cause, and a loss halves.
const RHO: u32 = 16;
/// After this many fast rounds no competitor is left.
const ZETA: u32 = 50;
/// Scalable's divisor.
const FAST_DIVISOR: u32 = 100;

/// YeAH in Linux's integers.
#[derive(Clone, Copy, Debug)]
pub struct Yeah {
    round: Round,
    backlog: u32,
    slow_rounds: u32,
    fast_rounds: u32,
    /// What a competing Reno flow's window is taken for.
    reno_window: u32,
}

impl Yeah {
    fn decide(&mut self, w: &mut Window) {
        let (base, rtt) = (self.round.rtt.base_us, self.round.rtt.min_us);
        let cwnd = w.segments();
        self.backlog = (u64::from(cwnd) * u64::from(rtt - base) / u64::from(rtt)) as u32;
        let long = self.backlog > Q_MAX;
        if !long && rtt - base <= base / PHY {
            self.slow_rounds = 0;
            self.fast_rounds += 1;
            if self.fast_rounds > ZETA {
                self.reno_window = 2;
                self.fast_rounds = 0;
            }
            return;
        }
        if long && cwnd > self.reno_window {
            // Precautionary decongestion: give the backlog back.
            w.cwnd = f64::from((cwnd - self.backlog.min(cwnd >> 1)).max(self.reno_window));
            w.ssthresh = w.cwnd;
        }
        self.reno_window = if self.reno_window <= 2 { (w.segments() >> 1).max(2) } else { self.reno_window + 1 };
        self.slow_rounds = self.slow_rounds.saturating_add(1);
    }
}

impl CongestionControl for Yeah {
    fn needs(&self) -> Needs {
        Needs { rtt_samples: RttSamples::Exact, ..Needs::default() }
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
        if !c.cwnd_limited {
            return;
        }
        let rest = if w.in_slow_start() { w.slow_start(acked) } else { acked };
        if rest > 0 {
            let cwnd = w.segments();
            let per_segment = if self.slow_rounds == 0 { cwnd.min(FAST_DIVISOR) } else { cwnd };
            w.add_credit(Credit { acked: rest, per_segment });
        }
        if c.una > self.round.end {
            if self.round.rtt.count > 2 {
                self.decide(w);
            }
            self.round.start(c);
        }
    }

    fn ssthresh(&mut self, w: &mut Window, _c: &Connection) -> f64 {
        let cwnd = w.segments();
        let half = (cwnd >> 1).max(2);
        let given_up = if self.slow_rounds < RHO { self.backlog.min(half).max(cwnd >> 3) } else { half };
        self.fast_rounds = 0;
        self.reno_window = (self.reno_window >> 1).max(2);
        f64::from(cwnd.saturating_sub(given_up).max(2))
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
        &["base_rtt_s", "backlog_packets", "reno_window_packets"]
    }

    fn variables(&self, out: &mut [f64]) {
        out[0] = self.round.rtt.base_s();
        out[1] = f64::from(self.backlog);
        out[2] = f64::from(self.reno_window);
    }
}
