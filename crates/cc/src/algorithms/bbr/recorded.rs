//! The state by the names that recordings and samples give it.

use super::{Bbr, BW_SHIFT, UNIT};

impl Bbr {
    /// The value that a recording of the kernel's module calls `column`.
    pub(crate) fn recorded(&self, column: &str) -> Option<f64> {
        let value = match column {
            "mode" => self.mode as u64,
            "pacing_gain_256" => self.pacing_gain,
            "cwnd_gain_256" => self.cwnd_gain,
            "bw_2p24_pkt_us" => self.max_bw(),
            "min_rtt_us" => self.min_rtt.us,
            "rtt_cnt" => self.rounds.count,
            "round_start" => self.rounds.just_began.into(),
            "full_bw" => self.pipe.level(),
            "full_bw_cnt" => self.pipe.rounds.into(),
            "full_bw_reached" => self.pipe.is_full().into(),
            "cycle_idx" => self.cycle.phase as u64,
            "extra_acked_max" => self.aggregation.most(),
            "prior_cwnd" => self.recovery.saved_cwnd as u64,
            "lt_use_bw" => self.policer.bw().is_some().into(),
            "pacing_rate_Bps" => self.pacing.rate.0,
            _ => return None,
        };
        Some(value as f64)
    }

    /// Values of `variable_names`.
    pub(super) fn describe(&self, out: &mut [f64]) {
        let has_rtt = self.min_rtt.us < u64::MAX;
        out[0] = self.mode as u8 as f64;
        out[1] = self.bw() as f64 / f64::from(1 << BW_SHIFT) * 1e6;
        out[2] = if has_rtt { self.min_rtt.us as f64 * 1e-6 } else { f64::NAN };
        out[3] = self.pacing_gain as f64 / UNIT as f64;
        out[4] = self.cwnd_gain as f64 / UNIT as f64;
        out[5] = self.aggregation.most() as f64;
        out[6] = self.rounds.count as f64;
        out[7] = f64::from(u8::from(self.policer.bw().is_some()));
    }
}
