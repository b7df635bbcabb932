//! Records: what one run measured, as frames of columns that every backend writes, and their digest.
//!
//! This crate must never know Python, a file or a figure, nor how a run is made: [`sim::Records`] go in, [`Frame`]s come out.

mod digest;
mod drain;
mod frame;
mod frames;
pub mod metrics;
pub mod schema;

pub use digest::{digest, ColumnView, FrameView, Hasher, Payload};
pub use drain::Drain;
pub use frame::{Cells, Column, Frame};
pub use frames::frames;
