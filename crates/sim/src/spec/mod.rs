//! A scenario as the engine takes it: integers, sizes resolved, defaults filled in. Plain data, which knows nothing of the simulator.

mod arrivals;
mod flow;
mod hops;
mod host;
mod law;
mod link;
mod places;
mod run;
mod shared;
mod traffic;

pub use arrivals::{ArrivalSpec, Offered, SessionSpec};
pub(crate) use flow::access_delay;
pub use flow::{Direction, FlowSpec, ReadsSpec, ReceiveSpec, RequestsSpec, WritesSpec};
pub use hops::{HopSpec, StretchSpec};
pub use host::{DeviceSpec, HostSpec};
pub use law::Law;
pub use link::{
    AmongSpec, ChangesSpec, DelayStep, DisciplineChoice, DisorderSpec, LinkSpec, LossModelSpec, LossSpec, Outage, QueueSpec, QueueStep,
    QueueUnit, RateStep,
};
pub use places::NamedLink;
pub use run::Spec;
pub use shared::{share, Shared};
pub(crate) use traffic::UDP_HEADER_BYTES;
pub use traffic::{UdpSpec, WaveSpec};
