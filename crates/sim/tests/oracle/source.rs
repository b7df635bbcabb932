//! A source of datagrams as a textbook has it: when packet k is sent follows from k alone.

use sim::{Direction, SourceTotals, Spec, UdpSpec};
use units::Time;

/// Steps of the staircase that stands for a sine.
const STEPS: u64 = 1000;

/// A source.
pub struct Source {
    given: UdpSpec,
    /// Bits per second in each step of a period, and bits times 10^9 that accrue in the steps before it; empty for a constant rate.
    steps: Vec<(u64, u128)>,
    per_period: u128,
    end: u64,
    /// When its counters at the beginning of the window are taken, and the last moment that counts.
    window: (u64, u64),
    sent: u64,
    /// Packets that the link refused.
    pub lost: u64,
    at_window: SourceTotals,
    at_end: SourceTotals,
}

impl Source {
    /// A source of a run.
    pub fn new(given: &UdpSpec, spec: &Spec) -> Source {
        let mut steps = Vec::new();
        let mut accrued = 0;
        if let Some(wave) = given.wave {
            for step in 0..STEPS {
                let phase = (step as f64 + 0.5) / STEPS as f64 * std::f64::consts::TAU;
                let rate = libm::round(given.rate_bps as f64 + wave.amplitude_bps as f64 * libm::sin(phase)).max(1.0) as u64;
                let length = (step + 1) * wave.period_ns / STEPS - step * wave.period_ns / STEPS;
                steps.push((rate, accrued));
                accrued += u128::from(rate) * u128::from(length);
            }
        }
        Source {
            given: given.clone(),
            steps,
            per_period: accrued,
            end: given.stop_ns.unwrap_or(u64::MAX).min(spec.duration_ns),
            window: (spec.warmup_ns.max(given.start_ns), spec.duration_ns),
            sent: 0,
            lost: 0,
            at_window: SourceTotals::default(),
            at_end: SourceTotals::default(),
        }
    }

    /// Number of the link that its packets reach first, where `reverse` is the reverse link's.
    pub fn link(&self, reverse: usize) -> usize {
        match self.given.direction {
            Direction::Forward => self.given.hops.enter.map_or(0, |enter| enter as usize - 1),
            Direction::Reverse => reverse,
        }
    }

    /// IP bytes of its packets.
    pub fn bytes(&self) -> u32 {
        self.given.packet_bytes
    }

    /// When its next packet is sent, if it sends another: the last nanosecond by which no more bits have accrued than it takes.
    pub fn next(&self) -> Option<Time> {
        let work = u128::from(self.sent) * u128::from(self.given.packet_bytes) * 8_000_000_000;
        let since = if self.steps.is_empty() { (work / u128::from(self.given.rate_bps)) as u64 } else { self.last_with(work) };
        Some(self.given.start_ns + since).filter(|&at| at < self.end).map(Time)
    }

    fn last_with(&self, work: u128) -> u64 {
        let (mut low, mut high) = (0, self.end + 1);
        while high - low > 1 {
            let middle = low + (high - low) / 2;
            if self.accrued(middle) <= work {
                low = middle;
            } else {
                high = middle;
            }
        }
        low
    }

    /// Bits times 10^9 that accrue in so many nanoseconds.
    fn accrued(&self, since: u64) -> u128 {
        let period = self.given.wave.expect("a swing").period_ns;
        let within = since % period;
        // The last that has begun: `step * period / STEPS` is `within` at most.
        let step = (((within + 1) * STEPS - 1) / period).min(STEPS - 1);
        let (rate, before) = self.steps[step as usize];
        u128::from(since / period) * self.per_period + before + u128::from(rate) * u128::from(within - step * period / STEPS)
    }

    /// A packet is sent.
    pub fn note_sent(&mut self, now: Time) {
        self.sent += 1;
        self.at_end.sent += 1;
        self.at_window.sent += u64::from(now.0 < self.window.0);
    }

    /// A packet has left its link.
    pub fn note_delivered(&mut self, now: Time) {
        self.at_end.delivered += u64::from(now.0 <= self.window.1);
        self.at_window.delivered += u64::from(now.0 <= self.window.0);
    }

    /// Packets lost, and the counters when the window began and when the run ended.
    pub fn totals(&self) -> (u64, SourceTotals, SourceTotals) {
        (self.lost, self.at_window, self.at_end)
    }
}
