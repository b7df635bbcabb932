//! Loss by the clock: how long a link stays without one is geometric in time, whatever the rate of the packets.
//!
//! Source: Leith and Shorten, "Next generation TCP: open questions", PFLDnet 2008, section II.B: losses "geometric" in the time since the
//! last back-off, with parameter p per unit of time. Each interval since the last loss brings the next one with the same probability, at
//! its end; the first packet from then on is lost.

use units::{Duration, Stream, Time};

/// The clock.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Timed {
    /// The unit of time.
    pub interval: Duration,
    /// Probability that an interval brings a loss.
    pub probability: f64,
    /// When the current interval ends.
    ends: Time,
    /// A loss is due.
    is_due: bool,
}

impl Timed {
    /// A clock that starts with the run.
    pub fn new(interval: Duration, probability: f64) -> Timed {
        Timed { interval, probability, ends: Time::ZERO + interval, is_due: false }
    }

    /// Until when no packet is lost.
    pub(super) fn quiet_until(&self) -> Time {
        if self.is_due {
            Time::ZERO
        } else {
            self.ends
        }
    }

    pub(super) fn strikes(&mut self, now: Time, stream: &mut Stream) -> bool {
        while !self.is_due && self.ends <= now {
            self.is_due = stream.chance(self.probability);
            self.ends += self.interval;
        }
        let is_lost = self.is_due;
        if is_lost {
            *self = Timed { ends: now + self.interval, is_due: false, ..*self };
        }
        is_lost
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A packet at every tick of the clock: gaps are whole intervals, geometric with p = 0.05: mean 20, standard deviation sqrt(0.95)/0.05.
    #[test]
    fn gaps_are_geometric_whatever_the_packet_rate() {
        let interval = Duration::from_ms(1000);
        for packets_per_interval in [1, 20] {
            let (mut timed, mut stream) = (Timed::new(interval, 0.05), Stream::named(5, "test"));
            let times = (0..400_000 * packets_per_interval).map(|n| Time::ZERO + interval * n / packets_per_interval);
            let lost: Vec<Time> = times.filter(|&now| timed.strikes(now, &mut stream)).collect();
            assert!(lost.iter().all(|lost| lost.0 % interval.0 == 0));
            let gaps: Vec<f64> = lost.windows(2).map(|pair| ((pair[1] - pair[0]).0 / interval.0) as f64).collect();
            let n = gaps.len() as f64;
            let mean = gaps.iter().sum::<f64>() / n;
            assert!((mean - 20.0).abs() < 5.0 * 0.95_f64.sqrt() / 0.05 / n.sqrt(), "{mean} s between losses");
            let ones = gaps.iter().filter(|&&gap| gap == 1.0).count() as f64 / n;
            assert!((ones - 0.05).abs() < 5.0 * (0.05 * 0.95 / n).sqrt(), "{ones} of the gaps are a second");
        }
    }

    /// While no packet comes, losses do not add up.
    #[test]
    fn one_packet_pays_for_a_silence() {
        let (mut timed, mut stream) = (Timed::new(Duration::from_ms(1), 1.0), Stream::named(5, "test"));
        let lost = [10_000, 10_000, 10_500, 11_000].map(|us| timed.strikes(Time::from_us(us), &mut stream));
        assert_eq!(lost, [true, false, false, true]);
    }
}
