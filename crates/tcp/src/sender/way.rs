//! Which way a plain ACK takes through a sender: by what is special about the sender, and by whether anything is in trouble.

use cc::{CaState, CongestionControl, RttSamples};
use units::Time;

use super::Sender;
use crate::rack::Detection;

/// What is special about a sender. Until the connection is established it is one of [`Manner::Lean`], [`Manner::Careful`] and [`Manner::Rated`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Manner {
    /// Only the window holds back what it sends, its law does not ask what ACKs look like, and its stack is that of today.
    Usual,
    /// The same with an older stack of Linux's: a coarse clock, no probes, an ACK that counts once.
    Classic,
    /// Only the window holds back what it sends.
    Lean,
    /// More than the window may hold a new segment back, pacing or what is in `care`, or an algorithm is told of each as it leaves.
    Careful,
    /// Its algorithm wants rate samples: each segment is noted as it leaves, and more than the window may hold it back.
    Rated,
    /// It is paced, its stack may be an older one, and nothing else about it is special.
    Paced,
    /// It is paced and its law told delivery rates, its stack is that of today, and nothing else about it is special.
    Steady,
}

impl Manner {
    /// It asks before each segment, or notes each.
    #[inline]
    pub(super) fn is_careful(self) -> bool {
        matches!(self, Manner::Careful | Manner::Rated | Manner::Paced | Manner::Steady)
    }

    /// Only the window holds back what it sends.
    #[inline]
    pub(super) fn is_held_by_window(self) -> bool {
        matches!(self, Manner::Usual | Manner::Classic | Manner::Lean)
    }
}

/// From where on a sender's ACKs take a short way.
#[derive(Clone, Copy, Debug)]
pub(super) struct Way {
    /// From this `una` on an ACK that advances the window is a usual one: nothing is in trouble. [`u64::MAX`] while something is, and for
    /// other senders.
    usual_from: u64,
    /// The same of the other senders whose plain ACKs have a way of their own.
    short_from: u64,
    /// While the pacing gate of a steady sender opens before, the probe that is armed need not be armed anew with each segment.
    pub(super) probe_stands_until: Time,
}

impl Way {
    /// Of a sender that has not started.
    pub(super) fn new() -> Way {
        Way { usual_from: u64::MAX, short_from: u64::MAX, probe_stands_until: Time::ZERO }
    }

    /// Whether an ACK that advances the window beyond `una` takes the short way of a usual sender.
    #[inline(always)]
    pub(super) fn is_usual(&self, una: u64) -> bool {
        una >= self.usual_from
    }

    /// The same of a classic, a paced or a steady one.
    #[inline(always)]
    pub(super) fn is_short(&self, una: u64) -> bool {
        una >= self.short_from
    }

    /// From `una` on it is short for a sender of this manner. Whatever was armed before may have changed.
    fn turn(&mut self, manner: Manner, una: u64) {
        let (usual_from, short_from) = match manner {
            Manner::Usual => (una, u64::MAX),
            Manner::Classic | Manner::Paced | Manner::Steady => (u64::MAX, una),
            Manner::Lean | Manner::Careful | Manner::Rated => (u64::MAX, u64::MAX),
        };
        *self = Way { usual_from, short_from, probe_stands_until: Time::ZERO };
    }
}

impl<C: CongestionControl> Sender<C> {
    /// The connection is established: whether anything about its sender is special after all.
    pub(super) fn find_way(&mut self) {
        self.manner = match self.manner {
            Manner::Lean if self.is_usual() => Manner::Usual,
            Manner::Lean if self.is_classic() => Manner::Classic,
            Manner::Careful if self.is_classic() && self.is_paced_alone() => Manner::Paced,
            Manner::Rated if self.is_usual() && self.is_paced_alone() && self.is_told_rates_alone() => Manner::Steady,
            special => special,
        };
        self.look_for_trouble();
    }

    /// After trouble may have begun or ended: whether the next ACK may take the short way.
    pub(super) fn look_for_trouble(&mut self) {
        let is_calm = self.c.ca_state == CaState::Open && !self.probe.is_out() && !self.rack.awaits_sample();
        self.way.turn(self.manner, if is_calm { self.board.clean_from() } else { u64::MAX });
    }

    /// SACK says what is lost, and the window alone holds back what is repaired.
    #[inline(always)]
    pub(super) fn repairs_by_window(&self) -> bool {
        self.manner.is_held_by_window() && self.detection != Detection::Duplicates
    }

    /// The stack does what some Linux does, for an application that writes all at once, and the law does not ask what ACKs look like.
    fn is_classic(&self) -> bool {
        // A law that takes steps 5 and 9 in one call is told of as many segments as arrived.
        let is_told_of_all = self.counting.counts_all() || !self.needs.rtt_samples.is_with_acks();
        !self.needs.ack_arrivals
            && self.has_timestamps
            // The handshake gave a sample.
            && self.c.srtt8_us > 0
            && self.rtt.is_of_linux()
            && self.timers.is_exact()
            && self.limits.is_usual()
            && is_told_of_all
    }

    /// The law is told delivery rates and no RTT samples.
    fn is_told_rates_alone(&self) -> bool {
        self.rates.is_some() && self.needs.rtt_samples == RttSamples::Unused
    }

    /// The same, and what it does is what Linux does today, with an exact clock.
    fn is_usual(&self) -> bool {
        self.is_classic() && self.rtt.is_exact() && self.probe.is_on() && self.counting.is_usual()
    }

    /// Pacing alone may hold a new segment back.
    fn is_paced_alone(&self) -> bool {
        self.pacer.is_on() && self.care.is_none() && self.packets.is_none()
    }
}
