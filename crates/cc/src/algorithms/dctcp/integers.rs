//! DCTCP's alpha in Linux's integers.
//!
//! Source: Linux 6.1 `tcp_dctcp.c`, reproduced exactly. Units: alpha in 1024ths.

use super::{Arithmetic, Dctcp};
use crate::algorithms::observation_window::Observed;
use crate::algorithms::reno::Reno;
use crate::parameter::Values;
use crate::{CongestionControl, Connection, Window};

const ALPHA_ONE: u64 = 1024;

/// alpha, and its weight as a power of two.
#[derive(Clone, Copy, Debug)]
pub struct Integers {
    shift_g: u32,
    alpha: u64,
}

impl Dctcp<Integers> {
    pub(super) fn integers(values: &Values) -> Dctcp<Integers> {
        let alpha = (values.get("alpha_init") * ALPHA_ONE as f64) as u64;
        Dctcp::new(Integers { shift_g: values.get("shift_g") as u32, alpha })
    }
}

impl Arithmetic for Integers {
    #[inline]
    fn update(&mut self, Observed { delivered, marked }: Observed) {
        // A small alpha, whose part would be rounded to nothing, vanishes at once.
        let part = self.alpha >> self.shift_g;
        self.alpha -= if part > 0 { part } else { self.alpha };
        if marked > 0 {
            self.alpha = (self.alpha + (marked << (10 - self.shift_g)) / delivered.max(1)).min(ALPHA_ONE);
        }
    }

    #[inline]
    fn grow(w: &mut Window, c: &Connection, acked: u32) {
        Reno.on_acked(w, c, acked);
    }

    fn reduced(&self, w: &Window) -> f64 {
        let cwnd = u64::from(w.segments());
        f64::from((cwnd - ((cwnd * self.alpha) >> 11)).max(2) as u32)
    }

    fn half(w: &Window) -> f64 {
        f64::from((w.segments() >> 1).max(2))
    }

    fn alpha(&self) -> f64 {
        self.alpha as f64 / ALPHA_ONE as f64
    }
}
