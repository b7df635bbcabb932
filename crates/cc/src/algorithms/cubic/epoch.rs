//! The epoch between two losses: how many acknowledged segments the window grows by one for.
//!
//! Source: Linux 6.1 `tcp_cubic.c`. Units: segments; milliseconds (kernel ticks); RTTs in microseconds.

use super::curve::Curve;
use super::reno_friendly::RenoWindow;
use super::Cubic;
use crate::{Connection, Window};

/// `per_segment` stands this long while the window does, ms.
const HOLD_MS: u64 = 31;

/// What a timeout makes CUBIC forget.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Epoch {
    /// Segments to acknowledge per segment of growth, and the window and tick for which it was computed.
    pub(super) per_segment: u32,
    computed_for: u32,
    computed_ms: u64,
    /// The window of the last loss; 0 before the first.
    pub(super) last_max: u32,
    pub(super) curve: Curve,
    /// The smallest RTT; 0 before the first sample.
    pub(super) min_us: u32,
    pub(super) start_ms: Option<u64>,
    reno: RenoWindow,
}

impl Epoch {
    /// The queue is draining just after a loss: those samples would not show the path.
    #[inline]
    pub(super) fn shows_path(&self, c: &Connection) -> bool {
        self.start_ms.is_none_or(|start| c.now.as_ms() >= start + 1_000)
    }
}

impl Cubic {
    #[inline]
    pub(super) fn update(&mut self, w: &Window, c: &Connection, acked: u32) {
        let (cwnd, now_ms) = (w.segments(), c.now.as_ms());
        self.epoch.reno.on_acked(acked);
        if self.epoch.computed_for == cwnd && now_ms <= self.epoch.computed_ms + HOLD_MS {
            return;
        }
        // Within one tick the cubic cannot have moved: only the Reno-friendly part is done again. 2.6.23 did all of it again; compensating
        // twice what stands from the ACK before would halve it with every ACK of a tick.
        if self.old.is_some() || self.epoch.start_ms.is_none() || now_ms != self.epoch.computed_ms {
            self.follow_cubic(w, c, acked);
        }
        let e = &mut self.epoch;
        if let Some(enough) = self.reno_step_x8.and_then(|step_x8| e.reno.advance(w, step_x8.get())) {
            e.per_segment = e.per_segment.min(enough);
        }
        e.per_segment = self.old.map_or(e.per_segment.max(2), |old| old.compensated(e.per_segment));
    }

    fn follow_cubic(&mut self, w: &Window, c: &Connection, acked: u32) {
        let (cwnd, now_ms) = (w.segments(), c.now.as_ms());
        let e = &mut self.epoch;
        e.computed_for = cwnd;
        e.computed_ms = now_ms;
        let start_ms = *e.start_ms.get_or_insert_with(|| {
            e.reno = RenoWindow::starting(w, acked);
            e.curve = Curve::starting(w, e.last_max, self.c);
            now_ms
        });
        // One smallest RTT ahead, since the window set now acts a round trip later.
        let t = ((now_ms.saturating_sub(start_ms) + u64::from(e.min_us.div_ceil(1_000))) << 10) / 1_000;
        let target = e.curve.at(t, self.c);
        e.per_segment = if target > cwnd { cwnd / (target - cwnd) } else { cwnd.saturating_mul(100) };
        if let Some(old) = self.old {
            e.per_segment = e.per_segment.max(old.per_segment_min(w, e.min_us));
        }
        if e.last_max == 0 {
            e.per_segment = e.per_segment.min(20);
        }
    }
}
