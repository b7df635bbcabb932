//! Flows that come and go: sources of transfers, and the slots in which those alive live.
//!
//! Slots are flows like all others. A slot is free again once its transfer is complete and nothing of it is under way; the next transfer
//! takes the lowest free one, so that memory follows from how many are alive, not from how many there were.

mod accept;
mod sizes;
mod source;
mod spec;
mod transfers;

pub(crate) use accept::accept_sources;
pub use accept::AcceptedSource;
pub(crate) use source::Birth;
pub use spec::{ArrivalSpec, Offered, SizeLaw};
pub(crate) use transfers::Arrivals;
