//! Segments that others overtake: they wait here until one that arrives later is there, or until their arrival can have an effect.

use std::collections::VecDeque;

use net::Disorder;
use tcp::EcnBits;
use units::{Duration, Stream, Time};

use crate::spec::DisorderSpec;

/// The disorder that `given` says, drawn from this stream; none, and no stream is made, if nothing ever happens.
pub(crate) fn drawn(given: &DisorderSpec, stream: impl FnOnce() -> Stream) -> Option<Disorder> {
    let DisorderSpec { late_probability, late_ns, double_probability } = *given;
    let disorder = net::DisorderSpec { late_probability, late_by: Duration(late_ns), double_probability };
    (!disorder.is_empty()).then(|| Disorder::new(disorder, stream()))
}

/// A segment behind its link.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Held {
    /// When it would have left the link, had it not been held back.
    pub(crate) departs: Time,
    pub(crate) seq: u64,
    pub(crate) sent: Time,
    pub(crate) bits: EcnBits,
}

/// A path that does not keep the order.
#[derive(Clone, Debug)]
pub(crate) struct Unordered {
    pub(crate) disorder: Disorder,
    /// All are late by the same time: in the order of their arrival.
    held: VecDeque<Held>,
}

impl Unordered {
    pub(crate) fn new(disorder: Disorder) -> Unordered {
        Unordered { disorder, held: VecDeque::new() }
    }

    pub(crate) fn hold(&mut self, held: Held) {
        debug_assert!(self.held.back().is_none_or(|last| last.departs <= held.departs));
        self.held.push_back(held);
    }

    /// When the first of those held would have left the link.
    pub(crate) fn first(&self) -> Time {
        self.held.front().map_or(Time::NEVER, |held| held.departs)
    }

    /// The first of those held, if it is there not after one that leaves the link at `departs`.
    pub(crate) fn release(&mut self, departs: Time) -> Option<Held> {
        if self.first() <= departs {
            self.held.pop_front()
        } else {
            None
        }
    }
}
