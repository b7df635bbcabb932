//! TCP-LP as its paper has it: Reno that halves, then stops, on early indications.
//!
//! Source: Kuzmanovic/Knightly, INFOCOM 2003. Units: segments. State: that of `early_indication.rs`, which lists the departures.
//! The threshold follows the window down: the paper's flow goes on in congestion avoidance.

use crate::algorithms::early_indication::{EarlyIndication, Indication};
use crate::algorithms::reno::RenoReal;
use crate::parameter::Values;
use crate::{CongestionControl, Connection, Needs, RttSample, RttSamples, Window};

/// TCP-LP in real numbers.
#[derive(Clone, Copy, Debug)]
pub struct LpPaper {
    early: EarlyIndication,
}

impl LpPaper {
    pub(super) fn new(values: &Values) -> LpPaper {
        LpPaper { early: EarlyIndication::new(values) }
    }
}

impl CongestionControl for LpPaper {
    fn needs(&self) -> Needs {
        Needs { rtt_samples: RttSamples::ByStack, ..Needs::default() }
    }

    #[inline]
    fn on_rtt_sampled(&mut self, w: &mut Window, c: &Connection, s: &RttSample) {
        let Some(indication) = self.early.on_rtt_sampled(w, c, s) else { return };
        w.cwnd = match indication {
            Indication::First => (0.5 * w.cwnd).max(1.0),
            Indication::Again => 1.0,
        };
        w.ssthresh = w.ssthresh.min(w.cwnd).max(2.0);
    }

    #[inline]
    fn on_acked(&mut self, w: &mut Window, c: &Connection, acked: u32) {
        if !self.early.infers(c.now) {
            RenoReal.on_acked(w, c, acked);
        }
    }

    fn ssthresh(&mut self, w: &mut Window, c: &Connection) -> f64 {
        RenoReal.ssthresh(w, c)
    }

    fn variable_names(&self) -> &'static [&'static str] {
        EarlyIndication::VARIABLES
    }

    fn variables(&self, out: &mut [f64]) {
        self.early.variables(out);
    }
}
