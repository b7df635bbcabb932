//! CTCP's tuning of gamma by emulation, TUBE: what Reno's window alone would have queued tells how large gamma may be.
//!
//! Source: draft-sridharan-tcpm-ctcp-02. Units: segments.

use crate::parameter::Values;

/// The variant without it.
pub(super) const FIXED: &str = "fixed-gamma";
/// Range of the tuned gamma.
pub(super) const GAMMA: (f64, f64) = (5.0, 30.0);
/// Share of Reno's backlog that becomes gamma.
pub(super) const GAMMA_SHARE: f64 = 0.75;

/// gamma, and what it is tuned by.
#[derive(Clone, Copy, Debug)]
pub(super) struct Tube {
    pub(super) gamma: f64,
    /// Weight of a measurement; none when gamma is fixed.
    lambda: Option<f64>,
    /// What Reno's window had queued in the last round; none since a loss.
    diff_reno: Option<f64>,
}

impl Tube {
    pub(super) fn new(values: &Values) -> Tube {
        let lambda = (values.variant() != FIXED).then(|| values.get("lambda"));
        Tube { gamma: values.get("gamma"), lambda, diff_reno: None }
    }

    /// A round is over in which Reno's window alone queued that much.
    pub(super) fn on_round(&mut self, diff_reno: f64) {
        self.diff_reno = Some(diff_reno);
    }

    /// On loss: gamma is what lets Reno's window, when it fills the queue, queue no less than 4/3 of it.
    pub(super) fn on_lost(&mut self) {
        if let (Some(lambda), Some(diff_reno)) = (self.lambda, self.diff_reno.take()) {
            self.gamma = ((1.0 - lambda) * self.gamma + lambda * GAMMA_SHARE * diff_reno).clamp(GAMMA.0, GAMMA.1);
        }
    }
}
