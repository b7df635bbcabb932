//! Sizes of queues and of steps of marks, from the bandwidth-delay product where they are fractions of it.

use sim::limits::MOST_PACKETS;

use crate::model::{Link, QueueStep, PACKET_BYTES};
use crate::text::general;
use crate::ScenarioError;

const PACKET_BITS: f64 = 8.0 * PACKET_BYTES as f64;

/// The rate and the RTT whose product a BDP is.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Product {
    /// Bits per second.
    pub rate_bps: f64,
    /// Seconds.
    pub rtt_s: f64,
}

impl Product {
    /// The bandwidth-delay product in 1500-byte packets, not rounded.
    fn packets(self) -> f64 {
        self.rate_bps * self.rtt_s / PACKET_BITS
    }
}

/// Time to transmit a full packet, seconds.
pub(crate) fn packet_s(rate_bps: f64) -> f64 {
    PACKET_BITS / rate_bps
}

/// A size in one of its units; none given is none of them.
#[derive(Clone, Copy, Debug, Default)]
struct Given {
    packets: Option<u64>,
    bytes: Option<u64>,
    s: Option<f64>,
    bdp: Option<f64>,
}

/// The link with its sizes filled in.
pub(crate) fn filled_link(link: &Link, product: Product, path: &str, notes: &mut Vec<String>) -> Result<Link, ScenarioError> {
    let given = Given { packets: link.queue_packets, bytes: link.queue_bytes, s: link.queue_s, bdp: link.queue_bdp };
    let mut size = Sizing { link, product, field: format!("{path}.queue"), notes };
    let queue = size.filled(given)?;
    let given = Given { packets: link.mark_packets, bytes: link.mark_bytes, s: link.mark_s, bdp: link.mark_bdp };
    let has_marks = given.packets.is_some() || given.bytes.is_some() || given.s.is_some() || given.bdp.is_some();
    size.field = format!("{path}.mark");
    let mark = if has_marks { size.filled(given)? } else { Given::default() };
    let mut queue_steps = Vec::with_capacity(link.queue_steps.len());
    for (index, step) in link.queue_steps.iter().enumerate() {
        size.field = format!("{path}.queue_steps[{index}].queue");
        queue_steps.push(size.filled_step(step)?);
    }
    Ok(Link {
        queue_packets: queue.packets,
        queue_bytes: queue.bytes,
        queue_s: queue.s,
        queue_bdp: None,
        mark_packets: mark.packets,
        mark_bytes: mark.bytes,
        mark_s: mark.s,
        mark_bdp: None,
        queue_steps,
        ..link.clone()
    })
}

/// What a size is filled in with.
struct Sizing<'a> {
    link: &'a Link,
    product: Product,
    field: String,
    notes: &'a mut Vec<String>,
}

impl Sizing<'_> {
    /// A new size of the queue, which has no default.
    fn filled_step(&mut self, step: &QueueStep) -> Result<QueueStep, ScenarioError> {
        let given = Given { packets: step.queue_packets, bytes: step.queue_bytes, s: step.queue_s, bdp: step.queue_bdp };
        let count =
            [given.packets.is_some(), given.bytes.is_some(), given.s.is_some(), given.bdp.is_some()].iter().filter(|&&is| is).count();
        if count != 1 {
            let allowed = "allowed: one of queue_packets, queue_bytes, queue_s, queue_bdp";
            return Err(ScenarioError { field: self.field.clone(), problem: format!("{count} sizes are given; {allowed}") });
        }
        let Given { packets, bytes, s, bdp } = self.filled(given)?;
        Ok(QueueStep { at_s: step.at_s, queue_packets: packets, queue_bytes: bytes, queue_s: s, queue_bdp: bdp })
    }

    /// The size, at least one packet; one BDP when none is given.
    fn filled(&mut self, given: Given) -> Result<Given, ScenarioError> {
        let field = &self.field;
        if let Some(packets) = given.packets {
            return Ok(Given { packets: Some(packets), ..Given::default() });
        }
        if let Some(bytes) = given.bytes {
            let least = u64::from(PACKET_BYTES);
            if bytes < least {
                self.notes.push(format!("{field}_bytes: {bytes} bytes is below one packet; raised to {least}"));
            }
            return Ok(Given { bytes: Some(bytes.max(least)), ..Given::default() });
        }
        if let Some(time_s) = given.s {
            let packet_s = packet_s(self.link.rate_bps);
            let packets = time_s / packet_s;
            if packets < 1.0 {
                let (given, raised) = (general(time_s, 6), general(packet_s, 6));
                self.notes.push(format!("{field}_s: {given} s is below one packet; raised to {raised} s"));
            }
            refuse_too_long(packets, format!("{field}_s"), time_s)?;
            return Ok(Given { s: Some(time_s.max(packet_s)), ..Given::default() });
        }
        let fraction = given.bdp.unwrap_or(1.0);
        let packets = fraction * self.product.packets();
        refuse_too_long(packets, format!("{field}_bdp"), fraction)?;
        if packets + 0.5 < 1.0 {
            let (given, made) = (general(fraction, 6), general(packets, 3));
            self.notes.push(format!("{field}_bdp: {given} BDP is {made} packets, below one; raised to 1"));
        }
        Ok(Given { packets: Some(((packets + 0.5) as u64).max(1)), ..Given::default() })
    }
}

fn refuse_too_long(packets: f64, field: String, value: f64) -> Result<(), ScenarioError> {
    if packets > MOST_PACKETS as f64 {
        let (given, made) = (general(value, 6), general(packets, 3));
        let problem = format!("{given} is a queue of {made} packets; allowed: at most {MOST_PACKETS} packets");
        return Err(ScenarioError { field, problem });
    }
    Ok(())
}
