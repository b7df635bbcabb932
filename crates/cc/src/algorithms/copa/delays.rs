//! Copa's three RTTs: the smallest of ten seconds, the smallest of the last half RTT, the largest of four RTTs.
//!
//! Source: Arun/Balakrishnan, NSDI 2018: d_q = RTTstanding - RTTmin (section 2), and "nearly empty" (section 2.2). Seconds.

use units::{Duration, Time};

use crate::algorithms::sliding::SlidingMin;

/// RTTmin is that of the last 10 s.
const RTT_MIN_SPAN: Duration = Duration::from_ms(10_000);
/// RTTmax is that of this many RTTs.
const MAX_RTTS: u64 = 4;
/// A queueing delay below this part of RTTmax - RTTmin is nearly empty.
pub(super) const NEARLY_EMPTY: f64 = 0.1;

/// The filters, and what they give now.
#[derive(Clone, Debug)]
pub(super) struct Delays {
    min_s: f64,
    /// 0 before the first sample.
    pub(super) standing_s: f64,
    least: SlidingMin,
    standing: SlidingMin,
    most: SlidingMin,
}

impl Delays {
    pub(super) fn new() -> Delays {
        Delays {
            min_s: f64::INFINITY,
            standing_s: 0.0,
            least: SlidingMin::default(),
            standing: SlidingMin::default(),
            most: SlidingMin::default(),
        }
    }

    /// Takes a sample. True when the queue is nearly empty.
    pub(super) fn on_sampled(&mut self, rtt_s: f64, now: Time, srtt: Duration) -> bool {
        self.min_s = self.least.on_sampled(rtt_s, now, RTT_MIN_SPAN);
        self.standing_s = self.standing.on_sampled(rtt_s, now, srtt / 2);
        let max_s = -self.most.on_sampled(-rtt_s, now, srtt * MAX_RTTS);
        self.standing_s - self.min_s <= NEARLY_EMPTY * (max_s - self.min_s)
    }

    /// Whether there was a sample.
    pub(super) fn are_known(&self) -> bool {
        self.standing_s > 0.0
    }

    /// d_q.
    pub(super) fn queueing_s(&self) -> f64 {
        self.standing_s - self.min_s
    }
}
