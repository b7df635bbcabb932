//! What a run keeps of its hooks: where it is, for a watching thread or process, and what one raised.

use std::sync::{Arc, Mutex, PoisonError};

use guest::Page;
use pyo3::prelude::*;

/// What all classes of a run share.
#[derive(Clone, Debug)]
pub(crate) struct Watched {
    pub(super) page: Arc<Page>,
    /// What the first hook that failed raised: the run ends with it.
    raised: Arc<Mutex<Option<PyErr>>>,
}

impl Watched {
    pub(crate) fn new(page: &Arc<Page>) -> Watched {
        Watched { page: Arc::clone(page), raised: Arc::default() }
    }

    /// Keeps what was raised, unless something was before.
    pub(super) fn keep(&self, error: PyErr) {
        self.raised.lock().unwrap_or_else(PoisonError::into_inner).get_or_insert(error);
    }

    /// The error with what was raised as its cause.
    pub(crate) fn caused(&self, py: Python<'_>, error: PyErr) -> PyErr {
        let cause = self.raised.lock().unwrap_or_else(PoisonError::into_inner).take();
        error.set_cause(py, cause);
        error
    }
}
