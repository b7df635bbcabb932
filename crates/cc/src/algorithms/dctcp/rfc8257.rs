//! DCTCP as RFC 8257 writes it: described in [`super`].

use super::Observed;
use crate::algorithms::reno::RenoReal;
use crate::parameter::Values;
use crate::{AckArrival, CaEvent, CaState, CongestionControl, Connection, EcnFeedback, Needs, Window};

/// DCTCP in real numbers.
#[derive(Clone, Copy, Debug)]
pub struct DctcpReal {
    g: f64,
    alpha: f64,
    observed: Observed,
    cwnd_before: f64,
}

impl DctcpReal {
    pub(super) fn new(values: &Values) -> DctcpReal {
        DctcpReal { g: values.get("g"), alpha: values.get("alpha_init"), observed: Observed::default(), cwnd_before: 0.0 }
    }

    fn halve(&mut self, w: &mut Window) {
        self.cwnd_before = w.cwnd;
        w.ssthresh = (0.5 * w.cwnd).max(2.0);
    }
}

impl CongestionControl for DctcpReal {
    fn needs(&self) -> Needs {
        Needs { ecn: Some(EcnFeedback::Dctcp), ..Needs::default() }
    }

    fn on_established(&mut self, _w: &mut Window, c: &Connection) {
        self.observed = Observed::starting(c);
    }

    /// RFC 8257 3.3: alpha = (1 - g) alpha + g M, M the share marked in the window of data that is over.
    #[inline(never)]
    fn on_ack_arrived(&mut self, _w: &mut Window, c: &Connection, _a: &AckArrival) {
        if let Some((delivered, marked)) = self.observed.close(c) {
            let m = marked as f64 / delivered.max(1) as f64;
            self.alpha += self.g * (m.min(1.0) - self.alpha);
        }
    }

    #[inline]
    fn on_acked(&mut self, w: &mut Window, c: &Connection, acked: u32) {
        RenoReal.on_acked(w, c, acked);
    }

    fn ssthresh(&mut self, w: &mut Window, _c: &Connection) -> f64 {
        self.cwnd_before = w.cwnd;
        (w.cwnd * (1.0 - 0.5 * self.alpha)).max(2.0)
    }

    fn on_state_changed(&mut self, w: &mut Window, c: &Connection, to: CaState) {
        if to == CaState::Recovery && c.ca_state != CaState::Recovery {
            self.halve(w);
        }
    }

    fn on_event(&mut self, w: &mut Window, _c: &Connection, e: CaEvent) {
        if e == CaEvent::TimedOut {
            self.halve(w);
        }
    }

    fn undo(&mut self, w: &mut Window, _c: &Connection) -> f64 {
        w.cwnd.max(self.cwnd_before)
    }

    fn variable_names(&self) -> &'static [&'static str] {
        &["alpha"]
    }

    fn variables(&self, out: &mut [f64]) {
        out[0] = self.alpha;
    }
}
