//! Link rates, and the exact time a packet takes on one.

use crate::Time;

/// A rate in IP bits per second.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Rate(pub u64);

impl Rate {
    /// The serialisation time of `bytes`, in whole nanoseconds. What does not fill a nanosecond is kept in `remainder`
    /// (units of 1/rate ns) and handed to the next packet, so that a link never drifts from its rate.
    pub fn serialisation(self, bytes: u32, remainder: &mut u64) -> Time {
        let work = u64::from(bytes) * 8_000_000_000 + *remainder;
        let span = work / self.0;
        *remainder = work - span * self.0;
        Time(span)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_1500_byte_packet_at_250_mbit_takes_48_us() {
        assert_eq!(Rate(250_000_000).serialisation(1500, &mut 0), Time::from_us(48));
    }

    #[test]
    fn the_remainder_keeps_seven_packets_exact() {
        // 7 Mbit/s: 12000 bits take 1714285.714... ns; seven packets take 12 ms to the nanosecond.
        let (rate, mut remainder) = (Rate(7_000_000), 0);
        let total: u64 = (0..7).map(|_| rate.serialisation(1500, &mut remainder).0).sum();
        assert_eq!((total, remainder), (12_000_000, 0));
    }
}
