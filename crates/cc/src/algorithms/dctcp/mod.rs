//! DCTCP: reduces the window by half of the share of marked segments.
//!
//! Source: Alizadeh et al., SIGCOMM 2010; RFC 8257; Linux 6.1 `tcp_dctcp.c`, reproduced exactly.
//! Units: segments; alpha is a share, in 1024ths in the integer variant.
//! State: alpha, and where the window of data being counted ends and what had been delivered when it began.
//! Departures: none from Linux 6.1. `rfc8257` counts segments where the RFC counts bytes, and comes down by the transport's reduction,
//! not at once. A tail loss that a probe repairs is answered like a mark in both, as Linux does.

mod rfc8257;

pub use self::rfc8257::DctcpReal;
use super::reno::Reno;
use super::{borrows, runs};
use crate::parameter::{Parameter, Protocol, Values, Variant};
use crate::{AckArrival, Algorithm, CaEvent, CaState, CongestionControl, Connection, EcnFeedback, Needs, Window};

const V61: &str = "linux-6.1";
const RFC: &str = "rfc8257";

/// The registry's description.
pub const PROTOCOL: Protocol = Protocol {
    name: "dctcp",
    aliases: &[],
    family: "ECN-based",
    year: 2010,
    source: "Alizadeh et al. 2010; RFC 8257; Linux 6.1",
    summary: "Reno that backs off by half of the share of marked segments.",
    signals: &["ecn", "loss"],
    variants: &[
        Variant { name: V61, aliases: &[], summary: "Linux's integers.", exact_kernel: true },
        Variant { name: RFC, aliases: &["paper"], summary: "RFC 8257 in real numbers.", exact_kernel: false },
    ],
    parameters: &[
        Parameter {
            name: "g",
            unit: "1",
            min: 1e-4,
            max: 1.0,
            defaults: &[(RFC, 0.0625)],
            doc: "Weight of the latest window of data in alpha.",
        },
        Parameter {
            name: "shift_g",
            unit: "1",
            min: 0.0,
            max: 10.0,
            defaults: &[(V61, 4.0)],
            doc: "That weight as a power of two: 2^-shift_g.",
        },
        Parameter {
            name: "alpha_init",
            unit: "1",
            min: 0.0,
            max: 1.0,
            defaults: &[(V61, 1.0), (RFC, 1.0)],
            doc: "Alpha before the first window of data.",
        },
    ],
    constants: &[],
    profiles: &[runs(V61, V61), borrows("linux-2.6.23", V61), borrows("altaimd-2.6.6", RFC), borrows("linux-2.4", V61), runs("rfc", RFC)],
    build: |values| match values.variant() {
        V61 => Algorithm::Dctcp(Dctcp::new(values)),
        _ => Algorithm::DctcpReal(DctcpReal::new(values)),
    },
};

/// The window of data over which marks are counted.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Observed {
    end: u64,
    delivered: u64,
    marked: u64,
}

impl Observed {
    pub(super) fn starting(c: &Connection) -> Observed {
        Observed { end: c.nxt, delivered: c.delivered, marked: c.delivered_ce }
    }

    #[inline]
    pub(super) fn is_over(&self, c: &Connection) -> bool {
        c.una >= self.end
    }

    /// Segments delivered and marked, if the window of data is over; a new one then begins.
    #[inline]
    pub(super) fn close(&mut self, c: &Connection) -> Option<(u64, u64)> {
        if !self.is_over(c) {
            return None;
        }
        let counted = (c.delivered - self.delivered, c.delivered_ce - self.marked);
        *self = Observed::starting(c);
        Some(counted)
    }
}

const ALPHA_ONE: u64 = 1024;

/// DCTCP in Linux's integers.
#[derive(Clone, Copy, Debug)]
pub struct Dctcp {
    shift_g: u32,
    /// The share of marked segments, in 1024ths.
    alpha: u64,
    observed: Observed,
    /// Window before the latest reduction.
    cwnd_before: f64,
}

impl Dctcp {
    fn new(values: &Values) -> Dctcp {
        let alpha = (values.get("alpha_init") * ALPHA_ONE as f64) as u64;
        Dctcp { shift_g: values.get("shift_g") as u32, alpha, observed: Observed::default(), cwnd_before: 0.0 }
    }

    fn halve(&mut self, w: &mut Window) {
        self.cwnd_before = w.cwnd;
        w.ssthresh = f64::from((w.segments() >> 1).max(2));
    }
}

impl CongestionControl for Dctcp {
    fn needs(&self) -> Needs {
        Needs { ecn: Some(EcnFeedback::Dctcp), ..Needs::default() }
    }

    fn on_established(&mut self, _w: &mut Window, c: &Connection) {
        self.observed = Observed::starting(c);
    }

    #[inline(never)]
    fn on_ack_arrived(&mut self, _w: &mut Window, c: &Connection, _a: &AckArrival) {
        let Some((delivered, marked)) = self.observed.close(c) else { return };
        // A small alpha, whose part would be rounded to nothing, vanishes at once.
        let part = self.alpha >> self.shift_g;
        self.alpha -= if part > 0 { part } else { self.alpha };
        if marked > 0 {
            self.alpha = (self.alpha + (marked << (10 - self.shift_g)) / delivered.max(1)).min(ALPHA_ONE);
        }
    }

    #[inline]
    fn on_acked(&mut self, w: &mut Window, c: &Connection, acked: u32) {
        Reno.on_acked(w, c, acked);
    }

    /// RFC 8257 3.3: cwnd (1 - alpha/2).
    fn ssthresh(&mut self, w: &mut Window, _c: &Connection) -> f64 {
        self.cwnd_before = w.cwnd;
        let cwnd = u64::from(w.segments());
        f64::from((cwnd - ((cwnd * self.alpha) >> 11)).max(2) as u32)
    }

    /// RFC 8257 3.5: loss is answered as by anybody else.
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
        out[0] = self.alpha as f64 / ALPHA_ONE as f64;
    }
}
