//! The simulator: the only place where simulated time advances.
//!
//! This crate must never know Python, a file or a figure. A [`Spec`] goes in, [`Records`] come out; both are plain data.

mod accept;
mod catalogue;
mod engine;
mod error;
mod laws;
pub mod limits;
mod parts;
mod records;
mod spec;

pub use accept::{accept, accept_beside, accept_with, Accepted, AcceptedFlow, AcceptedLink, AcceptedSource, Loop};
pub use catalogue::catalogue;
pub use engine::{
    run, run_named, run_observed, run_silently, run_watched, run_with, AckHash, AckTrace, Act, Action, Agents, Beside, Look, Observer,
    Reading, Silent, Stepped, Stride, Watched, COLUMNS, EVENTS_PER_LOOK,
};
pub use error::{Interrupted, RunError, SpecError, StackFault};
pub use parts::pace::Pace;
pub use parts::tap::{Asked, Content as SeenContent, Place, Seen, SeenDatagram, SharedTap, Tap, Tapped, TappedStack};
pub use records::{
    Columns, EventKind, ExchangeRow, FlowRow, FlowSamples, FrameRow, HostColumns, LinkRow, PageRow, Records, SourceRow, SourceTotals,
    TransferKind, TransferRow, Transfers, UNSAID_STATE,
};
pub use spec::{
    share, AmongSpec, ArrivalSpec, ChangesSpec, DelayStep, DeviceSpec, Direction, DisciplineChoice, DisorderSpec, FlowSpec, HopSpec,
    HostSpec, Law, LinkSpec, LossModelSpec, LossSpec, NamedLink, Offered, Outage, QueueSpec, QueueStep, QueueUnit, RateStep, ReadsSpec,
    ReceiveSpec, RequestsSpec, SessionSpec, Shared, Spec, StretchSpec, UdpSpec, WaveSpec, WritesSpec,
};

/// Raised by hand whenever the records of any scenario may change; part of a stored run's key.
pub const ENGINE_VERSION: u32 = 15;
