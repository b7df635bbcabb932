//! HyStart: leaves slow start before loss, when the ACK train is as long as the path or the RTT has risen.
//!
//! Source: Ha/Rhee, "Taming the elephants", 2011; Linux 6.1 `tcp_cubic.c`.
//! Units: microseconds.
//! State: the round's boundary, start, latest close ACK, smallest RTT and sample count.
//! Departures: none from Linux 6.1's under CUBIC, which says which samples show the path and the smallest of them; the other laws
//! trust every sample, and the smallest is the transport's.

use units::ByteRate;

use super::RttOnPath;
use crate::{Connection, Window};

/// Rounds are counted from the start, but slow start ends only at or above this window.
const LOW_WINDOW: f64 = 16.0;
/// ACKs further apart end the train.
const ACK_GAP_US: u64 = 2_000;
/// Samples of a round that only feed the minimum.
const SAMPLES: u32 = 8;

/// An RTT sample beside the smallest RTT.
#[derive(Clone, Copy, Debug)]
struct Sample {
    rtt_us: u32,
    min_us: u32,
}

/// HyStart's state.
#[derive(Clone, Copy, Debug)]
pub(crate) struct HyStart {
    round_start_us: u64,
    last_ack_us: u64,
    round_end: u64,
    round_min_us: u32,
    samples: u32,
}

impl HyStart {
    pub(crate) fn new() -> HyStart {
        HyStart { round_start_us: 0, last_ack_us: 0, round_end: 0, round_min_us: u32::MAX, samples: 0 }
    }

    pub(crate) fn start_round(&mut self, c: &Connection) {
        self.round_start_us = c.now.as_us();
        self.last_ack_us = self.round_start_us;
        self.round_end = c.nxt;
        self.round_min_us = u32::MAX;
        self.samples = 0;
    }

    /// Whether this RTT sample ends slow start, by lowering the threshold to the window.
    pub(crate) fn ends(&mut self, w: &mut Window, c: &Connection, RttOnPath { rtt, path }: RttOnPath) -> bool {
        if c.una > self.round_end {
            self.start_round(c);
        }
        if w.cwnd < LOW_WINDOW {
            return false;
        }
        let [rtt_us, min_us] = [rtt, rtt.min(path)].map(|span| (span.as_us() as u32).max(1));
        let ends = self.train_is_long(c, min_us) || self.delay_has_risen(Sample { rtt_us, min_us });
        if ends {
            w.ssthresh = w.cwnd;
        }
        ends
    }

    fn train_is_long(&mut self, c: &Connection, min_us: u32) -> bool {
        let now_us = c.now.as_us();
        if now_us > self.last_ack_us + ACK_GAP_US {
            return false;
        }
        self.last_ack_us = now_us;
        let path_us = u64::from(min_us) + ack_delay_us(c.pacing_rate);
        // Two segments for each: a train half as long as the path has filled it. Pacing stretches the train.
        let long_us = if c.is_paced { path_us } else { path_us >> 1 };
        now_us.saturating_sub(self.round_start_us) > long_us
    }

    fn delay_has_risen(&mut self, Sample { rtt_us, min_us }: Sample) -> bool {
        self.round_min_us = self.round_min_us.min(rtt_us);
        if self.samples < SAMPLES {
            self.samples += 1;
            return false;
        }
        self.round_min_us > min_us.saturating_add((min_us >> 3).clamp(4_000, 16_000))
    }
}

/// How long the receiver's side may hold an ACK back: four 64 KiB bursts at the sending rate, at most 1 ms.
fn ack_delay_us(pacing_rate: ByteRate) -> u64 {
    (65_536_u64 * 4 * 1_000_000).checked_div(pacing_rate.0).map_or(0, |us| us.min(1_000))
}
