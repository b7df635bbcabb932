//! Adaptive Reno's congestion level c: where the RTT stands between its minimum and what it is at losses, 0 to 1.
//!
//! Source: Shimonishi/Hama/Murase, PFLDnet 2006, by its ports. Seconds.
//! Departures: before the first loss c is (RTT - min)/min.

/// The three RTTs.
#[derive(Clone, Copy, Debug)]
pub(super) struct CongestionLevel {
    /// Weight of the past in the RTT at losses.
    a: f64,
    min_s: f64,
    /// The latest; 0 before the first sample.
    pub(super) rtt_s: f64,
    /// RTT at losses, smoothed; none before the first.
    pub(super) congested_s: Option<f64>,
}

impl CongestionLevel {
    pub(super) fn new(a: f64) -> CongestionLevel {
        CongestionLevel { a, min_s: f64::INFINITY, rtt_s: 0.0, congested_s: None }
    }

    #[inline]
    pub(super) fn on_sampled(&mut self, rtt_s: f64) {
        self.rtt_s = rtt_s;
        self.min_s = self.min_s.min(rtt_s);
    }

    pub(super) fn on_lost(&mut self) {
        if self.rtt_s > 0.0 {
            self.congested_s = Some(self.congested_s.map_or(self.rtt_s, |old| self.a * old + (1.0 - self.a) * self.rtt_s));
        }
    }

    /// c.
    pub(super) fn c(&self) -> f64 {
        if self.rtt_s == 0.0 {
            return 0.0;
        }
        let range = self.congested_s.map_or(self.min_s, |congested_s| congested_s - self.min_s);
        if range > 0.0 {
            ((self.rtt_s - self.min_s) / range).min(1.0)
        } else {
            1.0
        }
    }
}
