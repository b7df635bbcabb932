//! Instants and durations, rates and named random streams: the vocabulary of every other crate.
//!
//! This crate must never know what a packet, a window or an event is.

mod byte_rate;
mod clone;
mod rate;
mod stream;
mod time;

pub use byte_rate::ByteRate;
pub use rate::{Rate, Serialiser};
pub use stream::Stream;
pub use time::{Duration, Time};
