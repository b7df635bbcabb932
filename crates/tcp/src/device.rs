//! A device queue below the sender that may be full: local congestion.
//!
//! A segment that its own host's queue refuses has not left: it is the next to be sent still, and the window is reduced as for a
//! congestion mark, without a retransmission (Linux since 2.4, `tcp_transmit_skb` and `tcp_enter_cwr`; web100 calls it a send stall).
//! Departure: a refused retransmission waits for the next ACK or timer, whose back-off goes on; Linux then asks again after half a second.

/// What is known of the device's queue.
#[derive(Clone, Debug, Default)]
pub(crate) struct Device {
    is_full: bool,
    refused: u64,
}

impl Device {
    /// The queue was asked for room.
    pub(crate) fn on_asked(&mut self, admits: bool) {
        self.is_full = !admits;
        self.refused += u64::from(!admits);
    }

    /// It refused the last segment.
    pub(crate) fn is_full(&self) -> bool {
        self.is_full
    }

    /// Segments that it refused so far.
    pub(crate) fn refused(&self) -> u64 {
        self.refused
    }
}
