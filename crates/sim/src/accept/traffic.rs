//! The sources of a run, checked.

use super::hops::accept_stretch;
use super::refusal::{refuse, seconds};
use crate::error::SpecError;
use crate::limits::{DATAGRAM_BYTES, MOST_DATAGRAM_SOURCES, PERIOD_S, RATE_BPS};
use crate::spec::{Direction, Spec, UdpSpec};

/// Refuses what no source can be.
pub(crate) fn accept_traffic(spec: &Spec) -> Result<(), SpecError> {
    if spec.traffic.len() as u64 > MOST_DATAGRAM_SOURCES {
        return refuse("traffic", spec.traffic.len(), format!("give at most {MOST_DATAGRAM_SOURCES} sources"));
    }
    spec.traffic.iter().enumerate().try_for_each(|(index, source)| accept_source(index, source, spec))
}

fn accept_source(index: usize, source: &UdpSpec, spec: &Spec) -> Result<(), SpecError> {
    let field = |name: &str| format!("traffic[{index}].{name}");
    if !RATE_BPS.holds(source.rate_bps as f64) {
        return refuse(field("rate"), source.rate_bps, format!("give {RATE_BPS}"));
    }
    if !DATAGRAM_BYTES.holds(source.packet_bytes.into()) {
        return refuse(field("packet"), source.packet_bytes, format!("give {DATAGRAM_BYTES} of IP"));
    }
    if source.start_ns >= spec.duration_ns {
        return refuse(field("start"), seconds(source.start_ns), "give a time before the end of the run");
    }
    if source.stop_ns.is_some_and(|stop| stop <= source.start_ns) {
        return refuse(field("stop"), seconds(source.stop_ns.unwrap_or(0)), "give a time after the source's start");
    }
    if source.direction == Direction::Reverse && spec.reverse.is_none() {
        return refuse(field("direction"), "reverse", "a reverse source needs a reverse link");
    }
    accept_stretch(format_args!("traffic[{index}]"), source.hops, spec)?;
    let Some(wave) = source.wave else { return Ok(()) };
    if wave.amplitude_bps > source.rate_bps {
        return refuse(field("amplitude"), wave.amplitude_bps, "give at most the rate: nothing is sent backwards");
    }
    if !PERIOD_S.holds_ns(wave.period_ns) {
        return refuse(field("period"), seconds(wave.period_ns), format!("give {PERIOD_S}"));
    }
    Ok(())
}
