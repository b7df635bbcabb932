//! From the model to pacing rate and window.

use units::ByteRate;

use super::recovery::Recovered;
use super::{Bbr, Mode, BW_SHIFT, HIGH_GAIN, UNIT};
use crate::{Connection, RateSample, Window};

/// Pacing stays 1 % below the bandwidth, in segments per microsecond times a million.
const BELOW: u128 = 990_000;
/// Bytes per second below which a burst is one segment.
const SLOW: ByteRate = ByteRate(150_000);
/// Largest burst, bytes.
const BURST: u64 = 65_535 - 320;

/// The smallest window, segments.
pub(super) const WINDOW_MIN: u32 = 4;
/// The initial window, segments.
const WINDOW_INITIAL: u64 = 10;

/// Where the model wants to be: a bandwidth and a gain on it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Point {
    /// Segments per microsecond, times 2^24.
    pub(super) bw: u64,
    /// In 256ths.
    pub(super) gain: u64,
}

/// How fast segments leave.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Pacing {
    pub(super) rate: ByteRate,
    /// Segments that Linux would send at once at that rate.
    burst: u64,
    has_seen_rtt: bool,
    /// Whose rate this is.
    of: Option<Point>,
}

/// The pacing rate of a bandwidth.
pub(super) fn pacing_rate(Point { bw, gain }: Point, mss: u32) -> ByteRate {
    let scaled = (u128::from(bw) * u128::from(mss) * u128::from(gain)) >> 8;
    ByteRate(((scaled * BELOW) >> BW_SHIFT) as u64)
}

impl Bbr {
    /// Before the first bandwidth sample: the window per smoothed RTT, or per millisecond, times the high gain.
    pub(super) fn pace_from_rtt(&mut self, w: &Window, c: &Connection) {
        self.pacing.has_seen_rtt = c.srtt8_us > 0;
        let rtt_us = if self.pacing.has_seen_rtt { u64::from(c.srtt8_us >> 3).max(1) } else { 1000 };
        let bw = (u64::from(w.segments()) << BW_SHIFT) / rtt_us;
        self.set_pacing_rate(pacing_rate(Point { bw, gain: HIGH_GAIN }, c.mss), c);
    }

    #[inline]
    pub(super) fn pace(&mut self, w: &Window, c: &Connection) {
        self.pace_at(self.pacing_gain, w, c);
    }

    /// The rate is that of the bandwidth estimate and this gain.
    #[inline]
    pub(super) fn pace_at(&mut self, gain: u64, w: &Window, c: &Connection) {
        let point = Point { bw: self.bw(), gain };
        if self.pacing.of != Some(point) {
            self.change_pace(point, w, c);
        }
    }

    /// The rate never falls before the pipe is full.
    #[inline(never)]
    fn change_pace(&mut self, point: Point, w: &Window, c: &Connection) {
        let rate = pacing_rate(point, c.mss);
        if !self.pacing.has_seen_rtt && c.srtt8_us > 0 {
            self.pace_from_rtt(w, c);
        }
        if rate != self.pacing.rate && (self.pipe.is_full() || rate > self.pacing.rate) {
            self.set_pacing_rate(rate, c);
        }
        self.pacing.of = Some(point).filter(|_| self.pacing.has_seen_rtt && self.pacing.rate == rate);
    }

    /// A burst is a millisecond of the rate, in Linux's offload.
    fn set_pacing_rate(&mut self, rate: ByteRate, c: &Connection) {
        let least = if rate < SLOW { 1 } else { 2 };
        self.pacing.rate = rate;
        self.pacing.of = None;
        self.pacing.burst = (rate.per_tick().min(BURST) / u64::from(c.mss)).clamp(least, 127);
    }

    /// `gain` bandwidth-delay products, rounded up to whole segments.
    pub(super) fn bdp(&self, Point { bw, gain }: Point) -> u64 {
        if self.min_rtt.us == u64::MAX {
            return WINDOW_INITIAL;
        }
        let scaled = (u128::from(bw) * u128::from(self.min_rtt.us) * u128::from(gain)) >> 8;
        ((scaled + (1 << BW_SHIFT) - 1) >> BW_SHIFT) as u64
    }

    /// Room for three bursts, an even number of segments, and two more while probing.
    fn with_budget(&self, window: u64) -> u64 {
        let even = (window + 3 * self.pacing.burst + 1) & !1;
        even + if self.mode == Mode::ProbeBw && self.cycle.phase == 0 { 2 } else { 0 }
    }

    /// The in-flight that goes with the largest bandwidth and a gain.
    pub(super) fn inflight_at(&self, gain: u64) -> u64 {
        self.with_budget(self.bdp(Point { bw: self.max_bw(), gain }))
    }

    /// What is in flight, and while probing the burst about to leave.
    pub(super) fn in_flight_at_departure(&self, in_flight: u32) -> u64 {
        u64::from(in_flight) + if self.pacing_gain > UNIT { self.pacing.burst } else { 0 }
    }

    #[inline]
    pub(super) fn set_cwnd(&mut self, w: &mut Window, c: &Connection, s: &RateSample) {
        if s.acked > 0 {
            let Recovered { cwnd, is_final } = self.recover(w, c, s);
            w.cwnd = if is_final { cwnd } else { self.towards_target(cwnd, c, s) };
        }
        if self.mode == Mode::ProbeRtt {
            w.cwnd = w.cwnd.min(WINDOW_MIN.into());
        }
    }

    #[inline]
    fn towards_target(&mut self, cwnd: f64, c: &Connection, s: &RateSample) -> f64 {
        let bw = self.bw();
        let bdp = self.target_bdp(bw);
        // Signed, for the conversion is then one instruction.
        let target = self.with_budget(bdp + self.aggregation_window(bw)) as i64 as f64;
        let grown = cwnd + f64::from(s.acked);
        let cwnd = if self.pipe.is_full() {
            // Neither is no number: one instruction.
            if grown < target {
                grown
            } else {
                target
            }
        } else if cwnd < target || c.delivered + 1 < WINDOW_INITIAL {
            // Linux counts the handshake as delivered.
            grown
        } else {
            cwnd
        };
        cwnd.max(WINDOW_MIN.into())
    }
}
