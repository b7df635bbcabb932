//! Bursts: a Markov chain of a good and a bad state, each with a loss probability of its own.
//!
//! Source: Gilbert, "Capacity of a burst-noise channel", Bell System Technical Journal 39 (1960); Elliott, "Estimates of error rates for
//! codes on burst-noise channels", ibid. 42 (1963). The state that a packet meets decides whether it is lost; the chain moves after it (as Linux's
//! netem `gemodel`). Losses come in runs of 1 / `to_good` packets on average when the bad state loses all, and the chain is bad for
//! `to_bad` / (`to_bad` + `to_good`) of the packets.

use units::Stream;

/// The chain's probabilities.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct GilbertElliottSpec {
    /// Probability per packet that the good state turns bad: p.
    pub to_bad: f64,
    /// Probability per packet that the bad state turns good: r.
    pub to_good: f64,
    /// Loss probability in the bad state: 1 - h.
    pub loss_bad: f64,
    /// Loss probability in the good state: 1 - k.
    pub loss_good: f64,
}

/// The chain. It begins in the good state.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct GilbertElliott {
    spec: GilbertElliottSpec,
    is_bad: bool,
}

impl GilbertElliott {
    /// A chain with these probabilities.
    pub fn new(spec: GilbertElliottSpec) -> GilbertElliott {
        GilbertElliott { spec, is_bad: false }
    }

    pub(super) fn strikes(&mut self, stream: &mut Stream) -> bool {
        let (loss, turn) = if self.is_bad { (self.spec.loss_bad, self.spec.to_good) } else { (self.spec.loss_good, self.spec.to_bad) };
        let is_lost = stream.chance(loss);
        self.is_bad ^= stream.chance(turn);
        is_lost
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const PACKETS: usize = 2_000_000;

    fn lost(mut chain: GilbertElliott) -> Vec<bool> {
        let mut stream = Stream::named(3, "test");
        (0..PACKETS).map(|_| chain.strikes(&mut stream)).collect()
    }

    /// Lengths of the runs of `wanted`, but for the last.
    fn runs(lost: &[bool], wanted: bool) -> Vec<f64> {
        let runs = lost.chunk_by(|a, b| a == b).filter(|run| run[0] == wanted).map(|run| run.len() as f64);
        let mut runs: Vec<f64> = runs.collect();
        runs.pop();
        runs
    }

    /// Runs are geometric: mean 1/q, standard deviation sqrt(1 - q)/q. Five standard errors of the mean.
    fn assert_geometric(runs: &[f64], q: f64) {
        let n = runs.len() as f64;
        let mean = runs.iter().sum::<f64>() / n;
        assert!((mean - 1.0 / q).abs() < 5.0 * (1.0 - q).sqrt() / q / n.sqrt(), "runs of {mean} on average, 1/{q} expected");
        let ones = runs.iter().filter(|&&run| run == 1.0).count() as f64 / n;
        assert!((ones - q).abs() < 5.0 * (q * (1.0 - q) / n).sqrt(), "{ones} of the runs are single, {q} expected");
    }

    #[test]
    fn losses_and_gaps_are_geometric_runs() {
        let lost = lost(GilbertElliott::new(GilbertElliottSpec { to_bad: 0.01, to_good: 0.25, loss_bad: 1.0, loss_good: 0.0 }));
        assert_geometric(&runs(&lost, true), 0.25);
        assert_geometric(&runs(&lost, false), 0.01);
    }

    /// Share of the bad state p/(p + r) = 1/11; lost are 1/11 of 0.5 and 10/11 of 0.01. Neighbours' fates are correlated by less than
    /// (1 + 0.89)/(1 - 0.89) = 17 times the variance of independent ones.
    #[test]
    fn the_share_lost_is_the_states_average() {
        let lost = lost(GilbertElliott::new(GilbertElliottSpec { to_bad: 0.01, to_good: 0.1, loss_bad: 0.5, loss_good: 0.01 }));
        let share = lost.iter().filter(|&&lost| lost).count() as f64 / PACKETS as f64;
        let expected = (0.5 + 10.0 * 0.01) / 11.0;
        let error = (17.0 * expected * (1.0 - expected) / PACKETS as f64).sqrt();
        assert!((share - expected).abs() < 5.0 * error, "{share} lost, {expected} expected");
    }
}
