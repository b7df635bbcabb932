//! What a sender is made from, for it and for its parts.

use crate::Options;

/// What a sender is told at the start.
#[derive(Clone, Debug)]
pub struct SenderSpec {
    /// The stack's options.
    pub options: Options,
    /// Payload bytes of a segment.
    pub mss: u32,
    /// Segments the application sends; `u64::MAX` for no end.
    pub segments: u64,
    /// Receiver's window, segments; `u64::MAX` for no limit.
    pub window: u64,
    /// The host's device queue may refuse a segment.
    pub device: bool,
}
