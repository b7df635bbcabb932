//! How much a processor has worked, at the sampling times.

use net::{Fifo, Link};
use units::{Duration, Time};

/// Samples of one processor. A piece of work counts when it is done.
#[derive(Clone, Debug)]
pub(crate) struct Meter {
    next: Time,
    interval: Duration,
    /// When, and processor time in nanoseconds until then.
    pub(crate) samples: Vec<(Time, u64)>,
}

impl Meter {
    /// Samples every `interval` of a clock that runs `offset` behind the flows'; zero for none.
    pub(crate) fn new(interval: Duration, offset: Duration) -> Meter {
        let next = if interval == Duration::ZERO { Time::NEVER } else { Time::ZERO + offset };
        Meter { next, interval, samples: Vec::new() }
    }

    /// Takes the samples that fall due by `until`, when no more work came than is in `work`: a byte of it is a nanosecond.
    pub(crate) fn settle(&mut self, until: Time, work: &mut Fifo) {
        while self.next <= until {
            self.samples.push((self.next, Link::<()>::occupancy(work, self.next).delivered_bytes));
            self.next += self.interval;
        }
    }
}
