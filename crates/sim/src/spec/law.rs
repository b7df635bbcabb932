//! Laws of random positive numbers.

use serde::{Deserialize, Serialize};

/// A law of positive numbers: bytes, objects or nanoseconds. Draws are rounded up to whole ones.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(tag = "law", rename_all = "lowercase", deny_unknown_fields)]
pub enum Law {
    /// All alike.
    Fixed {
        /// Mean.
        mean: f64,
    },
    /// Exponential.
    Exponential {
        /// Mean.
        mean: f64,
    },
    /// Pareto: larger than x with probability (least / x)^shape, least being mean (shape - 1) / shape.
    Pareto {
        /// Mean.
        mean: f64,
        /// Index of the tail, above 1.
        shape: f64,
    },
}

impl Law {
    /// The mean, before draws are rounded up.
    pub fn mean(&self) -> f64 {
        match *self {
            Law::Fixed { mean } | Law::Exponential { mean } | Law::Pareto { mean, .. } => mean,
        }
    }
}
