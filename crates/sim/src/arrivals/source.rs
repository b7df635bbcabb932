//! A source of transfers: when the next one begins, and what it is like.

use units::{Stream, Time};

use super::accept::AcceptedSource;
use super::sizes::Sizes;

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
}

/// A Poisson process of transfers.
#[derive(Clone, Debug)]
pub(crate) struct Source {
    mean_gap_ns: f64,
    sizes: Sizes,
    kinds: u64,
    /// When the next transfer begins; never once no more will.
    next: Time,
    stop: Time,
    gaps: Stream,
    sized: Stream,
    mixed: Stream,
    seeds: Stream,
}

impl Source {
    /// Source number `index` of a run of this seed and length.
    pub(crate) fn new(index: usize, accepted: &AcceptedSource, (seed, end): (u64, Time)) -> Source {
        let stream = |part: &str| Stream::named(seed, &format!("arrivals{index}/{part}"));
        let given = accepted.spec;
        let mut source = Source {
            mean_gap_ns: accepted.mean_gap_ns,
            sizes: Sizes::new(given.sizes, given.max_bytes),
            kinds: given.flows.len() as u64,
            next: Time(given.start_ns),
            stop: end.min(given.stop_ns.map_or(Time::NEVER, Time)),
            gaps: stream("gaps"),
            sized: stream("sizes"),
            mixed: stream("kinds"),
            seeds: stream("seeds"),
        };
        source.wait();
        source
    }

    /// When the next transfer begins.
    pub(crate) fn next_at(&self) -> Time {
        self.next
    }

    /// The next transfer begins.
    pub(crate) fn give_birth(&mut self) -> Birth {
        let birth = Birth {
            at: self.next,
            kind: self.mixed.up_to(self.kinds - 1) as usize,
            bytes: self.sizes.draw(&mut self.sized),
            seed: self.seeds.up_to(u64::MAX),
        };
        self.wait();
        birth
    }

    /// The gap to the next transfer is exponential.
    fn wait(&mut self) {
        let gap = libm::round(-self.mean_gap_ns * libm::log(1.0 - self.gaps.unit()));
        let next = self.next.saturating_add(Time(gap as u64));
        self.next = if next < self.stop { next } else { Time::NEVER };
    }
}
