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
    /// Segments delivered: cumulatively or selectively acknowledged for the first time, or a second time as duplicates.
    pub(crate) delivered: u32,
    /// A never-retransmitted segment below the recovery point was delivered.
    pub(crate) original_delivered: bool,
    /// A segment that was ever retransmitted was cumulatively acknowledged.
    pub(crate) retransmission_acked: bool,
    /// When the segment that was sent last left, of those that this ACK is the first to acknowledge.
    pub(crate) latest_sent: Option<Time>,
    /// The lowest segment sent once that was delivered after one sent later; none if none was.
    pub(crate) overtaken: Option<u64>,
    /// Segments newly marked lost.
    pub(crate) lost: u32,
    /// The ACK reported a retransmitted segment that arrived twice.
    pub(crate) duplicate: bool,
    /// That segment was the tail loss probe.
    pub(crate) duplicate_of_probe: bool,
    /// The ACK is the first since the handshake: whatever else it says, it tells of the receiver's window.
    pub(crate) is_first: bool,
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
    /// `seq`, sent once, was delivered after one sent later.
    pub(crate) fn on_overtaken(&mut self, seq: u64) {
        self.overtaken = Some(self.overtaken.map_or(seq, |lowest| lowest.min(seq)));
    }

    /// Neither data nor information: a duplicate ACK.
    pub(crate) fn is_duplicate_ack(&self) -> bool {
        self.acked == 0
    }
}
