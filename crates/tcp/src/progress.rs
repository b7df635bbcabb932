//! What one ACK changed.

use units::Time;

/// What one ACK changed, as far as its steps have come.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Progress {
    /// One past the highest segment that was SACKed before.
    pub(crate) highest_before: u64,
    /// Segments cumulatively acknowledged.
    pub(crate) acked: u64,
    /// Segments newly SACKed.
    pub(crate) sacked: u32,
    /// Segments delivered: cumulatively or selectively acknowledged for the first time.
    pub(crate) delivered: u32,
    /// A never-retransmitted segment below the recovery point was delivered.
    pub(crate) original_delivered: bool,
    /// A retransmitted segment was cumulatively acknowledged.
    pub(crate) retransmission_acked: bool,
    /// Segments newly marked lost.
    pub(crate) lost: u32,
    /// The ACK reported a segment that arrived twice.
    pub(crate) duplicate: bool,
    /// The ACK told of congestion marks.
    pub(crate) ece: bool,
    /// Timestamp echo of the ACK.
    pub(crate) echo: Time,
    /// Send times of the first and last never-retransmitted segment cumulatively acknowledged.
    pub(crate) first_acked: Option<Time>,
    pub(crate) last_acked: Option<Time>,
    /// The same of those selectively acknowledged.
    pub(crate) first_sacked: Option<Time>,
    pub(crate) last_sacked: Option<Time>,
}

impl Progress {
    /// Neither data nor information: a duplicate ACK.
    pub(crate) fn is_duplicate_ack(&self) -> bool {
        self.acked == 0
    }
}
