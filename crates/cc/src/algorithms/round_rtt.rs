//! RTT samples as Vegas, Veno and YeAH keep them in Linux: the smallest ever, the smallest of the round, and their number.

use units::Duration;

/// No sample yet: the kernel's largest signed number.
pub(super) const UNKNOWN_US: u32 = 0x7fff_ffff;

/// Microseconds, each sample one more than measured, as in the kernel: so none is ever zero.
#[derive(Clone, Copy, Debug)]
pub(super) struct RoundRtt {
    /// The smallest sample of the connection.
    pub(super) base_us: u32,
    /// The smallest sample since the last reset.
    pub(super) min_us: u32,
    /// Samples since the last reset, in the kernel's 16 bits.
    pub(super) count: u16,
}

impl RoundRtt {
    pub(super) const fn new() -> RoundRtt {
        RoundRtt { base_us: UNKNOWN_US, min_us: UNKNOWN_US, count: 0 }
    }

    #[inline]
    pub(super) fn on_sampled(&mut self, rtt: Option<Duration>) {
        let Some(rtt) = rtt else { return };
        let rtt_us = rtt.as_us().min(u64::from(UNKNOWN_US) - 1) as u32 + 1;
        self.base_us = self.base_us.min(rtt_us);
        self.min_us = self.min_us.min(rtt_us);
        self.count = self.count.wrapping_add(1);
    }

    /// A new round; the base stays.
    pub(super) fn restart(&mut self) {
        self.min_us = UNKNOWN_US;
        self.count = 0;
    }

    /// The base in seconds, NaN before the first sample.
    pub(super) fn base_s(&self) -> f64 {
        if self.base_us == UNKNOWN_US {
            f64::NAN
        } else {
            f64::from(self.base_us) * 1e-6
        }
    }
}
