//! A whole transport stack as the simulator sees it: one end of one connection, in virtual time.
//!
//! Datagrams go in and out, it names its next wake-up, takes commands and says what it knows of itself; nothing else is asked of it. An
//! adapter implements [`Stack`] and [`Endpoint`] for a stack and exports them with [`export_stack!`] as a library with the table of
//! [`table`]. This crate must never depend on another of the workspace: an adapter outside it needs nothing else.

pub mod draws;
mod ends;
mod opens;
mod shares;
pub mod table;

pub use ends::{to_nobody, Config, Ecn, Endpoint, Fault, Role, Stack, State, Supply};
pub use opens::{Named, Opens, Stacks, NO_STACKS};
pub use shares::Shares;
