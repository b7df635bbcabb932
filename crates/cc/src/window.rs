//! The congestion window, in segments: the one thing an algorithm writes.

/// The initial slow-start threshold: what Linux calls `TCP_INFINITE_SSTHRESH`.
pub const SSTHRESH_INFINITE: f64 = 0x7fff_ffff as f64;

/// Window state of one connection. The sender may send while `pipe < floor(cwnd)`.
#[derive(Clone, Debug)]
pub struct Window {
    /// Congestion window, segments. Integer-arithmetic variants keep it whole.
    pub cwnd: f64,
    /// Slow-start threshold, segments.
    pub ssthresh: f64,
    /// Credit towards the next whole segment, kept by the classic laws in integer arithmetic (Linux `snd_cwnd_cnt`).
    pub cnt: u32,
}

/// What additive increase is made from: segments acknowledged, and how many of them raise the window by one.
#[derive(Clone, Copy, Debug)]
pub struct Credit {
    /// Segments acknowledged.
    pub acked: u32,
    /// For one segment of growth.
    pub per_segment: u32,
}

impl Window {
    /// A window of `initial` segments and no threshold yet.
    pub fn new(initial: u32) -> Window {
        Window { cwnd: f64::from(initial), ssthresh: SSTHRESH_INFINITE, cnt: 0 }
    }

    /// The same in slow start until `ssthresh` segments, 0 for no threshold.
    pub fn until(self, ssthresh: u32) -> Window {
        let ssthresh = if ssthresh == 0 { SSTHRESH_INFINITE } else { f64::from(ssthresh) };
        Window { ssthresh, ..self }
    }

    /// Linux's convention: slow start while `cwnd < ssthresh`.
    #[inline]
    pub fn in_slow_start(&self) -> bool {
        self.cwnd < self.ssthresh
    }

    /// The window as the kernel's integer.
    #[inline]
    pub fn segments(&self) -> u32 {
        self.cwnd as u32
    }

    /// Slow start by `acked` segments, never past `ssthresh`; returns the segments left for congestion avoidance.
    #[inline]
    pub fn slow_start(&mut self, acked: u32) -> u32 {
        let grown = self.cwnd + f64::from(acked);
        if grown <= self.ssthresh {
            self.cwnd = grown;
            return 0;
        }
        let used = self.ssthresh - self.cwnd;
        self.cwnd = self.ssthresh;
        (f64::from(acked) - used) as u32
    }

    /// [`Window::slow_start`] for real-valued laws: outside slow start all of `acked` is left, and fractions are kept.
    #[inline]
    pub fn slow_start_real(&mut self, acked: u32) -> f64 {
        let acked = f64::from(acked);
        if !self.in_slow_start() {
            return acked;
        }
        let grown = (self.cwnd + acked).min(self.ssthresh);
        let rest = acked - (grown - self.cwnd);
        self.cwnd = grown;
        rest
    }

    /// Linux's additive increase in integers. The credit keeps the remainder; credit
    /// left from a larger divisor buys one segment and is void.
    #[inline]
    pub fn add_credit(&mut self, Credit { acked, per_segment }: Credit) {
        let per_segment = per_segment.max(1);
        if self.cnt >= per_segment {
            self.cnt = 0;
            self.cwnd += 1.0;
        }
        self.cnt = self.cnt.saturating_add(acked);
        if self.cnt >= per_segment {
            let whole = self.cnt / per_segment;
            self.cnt -= whole * per_segment;
            self.cwnd += f64::from(whole);
        }
    }
}
