//! The event core: who is next, and what happens then. The only place where simulated time advances.

mod calendar;
mod datagrams;
mod finish;
mod hosts;
mod links;
mod names;
mod observer;
mod reading;
mod run;
mod sampling;
mod stacks;
mod standstill;
mod start;
mod stepped;
mod turn;

pub use observer::{AckHash, AckTrace, Observer, Silent, Watched};
pub use reading::{Reading, COLUMNS};
pub use run::EVENTS_PER_LOOK;
pub use start::{run, run_named, run_observed, run_silently, run_watched, run_with, Beside, Look};
pub use stepped::{Act, Action, Agents, Stepped, Stride};
