//! How much a processor has worked, at the sampling times.

use std::collections::VecDeque;

use units::{Duration, Time};

/// Samples of one processor. A piece of work counts when it is done.
#[derive(Clone, Debug)]
pub(crate) struct Meter {
    next: Time,
    interval: Duration,
    /// When, and processor time in nanoseconds until then.
    pub(crate) samples: Vec<(Time, u64)>,
    /// Processor time of what is done, nanoseconds.
    done_ns: u64,
    /// What is not done: when it will be, and its processor time, nanoseconds.
    to_do: VecDeque<(Time, u64)>,
}

impl Meter {
    /// Samples every `interval` of a clock that runs `offset` behind the flows'; zero for none.
    pub(crate) fn new(interval: Duration, offset: Duration) -> Meter {
        let next = if interval == Duration::ZERO { Time::NEVER } else { Time::ZERO + offset };
        Meter { next, interval, samples: Vec::new(), done_ns: 0, to_do: VecDeque::new() }
    }

    /// Takes the samples that fall due by `until`, before which no more work comes.
    #[inline]
    pub(crate) fn settle(&mut self, until: Time) {
        while self.next <= until {
            self.count_done(self.next);
            self.samples.push((self.next, self.done_ns));
            self.next += self.interval;
        }
    }

    /// Work of `ns` comes in at `now` and is done at `at`.
    #[inline]
    pub(crate) fn on_taken(&mut self, now: Time, at: Time, ns: u32) {
        if self.next < Time::NEVER {
            self.count_done(now);
            self.to_do.push_back((at, u64::from(ns)));
        }
    }

    #[inline]
    fn count_done(&mut self, now: Time) {
        while let Some((_, ns)) = self.to_do.front().copied().filter(|&(at, _)| at <= now) {
            self.done_ns += ns;
            self.to_do.pop_front();
        }
    }
}
