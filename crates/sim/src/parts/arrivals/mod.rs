//! Flows that come and go: sources of transfers, in an open loop (Poisson arrivals) or a closed one (sessions), and the slots that hold
//! the transfers under way.
//!
//! Slots are flows like all others. A slot is free again once its transfer is complete and nothing of it is under way; the next transfer
//! takes the lowest free one, so that memory follows from how many there are at once, not from how many there were.

mod birth;
mod origin;
mod poisson;
mod session;
mod slots;
mod source;
mod transfers;

pub(crate) use birth::Birth;
pub(crate) use transfers::Arrivals;
