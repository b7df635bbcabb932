//! Pacing: when the next segment may leave, and at what rate (Linux `tcp_update_pacing_rate`).

use cc::CongestionControl;
use units::Time;

use crate::sender::Sender;
use crate::Pacing;

/// Linux leaves the first ten segments unpaced.
const UNPACED_SEGMENTS: u64 = 10;

/// The pacing gate.
#[derive(Clone, Debug)]
pub(crate) struct Pacer {
    mode: Pacing,
    sent: u64,
    burst_left: u32,
    next: Time,
    blocked: bool,
    /// Between two segments, at the rate for which that was last computed.
    gap: Time,
    gap_rate: u64,
}

impl Pacer {
    /// A gate for `mode`; an algorithm that asks for pacing gets it segment by segment at least.
    pub(crate) fn new(mode: Pacing, needed: bool) -> Pacer {
        let mode = if mode == Pacing::None && needed { Pacing::Full } else { mode };
        Pacer { mode, sent: 0, burst_left: 0, next: Time::ZERO, blocked: false, gap: Time::ZERO, gap_rate: 0 }
    }

    #[inline]
    pub(crate) fn is_on(&self) -> bool {
        self.mode != Pacing::None
    }

    /// When a blocked sender may go on.
    #[inline]
    pub(crate) fn wakes_at(&self) -> Time {
        if self.blocked {
            self.next
        } else {
            Time::NEVER
        }
    }

    /// A segment waits for the gate.
    #[inline]
    pub(crate) fn is_blocked(&self) -> bool {
        self.blocked
    }

    /// A new look at what may leave: nothing is known to be waiting.
    #[inline]
    pub(crate) fn release(&mut self) {
        self.blocked = false;
    }

    /// Whether a segment may leave now; if not, remembers that one wants to.
    #[inline]
    pub(crate) fn may_send(&mut self, now: Time) -> bool {
        self.blocked = self.mode != Pacing::None && self.burst_left == 0 && now < self.next;
        !self.blocked
    }

    /// A segment left; `rate` in bytes per second, 0 before the first RTT sample.
    #[inline]
    pub(crate) fn on_sent(&mut self, now: Time, mss: u32, rate: u64) {
        if self.mode == Pacing::None {
            return;
        }
        self.sent += 1;
        if self.sent <= UNPACED_SEGMENTS || rate == 0 {
            return;
        }
        if self.burst_left == 0 {
            self.burst_left = self.quantum(mss, rate);
            self.next = self.next.max(now);
        }
        self.burst_left -= 1;
        if rate != self.gap_rate {
            self.gap = Time(u64::from(mss) * 1_000_000_000 / rate);
            self.gap_rate = rate;
        }
        self.next += self.gap;
    }

    /// Segments that leave back to back: Linux sizes its offload bursts to a millisecond of the rate, 2 to 45 segments.
    fn quantum(&self, mss: u32, rate: u64) -> u32 {
        match self.mode {
            Pacing::Linux => ((rate >> 10) / u64::from(mss)).clamp(2, 45) as u32,
            _ => 1,
        }
    }
}

/// Bytes per second at which Linux paces: twice the window, or what is outstanding, per smoothed RTT below half of
/// `ssthresh`, else 1.2 times; 0 before the first RTT sample.
pub fn pacing_rate(mss: u32, srtt8_us: u32, cwnd: f64, ssthresh: f64, outstanding: u64) -> u64 {
    let percent = if cwnd < (ssthresh / 2.0).floor() { 200 } else { 120 };
    (u64::from(mss) * 80_000 * percent * u64::from(cwnd as u32).max(outstanding)).checked_div(u64::from(srtt8_us)).unwrap_or(0)
}

impl<C: CongestionControl> Sender<C> {
    /// Step 9. The rate has a reader only when pacing is on, or in slow start (HyStart).
    #[inline]
    pub(crate) fn refresh_pacing_rate(&mut self) {
        if self.pacer.is_on() || self.w.in_slow_start() {
            self.c.pacing_rate = self.pacing_rate();
        }
    }

    /// Bytes per second at which segments are, or would be, paced; 0 before the first RTT sample.
    pub fn pacing_rate(&self) -> u64 {
        if let Some(rate) = self.cc.pacing_rate(&self.w, &self.c) {
            return rate;
        }
        pacing_rate(self.c.mss, self.c.srtt8_us, self.w.cwnd, self.w.ssthresh, self.c.nxt - self.c.una)
    }
}
