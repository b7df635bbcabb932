//! One flow's part of its host: its segments that have not left it, and its ACKs that have not reached the sender.

use net::Ring;
use tcp::EcnBits;
use units::Time;

use super::ticks::Ticks;
use crate::parts::delivery::Delivery;

/// A segment in the host.
#[derive(Clone, Copy, Debug, Default)]
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
    leaving: Ring<Leaving>,
    /// ACKs that have not reached the host.
    coming: Ring<Delivery>,
    /// When the first of either is there; never if none is. Kept, for it is asked for more often than it changes.
    leaves_at: Time,
    comes_at: Time,
}

impl Side {
    pub(crate) fn new(host: usize, equipment: Equipment, ticks: Ticks) -> Side {
        let Equipment { cpu, device } = equipment;
        Side {
            host,
            machine: host,
            has_cpu: cpu,
            holds_segments: cpu || device,
            ticks,
            admitted: None,
            leaving: Ring::default(),
            coming: Ring::default(),
            leaves_at: Time::NEVER,
            comes_at: Time::NEVER,
        }
    }

    /// A segment, behind all others, will leave.
    #[inline]
    pub(crate) fn push_leaving(&mut self, segment: Leaving) {
        self.leaves_at = self.leaves_at.min(segment.at);
        self.leaving.push(segment);
    }

    /// The first segment leaves.
    #[inline]
    pub(crate) fn take_leaving(&mut self) -> Option<Leaving> {
        let taken = self.leaving.pop();
        self.leaves_at = self.leaving.front().map_or(Time::NEVER, |segment| segment.at);
        taken
    }

    /// An ACK, behind all others, will reach the host.
    #[inline]
    pub(crate) fn push_coming(&mut self, delivery: Delivery) {
        self.comes_at = self.comes_at.min(delivery.at);
        self.coming.push(delivery);
    }

    /// The first ACK reaches it.
    #[inline]
    pub(crate) fn take_coming(&mut self) -> Option<Delivery> {
        let taken = self.coming.pop();
        self.comes_at = self.coming.front().map_or(Time::NEVER, |delivery| delivery.at);
        taken
    }

    /// When the next ACK reaches the host.
    #[inline]
    pub(crate) fn comes_at(&self) -> Time {
        self.comes_at
    }

    /// When something happens here.
    #[inline]
    pub(crate) fn next_at(&self) -> Time {
        self.comes_at.min(self.leaves_at)
    }
}
