//! A wind tunnel for congestion windows: your controller, in Rust, beside the built-in ones.
//!
//! A controller is a type that implements [`CongestionControl`]: `on_acked` lets the window grow, `ssthresh` says what is left of it after
//! a loss. A [`Dumbbell`] runs flows of it through one bottleneck, packet by packet, and the same seed gives the same bits every time.
//!
//! ```
//! use windtunnel::{CongestionControl, Connection, Dumbbell, Flow, Window};
//!
//! /// One segment more per round trip and three quarters of the window after a loss.
//! #[derive(Clone, Debug)]
//! struct Gentle;
//!
//! impl CongestionControl for Gentle {
//!     fn on_acked(&mut self, w: &mut Window, c: &Connection, acked: u32) {
//!         if c.cwnd_limited {
//!             let left = w.slow_start_real(acked);
//!             w.cwnd += left / w.cwnd;
//!         }
//!     }
//!
//!     fn ssthresh(&mut self, w: &mut Window, _c: &Connection) -> f64 {
//!         (w.cwnd * 0.75).max(2.0)
//!     }
//! }
//!
//! let run = Dumbbell::new(10e6, 0.040).flow(Flow::of(Gentle)).flow("reno").duration_s(60.0).warmup_s(10.0).run()?;
//! assert!(run.utilisation() > 0.95);
//! assert!(run.flows()[0].throughput_bps > run.flows()[1].throughput_bps);
//! # Ok::<(), windtunnel::Error>(())
//! ```
//!
//! Windows and counts are in segments, times in nanoseconds inside hooks ([`Time`], [`Duration`]) and in seconds outside, rates in bits per
//! second. [`export!`] makes a shared library of a controller, which the command line takes where it takes a name.
//!
//! This crate must never know Python or a file. It shows what is stable of the crates below it; what it does not show may change at any
//! time. Two things it shows grow with the simulator, and a new field is no new major version: [`Scenario`] and the columns of [`Frame`].

mod dumbbell;
mod error;
pub mod export;
mod flow;
mod own;
mod run;

pub use cc::{
    AckArrival, CaEvent, CaState, CongestionControl, Connection, Control, Credit, EcnFeedback, GuestFault, LostSegment, Needs, Packet,
    PlainAck, RateSample, RttSample, RttSamples, Steering, Window, SSTHRESH_INFINITE,
};
pub use dumbbell::Dumbbell;
pub use error::Error;
pub use export::{Exported, Parameter};
pub use flow::Flow;
pub use records::metrics::Common;
pub use records::{Cells, Column, Frame};
pub use run::{FlowResult, Run};
pub use scenario::model::Scenario;
pub use units::{ByteRate, Duration, Stream, Time};
