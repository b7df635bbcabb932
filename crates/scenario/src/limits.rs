//! Limits.

/// Packets that a queue holds at most.
pub const MOST_PACKETS: u64 = 10_000_000;
