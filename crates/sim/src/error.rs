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

/// An endpoint of a whole stack could not go on.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[error("{stack}: {what} (flow {}, {:.6} s)", .flow + 1, *.t_ns as f64 * 1e-9)]
pub struct StackFault {
    /// The stack and its version.
    pub stack: &'static str,
    /// Number of its flow, from 0.
    pub flow: usize,
    /// When, simulated time.
    pub t_ns: u64,
    /// What it could not do.
    pub what: String,
}

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
    /// A whole stack could not go on.
    #[error(transparent)]
    Stack(#[from] StackFault),
}
