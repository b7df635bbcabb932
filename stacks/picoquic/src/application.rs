//! What picoquic asks when a stream may send, and tells when something has arrived.

use endpoint::Shares;

/// The client's streams in one direction, from the first on (RFC 9000 2.1).
pub(crate) fn stream(number: usize) -> u64 {
    2 + 4 * number as u64
}

/// The application of one end.
pub(crate) struct Application {
    /// What the client has to send.
    pub(crate) shares: Shares,
    /// Payload bytes that the server has read.
    pub(crate) read: u64,
    /// Streams of which all is acknowledged.
    pub(crate) finished: usize,
}

impl Application {
    /// What leaves on a stream now, of at most `most` bytes: how many, whether they are its last, whether there are more.
    pub(crate) fn gives(&mut self, id: u64, most: usize) -> (usize, bool, bool) {
        let number = (id / 4) as usize;
        let left = self.shares.left(number);
        let given = left.min(most as u64);
        let is_end = self.shares.ends(number) && given == left;
        self.shares.took(number, given);
        if is_end {
            self.shares.ended(number);
        }
        (given as usize, is_end, !is_end && self.shares.wants(number))
    }
}
