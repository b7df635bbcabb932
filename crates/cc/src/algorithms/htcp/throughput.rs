//! H-TCP's throughput filter, in Linux's integers: has the path changed since the last epoch?

/// The largest smoothed throughput of this epoch and of the one before, segments/s.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Throughput {
    smoothed: u32,
    best: u32,
    pub(super) old_best: u32,
    packets: u32,
    since_ms: u64,
}

/// What a measurement depends on.
#[derive(Clone, Copy, Debug)]
pub(super) struct Tick {
    /// Segments that make a sample.
    pub(super) enough: u32,
    pub(super) now_ms: u64,
    pub(super) backoff_ms: u64,
    pub(super) min_rtt_ms: u32,
}

impl Throughput {
    /// `acked` more segments; a sample is due after enough of them and one smallest RTT.
    #[inline]
    pub(super) fn measure(&mut self, acked: u32, at: Tick) {
        self.packets += acked;
        let elapsed_ms = at.now_ms.saturating_sub(self.since_ms);
        if self.packets < at.enough || elapsed_ms < u64::from(at.min_rtt_ms) || at.min_rtt_ms == 0 {
            return;
        }
        let now = (u64::from(self.packets) * 1_000 / elapsed_ms) as u32;
        // The first four round trips still drain the old epoch's queue.
        if at.now_ms.saturating_sub(at.backoff_ms) / u64::from(at.min_rtt_ms) <= 3 {
            self.smoothed = now;
            self.best = now;
        } else {
            self.smoothed = (3 * self.smoothed + now) / 4;
            self.best = self.best.max(self.smoothed);
        }
        self.packets = 0;
        self.since_ms = at.now_ms;
    }

    /// Nothing is measured while the connection recovers.
    #[inline]
    pub(super) fn pause(&mut self, now_ms: u64) {
        self.packets = 0;
        self.since_ms = now_ms;
    }

    /// An epoch ends: whether its throughput differs from the last one's by more than a fifth.
    pub(super) fn has_changed(&mut self) -> bool {
        let (new, old) = (u64::from(self.best), u64::from(self.old_best));
        self.old_best = self.best;
        5 * new < 4 * old || 5 * new > 6 * old
    }
}
