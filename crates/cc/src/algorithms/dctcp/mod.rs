//! DCTCP: reduces the window by half of the share of marked segments.
//!
//! Source: Alizadeh et al., SIGCOMM 2010; RFC 8257; Linux 6.1 `tcp_dctcp.c`, reproduced exactly.
//! Units: segments; alpha is a share.
//! State: alpha, in integers or in reals, the window of data being counted (`observation_window.rs`), the window before the reduction.
//! Departures: none from Linux 6.1. `rfc8257` counts segments where the RFC counts bytes, and comes down by the transport's reduction,
//! not at once. A tail loss that a probe repairs is answered like a mark in both, as Linux does.

mod integers;
mod protocol;
mod reals;

pub use self::integers::Integers;
pub use self::protocol::{build, PROTOCOL};
pub use self::reals::Reals;
use super::observation_window::{ObservationWindow, Observed};
use crate::{AckArrival, CaEvent, CaState, CongestionControl, Connection, EcnFeedback, Needs, Window};

/// What the variants compute differently: alpha, and the windows.
pub trait Arithmetic {
    /// RFC 8257 3.3: alpha = (1 - g) alpha + g M, M the share marked in the window of data that is over.
    fn update(&mut self, observed: Observed);

    /// `acked` segments without a mark: as Reno.
    fn grow(w: &mut Window, c: &Connection, acked: u32);

    /// RFC 8257 3.3: cwnd (1 - alpha/2).
    fn reduced(&self, w: &Window) -> f64;

    /// Half of the window, at least two segments.
    fn half(w: &Window) -> f64;

    /// alpha as a share.
    fn alpha(&self) -> f64;
}

/// DCTCP.
#[derive(Clone, Copy, Debug)]
pub struct Dctcp<A> {
    arithmetic: A,
    observed: ObservationWindow,
    /// Window before the latest reduction.
    cwnd_before: f64,
}

impl<A: Arithmetic> Dctcp<A> {
    fn new(arithmetic: A) -> Dctcp<A> {
        Dctcp { arithmetic, observed: ObservationWindow::default(), cwnd_before: 0.0 }
    }

    fn halve(&mut self, w: &mut Window) {
        self.cwnd_before = w.cwnd;
        w.ssthresh = A::half(w);
    }
}

impl<A: Arithmetic> CongestionControl for Dctcp<A> {
    fn needs(&self) -> Needs {
        Needs { ack_arrivals: true, ecn: Some(EcnFeedback::Dctcp), ..Needs::default() }
    }

    fn on_established(&mut self, _w: &mut Window, c: &Connection) {
        self.observed = ObservationWindow::starting(c);
    }

    #[inline(never)]
    fn on_ack_arrived(&mut self, _w: &mut Window, c: &Connection, _a: &AckArrival) {
        if let Some(observed) = self.observed.close(c) {
            self.arithmetic.update(observed);
        }
    }

    #[inline]
    fn on_acked(&mut self, w: &mut Window, c: &Connection, acked: u32) {
        A::grow(w, c, acked);
    }

    fn ssthresh(&mut self, w: &mut Window, _c: &Connection) -> f64 {
        self.cwnd_before = w.cwnd;
        self.arithmetic.reduced(w)
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
        out[0] = self.arithmetic.alpha();
    }
}
