//! The host of senders: what a segment meets before its link, and an ACK before its sender.
//!
//! When the processor and the device are done with a piece of work is known when it comes in, as for the links. Flows on one host
//! share both. Their clocks must agree, so they have one base RTT.

mod build;
mod cpu;
mod device;
mod machine;
mod meter;
mod side;
mod ticks;

pub(crate) use build::{clocks, machines, side};
pub(crate) use machine::Machine;
pub(crate) use side::{Leaving, Side};
