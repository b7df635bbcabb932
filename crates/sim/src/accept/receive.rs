//! Receivers' buffers, checked.

use tcp::{BufferSpec, Options, Reads};
use units::{Duration, Time};

use super::refusal::{refuse, seconds};
use crate::error::SpecError;
use crate::limits::{RATE_BPS, RCVBUF_BYTES, SPAN_S};
use crate::spec::{access_delay, FlowSpec, ReadsSpec, ReceiveSpec};

/// Refuses what no receiver of flow `index` can have.
pub(crate) fn accept_receive(index: usize, given: &ReceiveSpec, flow: &FlowSpec) -> Result<(), SpecError> {
    let field = |name: &str| format!("flows[{index}].{name}");
    for (name, bytes) in [("rcvbuf", Some(given.bytes)), ("rcvbuf_max", given.most_bytes)] {
        if let Some(bytes) = bytes.filter(|&bytes| !RCVBUF_BYTES.holds(bytes as f64)) {
            return refuse(field(name), bytes, format!("give {RCVBUF_BYTES}"));
        }
    }
    // Two segments are the least window with which ACKs need not wait for their timer.
    let least = 4 * u64::from(flow.mss_bytes);
    if given.bytes < least {
        return refuse(field("rcvbuf"), given.bytes, format!("give at least {least} bytes: half of it is window, two segments at least"));
    }
    if given.most_bytes.is_some_and(|most| most < given.bytes) {
        return refuse(field("rcvbuf_max"), given.most_bytes.unwrap_or(0), format!("give at least rcvbuf's {} bytes", given.bytes));
    }
    let others = [
        ("window", flow.window_packets.is_some() || flow.window_bytes.is_some()),
        ("autotune", flow.transport.get("autotune") == Some(&true.into())),
        ("response", flow.requests.is_some()),
        ("host", flow.host.is_some()),
        ("stack", flow.stack.is_some()),
    ];
    if let Some((other, _)) = others.into_iter().find(|&(_, is_given)| is_given) {
        return refuse(field("rcvbuf"), given.bytes, format!("leave out {other}, or rcvbuf, rcvbuf_max and what begins with read_"));
    }
    given.reads.map_or(Ok(()), |reads| accept_reads(index, reads))
}

fn accept_reads(index: usize, reads: ReadsSpec) -> Result<(), SpecError> {
    let field = |name: &str| format!("flows[{index}].{name}");
    let spans = match reads {
        ReadsSpec::OnOff { on_ns, off_ns } => vec![("read_on", on_ns), ("read_off", off_ns)],
        ReadsSpec::Rate { every_ns, .. } => vec![("read_every", every_ns)],
    };
    if let Some(&(name, span)) = spans.iter().find(|&&(_, span)| !SPAN_S.holds_ns(span)) {
        return refuse(field(name), seconds(span), format!("give {SPAN_S}"));
    }
    match reads {
        ReadsSpec::Rate { rate_bps, .. } if !RATE_BPS.holds(rate_bps as f64) => {
            refuse(field("read_rate"), rate_bps, format!("give {RATE_BPS}"))
        }
        _ => Ok(()),
    }
}

/// The buffer of a flow's receiver, if it may be full.
pub(crate) fn buffer(flow: &FlowSpec, options: &Options) -> Option<BufferSpec> {
    let given = flow.receive.as_deref()?;
    let rtt = Duration(flow.rtt_ns);
    let reads = match given.reads {
        None => Reads::AtOnce,
        Some(ReadsSpec::Rate { rate_bps, every_ns }) => Reads::Rate { bps: rate_bps, every: Duration(every_ns) },
        Some(ReadsSpec::OnOff { on_ns, off_ns }) => Reads::OnOff { on: Duration(on_ns), off: Duration(off_ns) },
    };
    Some(BufferSpec {
        bytes: given.bytes,
        most: given.most_bytes,
        mss: flow.mss_bytes,
        timestamps: options.timestamps,
        back: rtt - access_delay(rtt),
        reads,
        start: Time(flow.start_ns),
    })
}
