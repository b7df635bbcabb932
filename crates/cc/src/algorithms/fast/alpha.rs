//! FAST's alpha: the segments of its own to keep queued, by the rate that it achieves.
//!
//! Source: Li/Leith/Shorten 2007, Table II. Units: segments; the levels' thresholds in kB/s.
//! Departures: the levels have the hysteresis that Table II seems to mean.

/// alpha by level, segments.
pub(super) const ALPHA: [f64; 3] = [8.0, 20.0, 200.0];
/// Leave a level upwards above this rate, kB/s.
pub(super) const UP: [f64; 3] = [1_500.0, 15_000.0, f64::INFINITY];
/// Leave a level downwards below this rate, kB/s.
pub(super) const DOWN: [f64; 3] = [0.0, 1_250.0, 12_500.0];

/// alpha and what it comes from.
#[derive(Clone, Copy, Debug)]
pub(super) struct Alpha {
    pub(super) segments: f64,
    /// None when alpha is given.
    level: Option<u8>,
}

impl Alpha {
    /// By the rate; the lowest level at first.
    pub(super) fn tuned() -> Alpha {
        Alpha { segments: ALPHA[0], level: Some(0) }
    }

    pub(super) fn fixed(segments: f64) -> Alpha {
        Alpha { segments, level: None }
    }

    /// Moves by one level at most.
    pub(super) fn tune(&mut self, rate_kb_s: f64) {
        let Some(level) = self.level else { return };
        let at = usize::from(level);
        let level = if rate_kb_s > UP[at] {
            level + 1
        } else if rate_kb_s < DOWN[at] {
            level - 1
        } else {
            level
        };
        self.level = Some(level);
        self.segments = ALPHA[usize::from(level)];
    }
}
