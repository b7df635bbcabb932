//! HSTCP-LP: HighSpeed TCP that yields as soon as the one-way delay shows a queue.
//!
//! Source: Kuzmanovic/Knightly/Cottrell, PFLDnet 2004, and its parts: TCP-LP, INFOCOM 2003; RFC 3649. Bullot et al. 2003, 2.6.
//! Units: segments.
//! State: that of HighSpeed TCP and that of `early_indication.rs`, which lists the departures. The threshold follows the window down, so
//! that a cut does not become slow start.

use super::early_indication::{delta, inference, EarlyIndication, Indication};
use super::hstcp::HstcpReal;
use super::{borrows, runs, switch};
use crate::parameter::{Protocol, Values, Variant};
use crate::{CongestionControl, Connection, Needs, RttSample, RttSamples, Window};

const PAPER: &str = "paper";

/// The registry's description.
pub const PROTOCOL: Protocol = Protocol {
    name: "hstcp-lp",
    aliases: &[],
    family: "low priority",
    year: 2003,
    source: "Kuzmanovic/Knightly/Cottrell 2004; Bullot et al. 2003",
    summary: "HighSpeed TCP that halves, then stops, on early signs of a queue.",
    signals: &["loss", "ecn", "owd"],
    variants: &[Variant {
        name: PAPER,
        aliases: &["linux-2.4"],
        summary: "RFC 3649's increase and decrease, TCP-LP's early indications.",
        exact_kernel: false,
    }],
    parameters: &[
        delta(&[(PAPER, 0.15)]),
        inference(&[(PAPER, 3.0)]),
        switch("cut_by_b", &[(PAPER, 0.0)], "On an early indication keep 1 - b(w), not half."),
    ],
    constants: &[],
    profiles: &[
        borrows("linux-6.1", PAPER),
        borrows("linux-6.12", PAPER),
        borrows("linux-2.6.23", PAPER),
        borrows("altaimd-2.6.6", PAPER),
        runs("linux-2.4", PAPER),
        borrows("rfc", PAPER),
    ],
};

/// The state of a new connection.
pub fn build(values: &Values) -> Box<HstcpLp> {
    Box::new(HstcpLp::new(values))
}

/// HSTCP-LP.
#[derive(Clone, Copy, Debug)]
pub struct HstcpLp {
    highspeed: HstcpReal,
    early: EarlyIndication,
    cut_by_b: bool,
}

impl HstcpLp {
    fn new(values: &Values) -> HstcpLp {
        HstcpLp { highspeed: HstcpReal::rfc3649(), early: EarlyIndication::new(values), cut_by_b: values.on("cut_by_b") }
    }
}

impl CongestionControl for HstcpLp {
    fn needs(&self) -> Needs {
        Needs { rtt_samples: RttSamples::ByStack, ..Needs::default() }
    }

    #[inline]
    fn on_rtt_sampled(&mut self, w: &mut Window, c: &Connection, s: &RttSample) {
        let Some(indication) = self.early.on_rtt_sampled(w, c, s) else { return };
        w.cwnd = match indication {
            Indication::Again => 1.0,
            Indication::First if self.cut_by_b => self.highspeed.ssthresh(w, c),
            Indication::First => (0.5 * w.cwnd).max(1.0),
        };
        w.ssthresh = w.ssthresh.min(w.cwnd).max(2.0);
    }

    #[inline]
    fn on_acked(&mut self, w: &mut Window, c: &Connection, acked: u32) {
        if !self.early.infers(c.now) {
            self.highspeed.on_acked(w, c, acked);
        }
    }

    fn ssthresh(&mut self, w: &mut Window, c: &Connection) -> f64 {
        self.highspeed.ssthresh(w, c)
    }

    fn variable_names(&self) -> &'static [&'static str] {
        EarlyIndication::VARIABLES
    }

    fn variables(&self, out: &mut [f64]) {
        self.early.variables(out);
    }
}
