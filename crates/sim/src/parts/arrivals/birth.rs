//! How a transfer begins.

use units::Time;

/// A transfer that is about to begin.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Birth {
    /// When, in the sender's clock.
    pub(crate) at: Time,
    /// Which of its source's kinds it is.
    pub(crate) kind: usize,
    /// Payload bytes.
    pub(crate) bytes: u64,
    /// Of all that is random within it.
    pub(crate) seed: u64,
    /// Objects of the page that begins with it, if one does.
    pub(crate) page: Option<u64>,
}
