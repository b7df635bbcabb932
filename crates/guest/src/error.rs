//! Why a file is no controller.

use std::path::Path;

use thiserror::Error;

/// Why a file is no controller, in one line.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[error("{file}: {what}")]
pub struct GuestError {
    /// The file, as it was given.
    pub file: String,
    /// What is wrong with it.
    pub what: String,
    /// Every error of the compiler, a line each; empty when none was asked.
    pub compiler: Vec<String>,
}

impl GuestError {
    pub(crate) fn new(file: &Path, what: impl Into<String>) -> GuestError {
        GuestError { file: file.display().to_string(), what: what.into(), compiler: Vec::new() }
    }
}
