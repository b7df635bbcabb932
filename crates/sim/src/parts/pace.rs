//! When a source sends: at a constant rate, or at one that swings about a mean.
//!
//! Integers throughout, so that every machine sends at the same nanosecond: packet k leaves when k packets' worth of bits have accrued,
//! rounded down. A sine is a staircase of [`STEPS`] rates per period, each the sine's at the middle of its step: over a period the sum is
//! the mean's, and within one the bits accrued are the integral's to a part in 10^6 of the amplitude's.

use units::{Duration, Rate, Serialiser, Time};

use crate::spec::UdpSpec;

/// Steps per period of a sine.
const STEPS: u64 = 1000;

/// The distances between the packets of a source.
#[derive(Clone, Debug)]
#[allow(private_interfaces)] // Only the pacer has the staircase.
pub enum Pace {
    /// One rate.
    Constant(Serialiser),
    /// `mean + amplitude * sin(2 pi t / period)`, t from the source's start.
    Sine(Box<Sine>),
}

impl Pace {
    /// The pace of a source as given.
    pub fn new(given: &UdpSpec) -> Pace {
        let Some(wave) = given.wave else { return Pace::Constant(Serialiser::new(Rate(given.rate_bps))) };
        let (mean, amplitude) = (given.rate_bps as f64, wave.amplitude_bps as f64);
        let rate = |step: u64| {
            let phase = std::f64::consts::TAU * (step as f64 + 0.5) / STEPS as f64;
            libm::round(mean + amplitude * libm::sin(phase)).max(1.0) as u64
        };
        let rates = (0..STEPS).map(rate).collect();
        Pace::Sine(Box::new(Sine { rates, start: Time(given.start_ns), period: Duration(wave.period_ns), step: 0, owed: 0 }))
    }

    /// When the packet after the one sent at `now` is sent, if each has `bytes`.
    pub fn next(&mut self, now: Time, bytes: u32) -> Time {
        match self {
            Pace::Constant(serialiser) => now + serialiser.serialise(bytes),
            Pace::Sine(sine) => sine.next(now, bytes),
        }
    }
}

/// A staircase of rates that repeats.
#[derive(Clone, Debug)]
pub(crate) struct Sine {
    /// Bits per second in each step.
    rates: Box<[u64]>,
    start: Time,
    period: Duration,
    /// The step under way, counted from the start.
    step: u64,
    /// Bits times 10^9 that had not accrued when the last packet was sent: less than a nanosecond's.
    owed: u64,
}

impl Sine {
    fn next(&mut self, now: Time, bytes: u32) -> Time {
        let mut now = now;
        let mut work = u128::from(bytes) * 8_000_000_000 + u128::from(self.owed);
        loop {
            let rate = u128::from(self.rates[(self.step % STEPS) as usize]);
            let edge = self.start + self.period * (self.step + 1) / STEPS;
            let accrued = rate * u128::from((edge - now).0);
            if work <= accrued {
                let took = work / rate;
                self.owed = (work - took * rate) as u64;
                return now + Duration(took as u64);
            }
            work -= accrued;
            (now, self.step) = (edge, self.step + 1);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::spec::{Direction, StretchSpec, WaveSpec};

    /// When the first `packets` leave.
    fn times(rate_bps: u64, wave: Option<WaveSpec>, packets: usize) -> Vec<u64> {
        let given = UdpSpec {
            rate_bps,
            wave,
            packet_bytes: 52,
            start_ns: 7,
            stop_ns: None,
            direction: Direction::Forward,
            hops: StretchSpec::default(),
        };
        let mut pace = Pace::new(&given);
        let mut now = Time(7);
        let mut step = || {
            let sent = now;
            now = pace.next(sent, 52);
            sent.0
        };
        (0..packets).map(|_| step()).collect()
    }

    /// 416 bits at 3 Mbit/s: a packet every 138 666 2/3 ns.
    #[test]
    fn a_constant_rate_does_not_drift() {
        assert_eq!(times(3_000_000, None, 4), [7, 138_673, 277_340, 416_007]);
        assert_eq!(times(3_000_000, None, 3_000_001)[3_000_000], 7 + 416_000_000_000);
    }

    /// Without a swing it is the constant rate, whatever the steps.
    #[test]
    fn a_sine_without_amplitude_is_constant() {
        let wave = WaveSpec { amplitude_bps: 0, period_ns: 1_234_567 };
        assert_eq!(times(3_000_000, Some(wave), 10_000), times(3_000_000, None, 10_000));
    }

    /// Bits sent by t: mean t + amplitude period / (2 pi) (1 - cos(2 pi t / period)). 41.6 Mbit/s +- 20.8 Mbit/s over 1 s: 100 000 packets
    /// per second in the mean, and 1/(2 pi) of half of that more by half a period. Tolerance: one packet's distance, 10 us at the mean.
    #[test]
    fn a_sine_sends_its_integral() {
        let wave = WaveSpec { amplitude_bps: 20_800_000, period_ns: 1_000_000_000 };
        let sent = times(41_600_000, Some(wave), 350_000);
        for (fraction, packets) in
            [(0.25, 25_000.0 + 7_957.7), (0.5, 50_000.0 + 15_915.5), (0.75, 75_000.0 + 7_957.7), (1.0, 1e5), (3.0, 3e5)]
        {
            let at = 7 + (fraction * 1e9) as u64;
            let counted = sent.partition_point(|&t| t < at) as f64;
            assert!((counted - packets).abs() <= 1.0, "{counted} by {fraction} of the period, not {packets}");
        }
    }

    /// A source may pause.
    #[test]
    fn an_amplitude_of_the_mean_goes_down_to_nothing() {
        let wave = WaveSpec { amplitude_bps: 1_000_000, period_ns: 100_000_000 };
        let sent = times(1_000_000, Some(wave), 1000);
        let longest = sent.windows(2).map(|pair| pair[1] - pair[0]).max();
        assert!(longest > Some(5_000_000), "{longest:?}");
    }
}
