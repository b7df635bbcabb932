//! Rates as stacks count them: bytes of payload per second.

use crate::Duration;

/// A rate in payload bytes per second: at which a sender paces, or would.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub struct ByteRate(pub u64);

impl ByteRate {
    /// Not known, or nothing at all.
    pub const ZERO: ByteRate = ByteRate(0);

    /// How long `bytes` take, in whole nanoseconds, rounded down. The rate must not be zero.
    pub fn span(self, bytes: u32) -> Duration {
        Duration(u64::from(bytes) * 1_000_000_000 / self.0)
    }

    /// Bytes per tick of 1/1024 s, rounded down: a millisecond as Linux's pacing reckons it.
    pub fn per_tick(self) -> u64 {
        self.0 >> 10
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// 1448 bytes at 1.448 MB/s: a millisecond, in which 1414 bytes fit if it is a 1024th.
    #[test]
    fn a_segment_takes_its_bytes_over_the_rate() {
        assert_eq!(ByteRate(1_448_000).span(1448), Duration::from_ms(1));
        assert_eq!(ByteRate(3).span(1), Duration(333_333_333));
        assert_eq!(ByteRate(1_448_000).per_tick(), 1414);
    }
}
