//! Jitter of what returns on a path: each of them takes longer by a uniform draw.

use units::{Duration, Stream};

/// Where the draws come from, and how many there are.
#[derive(Clone, Debug)]
pub(crate) struct Jitter {
    draws: Stream,
    /// Draws are below this.
    span_ns: u64,
}

impl Jitter {
    /// None on a path without: few have one, and its size is felt where there are many flows.
    pub(crate) fn of_flow(index: usize, seed: u64, most_ns: u64) -> Option<Box<Jitter>> {
        (most_ns > 0).then(|| Box::new(Jitter { draws: Stream::named(seed, format_args!("flow{index}/jitter")), span_ns: most_ns + 1 }))
    }

    /// The path is of a connection whose draws follow from `seed`.
    pub(crate) fn on_born(&mut self, seed: u64) {
        self.draws = Stream::named(seed, "jitter");
    }

    pub(crate) fn draw(&mut self) -> Duration {
        Duration(self.draws.below(self.span_ns))
    }
}
