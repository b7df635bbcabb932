//! Why there is no run.

use cc::GuestFault;
use sim::RunError;
use thiserror::Error as ThisError;

/// Why there is no run, in one line.
#[derive(Clone, Debug, PartialEq, ThisError)]
#[non_exhaustive]
pub enum Error {
    /// The scenario says something that it may not.
    #[error("{0}")]
    Scenario(String),
    /// The name of a controller is none that it may have.
    #[error("{name:?} cannot be a controller's name: {why}")]
    Name {
        /// The name.
        name: String,
        /// What is allowed.
        why: &'static str,
    },
    /// A controller left a window that none may have.
    #[error(transparent)]
    Fault(#[from] GuestFault),
}

impl From<RunError> for Error {
    fn from(error: RunError) -> Error {
        match error {
            RunError::Guest(fault) => Error::Fault(fault),
            other => Error::Scenario(other.to_string()),
        }
    }
}

impl From<scenario::ScenarioError> for Error {
    fn from(error: scenario::ScenarioError) -> Error {
        Error::Scenario(error.to_string())
    }
}
