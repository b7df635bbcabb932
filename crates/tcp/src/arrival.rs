//! What a receiver is told of a segment.

use units::{Duration, Time};

/// A segment that reaches the receiver.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Arrival {
    /// When it does.
    pub at: Time,
    /// Its number.
    pub seq: u64,
    /// When it was sent.
    pub sent: Time,
}

impl Arrival {
    /// How long it was under way.
    #[inline]
    pub(crate) fn delay(self) -> Duration {
        self.at - self.sent
    }
}
