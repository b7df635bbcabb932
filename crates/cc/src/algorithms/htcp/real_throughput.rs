//! H-TCP's throughput filter in real numbers: has the path changed since the last epoch?
//!
//! Source: draft-leith-tcp-htcp-06; Li/Leith/Shorten 2007. Units: segments/s; seconds.

/// The largest smoothed throughput of this epoch and of the one before.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct RealThroughput {
    smoothed: f64,
    best: f64,
    pub(super) old_best: f64,
    packets: f64,
    since_s: f64,
}

/// What a measurement depends on.
#[derive(Clone, Copy, Debug)]
pub(super) struct Tick {
    /// Segments that make a sample.
    pub(super) enough: f64,
    pub(super) now_s: f64,
    pub(super) backoff_s: f64,
    pub(super) min_rtt_s: f64,
}

impl RealThroughput {
    /// `acked` more segments; a sample is due after enough of them and one smallest RTT.
    #[inline]
    pub(super) fn measure(&mut self, acked: u32, at: Tick) {
        self.packets += f64::from(acked);
        let elapsed_s = at.now_s - self.since_s;
        if self.packets < at.enough || elapsed_s < at.min_rtt_s || elapsed_s <= 0.0 {
            return;
        }
        let now = self.packets / elapsed_s;
        // The first four round trips still drain the old epoch's queue.
        if at.now_s - at.backoff_s < 4.0 * at.min_rtt_s {
            self.smoothed = now;
            self.best = now;
        } else {
            self.smoothed = 0.75 * self.smoothed + 0.25 * now;
            self.best = self.best.max(self.smoothed);
        }
        self.pause(at.now_s);
    }

    /// Nothing is measured while the connection recovers.
    #[inline]
    pub(super) fn pause(&mut self, now_s: f64) {
        self.packets = 0.0;
        self.since_s = now_s;
    }

    /// An epoch ends: whether its throughput differs from the last one's by more than this part of that.
    pub(super) fn has_changed(&mut self, part: f64) -> bool {
        let old = std::mem::replace(&mut self.old_best, self.best);
        (self.best - old).abs() > part * old
    }
}
