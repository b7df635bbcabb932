//! How much a processor has worked, at the sampling times.

use net::Ring;
use units::{Duration, Time};

/// So many pieces of work may wait before it is looked which of them are done.
const LOOK_AT: usize = 64;

/// A piece of work.
#[derive(Clone, Copy, Debug, Default)]
struct Work {
    done_at: Time,
    /// Processor time of all before it, nanoseconds.
    before_ns: u64,
}

/// Samples of one processor. A piece of work counts when it is done.
#[derive(Clone, Debug)]
pub(crate) struct Meter {
    next: Time,
    interval: Duration,
    /// When, and processor time in nanoseconds until then.
    pub(crate) samples: Vec<(Time, u64)>,
    /// Processor time of all that came in, nanoseconds.
    taken_ns: u64,
    /// What may not be done.
    to_do: Ring<Work>,
    look_at: usize,
}

impl Meter {
    /// Samples every `interval` of a clock that runs `offset` behind the flows'; zero for none.
    pub(crate) fn new(interval: Duration, offset: Duration) -> Meter {
        let next = if interval == Duration::ZERO { Time::NEVER } else { Time::ZERO + offset };
        Meter { next, interval, samples: Vec::new(), taken_ns: 0, to_do: Ring::default(), look_at: LOOK_AT }
    }

    /// Takes the samples that fall due by `until`, before which no more work comes.
    #[inline]
    pub(crate) fn settle(&mut self, until: Time) {
        while self.next <= until {
            self.forget_done(self.next);
            let done_ns = self.to_do.front().map_or(self.taken_ns, |work| work.before_ns);
            self.samples.push((self.next, done_ns));
            self.next += self.interval;
        }
    }

    /// This much work comes in at `now` and is done at `at`.
    #[inline]
    pub(crate) fn on_taken(&mut self, now: Time, at: Time, work: Duration) {
        if self.next == Time::NEVER {
            return;
        }
        if self.to_do.len() >= self.look_at {
            self.forget_done(now);
            self.look_at = self.to_do.len() + LOOK_AT;
        }
        self.to_do.push(Work { done_at: at, before_ns: self.taken_ns });
        self.taken_ns += work.0;
    }

    #[inline(never)]
    fn forget_done(&mut self, now: Time) {
        self.to_do.pop_while(|work| work.done_at <= now);
    }
}
