//! The smaller and the larger of two numbers of which neither is NaN: one instruction each, where the standard library's also sort NaN out.

/// The smaller one.
#[inline(always)]
pub(crate) fn smaller(a: f64, b: f64) -> f64 {
    if a < b {
        a
    } else {
        b
    }
}

/// The larger one.
#[inline(always)]
pub(crate) fn larger(a: f64, b: f64) -> f64 {
    if a > b {
        a
    } else {
        b
    }
}
