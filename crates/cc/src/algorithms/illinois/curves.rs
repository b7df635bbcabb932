//! Illinois' curves: the increase alpha falls and the decrease beta grows with the mean queueing delay of a round.
//!
//! Source: Liu/Basar/Srikant, VALUETOOLS 2006; Linux 6.1. Units: alpha in 128ths, beta in 64ths; delays in microseconds.

pub(super) const ALPHA_ONE: u64 = 128;
pub(super) const ALPHA_MAX: u64 = 10 * ALPHA_ONE;
/// 0.3, rounded down.
pub(super) const ALPHA_MIN: u64 = 38;
pub(super) const BETA_MIN: u64 = 8;
pub(super) const BETA_MAX: u64 = 32;

/// Queueing delays: the mean of a round, and the largest of the connection.
#[derive(Clone, Copy, Debug)]
pub(super) struct Delays {
    pub(super) mean: u64,
    pub(super) largest: u64,
}

/// alpha, and beta, and what keeps a short calm from taking alpha to its largest.
#[derive(Clone, Copy, Debug)]
pub(super) struct Curves {
    pub(super) alpha: u64,
    pub(super) beta: u64,
    /// Round trips of small delay before alpha is largest again.
    theta: u32,
    /// The delay has been above the small threshold since alpha was largest.
    delayed: bool,
    /// Rounds of small delay since; not always consecutive.
    calm_rounds: u32,
}

impl Curves {
    pub(super) fn new(theta: u32) -> Curves {
        Curves { alpha: ALPHA_MAX, beta: BETA_MAX, theta, delayed: false, calm_rounds: 0 }
    }

    /// Reno's: one segment up, half down.
    pub(super) fn be_reno(&mut self) {
        self.alpha = ALPHA_ONE;
        self.beta = BETA_MAX;
    }

    /// After a timeout no delay is remembered.
    pub(super) fn forget(&mut self) {
        self.be_reno();
        self.calm_rounds = 0;
        self.delayed = false;
    }

    /// A round had these delays.
    pub(super) fn follow(&mut self, delays: Delays) {
        self.update_alpha(delays);
        self.beta = beta(delays);
    }

    /// alpha = k1/(k2 + d_a) above d1, 10 below it: at once before the first delay, after theta rounds otherwise.
    fn update_alpha(&mut self, Delays { mean, largest }: Delays) {
        let d1 = largest / 100;
        if mean > d1 {
            self.delayed = true;
            let (mean, largest) = (mean - d1, largest - d1);
            self.alpha = largest * ALPHA_MAX / (largest + mean * (ALPHA_MAX - ALPHA_MIN) / ALPHA_MIN);
            return;
        }
        if self.delayed {
            self.calm_rounds += 1;
            if self.calm_rounds < self.theta {
                return;
            }
            self.calm_rounds = 0;
            self.delayed = false;
        }
        self.alpha = ALPHA_MAX;
    }
}

/// 1/8 up to a tenth of the largest delay, 1/2 from eight tenths on, linear between.
fn beta(Delays { mean, largest }: Delays) -> u64 {
    let (d2, d3) = (largest / 10, 8 * largest / 10);
    if mean <= d2 {
        BETA_MIN
    } else if mean >= d3 || d3 <= d2 {
        BETA_MAX
    } else {
        (BETA_MIN * d3 + (BETA_MAX - BETA_MIN) * mean - BETA_MAX * d2) / (d3 - d2)
    }
}
