//! What an acknowledgement carries.

use units::{Duration, Time};

use crate::Range;

/// SACK information: at most three blocks with timestamps in use (RFC 2018, RFC 7323), the most recent first.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Sack {
    /// An empty range is no block.
    pub blocks: [Range; 3],
    /// A segment that arrived twice (RFC 2883).
    pub duplicate: Option<u64>,
    /// The receiver's window, bytes from the cumulative acknowledgement on; none if it says nothing of that.
    pub window: Option<u32>,
}

impl Sack {
    /// It says what else has arrived, or arrived twice; otherwise nothing but a window.
    pub fn tells_of_disorder(&self) -> bool {
        self.duplicate.is_some() || self.window.is_none() || self.blocks[0].to > 0
    }

    /// Blocks of the TCP option that says so: a segment that arrived twice is one (RFC 2883).
    pub fn block_count(&self) -> u32 {
        self.blocks.iter().filter(|block| block.to > block.from).count() as u32 + u32::from(self.duplicate.is_some())
    }

    /// Its blocks now that all below `next` is in order: at most one of them was.
    #[inline]
    pub(crate) fn blocks_above(&self, next: u64) -> [Range; 3] {
        let [first, second, third] = self.blocks;
        if first.from < next {
            [second, third, Range::default()]
        } else if second.from < next {
            [first, third, Range::default()]
        } else if third.from < next {
            [first, second, Range::default()]
        } else {
            self.blocks
        }
    }

    /// Bytes of that option.
    pub fn option_bytes(&self) -> u32 {
        sack_option_bytes(self.block_count())
    }
}

/// Bytes of the TCP option with so many SACK blocks: 8 for each, 2 for kind and length (RFC 2018 3) and 2 that align it; none if there
/// is no block.
pub(crate) const fn sack_option_bytes(blocks: u32) -> u32 {
    if blocks > 0 {
        4 + 8 * blocks
    } else {
        0
    }
}

/// An acknowledgement. SACK information travels beside it, so that the common ACK stays small.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Ack {
    /// Next segment the receiver expects.
    pub cumulative: u64,
    /// Timestamp echo: when the segment that RFC 7323 echoes was sent, in the sender's clock.
    pub echo: Time,
    /// The forward delay of the segment that is echoed: when it arrived, in the receiver's clock, less `echo`.
    pub delay: Duration,
    /// ECN feedback: 1 for ECN-Echo, 0 without; with accurate feedback how many marked segments have arrived, modulo 2^16.
    pub ecn: u16,
    /// A [`Sack`] belongs to this ACK.
    pub has_sack: bool,
}

#[cfg(test)]
mod tests {
    use super::*;

    /// RFC 2018 3: 8n + 2 bytes, with two more that align them as Linux writes them: 12, 20 and 28. A segment that arrived twice is a block
    /// (RFC 2883 4); a window is a field of the header.
    #[test]
    fn a_block_takes_eight_bytes_and_the_option_four() {
        let sack = |count: u64, duplicate| {
            let block = |number| if number < count { Range { from: 10 * number + 1, to: 10 * number + 3 } } else { Range::default() };
            Sack { blocks: [block(0), block(1), block(2)], duplicate, window: Some(9000) }
        };
        assert_eq!([0, 1, 2, 3].map(|count| sack(count, None).option_bytes()), [0, 12, 20, 28]);
        assert_eq!([0, 1, 2].map(|count| sack(count, Some(4)).option_bytes()), [12, 20, 28]);
    }
}
