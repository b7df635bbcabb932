//! DCTCP's alpha as RFC 8257 writes it, in real numbers.

use super::{Arithmetic, Dctcp};
use crate::algorithms::observation_window::Observed;
use crate::algorithms::reno::RenoReal;
use crate::parameter::Values;
use crate::{CongestionControl, Connection, Window};

/// alpha, and its weight.
#[derive(Clone, Copy, Debug)]
pub struct Reals {
    g: f64,
    alpha: f64,
}

impl Dctcp<Reals> {
    pub(super) fn reals(values: &Values) -> Dctcp<Reals> {
        Dctcp::new(Reals { g: values.get("g"), alpha: values.get("alpha_init") })
    }
}

impl Arithmetic for Reals {
    #[inline]
    fn update(&mut self, Observed { delivered, marked }: Observed) {
        let m = marked as f64 / delivered.max(1) as f64;
        self.alpha += self.g * (m.min(1.0) - self.alpha);
    }

    #[inline]
    fn grow(w: &mut Window, c: &Connection, acked: u32) {
        RenoReal.on_acked(w, c, acked);
    }

    fn reduced(&self, w: &Window) -> f64 {
        (w.cwnd * (1.0 - 0.5 * self.alpha)).max(2.0)
    }

    fn half(w: &Window) -> f64 {
        (0.5 * w.cwnd).max(2.0)
    }

    fn alpha(&self) -> f64 {
        self.alpha
    }
}
