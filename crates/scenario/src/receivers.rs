//! Receivers' buffers, and how applications read.

use sim::{ReadsSpec, ReceiveSpec};

use crate::model::Flow;
use crate::rounding::{ns, whole};
use crate::ScenarioError;

/// Memory of a buffer without a size, and to which it grows: Linux's `tcp_rmem`, bytes.
const FIRST_BYTES: u64 = 131_072;
const MOST_BYTES: u64 = 6_291_456;

/// Time between two reads when none is given, seconds.
const EVERY_S: f64 = 0.01;

/// Flow `index` with everything of its receiver filled in, if that has a buffer that may be full.
///
/// # Errors
/// When one of two fields that belong together is given, or two that exclude each other.
pub(crate) fn filled(flow: &Flow, index: usize) -> Result<Flow, ScenarioError> {
    let refuse = |field: &str, problem: String| Err(ScenarioError { field: format!("flows[{index}].{field}"), problem });
    for (missing, other, is_missing, is_given) in [
        ("read_rate_bps", "read_every", flow.read_rate_bps.is_none(), flow.read_every_s.is_some()),
        ("read_on_s", "read_off", flow.read_on_s.is_none(), flow.read_off_s.is_some()),
        ("read_off_s", "read_on", flow.read_off_s.is_none(), flow.read_on_s.is_some()),
    ] {
        if is_missing && is_given {
            return refuse(missing, format!("is missing, and {other} is given; allowed: both, or none"));
        }
    }
    if flow.read_rate_bps.is_some() && flow.read_on_s.is_some() {
        return refuse("read_rate_bps", "and read_on and read_off are both given; allowed: one of them".into());
    }
    let is_asked_for = flow.rcvbuf_bytes.or(flow.rcvbuf_max_bytes).is_some() || flow.read_rate_bps.or(flow.read_on_s).is_some();
    if !is_asked_for {
        return Ok(flow.clone());
    }
    let most = if flow.rcvbuf_bytes.is_none() { Some(flow.rcvbuf_max_bytes.unwrap_or(MOST_BYTES)) } else { flow.rcvbuf_max_bytes };
    Ok(Flow {
        rcvbuf_bytes: Some(flow.rcvbuf_bytes.unwrap_or(FIRST_BYTES)),
        rcvbuf_max_bytes: most,
        read_every_s: flow.read_rate_bps.map(|_| flow.read_every_s.unwrap_or(EVERY_S)),
        ..flow.clone()
    })
}

/// What the engine takes of a filled flow's receiver.
pub(crate) fn spec(flow: &Flow) -> Option<ReceiveSpec> {
    let reads = match (flow.read_rate_bps, flow.read_every_s, flow.read_on_s, flow.read_off_s) {
        (Some(rate_bps), Some(every_s), ..) => Some(ReadsSpec::Rate { rate_bps: whole(rate_bps), every_ns: ns(every_s) }),
        (_, _, Some(on_s), Some(off_s)) => Some(ReadsSpec::OnOff { on_ns: ns(on_s), off_ns: ns(off_s) }),
        _ => None,
    };
    Some(ReceiveSpec { bytes: flow.rcvbuf_bytes?, most_bytes: flow.rcvbuf_max_bytes, reads })
}
