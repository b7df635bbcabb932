//! TCP-LP: a background flow that gives way when the forward delay, not the loss, says that other flows use the link.
//!
//! Source: Kuzmanovic/Knightly, INFOCOM 2003; Linux 6.1 `tcp_lp.c`, reproduced exactly.
//! Units: segments; time and delays in milliseconds (kernel ticks).
//! State: the smoothed forward delay and its extremes, the last reaction, the newest timestamps, what the peer's clock was found to run at.
//! Departures: none from Linux 6.1. For seven of eight offsets of the peer's clock the smoothed delay overflows, and the flow is Reno. It
//! guesses the rate of the peer's clock; the guess leaves 1000 Hz as soon as the RTT moves, and the delay becomes noise. It learns the
//! delay's range again at each reaction, the first of which comes with the first delay. The threshold of slow start is left alone.

mod forward_delay;
mod paper;
mod peer_clock;
mod protocol;

use units::{Duration, Stream, Time};

use self::forward_delay::ForwardDelay;
pub use self::paper::LpPaper;
use self::peer_clock::{PeerClock, Stamps};
pub use self::protocol::{build, PROTOCOL};
use super::reno::Reno;
use crate::{CongestionControl, Connection, Needs, RttSample, RttSamples, Window};

/// How long the effect of a reaction is awaited.
const INFERENCE_RTTS: u32 = 3;

/// TCP-LP in Linux's integers.
#[derive(Clone, Copy, Debug)]
pub struct Lp {
    clock: PeerClock,
    /// The peer's newest timestamp, by our clock, and the newest echoed one; 0 before the first.
    stamp_ms: u32,
    echoed_ms: u32,
    /// How long the last ACK that moved the window took back.
    backward: Duration,
    delay: ForwardDelay,
    reacted_ms: u32,
    inference_ms: u32,
    /// The last reaction is so recent that its effect is still awaited: no growth, and one more indication leaves one segment.
    inferring: bool,
}

impl Lp {
    const fn new() -> Lp {
        Lp {
            clock: PeerClock::new(),
            stamp_ms: 0,
            echoed_ms: 0,
            backward: Duration::ZERO,
            delay: ForwardDelay::new(),
            reacted_ms: 0,
            inference_ms: 0,
            inferring: false,
        }
    }

    /// Every ACK brings the peer's time; a duplicate echoes what the ACK before it did.
    fn read_stamps(&mut self, now: Time, s: &RttSample) {
        if let (Some(echoed), Some(forward)) = (s.echoed, s.forward) {
            let stamp = echoed + forward;
            self.stamp_ms = stamp.as_ms() as u32;
            self.echoed_ms = echoed.as_ms() as u32;
            self.backward = now.since(stamp);
        } else if self.echoed_ms != 0 {
            self.stamp_ms = now.saturating_sub(self.backward).as_ms() as u32;
        }
    }
}

impl CongestionControl for Lp {
    fn needs(&self) -> Needs {
        Needs { rtt_samples: RttSamples::Exact, ..Needs::default() }
    }

    fn on_seeded(&mut self, mut stream: Stream) {
        self.clock.ahead_ms = stream.up_to(u64::from(u32::MAX)) as u32;
    }

    #[inline]
    fn on_rtt_sampled(&mut self, w: &mut Window, c: &Connection, s: &RttSample) {
        let now_ms = c.now.as_ms() as u32;
        self.read_stamps(c.now, s);
        if self.echoed_ms != 0 && s.rtt.is_some_and(|rtt| rtt.as_us() > 0) {
            let value = self.stamp_ms.wrapping_add(self.clock.ahead_ms);
            if let Some(delay) = self.clock.delay(Stamps { value, echo: self.echoed_ms }) {
                self.delay.on_sampled(delay);
            }
        }
        let rtt_ms = now_ms.wrapping_sub(self.echoed_ms);
        if rtt_ms as i32 > 0 {
            self.inference_ms = rtt_ms.wrapping_mul(INFERENCE_RTTS);
        }
        self.inferring = self.reacted_ms != 0 && now_ms.wrapping_sub(self.reacted_ms) < self.inference_ms;
        if self.delay.is_tolerated() {
            return;
        }
        self.delay.learn_again();
        w.cwnd = if self.inferring { 1.0 } else { f64::from((w.segments() >> 1).max(1)) };
        self.reacted_ms = now_ms;
    }

    #[inline]
    fn on_acked(&mut self, w: &mut Window, c: &Connection, acked: u32) {
        // As found before this ACK's reaction.
        if !self.inferring {
            Reno.on_acked(w, c, acked);
        }
    }

    fn ssthresh(&mut self, w: &mut Window, c: &Connection) -> f64 {
        Reno.ssthresh(w, c)
    }

    fn variable_names(&self) -> &'static [&'static str] {
        &["forward_delay_s", "forward_delay_min_s", "forward_delay_max_s"]
    }

    fn variables(&self, out: &mut [f64]) {
        self.delay.variables(out);
    }
}
