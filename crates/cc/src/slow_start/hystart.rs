//! HyStart: leaves slow start before loss, when the ACK train is as long as the path or the RTT has risen.
//!
//! Source: Ha/Rhee, "Taming the elephants", 2011; Linux 6.1 `tcp_cubic.c`.
//! Units: microseconds.
//! State: the round's boundary, start, latest close ACK, smallest RTT and sample count; the smallest RTT since the start or a timeout.
//! Departures: none from Linux 6.1's, when CUBIC's epochs say which samples show the path; other laws trust every sample.

use units::Time;

use crate::{Connection, Window};

/// Rounds are counted from the start, but slow start ends only at or above this window.
const LOW_WINDOW: f64 = 16.0;
/// ACKs further apart end the train.
const ACK_GAP_US: u64 = 2_000;
/// Samples of a round that only feed the minimum.
const SAMPLES: u32 = 8;

/// HyStart's state.
#[derive(Clone, Copy, Debug)]
pub(crate) struct HyStart {
    /// Smallest RTT since the start or the last timeout (Linux `delay_min`).
    min_us: u32,
    round_start_us: u64,
    last_ack_us: u64,
    round_end: u64,
    round_min_us: u32,
    samples: u32,
}

impl HyStart {
    pub(crate) fn new() -> HyStart {
        HyStart { min_us: u32::MAX, round_start_us: 0, last_ack_us: 0, round_end: 0, round_min_us: u32::MAX, samples: 0 }
    }

    /// The connection opens, or starts anew after a timeout.
    pub(crate) fn restart(&mut self, c: &Connection) {
        self.min_us = u32::MAX;
        self.start_round(c);
    }

    fn start_round(&mut self, c: &Connection) {
        self.round_start_us = c.now.as_us();
        self.last_ack_us = self.round_start_us;
        self.round_end = c.nxt;
        self.round_min_us = u32::MAX;
        self.samples = 0;
    }

    /// An RTT sample. Says whether it ended slow start, by lowering the threshold to the window.
    pub(crate) fn on_rtt_sampled(&mut self, w: &mut Window, c: &Connection, rtt: Time) -> bool {
        let rtt_us = (rtt.as_us() as u32).max(1);
        self.min_us = self.min_us.min(rtt_us);
        if !w.in_slow_start() {
            return false;
        }
        if c.una > self.round_end {
            self.start_round(c);
        }
        if w.cwnd < LOW_WINDOW {
            return false;
        }
        let ends = self.train_is_long(c) || self.delay_has_risen(rtt_us);
        if ends {
            w.ssthresh = w.cwnd;
        }
        ends
    }

    fn train_is_long(&mut self, c: &Connection) -> bool {
        let now_us = c.now.as_us();
        if now_us > self.last_ack_us + ACK_GAP_US {
            return false;
        }
        self.last_ack_us = now_us;
        let path_us = u64::from(self.min_us) + ack_delay_us(c.pacing_rate);
        // Two segments for each: a train half as long as the path has filled it. Pacing stretches the train.
        let long_us = if c.is_paced { path_us } else { path_us >> 1 };
        now_us.saturating_sub(self.round_start_us) > long_us
    }

    fn delay_has_risen(&mut self, rtt_us: u32) -> bool {
        self.round_min_us = self.round_min_us.min(rtt_us);
        if self.samples < SAMPLES {
            self.samples += 1;
            return false;
        }
        self.round_min_us > self.min_us.saturating_add((self.min_us >> 3).clamp(4_000, 16_000))
    }
}

/// How long the receiver's side may hold an ACK back: four 64 KiB bursts at the sending rate, at most 1 ms.
fn ack_delay_us(pacing_rate: u64) -> u64 {
    (65_536_u64 * 4 * 1_000_000).checked_div(pacing_rate).map_or(0, |us| us.min(1_000))
}
