//! Adaptive RED: RED that moves its probability so that the average queue stays in the middle of its range.
//!
//! Source: Floyd, Gummadi and Shenker 2001. The law is RED's, see [`super::red`].

use units::{Rate, Stream};

use super::description::seconds;
use super::red::RedSpec;
use super::{Discipline, DisciplineSpec};

/// What is said of it.
pub(super) static DISCIPLINE: Discipline = Discipline {
    name: "ared",
    year: 2001,
    source: "Floyd, Gummadi and Shenker 2001",
    summary: "RED that tunes its probability to keep the average queue in the middle of its range.",
    parameters: &[seconds("target_s", (1e-6, 10.0), 0.005, "Average queueing delay aimed at; no less than a range of 5 to 15 packets.")],
    qdisc: None,
};

pub(crate) use super::red::Law;

/// Adaptive RED.
pub(super) fn law(spec: &DisciplineSpec, rate: Rate, draws: Stream) -> Law {
    Law::new(RedSpec::adaptive(spec, rate), draws)
}
