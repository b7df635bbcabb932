//! The built-in CUBIC, HyStart and all, behind the table of `windtunnel.h`.

use std::collections::BTreeMap;

use windtunnel::{export, CaEvent, CaState, CongestionControl, Connection, Exported, Needs, Parameter, PlainAck, RttSample, Window};

/// The law, as `cubic:linux-6.1` builds it.
#[derive(Clone, Debug)]
pub struct Cubic(cc::Controller);

impl CongestionControl for Cubic {
    fn needs(&self) -> Needs {
        self.0.needs()
    }

    fn on_rtt_sampled(&mut self, w: &mut Window, c: &Connection, s: &RttSample) {
        self.0.on_rtt_sampled(w, c, s);
    }

    fn on_acked(&mut self, w: &mut Window, c: &Connection, acked: u32) {
        self.0.on_acked(w, c, acked);
    }

    fn on_plain_ack(&mut self, w: &mut Window, c: &Connection, a: &PlainAck, cwnd_limited: bool) -> bool {
        self.0.on_plain_ack(w, c, a, cwnd_limited)
    }

    fn ssthresh(&mut self, w: &mut Window, c: &Connection) -> f64 {
        self.0.ssthresh(w, c)
    }

    fn on_state_changed(&mut self, w: &mut Window, c: &Connection, to: CaState) {
        self.0.on_state_changed(w, c, to);
    }

    fn on_event(&mut self, w: &mut Window, c: &Connection, e: CaEvent) {
        self.0.on_event(w, c, e);
    }
}

impl Exported for Cubic {
    const NAME: &'static str = "cubic";
    const SUMMARY: &'static str = "The built-in CUBIC as a library.";
    const PARAMETERS: &'static [Parameter] = &[];

    fn start(_values: &[f64]) -> Cubic {
        let built = cc::build("cubic", Some("linux-6.1"), "linux-6.1", &BTreeMap::new());
        Cubic(built.expect("CUBIC is built in").algorithm)
    }
}

export!(Cubic);
