//! TCP-LP: a background flow that gives way when the forward delay, not the loss, says that somebody else wants the link.
//!
//! Source: Kuzmanovic/Knightly, INFOCOM 2003; Linux 6.1 `tcp_lp.c`, reproduced exactly.
//! Units: segments; time and delays in milliseconds (kernel ticks).
//! State: the smoothed forward delay and its extremes, the last reaction, the newest timestamps, what the peer's clock was found to run at.
//! Departures: none from Linux 6.1. For seven of eight offsets of the peer's clock the smoothed delay overflows, and the flow is Reno. It
//! guesses the rate of the peer's clock; the guess leaves 1000 Hz as soon as the RTT moves, and the delay becomes noise. It learns the
//! delay's range again at each reaction, the first of which comes with the first delay. The threshold of slow start is left alone.

mod paper;

use units::Stream;

pub use self::paper::LpPaper;
use super::early_indication::{delta, inference};
use super::reno::Reno;
use super::{borrows, runs};
use crate::parameter::{Constant, Protocol, Variant};
use crate::{Algorithm, CongestionControl, Connection, Needs, RttSample, Window};

const V61: &str = "linux-6.1";
const PAPER: &str = "paper";

/// The registry's description.
pub const PROTOCOL: Protocol = Protocol {
    name: "lp",
    aliases: &["tcp-lp"],
    family: "low priority",
    year: 2003,
    source: "Kuzmanovic/Knightly 2003; Linux 6.1",
    summary: "Reno that gives way to others by the forward delay.",
    signals: &["rtt", "loss", "ecn"],
    variants: &[
        Variant { name: V61, aliases: &[], summary: "Linux's integers, its guess of the peer's clock included.", exact_kernel: true },
        Variant {
            name: PAPER,
            aliases: &["linux-2.4"],
            summary: "The true forward delay; stays in congestion avoidance.",
            exact_kernel: false,
        },
    ],
    parameters: &[delta(&[(PAPER, 0.15)]), inference(&[(PAPER, 3.0)])],
    constants: &[
        Constant { name: "delta", variant: V61, value: PERCENT as f64 / 100.0, unit: "1" },
        Constant { name: "inference", variant: V61, value: INFERENCE_RTTS as f64, unit: "RTTs" },
    ],
    profiles: &[
        runs(V61, V61),
        borrows("linux-2.6.23", V61),
        borrows("altaimd-2.6.6", PAPER),
        runs("linux-2.4", PAPER),
        borrows("rfc", PAPER),
    ],
    build: |values| match values.variant() {
        PAPER => Algorithm::LpPaper(LpPaper::new(values)),
        _ => Algorithm::Lp(Lp::new()),
    },
};

/// Of the range of delays, this much is tolerated.
const PERCENT: u32 = 15;
const INFERENCE_RTTS: u32 = 3;

/// TCP-LP in Linux's integers.
#[derive(Clone, Copy, Debug)]
pub struct Lp {
    clock: PeerClock,
    /// The newest echoed timestamp, 0 before the first.
    echoed_ms: u32,
    delay: Delay,
    reacted_ms: u32,
    inference_ms: u32,
    /// The last reaction is so recent that its effect is still awaited: no growth, and one more indication leaves one segment.
    inferring: bool,
}

impl Lp {
    const fn new() -> Lp {
        let clock = PeerClock { ahead_ms: 0, hz: 0, before: (0, 0) };
        Lp { clock, echoed_ms: 0, delay: Delay::new(), reacted_ms: 0, inference_ms: 0, inferring: false }
    }
}

/// The forward delay; the kernel's unsigned numbers wrap.
#[derive(Clone, Copy, Debug)]
struct Delay {
    smoothed_x8: u32,
    min: u32,
    max: u32,
    /// The largest ever, held back: `max` is the second largest.
    reserve: u32,
}

impl Delay {
    const fn new() -> Delay {
        Delay { smoothed_x8: 0, min: u32::MAX, max: 0, reserve: 0 }
    }

    fn on_sampled(&mut self, delay: u32) {
        self.min = self.min.min(delay);
        if delay > self.reserve && delay > self.max {
            self.max = if self.reserve == 0 { delay } else { self.reserve };
            self.reserve = delay;
        } else {
            self.max = self.max.max(delay);
        }
        self.smoothed_x8 = match self.smoothed_x8 {
            0 => delay << 3,
            old => old.wrapping_add(delay).wrapping_sub(old >> 3),
        };
    }

    fn is_tolerated(&self) -> bool {
        let range = self.max.wrapping_sub(self.min);
        self.smoothed_x8 >> 3 < self.min.wrapping_add(PERCENT.wrapping_mul(range) / 100)
    }

    /// After a reaction the present delay is the new smallest, twice it the largest.
    fn learn_again(&mut self) {
        self.min = self.smoothed_x8 >> 3;
        self.max = self.smoothed_x8 >> 2;
        self.reserve = self.max;
    }
}

/// Linux's estimate of how fast the peer's timestamps run.
#[derive(Clone, Copy, Debug)]
struct PeerClock {
    /// By how much it is ahead of ours (RFC 7323 5.4: random).
    ahead_ms: u32,
    hz: u32,
    /// Timestamp value and echo of the sample before.
    before: (u32, u32),
}

impl PeerClock {
    /// The forward delay by these timestamps, if the clock's rate is known and the delay is not zero.
    fn delay(&mut self, sent_ms: u32, echo: u32) -> Option<u32> {
        let value = sent_ms.wrapping_add(self.ahead_ms);
        let before = std::mem::replace(&mut self.before, (value, echo));
        let known = before.0 != 0 && before.1 != 0;
        let elapsed = (value.wrapping_sub(before.0), echo.wrapping_sub(before.1));
        let mut hz_x64 = i64::from(self.hz) << 6;
        if known && elapsed.0 != 0 && elapsed.1 != 0 {
            let hz = i64::from(elapsed.0.wrapping_mul(1_000) / elapsed.1);
            hz_x64 = if hz_x64 > 0 { hz_x64 + hz - (hz_x64 >> 6) } else { hz << 6 };
        }
        self.hz = (hz_x64 >> 6) as u32;
        let scale = 1_000_u32.checked_div(self.hz)?;
        Some(value.wrapping_mul(scale).wrapping_sub(echo)).filter(|&delay| delay != 0)
    }
}

impl CongestionControl for Lp {
    fn needs(&self) -> Needs {
        Needs { rtt_stamps: true, ..Needs::default() }
    }

    fn on_seeded(&mut self, mut stream: Stream) {
        self.clock.ahead_ms = stream.up_to(u64::from(u32::MAX)) as u32;
    }

    #[inline]
    fn on_rtt_sampled(&mut self, w: &mut Window, c: &Connection, s: &RttSample) {
        let now_ms = c.now.as_ms() as u32;
        if let (Some(_), Some(echoed), Some(forward)) = (s.rtt, s.echoed, s.forward) {
            self.echoed_ms = echoed.as_ms() as u32;
            if let Some(delay) = self.clock.delay((echoed + forward).as_ms() as u32, self.echoed_ms) {
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
        let known = self.delay.smoothed_x8 != 0;
        for (cell, delay) in out.iter_mut().zip([self.delay.smoothed_x8 >> 3, self.delay.min, self.delay.max]) {
            *cell = if known { f64::from(delay) * 1e-3 } else { f64::NAN };
        }
    }
}
