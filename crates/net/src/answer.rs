//! What a link says of a packet: at once, and later.

use units::Time;

use crate::queue::Queued;

/// The link's answer to a packet.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Answer {
    /// Accepted; its last bit leaves at this time, in which the propagation that the link's changes add is included.
    Departs(Time),
    /// The same, marked "congestion experienced".
    DepartsMarked {
        /// As above.
        at: Time,
        /// When the mark counts.
        marked_at: Time,
    },
    /// Its queue decides later: what becomes of it is said by [`Link::take_left`](crate::Link::take_left) and
    /// [`Link::take_dropped`](crate::Link::take_dropped).
    Waits,
    /// Dropped by the queue.
    Dropped,
    /// Lost at random.
    Lost,
}

/// A packet that was dropped, when, and whether by the queue or at random before it.
#[derive(Clone, Debug, PartialEq)]
pub struct Dropped<T> {
    /// When.
    pub at: Time,
    /// What.
    pub packet: Queued<T>,
}

/// A packet that has left a link which decides late.
#[derive(Clone, Debug, PartialEq)]
pub struct Left<T> {
    /// When its last bit left.
    pub departed: Time,
    /// The same, plus the propagation that the link's changes add.
    pub at: Time,
    /// What.
    pub packet: Queued<T>,
}
