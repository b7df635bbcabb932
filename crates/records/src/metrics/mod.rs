//! Metrics that every run has: rates of flows, and what flows are together.
//!
//! They are made of columns, so that they are the same for a simulated run, a run on a kernel and one that was stored. What was not
//! measured is NaN in a column, and none as a result.

mod common;
mod fairness;
mod loss;
mod of_run;
mod rates;
mod sum;

pub use common::{common, Common, Flows};
pub use fairness::{jain, ratio_min_max};
pub use loss::{epoch_s, fraction};
pub use of_run::{of_run, OfRun};
pub use rates::Delivered;
