//! Controllers in Python: a class becomes a guest of the run, and its hooks are called with the interpreter lock held.

mod compiled;
mod law;
mod protocol;
mod shown;
mod watched;

pub(crate) use protocol::{seat, Described};
pub(crate) use watched::Watched;

use pyo3::prelude::*;

use shown::{PyAckArrival, PyConnection, PyLostSegment, PyRateSample, PyRttSample, PyWindow};

/// Adds what hooks are shown to the module.
pub(crate) fn declare(module: &Bound<'_, PyModule>) -> PyResult<()> {
    module.add_class::<PyWindow>()?;
    module.add_class::<PyConnection>()?;
    module.add_class::<PyRttSample>()?;
    module.add_class::<PyAckArrival>()?;
    module.add_class::<PyRateSample>()?;
    module.add_class::<PyLostSegment>()
}
