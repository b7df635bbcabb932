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
