//! Sources of transfers, checked.

use units::Rate;

use super::sizes::Sizes;
use super::spec::{ArrivalSpec, Offered, SizeLaw};
use crate::accept::{accept_flow, refuse, seconds, AcceptedFlow, AcceptedLink};
use crate::error::SpecError;
use crate::spec::{Direction, Spec};

const SOURCES_MAX: usize = 1000;
const KINDS_MAX: usize = 1000;
/// More than ten times what a link carries tells nothing more.
const LOAD_MAX: f64 = 10.0;
const PER_SECOND_MAX: f64 = 10_000_000.0;
const BYTES_MAX: u64 = 1_000_000_000_000_000;
const SHAPE_MAX: f64 = 100.0;

/// A source that can be built.
#[derive(Clone, Debug)]
pub struct AcceptedSource<'a> {
    /// Its kinds of transfers.
    pub kinds: Vec<AcceptedFlow<'a>>,
    /// Mean time from one transfer's begin to the next, nanoseconds.
    pub mean_gap_ns: f64,
    /// As given.
    pub spec: &'a ArrivalSpec,
}

/// The sources of a scenario with these links.
pub(crate) fn accept_sources<'a>(spec: &'a Spec, links: &[AcceptedLink]) -> Result<Vec<AcceptedSource<'a>>, SpecError> {
    if spec.arrivals.len() > SOURCES_MAX {
        return refuse("arrivals", spec.arrivals.len(), "give at most 1000 sources");
    }
    spec.arrivals.iter().enumerate().map(|(index, given)| accept_source(&format!("arrivals[{index}]"), given, spec, links)).collect()
}

fn accept_source<'a>(path: &str, given: &'a ArrivalSpec, run: &Spec, links: &[AcceptedLink]) -> Result<AcceptedSource<'a>, SpecError> {
    let field = |name: &str| format!("{path}.{name}");
    if given.flows.is_empty() || given.flows.len() > KINDS_MAX {
        return refuse(field("flows"), given.flows.len(), "give 1 to 1000 kinds of transfers");
    }
    if given.start_ns >= run.duration_ns {
        return refuse(field("start"), seconds(given.start_ns), "give a time before the end of the run");
    }
    if let Some(stop) = given.stop_ns.filter(|&stop| stop <= given.start_ns) {
        return refuse(field("stop"), seconds(stop), "give a time after the source's start");
    }
    accept_sizes(&field, given)?;
    let mut kinds = Vec::with_capacity(given.flows.len());
    for (index, flow) in given.flows.iter().enumerate() {
        if flow.start_ns != 0 || flow.stop_ns.is_some() || flow.bytes.is_some() {
            return refuse(field("flows"), &flow.algorithm, "start, stop and bytes belong to the source, not to its transfers");
        }
        if (flow.direction, flow.mss_bytes, flow.packet_bytes)
            != (given.flows[0].direction, given.flows[0].mss_bytes, given.flows[0].packet_bytes)
        {
            return refuse(field("flows"), &flow.algorithm, "give all transfers of a source one direction and one packet size");
        }
        let accepted = accept_flow(index, flow, run);
        kinds.push(accepted.map_err(|error| SpecError { field: format!("{path}.{}", error.field), ..error })?);
    }
    let link = &links[if given.flows[0].direction == Direction::Forward { 0 } else { 1 }];
    Ok(AcceptedSource { kinds, mean_gap_ns: mean_gap_ns(&field, given, link.fifo.rate)?, spec: given })
}

fn accept_sizes(field: &dyn Fn(&str) -> String, given: &ArrivalSpec) -> Result<(), SpecError> {
    if let Some(max) = given.max_bytes.filter(|max| !(1..=BYTES_MAX).contains(max)) {
        return refuse(field("max"), max, "give 1 to 1e15 bytes");
    }
    let mean = match given.sizes {
        SizeLaw::Fixed { bytes } => bytes as f64,
        SizeLaw::Exponential { mean_bytes } | SizeLaw::Pareto { mean_bytes, .. } => mean_bytes,
    };
    if !(1.0..=BYTES_MAX as f64).contains(&mean) {
        return refuse(field("mean"), mean, "give 1 to 1e15 bytes");
    }
    match given.sizes {
        SizeLaw::Pareto { shape, .. } if !(shape > 1.0 && shape <= SHAPE_MAX) => {
            refuse(field("shape"), shape, "give more than 1, at most 100: at 1 and below there is no mean")
        }
        _ => Ok(()),
    }
}

/// Load is IP bits sent once, over the link's rate.
fn mean_gap_ns(field: &dyn Fn(&str) -> String, given: &ArrivalSpec, Rate(rate_bps): Rate) -> Result<f64, SpecError> {
    let flow = &given.flows[0];
    let mean_bits = Sizes::new(given.sizes, given.max_bytes).mean_segments(flow.mss_bytes) * f64::from(flow.packet_bytes) * 8.0;
    let (name, value, per_second) = match given.offered {
        Offered::Load(load) if !(load > 0.0 && load <= LOAD_MAX) => {
            return refuse(field("load"), load, "give more than 0, at most 10 times the link's rate");
        }
        Offered::Load(load) => ("load", load, load * rate_bps as f64 / mean_bits),
        Offered::PerSecond(rate) => ("rate", rate, rate),
    };
    if !(per_second > 0.0 && per_second <= PER_SECOND_MAX) {
        return refuse(field(name), value, "give what makes more than 0, at most 10000000 transfers per second");
    }
    Ok(1e9 / per_second)
}
