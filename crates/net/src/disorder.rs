//! What a path does to the order of packets behind its link: it holds some back, so that later ones overtake them, and doubles some.

use units::{Duration, Stream};

/// How often, and how long.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct DisorderSpec {
    /// Probability that a packet is held back.
    pub late_probability: f64,
    /// How long then: it is overtaken by as many packets as leave the link in this time.
    pub late_by: Duration,
    /// Probability that a packet arrives twice, the copy right behind it.
    pub double_probability: f64,
}

impl DisorderSpec {
    /// Whether nothing ever happens.
    pub fn is_empty(&self) -> bool {
        self.late_probability == 0.0 && self.double_probability == 0.0
    }
}

/// What happens to a packet.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Fate {
    /// How much later it arrives.
    pub late_by: Duration,
    /// How often.
    pub copies: u32,
}

/// The draws.
#[derive(Clone, Debug)]
pub struct Disorder {
    spec: DisorderSpec,
    stream: Stream,
}

impl Disorder {
    /// Draws from `stream`.
    pub fn new(spec: DisorderSpec, stream: Stream) -> Disorder {
        Disorder { spec, stream }
    }

    /// Draws from another stream from now on.
    pub fn reseed(&mut self, stream: Stream) {
        self.stream = stream;
    }

    /// The next packet's fate.
    pub fn draw(&mut self) -> Fate {
        let late_by = if self.stream.chance(self.spec.late_probability) { self.spec.late_by } else { Duration::ZERO };
        Fate { late_by, copies: 1 + u32::from(self.stream.chance(self.spec.double_probability)) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Binomial: five standard deviations.
    #[test]
    fn shares_are_the_probabilities() {
        let spec = DisorderSpec { late_probability: 0.1, late_by: Duration::from_ms(3), double_probability: 0.02 };
        let mut disorder = Disorder::new(spec, Stream::named(1, "test"));
        let fates: Vec<Fate> = (0..100_000).map(|_| disorder.draw()).collect();
        let late = fates.iter().filter(|fate| fate.late_by == Duration::from_ms(3)).count() as f64;
        let doubled = fates.iter().filter(|fate| fate.copies == 2).count() as f64;
        assert!((late - 10_000.0).abs() < 5.0 * 95.0 && (doubled - 2000.0).abs() < 5.0 * 44.3, "{late} {doubled}");
        assert!(fates.iter().all(|fate| fate.late_by == Duration::ZERO || fate.late_by == Duration::from_ms(3)));
    }
}
