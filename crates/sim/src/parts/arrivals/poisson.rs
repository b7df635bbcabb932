//! Transfers that begin at the times of a Poisson process.

use units::{Duration, Stream, Time};

use super::birth::Birth;
use super::origin::Origin;
use crate::accept::AcceptedSource;
use crate::laws::Whole;
use crate::spec::ArrivalSpec;

/// A Poisson process of transfers.
#[derive(Clone, Debug)]
pub(crate) struct Poisson {
    mean_gap_ns: f64,
    sizes: Whole,
    kinds: u64,
    /// When the next transfer begins; never once no more will.
    next: Time,
    stop: Time,
    gaps: Stream,
    sized: Stream,
    mixed: Stream,
    seeds: Stream,
}

impl Poisson {
    /// The source of this origin.
    pub(crate) fn new(Origin { index, seed, end }: Origin, accepted: &AcceptedSource, given: &ArrivalSpec) -> Poisson {
        let stream = |part: &str| Stream::named(seed, format_args!("arrivals{index}/{part}"));
        let mut source = Poisson {
            mean_gap_ns: accepted.mean_gap_ns,
            sizes: Whole::new(given.sizes, given.max_bytes),
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
    pub(crate) fn next_transfer(&mut self) -> Birth {
        let birth = Birth {
            at: self.next,
            kind: self.mixed.up_to(self.kinds - 1) as usize,
            bytes: self.sizes.draw(&mut self.sized),
            seed: self.seeds.up_to(u64::MAX),
            page: None,
        };
        self.wait();
        birth
    }

    /// The gap to the next transfer is exponential.
    fn wait(&mut self) {
        let gap = -self.mean_gap_ns * libm::log(1.0 - self.gaps.unit());
        let next = self.next.saturating_add(Duration(rounded(gap)));
        self.next = if next < self.stop { next } else { Time::NEVER };
    }
}

/// A number that is not negative, rounded as the library's `round` does: half of one, or the number next below that, is added, and what is not
/// whole cut off.
fn rounded(number: f64) -> u64 {
    (number + 0.499_999_999_999_999_94) as i64 as u64
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rounding_is_the_librarys() {
        let mut draws = Stream::named(9, "rounding");
        let halves = [0.0, -0.0, 0.5, 0.499_999_999_999_999_94, 0.500_000_000_000_000_1, 1.5, 2.5, 4_503_599_627_370_495.5, 9e15];
        let drawn = (0..100_000).map(|index| draws.unit() * libm::pow(10.0, f64::from(index % 19)));
        for number in halves.into_iter().chain(drawn) {
            assert_eq!(rounded(number), libm::round(number) as u64, "{number}");
        }
    }
}
