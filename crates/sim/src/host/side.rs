//! One flow's part of its host: its segments that have not left it, and its ACKs that have not reached the sender.

use std::collections::VecDeque;

use tcp::EcnBits;
use units::Time;

use super::Ticks;
use crate::path::Delivery;

/// A segment in the host.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Leaving {
    /// When it reaches its link.
    pub(crate) at: Time,
    pub(crate) seq: u64,
    /// When the sender sent it.
    pub(crate) sent: Time,
    pub(crate) ecn_capable: bool,
    pub(crate) bits: EcnBits,
}

/// The flow's part.
#[derive(Clone, Debug)]
pub(crate) struct Side {
    /// Number of the host.
    pub(crate) machine: usize,
    /// ACKs cost time.
    pub(crate) has_cpu: bool,
    /// Segments take time to leave.
    pub(crate) holds_segments: bool,
    pub(crate) ticks: Ticks,
    /// When the segment that was admitted will have left.
    pub(crate) admitted: Option<Time>,
    pub(crate) leaving: VecDeque<Leaving>,
    /// ACKs that have not reached the host.
    pub(crate) coming: VecDeque<Delivery>,
    /// ACKs in the host, and when each will have been processed.
    pub(crate) waiting: VecDeque<(Time, Delivery)>,
}

/// What happens next, in the order in which it does at one time.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Next {
    /// An ACK reaches the host.
    Comes,
    /// An ACK was processed.
    Processed,
    /// A segment leaves the host.
    Leaves,
}

impl Side {
    pub(crate) fn new(machine: usize, (has_cpu, has_device): (bool, bool), ticks: Ticks) -> Side {
        let (leaving, coming, waiting) = (VecDeque::new(), VecDeque::new(), VecDeque::new());
        let holds_segments = has_cpu || has_device;
        Side { machine, has_cpu, holds_segments, ticks, admitted: None, leaving, coming, waiting }
    }

    /// What is next, and when.
    pub(crate) fn next(&self) -> (Time, Next) {
        let comes = self.coming.front().map_or(Time::NEVER, |delivery| delivery.at);
        let processed = self.waiting.front().map_or(Time::NEVER, |waiting| waiting.0);
        let leaves = self.leaving.front().map_or(Time::NEVER, |leaving| leaving.at);
        let first = comes.min(processed).min(leaves);
        let next = match first {
            first if first == comes => Next::Comes,
            first if first == processed => Next::Processed,
            _ => Next::Leaves,
        };
        (first, next)
    }
}
