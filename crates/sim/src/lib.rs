//! The simulator: the only place where simulated time advances.
//!
//! This crate must never know Python, a file or a figure. A [`Spec`] goes in, [`Records`] come out; both are plain data.

mod accept;
mod application;
mod arrivals;
mod calendar;
mod changes;
mod core;
mod error;
mod flow;
mod hops;
mod host;
mod hosted;
mod link;
mod losses;
mod lot;
mod observer;
mod open;
mod pace;
mod path;
mod profiles;
mod records;
mod samples;
mod served;
mod source;
mod spec;
mod traffic;
mod tree;
mod unordered;
mod wire;

pub use crate::core::{run, run_named, run_observed, Engine};
pub use accept::{accept, Accepted, AcceptedFlow, AcceptedLink};
pub use arrivals::{AcceptedSource, ArrivalSpec, Law, Loop, Offered, SessionSpec};
pub use error::{Interrupted, RunError, SpecError};
pub use flow::{Flow, FlowKind};
pub use hops::{HopSpec, NamedLink, StretchSpec};
pub use observer::{AckHash, AckTrace, Observer, Silent};
pub use path::{Delivery, Path};
pub use profiles::catalogue;
pub use records::{EventKind, FlowRow, HostColumns, LinkRow, PageRow, Records, SourceRow, TransferKind, TransferRow, Transfers};
pub use samples::{Columns, FlowSamples};
pub use source::SourceTotals;
pub use spec::{
    AmongSpec, ChangesSpec, DelayStep, DeviceSpec, Direction, DisciplineChoice, DisorderSpec, FlowSpec, HostSpec, LinkSpec, LossModelSpec,
    LossSpec, Outage, QueueSpec, QueueUnit, RateStep, Spec, UdpSpec, WaveSpec, WritesSpec,
};

/// Raised by hand whenever the records of any scenario may change; part of a stored run's key.
pub const ENGINE_VERSION: u32 = 6;
