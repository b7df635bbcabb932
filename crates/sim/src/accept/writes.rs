//! Applications that do not always have more to send, checked.

use super::refusal::{refuse, seconds};
use crate::error::SpecError;
use crate::limits::{RATE_BPS, SPAN_S};
use crate::spec::WritesSpec;

/// Refuses what no application of flow `index` can be.
pub(crate) fn accept_writes(index: usize, writes: &WritesSpec) -> Result<(), SpecError> {
    let field = |name: &str| format!("flows[{index}].{name}");
    let spans = match *writes {
        WritesSpec::OnOff { on_ns, off_ns } => vec![("on", on_ns), ("off", off_ns)],
        WritesSpec::Chunks { every_ns, .. } => vec![("chunk", every_ns)],
        WritesSpec::Video { every_ns, .. } => vec![("frame", every_ns)],
    };
    if let Some(&(name, span)) = spans.iter().find(|&&(_, span)| !SPAN_S.holds_ns(span)) {
        return refuse(field(name), seconds(span), format!("give {SPAN_S}"));
    }
    match *writes {
        WritesSpec::Chunks { rate_bps, .. } if !RATE_BPS.holds(rate_bps as f64) => {
            refuse(field("app_rate"), rate_bps, format!("give {RATE_BPS}"))
        }
        WritesSpec::Video { least_bps, .. } if !RATE_BPS.holds(least_bps as f64) => {
            refuse(field("video_min"), least_bps, format!("give {RATE_BPS}"))
        }
        WritesSpec::Video { least_bps, most_bps, .. } if most_bps < least_bps => {
            refuse(field("video"), most_bps, format!("give at least video_min, {least_bps}"))
        }
        _ => Ok(()),
    }
}
