//! The sources of a run, checked.

use super::hops::accept_stretch;
use super::limits::{refuse, seconds, RATE_MAX_BPS};
use crate::error::SpecError;
use crate::spec::{Direction, Spec, UdpSpec, UDP_HEADER_BYTES};

const PERIOD_MIN_NS: u64 = 1_000_000;
const PERIOD_MAX_NS: u64 = 3_600_000_000_000;

/// Refuses what no source can be.
pub(crate) fn accept_traffic(spec: &Spec) -> Result<(), SpecError> {
    spec.traffic.iter().enumerate().try_for_each(|(index, source)| accept_source(index, source, spec))
}

fn accept_source(index: usize, source: &UdpSpec, spec: &Spec) -> Result<(), SpecError> {
    let field = |name: &str| format!("traffic[{index}].{name}");
    if !(1000..=RATE_MAX_BPS).contains(&source.rate_bps) {
        return refuse(field("rate"), source.rate_bps, "give 1 kbit/s to 1 Tbit/s");
    }
    if !(UDP_HEADER_BYTES + 1..=65_535).contains(&source.packet_bytes) {
        return refuse(field("packet"), source.packet_bytes, "give 29 to 65535 bytes of IP");
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
    accept_stretch(&format!("traffic[{index}]"), source.hops, spec)?;
    let Some(wave) = source.wave else { return Ok(()) };
    if wave.amplitude_bps > source.rate_bps {
        return refuse(field("amplitude"), wave.amplitude_bps, "give at most the rate: nothing is sent backwards");
    }
    if !(PERIOD_MIN_NS..=PERIOD_MAX_NS).contains(&wave.period_ns) {
        return refuse(field("period"), seconds(wave.period_ns), "give 1 ms to 1 h");
    }
    Ok(())
}
