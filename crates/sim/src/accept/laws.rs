//! Laws, checked.

use super::refusal::refuse;
use crate::error::SpecError;
use crate::limits::{Range, SHAPE};
use crate::spec::Law;

/// Refuses a law whose mean, of which so many are one of the range's unit, is out of range.
pub(super) fn accept_law(field: &str, law: Law, of_unit: f64, range: Range) -> Result<(), SpecError> {
    if !range.holds(law.mean() / of_unit) {
        return refuse(field, law.mean(), format!("give {range}"));
    }
    match law {
        Law::Pareto { shape, .. } if !SHAPE.holds(shape) => {
            refuse(format!("{field}.shape"), shape, format!("give {SHAPE}: at 1 and below there is no mean"))
        }
        _ => Ok(()),
    }
}
