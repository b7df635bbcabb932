//! A rate sample in the draft's terms.

use crate::RateSample;

/// RS of the draft.
#[derive(Clone, Copy)]
pub(super) struct Sample<'a> {
    /// RS.delivery_rate, segments per second; 0 without a reliable sample.
    pub(super) rate: f64,
    /// RS.delivered, segments.
    pub(super) delivered: f64,
    pub(super) of: &'a RateSample,
}

impl Sample<'_> {
    pub(super) fn new(s: &RateSample) -> Sample<'_> {
        let delivered = f64::from(s.delivered.unwrap_or(0));
        let rate = s.interval.map_or(0.0, |interval| delivered / interval.as_secs_f64());
        Sample { rate, delivered, of: s }
    }
}
