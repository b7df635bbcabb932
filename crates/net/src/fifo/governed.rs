//! A link under a law that decides on arrival: what the law is told, and when.

use std::collections::VecDeque;

use units::{Duration, Time};

use super::Fifo;
use crate::queue::{Arriving as _, Decision, Law, Waiting};
use crate::Packet;

/// A discipline that is more than drop-tail.
#[derive(Clone, Debug)]
pub(super) struct Governor {
    law: Law,
    counts_bytes: bool,
    /// When the packets leave that it marked, of those that have not: a mark counts when it leaves.
    marks: VecDeque<Time>,
    /// How long packets wait, where bytes do not tell it: on a link whose rate changes, under a law that looks at them.
    waits: Option<Waits>,
}

/// How long packets wait for their service.
#[derive(Clone, Debug, Default)]
struct Waits {
    /// When each packet in the queue arrived, that in service included.
    arrivals: VecDeque<Time>,
    /// What the latest packet taken into service had waited; nothing if it left none in line.
    latest: Duration,
}

impl Waits {
    /// A transmission ended at `at`, and the next packet is taken into service.
    fn leave(&mut self, at: Time) {
        self.arrivals.pop_front();
        if let Some(&arrived) = self.arrivals.front() {
            self.latest = if self.arrivals.len() == 1 { Duration::ZERO } else { at - arrived };
        }
    }
}

impl Governor {
    pub(super) fn new(law: Law) -> Governor {
        Governor { counts_bytes: law.counts_bytes(), law, marks: VecDeque::new(), waits: None }
    }

    /// The link's rate changes.
    pub(super) fn measure_waits(&mut self) {
        self.waits = self.counts_bytes.then(Waits::default);
    }

    fn waited(&self) -> Option<Duration> {
        self.waits.as_ref().map(|waits| waits.latest)
    }
}

impl Fifo {
    /// When the mark of the packet that was just accepted counts: a step of marks on arrival, a law when its packet leaves.
    pub(super) fn note_mark(&mut self, now: Time) -> Time {
        let Some(governor) = &mut self.governor else { return now };
        governor.marks.push_back(self.free_at);
        self.free_at
    }

    /// A packet that arrived at `now` was accepted on a link whose rate changes.
    pub(super) fn note_arrival(&mut self, now: Time) {
        if let Some(waits) = self.governor.as_mut().and_then(|governor| governor.waits.as_mut()) {
            waits.arrivals.push_back(now);
        }
    }

    pub(super) fn ask_law(&mut self, now: Time, packet: Packet, has_room: bool) -> Decision {
        let (waiting, is_idle) = (self.waiting(), self.queue.is_empty());
        let Some(governor) = &mut self.governor else { return Decision::Drop };
        let decision = governor.law.decide(now, packet, waiting, has_room);
        if decision == Decision::Drop && is_idle {
            // The link is still free: it asks again, and nothing is there.
            governor.law.on_asked(now, waiting);
        }
        decision
    }

    /// What stands in line behind the packet in service; its bytes, where the law looks at them.
    fn waiting(&self) -> Waiting {
        let counts_bytes = self.governor.as_ref().is_some_and(|governor| governor.counts_bytes);
        let bytes = if counts_bytes { self.sums.accepted_bytes - self.bytes_up_to_service() } else { 0 };
        let waited = self.governor.as_ref().and_then(|governor| governor.waited());
        Waiting { packets: self.queue.len().saturating_sub(1), bytes, waited }
    }

    pub(super) fn marks_to_come(&self) -> u64 {
        self.governor.as_ref().map_or(0, |governor| governor.marks.len() as u64)
    }

    /// What has departed by `now` leaves the ring. The law is told when the link asked for the next packet: each time if it has something to
    /// do by `now`, else the last time alone, if nothing was left then.
    pub(super) fn release_governed(&mut self, now: Time) {
        let Some(governor) = &mut self.governor else { return };
        let (mut last, accepted) = (None, self.sums.accepted_bytes);
        let acts = governor.law.acts_at() <= now;
        while let Some(left) = self.queue.pop_if(|head| head.departs <= now) {
            if acts {
                let bytes = self.queue.front().map_or(0, |head| accepted - head.bytes_ahead);
                let waited = governor.waited();
                governor.law.on_asked(left.departs, Waiting { packets: self.queue.len(), bytes, waited });
            }
            if let Some(waits) = &mut governor.waits {
                waits.leave(left.departs);
            }
            last = Some(left.departs);
        }
        if let (Some(at), true, false) = (last, self.queue.is_empty(), acts) {
            governor.law.on_asked(at, Waiting { packets: 0, bytes: 0, waited: governor.waited() });
        }
        while governor.marks.front().is_some_and(|&at| Some(at) <= last) {
            governor.marks.pop_front();
        }
    }
}
