//! Compound TCP: Reno's window, and beside it one that grows with a power of their sum while little is queued.
//!
//! Source: Tan/Song/Zhang/Sridharan, INFOCOM 2006; draft-sridharan-tcpm-ctcp-02; Leith et al. 2008.
//! Units: segments; seconds.
//! State: dwnd (the loss window is cwnd less dwnd), gamma, baseRTT, the round's smallest RTT, what TUBE measured, what undo restores.
//! Departures: a round's increase is spread over the next one's ACKs. A step down takes the threshold along, so that it does not
//! become slow start. Below the low window dwnd becomes part of the loss window, so that no loss takes more than half. baseRTT outlives
//! a timeout. `vista` is `draft` with what Leith et al. saw of Windows Vista, whose code was never published.

use super::{borrows, runs, switch};
use crate::parameter::{Constant, Parameter, Protocol, Values, Variant};
use crate::{Algorithm, CaEvent, CaState, CongestionControl, Connection, Needs, RttSample, Window};

const DRAFT: &str = "draft";
const FIXED: &str = "fixed-gamma";
const VISTA: &str = "vista";

/// The registry's description.
pub const PROTOCOL: Protocol = Protocol {
    name: "ctcp",
    aliases: &["compound"],
    family: "loss- and delay-based",
    year: 2006,
    source: "Tan et al. 2006; draft-sridharan-tcpm-ctcp-02; Leith et al. 2008",
    summary: "Reno plus a delay window that grows like win^0.75/8 until gamma segments are queued.",
    signals: &["loss", "ecn", "rtt"],
    variants: &[
        Variant {
            name: DRAFT,
            aliases: &["linux-2.6.23", "tube"],
            summary: "gamma tuned by emulation (TUBE), as in the Linux patch of 2008.",
            exact_kernel: false,
        },
        Variant { name: FIXED, aliases: &["infocom06"], summary: "gamma given.", exact_kernel: false },
        Variant {
            name: VISTA,
            aliases: &[],
            summary: "The draft, with the anomalies reported of Windows Vista to switch on.",
            exact_kernel: false,
        },
    ],
    parameters: &[
        Parameter {
            name: "gamma",
            unit: "segments",
            min: 1.0,
            max: 1e4,
            defaults: &[(DRAFT, 30.0), (FIXED, 30.0), (VISTA, 30.0)],
            doc: "Backlog from which dwnd shrinks; with TUBE the first value.",
        },
        Parameter {
            name: "lambda",
            unit: "1",
            min: 0.0,
            max: 1.0,
            defaults: &[(DRAFT, 0.25), (VISTA, 0.25)],
            doc: "Weight of a new measurement of gamma.",
        },
        Parameter {
            name: "alpha",
            unit: "1",
            min: 0.001,
            max: 10.0,
            defaults: &[(DRAFT, 0.125), (FIXED, 0.125), (VISTA, 0.125)],
            doc: "The sum grows by alpha win^k per round trip.",
        },
        Parameter { name: "k", unit: "1", min: 0.0, max: 1.0, defaults: &[(DRAFT, 0.75), (FIXED, 0.75), (VISTA, 0.75)], doc: "See alpha." },
        Parameter {
            name: "eta",
            unit: "1",
            min: 0.0,
            max: 10.0,
            defaults: &[(DRAFT, 1.0), (FIXED, 1.0), (VISTA, 1.0)],
            doc: "dwnd shrinks by eta times the backlog per round trip.",
        },
        Parameter {
            name: "low_window",
            unit: "segments",
            min: 2.0,
            max: 1e4,
            defaults: &[(DRAFT, 38.0), (FIXED, 38.0), (VISTA, 38.0)],
            doc: "Reno below.",
        },
        Parameter {
            name: "wnd_increase",
            unit: "segments per RTT",
            min: 0.01,
            max: 1.0,
            defaults: &[(VISTA, 1.0)],
            doc: "Increase of the loss window; later flows of Vista SP1 had less than 1.",
        },
        switch("backoff_to_one", &[(VISTA, 0.0)], "One segment after each loss, as Vista before SP1."),
    ],
    constants: &[
        Constant { name: "gamma_min", variant: DRAFT, value: GAMMA.0, unit: "segments" },
        Constant { name: "gamma_max", variant: DRAFT, value: GAMMA.1, unit: "segments" },
        Constant { name: "gamma_share", variant: DRAFT, value: GAMMA_SHARE, unit: "1" },
    ],
    profiles: &[
        borrows("linux-6.1", DRAFT),
        runs("linux-2.6.23", DRAFT),
        borrows("altaimd-2.6.6", DRAFT),
        borrows("linux-2.4", DRAFT),
        borrows("rfc", DRAFT),
    ],
    build: |values| Algorithm::Ctcp(Box::new(Ctcp::new(values))),
};

/// Range of the tuned gamma, segments.
const GAMMA: (f64, f64) = (5.0, 30.0);
/// Share of Reno's backlog that becomes gamma.
const GAMMA_SHARE: f64 = 0.75;
/// A round with fewer RTT samples decides nothing.
const SAMPLES_MIN: u32 = 3;

/// Compound TCP.
#[derive(Clone, Copy, Debug)]
pub struct Ctcp {
    /// Weight of a measurement; none when gamma is fixed.
    lambda: Option<f64>,
    alpha: f64,
    k: f64,
    eta: f64,
    low_window: f64,
    wnd_increase: f64,
    backoff_to_one: bool,
    gamma: f64,
    dwnd: f64,
    base_s: f64,
    /// Smallest RTT of this round, and how many samples it is of.
    round_min_s: f64,
    samples: u32,
    round_end: u64,
    /// What Reno's window had queued in the last round; none since a loss.
    diff_reno: Option<f64>,
    /// What this round's ACKs still add to dwnd, and how much of it a segment.
    pending: f64,
    slope: f64,
    undo: Option<f64>,
}

impl Ctcp {
    fn new(values: &Values) -> Ctcp {
        let is_vista = values.variant() == VISTA;
        Ctcp {
            lambda: (values.variant() != FIXED).then(|| values.get("lambda")),
            alpha: values.get("alpha"),
            k: values.get("k"),
            eta: values.get("eta"),
            low_window: values.get("low_window"),
            wnd_increase: if is_vista { values.get("wnd_increase") } else { 1.0 },
            backoff_to_one: is_vista && values.on("backoff_to_one"),
            gamma: values.get("gamma"),
            dwnd: 0.0,
            base_s: f64::INFINITY,
            round_min_s: f64::INFINITY,
            samples: 0,
            round_end: 0,
            diff_reno: None,
            pending: 0.0,
            slope: 0.0,
            undo: None,
        }
    }

    fn start_round(&mut self, c: &Connection) {
        self.round_end = c.nxt;
        self.round_min_s = f64::INFINITY;
        self.samples = 0;
        self.pending = 0.0;
    }

    fn close_round(&mut self, w: &mut Window, c: &Connection) {
        let sent = c.nxt.saturating_sub(self.round_end) as f64;
        let (rtt_s, samples) = (self.round_min_s, self.samples);
        self.start_round(c);
        // The transport may have left less than the two windows had.
        self.dwnd = self.dwnd.min(w.cwnd - 1.0).max(0.0);
        if samples < SAMPLES_MIN {
            return;
        }
        // diff = win (1 - baseRTT/rtt), win what was sent in the round.
        let queued = 1.0 - self.base_s / rtt_s;
        self.diff_reno = Some((w.cwnd - self.dwnd) * queued);
        if w.in_slow_start() || w.cwnd < self.low_window {
            self.dwnd = 0.0;
        } else if sent * queued < self.gamma {
            // The loss window grows by one of it.
            self.pending = (self.alpha * libm::pow(w.cwnd, self.k) - 1.0).max(0.0);
            self.slope = self.pending / w.cwnd;
        } else {
            let cut = (self.eta * sent * queued).min(self.dwnd).min(w.cwnd - 2.0);
            self.dwnd -= cut;
            w.cwnd -= cut;
            w.ssthresh = w.ssthresh.min(w.cwnd);
        }
    }

    /// gamma is what lets Reno's window, when it fills the queue, queue no less than 4/3 of it.
    fn tune_gamma(&mut self) {
        if let (Some(lambda), Some(diff_reno)) = (self.lambda, self.diff_reno.take()) {
            self.gamma = ((1.0 - lambda) * self.gamma + lambda * GAMMA_SHARE * diff_reno).clamp(GAMMA.0, GAMMA.1);
        }
    }
}

impl CongestionControl for Ctcp {
    fn needs(&self) -> Needs {
        Needs { rtt_stamps: true, ..Needs::default() }
    }

    #[inline]
    fn on_rtt_sampled(&mut self, _w: &mut Window, _c: &Connection, s: &RttSample) {
        let Some(rtt) = s.rtt else { return };
        let rtt_s = rtt.as_secs_f64().max(1e-9);
        self.base_s = self.base_s.min(rtt_s);
        self.round_min_s = self.round_min_s.min(rtt_s);
        self.samples += 1;
    }

    #[inline]
    fn on_acked(&mut self, w: &mut Window, c: &Connection, acked: u32) {
        if c.una > self.round_end && c.ca_state != CaState::Loss {
            self.close_round(w, c);
        }
        if !c.cwnd_limited {
            return;
        }
        let rest = w.slow_start_real(acked);
        if rest > 0.0 {
            let step = (self.slope * rest).min(self.pending);
            self.pending -= step;
            self.dwnd += step;
            w.cwnd += self.wnd_increase * rest / w.cwnd + step;
        }
    }

    fn ssthresh(&mut self, w: &mut Window, _c: &Connection) -> f64 {
        self.tune_gamma();
        self.undo = Some(self.dwnd);
        // Both windows are halved.
        self.dwnd *= 0.5;
        (0.5 * w.cwnd).max(2.0)
    }

    fn on_state_changed(&mut self, _w: &mut Window, c: &Connection, to: CaState) {
        let reducing = |state: CaState| matches!(state, CaState::Cwr | CaState::Recovery | CaState::Loss);
        if to == CaState::Loss {
            self.dwnd = 0.0;
        }
        if reducing(to) || reducing(c.ca_state) {
            self.start_round(c);
        }
    }

    fn on_event(&mut self, w: &mut Window, _c: &Connection, e: CaEvent) {
        match e {
            CaEvent::WindowRestarted => self.dwnd = 0.0,
            CaEvent::ReductionCompleted if self.backoff_to_one && self.undo.is_some() => {
                self.dwnd = 0.0;
                w.cwnd = 1.0;
            }
            _ => {}
        }
    }

    fn undo(&mut self, w: &mut Window, c: &Connection) -> f64 {
        self.dwnd = self.undo.take().unwrap_or(self.dwnd);
        w.cwnd.max(c.prior_cwnd)
    }

    fn variable_names(&self) -> &'static [&'static str] {
        &["dwnd_packets", "gamma_packets"]
    }

    fn variables(&self, out: &mut [f64]) {
        out[0] = self.dwnd;
        out[1] = self.gamma;
    }
}
