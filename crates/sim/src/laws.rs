//! Random whole numbers, the sizes of transfers among them: draws, and how many packets sizes make on average.
//!
//! All mathematics is the pinned library's, so that draws agree across machines.

use units::Stream;

use crate::spec::Law;

/// Terms of a sum of powers that are added one by one; the rest follows from the Euler-Maclaurin formula, to 1e-9 of the sum.
const TERMS: u64 = 1000;

/// A law of whole numbers, cut at a largest one.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Whole {
    law: Law,
    max: u64,
}

impl Whole {
    pub(crate) fn new(law: Law, max: Option<u64>) -> Whole {
        // Every number up to here is one that a float can tell from the next.
        Whole { law, max: max.unwrap_or(1 << 53) }
    }

    /// A draw, at least 1.
    pub(crate) fn draw(&self, stream: &mut Stream) -> u64 {
        // In (0, 1].
        let survival = |stream: &mut Stream| 1.0 - stream.unit();
        let number = match self.law {
            Law::Fixed { mean } => mean,
            Law::Exponential { mean } => -mean * libm::log(survival(stream)),
            Law::Pareto { mean, shape } => least(mean, shape) * libm::pow(survival(stream), -1.0 / shape),
        };
        rounded_up(number).clamp(1, self.max)
    }

    /// Of sizes, the mean number of segments of `mss` payload bytes: the sum over k of the probability that more than k are needed.
    pub(crate) fn mean_segments(&self, mss: u32) -> f64 {
        let most = self.max.div_ceil(u64::from(mss)) as f64;
        match self.law {
            Law::Fixed { mean } => (libm::ceil(mean) as u64).min(self.max).div_ceil(u64::from(mss)) as f64,
            Law::Exponential { mean } => {
                let more = -f64::from(mss) / mean;
                libm::expm1(more * most) / libm::expm1(more)
            }
            Law::Pareto { mean, shape } => {
                let least = least(mean, shape) / f64::from(mss);
                let sure = libm::ceil(least).min(most);
                sure + libm::pow(least, shape) * sum_of_powers(sure, most, shape)
            }
        }
    }
}

/// A positive number as the library's `ceil` rounds it, in fewer steps: by conversion.
fn rounded_up(number: f64) -> u64 {
    let whole = number as i64;
    whole as u64 + u64::from((whole as f64) < number)
}

/// The smallest value of a Pareto law.
fn least(mean: f64, shape: f64) -> f64 {
    mean * (shape - 1.0) / shape
}

/// The sum of k^-shape over the whole numbers from `from`, at least 1, to below `to`.
fn sum_of_powers(from: f64, to: f64, shape: f64) -> f64 {
    let power = |k: f64, exponent: f64| libm::pow(k, exponent);
    let first = (from + TERMS as f64).min(to);
    let mut sum = 0.0;
    let mut k = from;
    while k < first {
        sum += power(k, -shape);
        k += 1.0;
    }
    let integral = (power(first, 1.0 - shape) - power(to, 1.0 - shape)) / (shape - 1.0);
    let ends = (power(first, -shape) - power(to, -shape)) / 2.0;
    let slopes = shape / 12.0 * (power(first, -shape - 1.0) - power(to, -shape - 1.0));
    sum + integral + ends + slopes
}

#[cfg(test)]
mod tests {
    use super::*;

    const DRAWS: usize = 400_000;

    #[test]
    fn rounding_up_is_the_librarys() {
        let mut stream = Stream::named(13, "rounding");
        let drawn = (0..100_000).map(|index| stream.unit() * libm::pow(10.0, f64::from(index % 19)));
        let others = [0.0, 1.0, 1.000_000_000_000_000_2, 2.999_999_999_999_999_6, 4_503_599_627_370_495.5, 9e18];
        for number in drawn.chain(others) {
            assert_eq!(rounded_up(number), libm::ceil(number) as u64, "{number}");
        }
    }

    fn draws(sizes: &Whole) -> Vec<u64> {
        let mut stream = Stream::named(11, "sizes");
        (0..DRAWS).map(|_| sizes.draw(&mut stream)).collect()
    }

    /// Zeta(2) is pi^2/6, and the sum over k from 1 to 9 of k^-2 is 1.539767731.
    #[test]
    fn sums_of_powers_are_those_of_the_zeta_function() {
        let all = sum_of_powers(1.0, 1e15, 2.0);
        assert!((all - std::f64::consts::PI.powi(2) / 6.0).abs() < 1e-9, "{all}");
        assert!((sum_of_powers(1.0, 10.0, 2.0) - 1.539_767_731).abs() < 1e-9);
    }

    /// A Pareto law of mean 30000 and shape 1.5 begins at 10000. Five standard errors of a binomial share.
    #[test]
    fn the_tail_of_a_pareto_law_is_a_power() {
        let drawn = draws(&Whole::new(Law::Pareto { mean: 30_000.0, shape: 1.5 }, None));
        assert!(drawn.iter().all(|&bytes| bytes > 9_999));
        for x in [20_000_u64, 100_000, 1_000_000] {
            let expected = (10_000.0 / x as f64).powf(1.5);
            let share = drawn.iter().filter(|&&bytes| bytes > x).count() as f64 / DRAWS as f64;
            let error = (expected * (1.0 - expected) / DRAWS as f64).sqrt();
            assert!((share - expected).abs() < 5.0 * error, "above {x}: {share}, not {expected} +- {error}");
        }
    }

    /// Segments of an exponential size are geometric: more than one with probability exp(-mss / mean).
    #[test]
    fn segments_of_an_exponential_size_are_geometric() {
        let sizes = Whole::new(Law::Exponential { mean: 1448.0 }, None);
        assert!((sizes.mean_segments(1448) - 1.0 / (1.0 - (-1.0_f64).exp())).abs() < 1e-12);
        let more = draws(&sizes).iter().filter(|&&bytes| bytes > 1448).count() as f64 / DRAWS as f64;
        assert!((more - (-1.0_f64).exp()).abs() < 5.0 * (0.368 * 0.632 / DRAWS as f64).sqrt(), "{more}");
    }

    /// Cut at 100 kB these sizes have a standard deviation below 15 segments: five standard errors are 0.12.
    #[test]
    fn the_mean_number_of_segments_is_that_of_the_draws() {
        for (law, max) in [
            (Law::Pareto { mean: 25_000.0, shape: 1.2 }, 100_000),
            (Law::Pareto { mean: 1000.0, shape: 1.1 }, 100_000),
            (Law::Exponential { mean: 20_000.0 }, 100_000),
            (Law::Fixed { mean: 14_481.0 }, 100_000),
            (Law::Pareto { mean: 900_000.0, shape: 1.5 }, 100_000),
        ] {
            let sizes = Whole::new(law, Some(max));
            let mean = draws(&sizes).iter().map(|bytes| bytes.div_ceil(1448)).sum::<u64>() as f64 / DRAWS as f64;
            assert!((mean - sizes.mean_segments(1448)).abs() < 0.12, "{law:?}: {mean}, not {}", sizes.mean_segments(1448));
        }
    }
}
