//! How many segments more than the bandwidth explains arrive at once: that much more window is kept, so that aggregated ACKs do not
//! stop the flow.

use units::Time;

use super::{Bbr, BW_SHIFT};
use crate::Window;

/// Each of two windows lasts this many rounds.
const ROUNDS: u32 = 5;
/// More deliveries than this are an old epoch.
const EPOCH_MAX: u64 = 1 << 20;
/// Not more than 100 ms of the bandwidth.
const SPAN_US: u64 = 100_000;

/// Excess deliveries: the largest of five to ten rounds.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Aggregation {
    /// Microseconds: Linux's clock counts them, and subtracts what is rounded down already.
    epoch_began_us: u64,
    epoch_acked: u64,
    extra: [u64; 2],
    current: usize,
    rounds: u32,
}

impl Aggregation {
    /// A new epoch.
    pub(super) fn restart(&mut self, now: Time) {
        self.restart_at(now.as_us());
    }

    fn restart_at(&mut self, now_us: u64) {
        self.epoch_began_us = now_us;
        self.epoch_acked = 0;
    }

    pub(super) fn most(&self) -> u64 {
        self.extra[0].max(self.extra[1])
    }

    fn on_round(&mut self) {
        self.rounds += 1;
        if self.rounds >= ROUNDS {
            self.rounds = 0;
            self.current ^= 1;
            self.extra[self.current] = 0;
        }
    }
}

impl Bbr {
    /// So many segments were acknowledged, and the bandwidth is known.
    #[inline]
    pub(super) fn update_aggregation(&mut self, w: &Window, acked: u32) {
        let (bw, now_us) = (self.bw(), self.delivered_us);
        let seen = &mut self.aggregation;
        if self.rounds.just_began {
            seen.on_round();
        }
        let acked = u64::from(acked);
        let mut expected = (bw * now_us.saturating_sub(seen.epoch_began_us)) >> BW_SHIFT;
        if seen.epoch_acked <= expected || seen.epoch_acked + acked >= EPOCH_MAX {
            seen.restart_at(now_us);
            expected = 0;
        }
        seen.epoch_acked = (seen.epoch_acked + acked).min(EPOCH_MAX - 1);
        let extra = (seen.epoch_acked - expected).min(w.segments().into());
        seen.extra[seen.current] = seen.extra[seen.current].max(extra);
    }

    /// Window for aggregation at the bandwidth estimate, segments.
    pub(super) fn aggregation_window(&self, bw: u64) -> u64 {
        if self.pipe.is_full() {
            self.aggregation.most().min((bw * SPAN_US) >> BW_SHIFT)
        } else {
            0
        }
    }
}
