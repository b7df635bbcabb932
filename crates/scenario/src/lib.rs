//! The scenario: what is run, as people write it, with every default filled in, and its name.
//!
//! This crate must never know Python, a file, or what came out of a run. A [`Scenario`] goes in; [`fill`] makes the [`Filled`] one of it
//! that names the run ([`Filled::digest`]) and that the engine takes ([`Filled::spec`]).

mod applications;
mod canonical;
mod decimal;
mod engine;
mod fill;
mod hosts;
mod laws;
pub mod model;
mod names;
mod receivers;
mod requests;
mod rounding;
mod sizes;
mod text;
pub mod units;
mod windows;

use thiserror::Error;

pub use fill::{fill, Filled};
pub use model::Scenario;

/// A scenario that cannot be filled in.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[error("{field}: {problem}")]
pub struct ScenarioError {
    /// The field, as a path: `bottleneck.queue_bdp`.
    pub field: String,
    /// Its value, and what is allowed.
    pub problem: String,
}
