//! Segments that the receiver reported as arrived twice (RFC 2883).

/// How many there were.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Duplicates {
    /// Reported.
    reported: u32,
    /// Of these the ones that a retransmission explains: they were counted as delivered a second time.
    delivered_twice: u32,
}

impl Duplicates {
    /// One more is reported after `retransmitted` retransmissions. Whether one of them may be the reason; otherwise it is no news of ours
    /// (Linux `tcp_dsack_seen`).
    pub(crate) fn take(&mut self, retransmitted: u64) -> bool {
        self.reported += 1;
        let is_ours = u64::from(self.reported) <= retransmitted;
        self.delivered_twice += u32::from(is_ours);
        is_ours
    }

    /// Segments that were counted as delivered a second time.
    pub(crate) fn delivered_twice(&self) -> u64 {
        self.delivered_twice.into()
    }
}
