//! Captures: a run's packets as pcapng with real headers, and what the packets of a capture from anywhere say of their connections.
//!
//! This crate must never know Python, a figure, or how a run is made: packets go in one by one, bytes go to a writer, and the other way.

mod asked;
mod connection;
mod datagrams;
mod headers;
mod pcapng;
pub mod read;
mod written;

pub use written::{shared, with, Counts, Named, Written, ZERO_NS};
