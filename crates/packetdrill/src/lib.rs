//! Packet scripts: the stack driven by hand, and by scripts in packetdrill's language.
//!
//! Nothing here decides anything about transport: a sender and a receiver of [`tcp`] get writes, ACKs and time, and what they do is written
//! down and compared. This crate must never know a link, a queue, an event loop or a kernel: what a kernel did comes as text.

pub mod drive;
mod outcome;
pub mod python;
pub mod rows;
mod run;
pub mod script;
pub mod segments;

pub use outcome::{Counts, Outcome, Verdict};
pub use run::{run, Stack};
