//! CUBIC's curve in Linux's integers: W(t) = C (t - K)^3 + W_max, with K = cbrt((W_max - cwnd)/C).
//!
//! Source: Ha/Rhee/Xu 2008, equations 1 and 2; Linux 6.1. Units: segments; time and K in 1/1024 s.

use super::cube_root::cube_root;
use crate::Window;

/// C.
#[derive(Clone, Copy, Debug)]
pub(super) struct Steepness {
    /// 1024 C, per 1/1024 s cubed: (2^40 per segment)/`scale` is K^3 of one segment.
    scale: u64,
    cube_factor: u64,
}

impl Steepness {
    /// Of `c` segments/s^3, rounded to 1/102.4.
    pub(super) fn new(c: f64) -> Steepness {
        let scale = ((c * 102.4 + 0.5) as u64).max(1) * 10;
        Steepness { scale, cube_factor: (1 << 40) / scale }
    }
}

/// The curve of one epoch.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Curve {
    /// W_max, or the window from which the epoch began if that was larger.
    origin: u32,
    k: u32,
}

impl Curve {
    /// From this window up to that of the last loss, or on from this one beyond it.
    pub(super) fn starting(w: &Window, last_max: u32, c: Steepness) -> Curve {
        let cwnd = w.segments();
        let k = if last_max <= cwnd { 0 } else { cube_root(c.cube_factor.saturating_mul(u64::from(last_max - cwnd))) };
        Curve { origin: last_max.max(cwnd), k }
    }

    /// The window `t` after the epoch began.
    pub(super) fn at(self, t: u64, c: Steepness) -> u32 {
        let k = u64::from(self.k);
        let offset = t.abs_diff(k);
        let cube = c.scale.saturating_mul(offset).saturating_mul(offset).saturating_mul(offset);
        let delta = (cube >> 40) as u32;
        if t < k {
            self.origin.saturating_sub(delta)
        } else {
            self.origin.saturating_add(delta)
        }
    }

    /// K in seconds.
    pub(super) fn k_s(self) -> f64 {
        f64::from(self.k) / 1024.0
    }
}
