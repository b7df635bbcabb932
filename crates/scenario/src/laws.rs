//! Laws as the engine takes them.

use crate::model::{LawKind, SHAPE};

/// A law of this kind, and of this mean in the engine's unit.
pub(crate) fn law(kind: LawKind, mean: f64, shape: Option<f64>) -> sim::Law {
    match kind {
        LawKind::Fixed => sim::Law::Fixed { mean },
        LawKind::Exponential => sim::Law::Exponential { mean },
        LawKind::Pareto => sim::Law::Pareto { mean, shape: shape.unwrap_or(SHAPE) },
    }
}
