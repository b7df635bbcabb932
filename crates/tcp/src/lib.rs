//! One common TCP stack: everything of a sender and a receiver that is not the algorithm.
//!
//! This crate must never know a link, a queue or an event loop: time is an argument, packets leave through [`Wire`].
//! Sequence numbers count segments from 0 and never wrap.

mod ace;
mod ack;
mod answering;
mod arrival;
mod asking;
mod autotune;
mod buffer;
mod buffered;
mod careful;
mod clock;
mod compression;
mod counting;
mod delayed;
mod device;
mod duplicates;
mod ecn;
mod handshake;
mod hearing;
mod limits;
mod offload;
mod options;
mod pacing;
mod packets;
mod probe;
mod progress;
mod rack;
mod ranges;
mod rate;
mod reads;
mod receiver;
mod recovery;
mod reordering;
mod rtt;
mod scoreboard;
mod sender;
mod spec;
mod ticks;
mod timers;
mod undo;
mod wire;

pub use ace::{AceCounter, ACE_FIRST};
pub use ack::{Ack, Sack};
pub use arrival::Arrival;
pub use asking::Asking;
pub use buffer::{Buffer, BufferSpec};
pub use ecn::EcnBits;
pub use handshake::{Bare, Opening, SYN_BYTES};
pub use hearing::{Heard, Hearing};
pub use options::{Abc, Ecn, IdleRestart, LossDetection, Micros, Options, Pacing, RecoveryRule, RtoRule};
pub use pacing::StackPace;
pub use ranges::Range;
pub use reads::Reads;
pub use receiver::Receiver;
pub use sender::{Sender, SenderTotals};
pub use spec::{ReceiverSpec, SenderSpec};
pub use wire::{Reduction, Wire};
