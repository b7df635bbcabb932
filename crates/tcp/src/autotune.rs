//! A receiver whose window grows with what it gets: Linux's dynamic right-sizing.
//!
//! Source: Fisk and Feng 2001; Linux 6.1 `tcp_rcv_space_adjust`. Once per round trip, if more was delivered than in any before, the window becomes
//! twice that and 16 segments, and ahead of further growth by twice the ratio by which it grew. Units: segments. Departure: the
//! round trips are the sender's, where the effect is felt, and the application reads at once.

use crate::Range;

/// Bytes of the first window: half of Linux's `tcp_rmem` default.
const FIRST_BYTES: u64 = 65_535;
const FIRST_SPACE: u64 = 10;
const HEADROOM: u64 = 16;

/// The receiver's measure of a round trip's data.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Autotune {
    /// The largest window, segments.
    most: u64,
    /// Most segments delivered in a round trip.
    space: u64,
    /// The segments of the round trip.
    round: Range,
}

impl Autotune {
    /// A measure for windows up to `most`, and the first window.
    pub(crate) fn new(most: u64, mss: u32) -> (Autotune, u64) {
        let first = (FIRST_BYTES / u64::from(mss)).clamp(1, most);
        (Autotune { most, space: first.min(FIRST_SPACE), round: Range::default() }, first)
    }

    /// The window after an ACK that left these segments outstanding, if a round trip is over in which it grew.
    pub(crate) fn on_acked(&mut self, outstanding: Range) -> Option<u64> {
        let una = outstanding.from;
        if una < self.round.to || una == self.round.from {
            return None;
        }
        let copied = una - self.round.from;
        self.round = outstanding;
        if copied <= self.space {
            return None;
        }
        let window = 2 * copied + HEADROOM;
        let ahead = window * (copied - self.space) / self.space;
        self.space = copied;
        Some((window + 2 * ahead).min(self.most))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Ten segments are no more than the first ten. 20: 2 x 20 + 16 = 56, doubled: 56 + 2 x 56. 30 after 20: 76 + 2 x 38. Then the most.
    #[test]
    fn the_window_is_ahead_of_what_a_round_trip_brings() {
        let (mut autotune, first) = Autotune::new(200, 1448);
        assert_eq!(first, 45);
        assert_eq!(autotune.on_acked(Range { from: 10, to: 30 }), None);
        assert_eq!(autotune.on_acked(Range { from: 29, to: 50 }), None);
        assert_eq!(autotune.on_acked(Range { from: 30, to: 60 }), Some(168));
        assert_eq!(autotune.on_acked(Range { from: 60, to: 120 }), Some(152));
        assert_eq!(autotune.on_acked(Range { from: 120, to: 240 }), Some(200));
        assert_eq!(Autotune::new(7, 8948).1, 7);
    }
}
