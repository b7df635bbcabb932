//! Applications that do not always have more to send, checked.

use super::limits::{refuse, seconds, RATE_MAX_BPS};
use crate::error::SpecError;
use crate::spec::WritesSpec;

/// A shorter span would cost more than the packets.
const SPAN_MIN_NS: u64 = 1_000_000;
const SPAN_MAX_NS: u64 = 86_400_000_000_000;

/// Refuses what no application of flow `index` can be.
pub(crate) fn accept_writes(index: usize, writes: &WritesSpec) -> Result<(), SpecError> {
    let field = |name: &str| format!("flows[{index}].{name}");
    let spans = match *writes {
        WritesSpec::OnOff { on_ns, off_ns } => vec![("on", on_ns), ("off", off_ns)],
        WritesSpec::Chunks { every_ns, .. } => vec![("chunk", every_ns)],
    };
    if let Some(&(name, span)) = spans.iter().find(|(_, span)| !(SPAN_MIN_NS..=SPAN_MAX_NS).contains(span)) {
        return refuse(field(name), seconds(span), "give 1 ms to 1 day");
    }
    match *writes {
        WritesSpec::Chunks { rate_bps, .. } if !(1000..=RATE_MAX_BPS).contains(&rate_bps) => {
            refuse(field("app_rate"), rate_bps, "give 1 kbit/s to 1 Tbit/s")
        }
        _ => Ok(()),
    }
}
