//! Congestion control: the trait, the laws, the registry.
//!
//! This crate must never know what a packet, a queue, a socket or an event is. Time and measurements are arguments. The
//! hooks are the kernel's, in the kernel's order, so that the kernel's own recorded answers can be replayed against them.

pub mod algorithms;
mod boxed;
mod build;
mod catalogue;
pub mod conform;
mod connection;
mod control;
mod controller;
mod guest;
mod needs;
mod outside;
pub mod parameter;
pub mod registry;
pub mod slow_start;
mod window;

pub use build::{build, build_with, protocol, BuildError, Built};
pub use catalogue::catalogue;
pub use connection::{CaState, Connection};
pub use control::{AckArrival, CaEvent, CongestionControl, LostSegment, Packet, PlainAck, RateSample, RttSample, Steering};
pub use controller::Controller;
pub use guest::{
    is_sound_window, wrong_answer, wrong_window, Guest, GuestFault, GuestLaw, GuestParameter, GuestProtocol, Guests, GUEST_VARIANT,
    NO_GUESTS,
};
pub use needs::{Control, EcnFeedback, Needs, RttSamples};
pub use outside::{Outside, Setting};
pub use parameter::PROFILES;
pub use registry::{Algorithm, PROTOCOLS};
pub use window::{Credit, Window, SSTHRESH_INFINITE};
