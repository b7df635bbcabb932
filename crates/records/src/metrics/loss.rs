//! What was lost, and how often.

/// The sum of `part` over that of `whole`, counts of all flows: lost or retransmitted over sent packets. NaN is a count that was not
/// measured; none with one of those, or when nothing was sent.
///
/// Sources: Li, Leith, Shorten (ToN 2007) for the overhead of retransmissions; RFC 5166, section 2.3, for packets lost.
pub fn fraction(part: &[f64], whole: &[f64]) -> Option<f64> {
    let (part, whole): (f64, f64) = (part.iter().sum(), whole.iter().sum());
    (whole > 0.0 && !part.is_nan()).then(|| part / whole)
}

/// Mean time between consecutive loss episodes, whose ascending times these are; none with fewer than two.
///
/// Source: the congestion epoch of R. Shorten, F. Wirth, D. Leith, "A positive systems model of TCP-like congestion control", IEEE/ACM ToN
/// 14(3), 2006.
pub fn epoch_s(times_s: &[f64]) -> Option<f64> {
    match times_s {
        [first, .., last] => Some((last - first) / (times_s.len() - 1) as f64),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::{epoch_s, fraction};

    #[test]
    fn an_epoch_needs_two_losses() {
        assert_eq!([epoch_s(&[]), epoch_s(&[1.0]), epoch_s(&[1.0, 2.0, 4.0])], [None, None, Some(1.5)]);
    }

    #[test]
    fn a_fraction_needs_every_count() {
        assert_eq!(fraction(&[1.0, 2.0], &[10.0, 20.0]), Some(0.1));
        assert_eq!([fraction(&[f64::NAN], &[1.0]), fraction(&[0.0], &[f64::NAN]), fraction(&[0.0], &[0.0]), fraction(&[], &[])], [None; 4]);
    }
}
