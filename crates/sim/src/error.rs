//! Why a run did not happen.

use thiserror::Error;

/// A scenario the engine refuses: field, value, what is allowed.
#[derive(Clone, Debug, PartialEq, Error)]
#[error("{field}: {value} is not allowed; {allowed}")]
pub struct SpecError {
    /// The field.
    pub field: String,
    /// Its value.
    pub value: String,
    /// What is allowed.
    pub allowed: String,
}

/// The caller asked to stop.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Error)]
#[error("interrupted")]
pub struct Interrupted;

/// Either.
#[derive(Clone, Debug, PartialEq, Error)]
pub enum RunError {
    /// The scenario is bad.
    #[error(transparent)]
    Spec(#[from] SpecError),
    /// The caller asked to stop.
    #[error(transparent)]
    Interrupted(#[from] Interrupted),
    /// A law from outside did what none may.
    #[error(transparent)]
    Guest(#[from] cc::GuestFault),
}
