//! HighSpeed TCP's response function: a straight line between two points of log w over log p, and a(w), b(w) along it.
//!
//! Source: RFC 3649, section 5; Li/Leith/Shorten 2007, Table II. Units: windows in segments, loss rates as they are.

/// The response function's five numbers.
#[derive(Clone, Copy, Debug)]
pub(super) struct Formula {
    pub(super) low_window: f64,
    pub(super) high_window: f64,
    pub(super) low_p: f64,
    pub(super) high_p: f64,
    pub(super) high_decrease: f64,
}

impl Formula {
    /// a(w), b(w) of RFC 3649 section 5, continued above `high_window`.
    pub(super) fn at(&self, w: f64) -> (f64, f64) {
        if w <= self.low_window {
            return (1.0, 0.5);
        }
        let position = libm::log(w / self.low_window) / libm::log(self.high_window / self.low_window);
        let b = ((self.high_decrease - 0.5) * position + 0.5).max(0.01);
        // p(w) = low_p (w/low_window)^(1/S), and 1/S is the ratio of the logarithms that `position` already holds.
        let p = self.low_p * libm::exp(position * libm::log(self.high_p / self.low_p));
        ((w * w * p * 2.0 * b / (2.0 - b)).max(1.0), b)
    }
}

/// The RFC's set.
pub(super) const RFC_SET: Formula = Formula { low_window: 38.0, high_window: 83_000.0, low_p: 1e-3, high_p: 1e-7, high_decrease: 0.1 };

/// What the 2007 benchmark's table was generated from; its low p makes the response function meet Reno's at the low window.
pub(super) const ALTAIMD_SET: Formula =
    Formula { low_window: 31.0, high_window: 83_000.0, low_p: 1.5e-3, high_p: 1e-7, high_decrease: 0.1 };

#[cfg(test)]
mod tests {
    use super::super::table_altaimd::ALTAIMD;
    use super::*;

    /// RFC 3649, appendix B: a row where the increase has grown by more than one since the last, the decrease in hundredths.
    #[test]
    fn the_table_of_the_benchmark_is_generated_from_its_set() {
        let mut last = ALTAIMD_SET.at(f64::from(ALTAIMD[0].window)).0;
        for row in &ALTAIMD[1..] {
            let window = f64::from(row.window);
            let ((before, _), (here, decrease)) = (ALTAIMD_SET.at(window - 1.0), ALTAIMD_SET.at(window));
            assert!(before <= last + 1.0 && here > last + 1.0, "row {row:?}: increases {before}, {here} after {last}");
            assert!((decrease - row.b).abs() <= 0.005 + 1e-9, "row {row:?}: decrease {decrease}");
            last = here;
        }
        assert_eq!(f64::from(ALTAIMD[0].window), ALTAIMD_SET.low_window);
    }
}
