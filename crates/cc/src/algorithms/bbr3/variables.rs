//! The state by the names that samples give it.

use super::Bbr3;

/// In the order of [`Bbr3::describe`].
pub(super) const NAMES: &[&str] =
    &["mode", "bw_segments_s", "min_rtt_s", "max_bw_segments_s", "bw_short_segments_s", "inflight_long", "inflight_short", "extra_acked"];

impl Bbr3 {
    /// Values of `NAMES`; NaN where there is no bound.
    pub(super) fn describe(&self, out: &mut [f64]) {
        let known = |value: f64| if value.is_finite() { value } else { f64::NAN };
        out[0] = f64::from(self.state as u8);
        out[1] = self.bw;
        out[2] = known(self.rtt.min_s());
        out[3] = self.bandwidth.largest();
        out[4] = known(self.short.bw);
        out[5] = known(self.long.inflight);
        out[6] = known(self.short.inflight);
        out[7] = self.aggregation.most();
    }
}
