//! Adaptive Reno's bandwidth: segments acknowledged per RTT, through Westwood+'s filter, 0.9 and 0.1.
//!
//! Source: Grieco/Mascolo, ACM CCR 2004, as the ports of Adaptive Reno use it. Units: segments/s; seconds.

use units::Time;

/// A bandwidth sample is of one RTT, at least this long.
const SAMPLE_MIN_S: f64 = 0.05;

/// The filter and the sample being taken.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Bandwidth {
    /// None before the first sample.
    pub(super) smoothed: Option<f64>,
    acked: f64,
    since: Time,
}

impl Bandwidth {
    pub(super) fn start(&mut self, now: Time) {
        self.since = now;
    }

    pub(super) fn on_acked(&mut self, acked: u32, now: Time, rtt_s: f64) {
        self.acked += f64::from(acked);
        let span_s = now.since(self.since).as_secs_f64();
        if span_s > rtt_s.max(SAMPLE_MIN_S) {
            let sample = self.acked / span_s;
            self.smoothed = Some(self.smoothed.map_or(sample, |old| 0.9 * old + 0.1 * sample));
            self.acked = 0.0;
            self.since = now;
        }
    }
}
