//! An ACK on its way to its sender.

use tcp::Ack;
use units::{Duration, Time};

/// An ACK under way, and when it arrives. Small, for there are many, and without padding, which would be copied along.
#[derive(Clone, Copy, Debug, Default)]
pub struct Delivery {
    /// Arrival.
    pub at: Time,
    echo: Time,
    delay: Duration,
    /// The cumulative acknowledgement, then 16 bits of ECN feedback, then one if SACK information belongs to the ACK.
    cumulative_ecn_sack: u64,
}

impl Delivery {
    #[inline]
    pub(crate) fn new(at: Time, ack: Ack) -> Delivery {
        let cumulative_ecn_sack = ack.cumulative << 17 | u64::from(ack.ecn) << 1 | u64::from(ack.has_sack);
        Delivery { at, echo: ack.echo, delay: ack.delay, cumulative_ecn_sack }
    }

    /// SACK information belongs to the ACK, or it is none.
    #[inline]
    pub(crate) fn has_sack(&self) -> bool {
        self.cumulative_ecn_sack & 1 == 1
    }

    /// The same ACK, which arrives at `at`.
    #[inline]
    pub(crate) fn later(self, at: Time) -> Delivery {
        Delivery { at, ..self }
    }

    /// The ACK.
    #[inline]
    pub fn ack(&self) -> Ack {
        let word = self.cumulative_ecn_sack;
        Ack { cumulative: word >> 17, echo: self.echo, delay: self.delay, ecn: (word >> 1) as u16, has_sack: word & 1 == 1 }
    }
}
