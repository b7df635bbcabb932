//! How late packets left: counts by whole microseconds.

/// Counts of latenesses; what is later than the last of its microseconds is counted there, and its largest is kept.
#[derive(Clone, Debug)]
pub struct Lateness {
    counts: Vec<u64>,
    largest_ns: u64,
}

/// Whole microseconds that are counted apart: more than the clock tolerates.
const MICROSECONDS: usize = 2000;

impl Default for Lateness {
    fn default() -> Lateness {
        Lateness { counts: vec![0; MICROSECONDS], largest_ns: 0 }
    }
}

impl Lateness {
    /// Counts one.
    pub fn note(&mut self, late_ns: u64) {
        let microsecond = (late_ns / 1000).min(MICROSECONDS as u64 - 1);
        self.counts[microsecond as usize] += 1;
        self.largest_ns = self.largest_ns.max(late_ns);
    }

    /// The microsecond below which this part of all lies; none where nothing was counted.
    pub fn quantile_us(&self, part: f64) -> Option<u64> {
        let all: u64 = self.counts.iter().sum();
        let wanted = (part * all as f64).ceil().max(1.0) as u64;
        let mut below = 0;
        let found = self.counts.iter().position(|count| {
            below += count;
            below >= wanted
        });
        found.filter(|_| all > 0).map(|microsecond| microsecond as u64)
    }

    /// The largest, nanoseconds.
    pub fn largest_ns(&self) -> u64 {
        self.largest_ns
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn quantiles_are_those_of_what_was_counted() {
        let mut lateness = Lateness::default();
        assert_eq!(lateness.quantile_us(0.5), None);
        (1..=100).for_each(|us| lateness.note(us * 1000 + 999));
        assert_eq!((lateness.quantile_us(0.5), lateness.quantile_us(0.99), lateness.largest_ns()), (Some(50), Some(99), 100_999));
    }
}
