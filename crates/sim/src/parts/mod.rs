//! What a run is made of: flows with their paths, hosts, applications, sources of transfers and of datagrams, and what lies between links.
//!
//! No part knows the loop: it is told what happens, and says when something happens next and whose time it has changed.

pub(crate) mod application;
pub(crate) mod around;
pub(crate) mod arrivals;
mod asked;
pub(crate) mod client;
pub(crate) mod datagrams;
pub(crate) mod delivery;
mod disorder;
mod encoder;
pub(crate) mod flow;
pub(crate) mod gaps;
pub(crate) mod host;
mod hosted;
pub(crate) mod inbox;
mod jitter;
mod kept;
pub(crate) mod load;
mod looked;
pub(crate) mod pace;
mod packed;
pub(crate) mod party;
pub(crate) mod path;
mod reordering;
pub(crate) mod request;
mod shown;
pub(crate) mod stack;
pub(crate) mod tap;
mod viewed;
pub(crate) mod viewer;
pub(crate) mod wire;
