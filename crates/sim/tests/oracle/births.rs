//! When transfers begin, and what they are like: the same laws once more.

use sim::{Accepted, ArrivalSpec, SizeLaw};
use units::{Stream, Time};

/// A transfer.
#[derive(Clone, Copy, Debug)]
pub struct Birth {
    /// When it begins.
    pub at: Time,
    /// Its number among its source's kinds.
    pub kind: usize,
    /// Payload.
    pub bytes: u64,
    /// Of its own draws.
    pub seed: u64,
}

/// A source.
pub struct Source {
    given: ArrivalSpec,
    mean_gap_ns: f64,
    end: u64,
    /// Of gaps, sizes, kinds and seeds.
    streams: [Stream; 4],
    /// When the next transfer begins.
    pub next: Time,
}

impl Source {
    /// Number `index` of a scenario.
    pub fn new(accepted: &Accepted, index: usize) -> Source {
        let streams = ["gaps", "sizes", "kinds", "seeds"].map(|part| Stream::named(accepted.spec.seed, &format!("arrivals{index}/{part}")));
        let given = accepted.spec.arrivals[index].clone();
        let end = given.stop_ns.unwrap_or(u64::MAX).min(accepted.spec.duration_ns);
        let next = Time(given.start_ns);
        let mut source = Source { given, mean_gap_ns: accepted.sources[index].mean_gap_ns, end, streams, next };
        source.wait();
        source
    }

    /// The one that begins now.
    pub fn birth(&mut self) -> Birth {
        let at = self.next;
        self.wait();
        let [_, sizes, kinds, seeds] = &mut self.streams;
        let kind = kinds.up_to(self.given.flows.len() as u64 - 1) as usize;
        let mut u = || 1.0 - sizes.unit();
        let real = match self.given.sizes {
            SizeLaw::Fixed { bytes } => bytes as f64,
            SizeLaw::Exponential { mean_bytes } => mean_bytes * -libm::log(u()),
            SizeLaw::Pareto { mean_bytes, shape } => mean_bytes * (shape - 1.0) / shape * libm::pow(u(), -1.0 / shape),
        };
        let bytes = (real.ceil() as u64).max(1).min(self.given.max_bytes.unwrap_or(u64::MAX));
        Birth { at, kind, bytes, seed: seeds.up_to(u64::MAX) }
    }

    fn wait(&mut self) {
        let gap = (self.mean_gap_ns * -libm::log(1.0 - self.streams[0].unit())).round() as u64;
        self.next = self.next.saturating_add(Time(gap));
        if self.next.0 >= self.end {
            self.next = Time::NEVER;
        }
    }
}
