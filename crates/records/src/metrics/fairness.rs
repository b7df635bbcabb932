//! Fairness between flows.

use std::hint::black_box;

/// Jain's fairness index, (sum x)^2 / (n sum x^2), in [1/n, 1]; none without flows or when nothing was delivered.
///
/// Source: R. Jain, D. Chiu, W. Hawe, "A quantitative measure of fairness and discrimination for resource allocation in shared computer
/// systems", DEC-TR-301, 1984.
pub fn jain(rates: &[f64]) -> Option<f64> {
    let largest = largest(rates).filter(|&largest| largest > 0.0)?;
    let (mut sum, mut squares) = (0.0, 0.0);
    for rate in rates {
        let scaled = rate / largest;
        sum += scaled;
        squares += square(scaled);
    }
    Some(square(sum) / (rates.len() as f64 * squares))
}

/// The smallest over the largest throughput, in [0, 1]; none with fewer than two flows or when nothing was delivered.
///
/// Source: Y.-T. Li, D. Leith, R. Shorten, "Experimental evaluation of TCP protocols for high-speed networks", IEEE/ACM ToN 15(5), 2007:
/// the throughput ratio of its fairness tests, made symmetric.
pub fn ratio_min_max(rates: &[f64]) -> Option<f64> {
    let largest = largest(rates).filter(|&largest| largest > 0.0 && rates.len() > 1)?;
    Some(rates.iter().copied().fold(f64::INFINITY, f64::min) / largest)
}

fn largest(rates: &[f64]) -> Option<f64> {
    rates.iter().copied().reduce(f64::max)
}

/// The square as the C library's power makes it, which Python's `**` calls: published indices were made so, and a product differs from
/// it in the last bit of one square in a thousand. The compiler would make a product of a power that it knows.
fn square(value: f64) -> f64 {
    value.powf(black_box(2.0))
}

#[cfg(test)]
mod tests {
    use super::{jain, ratio_min_max};

    #[test]
    fn equal_shares_are_fair_and_one_of_n_that_takes_all_is_one_nth() {
        assert_eq!([jain(&[5.0, 5.0]), jain(&[1.0, 0.0, 0.0, 0.0])], [Some(1.0), Some(0.25)]);
        // (1 + 3)^2 / (2 (1 + 9)) = 0.8.
        assert!((jain(&[1.0, 3.0]).expect("two flows") - 0.8).abs() < 1e-15);
        assert_eq!([jain(&[]), jain(&[0.0, 0.0]), ratio_min_max(&[3.0]), ratio_min_max(&[0.0, 0.0])], [None; 4]);
        assert_eq!(ratio_min_max(&[4.0, 1.0, 2.0]), Some(0.25));
    }
}
