//! What the window moves towards, without what is added to it: kept until something of it changes.

use super::output::Point;
use super::Bbr;

/// A bandwidth-delay product that is asked for again and again.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Product {
    bw: u64,
    gain: u64,
    min_rtt_us: u64,
    segments: u64,
}

impl Bbr {
    /// The product at the window's gain: computed where anything of it has changed.
    #[inline]
    pub(super) fn target_bdp(&mut self, bw: u64) -> u64 {
        let known = &self.target;
        if bw != known.bw || self.cwnd_gain != known.gain || self.min_rtt.us != known.min_rtt_us {
            self.change_target(bw);
        }
        self.target.segments
    }

    #[inline(never)]
    fn change_target(&mut self, bw: u64) {
        let gain = self.cwnd_gain;
        self.target = Product { bw, gain, min_rtt_us: self.min_rtt.us, segments: self.bdp(Point { bw, gain }) };
    }
}
