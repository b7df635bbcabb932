//! The simulator's links on a real clock: a router in user space between network namespaces.
//!
//! Whole IP packets come from veth devices with the kernel's time of their arrival, cross the links of `net` in computed time, and leave when the real
//! clock says so. A link that knows departures on arrival computes them from the arrival's stamp, so a router that runs late does not serve late, and
//! errors do not add up. This crate knows [`net`] and the scenario of [`sim`]; it must never know a congestion controller, Python, or how namespaces are made.

mod clock;
mod lateness;
mod network;
mod passing;
mod path;
mod port;
mod report;
mod route;

pub use clock::{Clock, Stall, TOLERATED_NS};
pub use lateness::Lateness;
pub use network::{FlowCount, LinkSamples, Measured, Network};
pub use passing::Passing;
pub use path::{Stage, Ways};
pub use port::{now_ns, Arrived, Place, PortError, Sent, Socket};
pub use report::Report;
pub use route::{route, Orders, RouteError};
