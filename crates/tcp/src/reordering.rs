//! How far segments overtake each other on the path, as far as ACKs told.

use cc::Connection;

/// Duplicate ACKs, or segments SACKed above, that prove a loss (RFC 5681).
pub(crate) const DUPTHRESH: u32 = 3;
/// Linux `tcp_max_reordering`.
const DEGREE_MAX: u64 = 300;

/// The degree of reordering (Linux `tcp_check_sack_reordering`): the most segments by which one was overtaken, three at least.
#[derive(Clone, Debug)]
pub(crate) struct Reordering {
    degree: u32,
    seen: u32,
}

impl Reordering {
    /// None was seen.
    pub(crate) fn new() -> Reordering {
        Reordering { degree: DUPTHRESH, seen: 0 }
    }

    /// Segments that may be missing below others before one counts as lost.
    pub(crate) fn degree(&self) -> u32 {
        self.degree
    }

    /// How often a segment was delivered after one sent later.
    pub(crate) fn times_seen(&self) -> u32 {
        self.seen
    }

    /// A segment was once delivered after one sent later.
    pub(crate) fn has_been_seen(&self) -> bool {
        self.seen > 0
    }

    /// The degree is known to be above what is allowed for anyway: data that is delivered out of order is data delivered.
    pub(crate) fn is_high(&self) -> bool {
        self.degree > DUPTHRESH
    }

    /// Segment `low`, sent once, was delivered after those up to `highest` (exclusive); nothing happened if that is not above it.
    pub(crate) fn on_overtaken(&mut self, low: u64, highest: u64) {
        if low < highest {
            self.degree = self.degree.max((highest - low).min(DEGREE_MAX) as u32);
            self.seen += 1;
        }
    }

    /// Without SACK: more duplicate ACKs came than segments can be missing, of `acked` segments just acknowledged and those outstanding.
    pub(crate) fn on_too_many_duplicates(&mut self, c: &Connection, acked: u64) {
        self.degree = (c.nxt - c.una + acked).min(DEGREE_MAX) as u32;
        self.seen += 1;
    }

    /// The timer expired before a loss was found although `sacked_out` segments had overtaken the missing one: the degree was too high.
    pub(crate) fn on_overestimated(&mut self, sacked_out: u32) {
        if sacked_out >= DUPTHRESH {
            self.degree = self.degree.min(DUPTHRESH);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Segment 4 after 12: by eight; by two afterwards, which leaves the eight; and never by more than 300.
    #[test]
    fn the_degree_is_the_farthest_that_a_segment_was_overtaken() {
        let mut reordering = Reordering::new();
        reordering.on_overtaken(4, 4);
        assert_eq!((reordering.degree(), reordering.has_been_seen(), reordering.is_high()), (3, false, false));
        reordering.on_overtaken(4, 12);
        reordering.on_overtaken(20, 22);
        assert_eq!((reordering.degree(), reordering.times_seen(), reordering.is_high()), (8, 2, true));
        reordering.on_overtaken(1000, 2000);
        assert_eq!(reordering.degree(), 300);
        reordering.on_overestimated(2);
        assert_eq!(reordering.degree(), 300);
        reordering.on_overestimated(3);
        assert_eq!((reordering.degree(), reordering.has_been_seen()), (3, true));
    }
}
