//! Several bottlenecks in a row, checked.

use std::fmt::Display;

use super::refusal::{refuse, seconds};
use crate::error::SpecError;
use crate::limits::{EXTRA_S, MOST_HOPS};
use crate::spec::{Spec, StretchSpec};

/// Refuses hops that cannot be.
pub(crate) fn accept_hops(spec: &Spec) -> Result<(), SpecError> {
    if spec.hops.len() as u64 > MOST_HOPS {
        return refuse("hops", spec.hops.len(), format!("give at most {MOST_HOPS} hops after the bottleneck"));
    }
    for (index, hop) in spec.hops.iter().enumerate() {
        if !EXTRA_S.holds_ns(hop.delay_ns) {
            return refuse(format!("hops[{index}].delay"), seconds(hop.delay_ns), format!("give {EXTRA_S}"));
        }
    }
    Ok(())
}

/// Refuses a stretch that does not exist; `path` is whose it is, made into text only then.
pub(crate) fn accept_stretch(path: impl Display, stretch: StretchSpec, spec: &Spec) -> Result<(), SpecError> {
    let hops = 1 + spec.hops.len() as u32;
    let enter = stretch.enter.unwrap_or(1);
    if !(1..=hops).contains(&enter) {
        return refuse(format!("{path}.enter"), enter, format!("give a hop's number, 1 to {hops}"));
    }
    let leave = stretch.leave.unwrap_or(hops);
    if !(enter..=hops).contains(&leave) {
        return refuse(format!("{path}.leave"), leave, format!("give a hop's number not before the first, {enter} to {hops}"));
    }
    Ok(())
}

/// Refuses a base RTT that the way between the hops does not fit into.
pub(crate) fn accept_base_rtt(path: impl Display, rtt_ns: u64, between_ns: u64) -> Result<(), SpecError> {
    if between_ns > rtt_ns / 4 {
        let allowed = format!("give at least four times the {} between the flow's first and last hop", seconds(between_ns));
        return refuse(format!("{path}.rtt"), seconds(rtt_ns), allowed);
    }
    Ok(())
}
