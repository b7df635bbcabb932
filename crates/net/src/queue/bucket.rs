//! A token bucket, of policers and shapers.
//!
//! Source: the committed bucket of RFC 2697 (one rate, one burst, full at first). Tokens are bytes; state is kept in bit-nanoseconds per
//! second, so that no rate drifts. What has passed by a time t is never more than rate x t + burst.

use units::{Duration, Rate, Time};

use super::{DisciplineSpec, Parameter};

/// Bit-nanoseconds per second in a byte.
pub(super) const BYTE: u128 = 8_000_000_000;

/// A bucket's parameters.
pub(super) const RATE: Parameter =
    Parameter { name: "rate_bps", unit: "bit/s", min: 1e3, max: 1e12, default: 1e7, doc: "Rate at which tokens come." };
pub(super) const BURST: Parameter =
    Parameter { name: "burst_bytes", unit: "bytes", min: 64.0, max: 1e12, default: 15_000.0, doc: "Tokens that the bucket holds." };

/// The bucket.
#[derive(Clone, Debug)]
pub(super) struct Bucket {
    rate: Rate,
    pub(super) burst: u128,
    tokens: u128,
    filled_at: Time,
}

impl Bucket {
    /// Full at first.
    pub(super) fn new(spec: &DisciplineSpec) -> Bucket {
        let burst = spec.value("burst_bytes") as u128 * BYTE;
        Bucket { rate: Rate(spec.value("rate_bps") as u64), burst, tokens: burst, filled_at: Time::ZERO }
    }

    fn fill(&mut self, now: Time) {
        let come = u128::from((now - self.filled_at).0) * u128::from(self.rate.0);
        self.tokens = (self.tokens + come).min(self.burst);
        self.filled_at = now;
    }

    /// Takes the tokens for `bytes`, if there are as many.
    pub(super) fn take(&mut self, now: Time, bytes: u32) -> bool {
        self.fill(now);
        let cost = u128::from(bytes) * BYTE;
        let is_enough = self.tokens >= cost;
        if is_enough {
            self.tokens -= cost;
        }
        is_enough
    }

    /// When there will be tokens for `bytes`: at the first nanosecond.
    pub(super) fn ready_at(&self, bytes: u32) -> Time {
        let lacking = (u128::from(bytes) * BYTE).saturating_sub(self.tokens);
        self.filled_at + Duration(lacking.div_ceil(u128::from(self.rate.0)) as u64)
    }
}
