//! Sizes of queues, checked.

use net::Limit;
use units::Duration;

use super::refusal::refuse;
use crate::error::SpecError;
use crate::limits::{Bound, Range, QUEUE_BYTES, QUEUE_PACKETS, QUEUE_S};
use crate::spec::{QueueSpec, QueueUnit};

pub(super) fn accept_size(field: &str, size: QueueSpec) -> Result<Limit, SpecError> {
    // Of what people give, what does not hold a packet has been raised.
    const FILLED_BYTES: Range = Range { low: Bound::Whole(1500), ..QUEUE_BYTES };
    let limit = size.limit;
    match size.unit {
        QueueUnit::Packets if QUEUE_PACKETS.holds(limit as f64) => Ok(Limit::Packets(limit as u32)),
        QueueUnit::Bytes if FILLED_BYTES.holds(limit as f64) => Ok(Limit::Bytes(limit)),
        QueueUnit::Ns if QUEUE_S.holds_ns(limit) => Ok(Limit::Delay(Duration(limit))),
        QueueUnit::Packets => refuse(field, limit, format!("give {QUEUE_PACKETS}")),
        QueueUnit::Bytes => refuse(field, limit, format!("give {FILLED_BYTES}")),
        QueueUnit::Ns => refuse(field, limit, format!("give {QUEUE_S}")),
    }
}
