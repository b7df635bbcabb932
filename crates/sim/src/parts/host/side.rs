//! One flow's part of its host: its segments that have not left it, and its ACKs that have not reached the sender.

use std::collections::VecDeque;

use tcp::EcnBits;
use units::Time;

use super::ticks::Ticks;
use crate::parts::delivery::Delivery;

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

/// What of a host costs time.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Equipment {
    pub(crate) cpu: bool,
    pub(crate) device: bool,
}

/// The flow's part.
#[derive(Clone, Debug)]
pub(crate) struct Side {
    /// Number of the host in the scenario.
    pub(crate) host: usize,
    /// Number of what it is on: the same, but for transfers that have one of their own.
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
}

impl Side {
    pub(crate) fn new(host: usize, equipment: Equipment, ticks: Ticks) -> Side {
        let (leaving, coming) = (VecDeque::new(), VecDeque::new());
        let Equipment { cpu, device } = equipment;
        Side { host, machine: host, has_cpu: cpu, holds_segments: cpu || device, ticks, admitted: None, leaving, coming }
    }

    /// When the next ACK reaches the host.
    pub(crate) fn comes_at(&self) -> Time {
        self.coming.front().map_or(Time::NEVER, |delivery| delivery.at)
    }

    /// When something happens here.
    pub(crate) fn next_at(&self) -> Time {
        self.comes_at().min(self.leaving.front().map_or(Time::NEVER, |leaving| leaving.at))
    }
}
