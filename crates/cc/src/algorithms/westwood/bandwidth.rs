//! Westwood+'s bandwidth: what was acknowledged in windows of an RTT, duplicate ACKs included, through two poles of 7/8.
//!
//! Source: Grieco/Mascolo, ACM CCR 2004; Linux 6.1. Units: bytes per millisecond; milliseconds (kernel ticks).

use crate::Connection;

/// A measurement window is longer than this and than the RTT.
pub(super) const WINDOW_MIN_MS: u64 = 50;

/// The filter, the open window and what has been counted.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Bandwidth {
    /// The first pole: the filtered samples.
    samples: u64,
    /// The second pole.
    pub(super) estimate: u64,
    /// Bytes acknowledged in the open window.
    bytes: u64,
    pub(super) opened_ms: u64,
    /// The cumulative ACK up to which bytes were counted; none before the first ACK.
    counted_to: Option<u64>,
    /// Bytes counted for duplicate ACKs, which a later advance will bring again.
    ahead: u64,
}

impl Bandwidth {
    /// Counts an ACK; one off the fast path may be a duplicate.
    #[inline]
    pub(super) fn count(&mut self, c: &Connection, slow_path: bool) {
        let advance = c.una.saturating_sub(self.counted_to.unwrap_or(c.una)) * u64::from(c.mss);
        self.bytes += if slow_path { self.worth(advance, c.mss) } else { advance };
        self.counted_to = Some(c.una);
    }

    /// What an ACK off the fast path is worth: a duplicate one segment, an advance no more than duplicates have left of it.
    fn worth(&mut self, advance: u64, mss: u32) -> u64 {
        let mss = u64::from(mss);
        if advance == 0 {
            self.ahead += mss;
            mss
        } else if advance <= mss {
            advance
        } else if self.ahead >= advance {
            self.ahead -= advance;
            mss
        } else {
            advance - std::mem::take(&mut self.ahead)
        }
    }

    /// Makes a sample of the open window if it is long enough.
    #[inline]
    pub(super) fn close_window(&mut self, c: &Connection, rtt_ms: u64) {
        let now_ms = c.now.as_ms();
        let elapsed_ms = now_ms.saturating_sub(self.opened_ms);
        if rtt_ms == 0 || elapsed_ms <= rtt_ms.max(WINDOW_MIN_MS) {
            return;
        }
        let sample = self.bytes / elapsed_ms;
        if self.samples == 0 && self.estimate == 0 {
            self.samples = sample;
            self.estimate = sample;
        } else {
            self.samples = (7 * self.samples + sample) >> 3;
            self.estimate = (7 * self.estimate + self.samples) >> 3;
        }
        self.bytes = 0;
        self.opened_ms = now_ms;
    }
}
