//! H-TCP's adaptive backoff in Linux's integers: beta = RTTmin/RTTmax, or a half after the throughput has changed.
//!
//! Source: Leith/Shorten, PFLDnet 2004; draft-leith-tcp-htcp-06; Linux 6.1. Units: beta in 128ths; RTTs in milliseconds.

use super::rtt_range::RttRange;
use super::throughput::Throughput;

const BETA_MIN: u32 = 64;
const BETA_MAX: u32 = 102;

/// beta, and what it follows.
#[derive(Clone, Copy, Debug)]
pub(super) struct Backoff {
    pub(super) beta: u32,
    is_fixed: bool,
    /// Back off by half after the throughput has changed.
    pub(super) bandwidth_switch: bool,
    /// The last backoff found the throughput as it was.
    mode_switch: bool,
}

impl Backoff {
    pub(super) fn adaptive(bandwidth_switch: bool) -> Backoff {
        Backoff { beta: BETA_MIN, is_fixed: false, bandwidth_switch, mode_switch: false }
    }

    /// At its largest from the first loss on.
    pub(super) fn fixed() -> Backoff {
        Backoff { is_fixed: true, ..Backoff::adaptive(false) }
    }

    /// At the end of an epoch: beta of the backoff that follows it.
    pub(super) fn update(&mut self, rtt: &RttRange, throughput: &mut Throughput) {
        if self.is_fixed {
            self.beta = BETA_MAX;
            return;
        }
        if self.bandwidth_switch && throughput.has_changed() {
            self.beta = BETA_MIN;
            self.mode_switch = false;
        } else if self.mode_switch && rtt.min_ms > 10 && rtt.max_ms > 0 {
            self.beta = ((rtt.min_ms << 7) / rtt.max_ms).clamp(BETA_MIN, BETA_MAX);
        } else {
            self.beta = BETA_MIN;
            self.mode_switch = true;
        }
    }
}
