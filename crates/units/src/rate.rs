//! Link rates, and the exact time a packet takes on one.

use crate::Duration;

/// A rate in IP bits per second.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Rate(pub u64);

impl Rate {
    /// The serialisation time of `bytes`, in whole nanoseconds. What does not fill a nanosecond is kept in `remainder`
    /// (units of 1/rate ns) and handed to the next packet, so that a link never drifts from its rate.
    pub fn serialisation(self, bytes: u32, remainder: &mut u64) -> Duration {
        let work = u64::from(bytes) * 8_000_000_000 + *remainder;
        let span = work / self.0;
        *remainder = work - span * self.0;
        Duration(span)
    }
}

/// How long packets of one size take.
#[derive(Clone, Copy, Debug, Default)]
struct Transmission {
    bytes: u32,
    /// Whole nanoseconds, and what is left over in units of 1/rate ns.
    whole: Duration,
    left: u64,
}

/// Serialisation times on one link, without a division while packets have one of two sizes: segments and ACKs.
#[derive(Clone, Copy, Debug)]
pub struct Serialiser {
    rate: Rate,
    first: Transmission,
    second: Transmission,
    remainder: u64,
}

impl Serialiser {
    /// A link of `rate` that owes nothing.
    pub fn new(rate: Rate) -> Serialiser {
        Serialiser { rate, first: Transmission::default(), second: Transmission::default(), remainder: 0 }
    }

    /// The link stood idle: no remainder is carried over.
    #[inline]
    pub fn forget(&mut self) {
        self.remainder = 0;
    }

    /// The most bytes, in whatever packets, that the link transmits from now on within `span`.
    pub fn bytes_within(&self, span: Duration) -> u64 {
        let work = (u128::from(span.0) + 1) * u128::from(self.rate.0) - 1 - u128::from(self.remainder);
        (work / 8_000_000_000) as u64
    }

    /// As [`Rate::serialisation`], with the remainder kept here.
    #[inline]
    pub fn serialise(&mut self, bytes: u32) -> Duration {
        let (whole, left) = if bytes == self.first.bytes {
            (self.first.whole, self.first.left)
        } else if bytes == self.second.bytes {
            (self.second.whole, self.second.left)
        } else {
            self.divide(bytes)
        };
        self.remainder += left;
        if self.remainder < self.rate.0 {
            return whole;
        }
        self.remainder -= self.rate.0;
        whole + Duration::NANOSECOND
    }

    /// Another size: the one that was new before is remembered with it.
    #[cold]
    fn divide(&mut self, bytes: u32) -> (Duration, u64) {
        let mut left = 0;
        let whole = self.rate.serialisation(bytes, &mut left);
        self.second = std::mem::replace(&mut self.first, Transmission { bytes, whole, left });
        (whole, left)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_1500_byte_packet_at_250_mbit_takes_48_us() {
        assert_eq!(Rate(250_000_000).serialisation(1500, &mut 0), Duration::from_us(48));
    }

    /// 1500 bytes take 30 ns, 9000 take 180, and an ACK of 52 takes 1.04: 25 of them 26 ns.
    #[test]
    fn packets_at_400_gbit_take_their_nanoseconds() {
        let (rate, mut remainder) = (Rate(400_000_000_000), 0);
        assert_eq!(rate.serialisation(1500, &mut 0), Duration(30));
        assert_eq!(rate.serialisation(9000, &mut 0), Duration(180));
        let acks: u64 = (0..25).map(|_| rate.serialisation(52, &mut remainder).0).sum();
        assert_eq!((acks, remainder), (26, 0));
    }

    #[test]
    fn the_remainder_keeps_seven_packets_exact() {
        // 7 Mbit/s: 12000 bits take 1714285.714... ns; seven packets take 12 ms to the nanosecond.
        let (rate, mut remainder) = (Rate(7_000_000), 0);
        let total: u64 = (0..7).map(|_| rate.serialisation(1500, &mut remainder).0).sum();
        assert_eq!((total, remainder), (12_000_000, 0));
    }

    /// At 7 Mbit/s three packets take 5142857.1 ns, and after one of them, which leaves 2/7 ns over, 5142857.4: a nanosecond is cut off.
    #[test]
    fn what_fits_in_a_span_is_what_is_transmitted_in_it() {
        let mut serialiser = Serialiser::new(Rate(7_000_000));
        for _ in 0..2 {
            assert_eq!(serialiser.bytes_within(Duration(5_142_857)), 4500);
            assert_eq!(serialiser.bytes_within(Duration(5_142_856)), 4499);
            serialiser.serialise(1500);
        }
    }

    #[test]
    fn the_cached_times_are_those_of_the_division() {
        let rate = Rate(7_777_777);
        let (mut serialiser, mut remainder) = (Serialiser::new(rate), 0);
        for bytes in [1500, 1500, 52, 1500, 52, 52, 1500, 1499].into_iter().cycle().take(1000) {
            assert_eq!(serialiser.serialise(bytes), rate.serialisation(bytes, &mut remainder));
        }
    }
}
