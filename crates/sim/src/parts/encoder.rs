//! A video encoder whose rate follows what its connection carries: the media rate control of RFC 8298 (4.1.3), without its trend of delay.
//!
//! Every 200 ms it asks itself for another rate: less by a tenth after a reduction of the window; what the connection carried less what waits to
//! be sent, where that would take longer than 20 ms; otherwise 200 kbit/s more for each second. The output follows 100 ms later (RFC 8867, 4.3). A frame
//! is what the rate makes of the time since the one before, up to 5 % more or less, in whole segments; the rest goes to the next one.

use cc::Controller;
use tcp::Sender;
use units::{Duration, Stream, Time};

/// Between two changes of the target (`RATE_ADJUST_INTERVAL`).
const ADJUST: Duration = Duration(200_000_000);
/// From a target to frames of its size (RFC 8867, 4.3).
const REACTION: Duration = Duration(100_000_000);
/// What is left of the target after a reduction of the window (`BETA_R`).
const BETA_R: f64 = 0.9;
/// Growth of the target, bits per second each second (`RAMP_UP_SPEED`).
const RAMP_UP_BPS: f64 = 200e3;
/// What waits longer than this lowers the target, seconds (`RTP_QDELAY_TH`).
const WAIT_S: f64 = 0.02;
/// By which factor it is lowered then (`TARGET_RATE_SCALE_RTP_QDELAY`).
const WAITING_SCALE: f64 = 0.95;
/// Beyond this no frame is encoded, seconds.
const SKIP_S: f64 = 0.2;
/// Largest part by which a frame is larger or smaller than its share (RFC 8867, 4.3).
const VARIATION: f64 = 0.05;

/// What an encoder may do, from a scenario.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Bounds {
    pub(crate) least_bps: u64,
    pub(crate) most_bps: u64,
    pub(crate) every_ns: u64,
    pub(crate) mss: u32,
}

/// A frame as it is written.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Frame {
    /// Segments written in all, with it.
    pub(crate) end: u64,
    /// Its payload; none of a frame that was skipped, for too much waits.
    pub(crate) bytes: u64,
    /// The rate it was encoded for.
    pub(crate) rate_bps: f64,
}

/// What a sender had done when the target was last changed.
#[derive(Clone, Copy, Debug, Default)]
struct Seen {
    at: Time,
    sent: u64,
    delivered: u64,
    reductions: u64,
    written: u64,
}

/// One encoder.
#[derive(Clone, Debug)]
pub(crate) struct Encoder {
    bounds: Bounds,
    variation: Stream,
    target_bps: f64,
    rate_bps: f64,
    /// When the output follows the target.
    follows_at: Time,
    adjusts_at: Time,
    seen: Seen,
    /// What the connection carried in the last interval.
    carried_bps: f64,
    /// Bits that no frame has taken.
    budget: f64,
    written: u64,
}

impl Encoder {
    pub(crate) fn new(bounds: Bounds, variation: Stream) -> Encoder {
        let least = bounds.least_bps as f64;
        Encoder {
            bounds,
            variation,
            target_bps: least,
            rate_bps: least,
            follows_at: Time::NEVER,
            adjusts_at: Time::NEVER,
            seen: Seen::default(),
            carried_bps: least,
            budget: 0.0,
            written: 0,
        }
    }

    /// The frame of `now`; none if so little has come together that it fills no segment.
    pub(crate) fn encode(&mut self, now: Time, sender: &Sender<Controller>) -> Option<Frame> {
        let done = self.look(now, sender);
        if self.adjusts_at == Time::NEVER {
            (self.seen, self.adjusts_at) = (done, now + ADJUST);
        } else if now >= self.adjusts_at {
            self.adjust(done);
        }
        if now >= self.follows_at {
            (self.rate_bps, self.follows_at) = (self.target_bps, Time::NEVER);
        }
        if self.waiting_s(done) > SKIP_S {
            self.budget = 0.0;
            return Some(Frame { end: self.written, bytes: 0, rate_bps: self.rate_bps });
        }
        let share = self.rate_bps * self.bounds.every_ns as f64 * 1e-9;
        self.budget += share * (1.0 + VARIATION * (2.0 * self.variation.unit() - 1.0));
        let segments = (self.budget / self.segment_bits()) as u64;
        if segments == 0 {
            return None;
        }
        self.budget -= segments as f64 * self.segment_bits();
        self.written += segments;
        Some(Frame { end: self.written, bytes: segments * u64::from(self.bounds.mss), rate_bps: self.rate_bps })
    }

    /// Segments of all frames so far.
    pub(crate) fn written(&self) -> u64 {
        self.written
    }

    fn segment_bits(&self) -> f64 {
        f64::from(self.bounds.mss) * 8.0
    }

    fn look(&self, now: Time, sender: &Sender<Controller>) -> Seen {
        let totals = sender.totals(now);
        let sent = sender.connection().nxt;
        Seen { at: now, sent, delivered: sender.delivered(), reductions: totals.loss_episodes + totals.timeouts, written: self.written }
    }

    /// How long what is written and not sent takes at the rate of the last interval.
    fn waiting_s(&self, done: Seen) -> f64 {
        self.written.saturating_sub(done.sent) as f64 * self.segment_bits() / self.carried_bps.max(self.bounds.least_bps as f64)
    }

    /// RFC 8298, 4.1.3.
    fn adjust(&mut self, done: Seen) {
        let (before, elapsed_s) = (self.seen, (done.at - self.seen.at).as_secs_f64());
        let rate = |segments: u64| segments as f64 * self.segment_bits() / elapsed_s;
        let carried = rate((done.sent - before.sent).max(done.delivered - before.delivered));
        let produced = rate(done.written - before.written);
        self.carried_bps = carried;
        let target = if done.reductions > before.reductions {
            self.target_bps * BETA_R
        } else if self.waiting_s(done) > WAIT_S {
            let waiting = (self.written - done.sent) as f64 * self.segment_bits();
            self.target_bps.min(carried - waiting) * WAITING_SCALE
        } else {
            (self.target_bps + RAMP_UP_BPS * elapsed_s).min(2.0 * carried.max(produced))
        };
        self.target_bps = target.max(self.bounds.least_bps as f64).min(self.bounds.most_bps as f64);
        self.seen = done;
        self.follows_at = done.at + REACTION;
        self.adjusts_at = done.at + ADJUST;
    }
}
