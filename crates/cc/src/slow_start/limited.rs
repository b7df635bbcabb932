//! Limited slow start: above max_ssthresh the window grows by at most half of that per round trip.
//!
//! Source: RFC 3742.
//! Units: segments.
//! State: segments acknowledged towards the next one of growth.
//! Departures: the window rises by whole segments, one per K acknowledged, not by 1/K per ACK: the same rate, whatever an ACK covers.

use crate::Window;

/// max_ssthresh, the RFC's recommendation.
const MAX_SSTHRESH: u32 = 100;

/// Limited slow start's state.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Limited {
    credit: u32,
}

impl Limited {
    pub(crate) fn worth(&mut self, w: &Window, acked: u32) -> u32 {
        // Up to and including max_ssthresh every segment counts.
        let unlimited = acked.min((MAX_SSTHRESH + 1).saturating_sub(w.segments()));
        // K = int(cwnd/(0.5 max_ssthresh)).
        let k = (w.segments() / (MAX_SSTHRESH / 2)).max(1);
        self.credit += acked - unlimited;
        let whole = self.credit / k;
        self.credit %= k;
        unlimited + whole
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Growth for `acked` one-segment ACKs at a window held at `cwnd`.
    fn growth(cwnd: u32, acked: u32) -> u32 {
        let (mut part, w) = (Limited::default(), Window::new(cwnd));
        (0..acked).map(|_| part.worth(&w, 1)).sum()
    }

    /// K: 2 at 101, 3 at 150, 20 at 1000, and 50 segments in a round trip there.
    #[test]
    fn one_segment_per_k_acknowledged() {
        for (cwnd, k) in [(99, 1), (100, 1), (101, 2), (149, 2), (150, 3), (1000, 20)] {
            assert_eq!((growth(cwnd, k - 1), growth(cwnd, k)), (0, 1), "at {cwnd}");
        }
        assert_eq!(growth(1000, 1000), 50);
    }

    /// At 95 six segments lift the window to 101; the other fourteen count half.
    #[test]
    fn an_ack_across_the_limit_counts_in_two_parts() {
        let mut part = Limited::default();
        assert_eq!(part.worth(&Window::new(95), 6), 6);
        assert_eq!(part.worth(&Window::new(101), 14), 7);
    }
}
