//! Compound TCP: Reno's window, and beside it one that grows with a power of their sum while little is queued.
//!
//! Source: Tan/Song/Zhang/Sridharan, INFOCOM 2006; draft-sridharan-tcpm-ctcp-02; Leith et al. 2008.
//! Units: segments; seconds.
//! State: dwnd (the loss window is cwnd less dwnd), gamma with what TUBE measured (`tube.rs`), the round (`round.rs`), what undo restores.
//! Departures: a round's increase is spread over the next one's ACKs. A step down takes the threshold along, so that it does not
//! become slow start. Below the low window dwnd becomes part of the loss window, so that no loss takes more than half. baseRTT outlives
//! a timeout. `vista` is `draft` with what Leith et al. saw of Windows Vista, whose code was never published.

mod protocol;
mod round;
mod tube;

use self::protocol::VISTA;
pub use self::protocol::{build, PROTOCOL};
use self::round::Round;
use self::tube::Tube;
use crate::parameter::Values;
use crate::{CaEvent, CaState, CongestionControl, Connection, Needs, RttSample, RttSamples, Window};

/// Compound TCP.
#[derive(Clone, Copy, Debug)]
pub struct Ctcp {
    alpha: f64,
    k: f64,
    eta: f64,
    low_window: f64,
    wnd_increase: f64,
    backoff_to_one: bool,
    tube: Tube,
    round: Round,
    dwnd: f64,
    /// What this round's ACKs still add to dwnd, and how much of it a segment.
    pending: f64,
    slope: f64,
    undo: Option<f64>,
}

impl Ctcp {
    fn new(values: &Values) -> Ctcp {
        let is_vista = values.variant() == VISTA;
        Ctcp {
            alpha: values.get("alpha"),
            k: values.get("k"),
            eta: values.get("eta"),
            low_window: values.get("low_window"),
            wnd_increase: if is_vista { values.get("wnd_increase") } else { 1.0 },
            backoff_to_one: is_vista && values.on("backoff_to_one"),
            tube: Tube::new(values),
            round: Round::new(),
            dwnd: 0.0,
            pending: 0.0,
            slope: 0.0,
            undo: None,
        }
    }

    fn close_round(&mut self, w: &mut Window, c: &Connection) {
        let round = self.round.close(c);
        self.pending = 0.0;
        // The transport may have left less than the two windows had.
        self.dwnd = self.dwnd.min(w.cwnd - 1.0).max(0.0);
        let Some(queued) = round.queued else { return };
        // diff = win (1 - baseRTT/rtt), win what was sent in the round.
        let diff = round.sent * queued;
        self.tube.on_round((w.cwnd - self.dwnd) * queued);
        if w.in_slow_start() || w.cwnd < self.low_window {
            self.dwnd = 0.0;
        } else if diff < self.tube.gamma {
            // The loss window grows by one of it.
            self.pending = (self.alpha * libm::pow(w.cwnd, self.k) - 1.0).max(0.0);
            self.slope = self.pending / w.cwnd;
        } else {
            let cut = (self.eta * round.sent * queued).min(self.dwnd).min(w.cwnd - 2.0);
            self.dwnd -= cut;
            w.cwnd -= cut;
            w.ssthresh = w.ssthresh.min(w.cwnd);
        }
    }
}

impl CongestionControl for Ctcp {
    fn needs(&self) -> Needs {
        Needs { rtt_samples: RttSamples::Exact, ..Needs::default() }
    }

    #[inline]
    fn on_rtt_sampled(&mut self, _w: &mut Window, _c: &Connection, s: &RttSample) {
        let Some(rtt) = s.rtt else { return };
        self.round.on_sampled(rtt.as_secs_f64().max(1e-9));
    }

    #[inline]
    fn on_acked(&mut self, w: &mut Window, c: &Connection, acked: u32) {
        if self.round.is_over(c) && c.ca_state != CaState::Loss {
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
        self.tube.on_lost();
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
            self.round.restart(c);
            self.pending = 0.0;
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
        out[1] = self.tube.gamma;
    }
}
