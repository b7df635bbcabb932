//! Laws of random positive numbers.

use serde::{Deserialize, Serialize};

/// A kind of law.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum LawKind {
    /// All alike.
    Fixed,
    /// Exponential.
    Exponential,
    /// Pareto.
    #[default]
    Pareto,
}

/// A law of positive numbers; its mean is in the unit of the field.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Law {
    /// Which.
    pub law: LawKind,
    /// Mean.
    pub mean: f64,
    /// Index of the tail of a Pareto law.
    #[serde(default)]
    pub shape: Option<f64>,
}
