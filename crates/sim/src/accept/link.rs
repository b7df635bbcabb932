//! A link, checked.

use net::{Changes, DisciplineSpec, FifoSpec, Limit, Losses};
use units::{Duration, Rate};

use super::changes::accept_changes;
use super::limits::{refuse, seconds, QUEUE_MAX_PACKETS, RATE_MAX_BPS, RTT_MAX_NS};
use super::losses::accept_losses;
use crate::error::SpecError;
use crate::spec::{DisorderSpec, NamedLink, QueueSpec, QueueUnit, Spec};

/// A link that can be built.
#[derive(Clone, Debug)]
pub struct AcceptedLink {
    /// Rate, limit and loss, and the marks of drop-tail.
    pub fifo: FifoSpec,
    /// Its discipline; none for drop-tail.
    pub discipline: Option<DisciplineSpec>,
    /// Loss with a memory.
    pub losses: Losses,
    /// What changes in time.
    pub changes: Changes,
    /// What the names of its random streams begin with.
    pub stream: String,
}

pub(super) fn accept_link(named: &NamedLink, run: &Spec) -> Result<AcceptedLink, SpecError> {
    let (name, link) = (&*named.field, named.spec);
    if link.rate_bps < 1000 || link.rate_bps > RATE_MAX_BPS {
        return refuse(format!("{name}.rate"), link.rate_bps, "give 1 kbit/s to 1 Tbit/s");
    }
    if !(0.0..1.0).contains(&link.loss_probability) {
        return refuse(format!("{name}.loss"), link.loss_probability, "give a probability from 0 to below 1");
    }
    accept_disorder(name, &link.disorder)?;
    let limit = accept_size(&format!("{name}.queue"), link.queue)?;
    let mark_at = link.mark.map(|mark| accept_size(&format!("{name}.mark"), mark)).transpose()?;
    let (excludes_in_service, loss_probability) = (link.excludes_in_service, link.loss_probability);
    let fifo = FifoSpec { rate: Rate(link.rate_bps), limit, excludes_in_service, loss_probability, mark_at };
    let losses = accept_losses((name, &named.stream), &link.losses, run)?;
    let changes = accept_changes(name, link, run.duration_ns)?;
    let drop_tail = AcceptedLink { fifo, discipline: None, losses, changes, stream: named.stream.clone() };
    let Some(choice) = &link.discipline else { return Ok(drop_tail) };
    if mark_at.is_some() {
        return refuse(format!("{name}.mark"), &choice.name, "a step of marks belongs to drop-tail");
    }
    if drop_tail.changes.service.is_some() && matches!(limit, Limit::Delay(_)) {
        let allowed = format!("give packets or bytes: {} at a rate that changes cannot know how long its queue takes", choice.name);
        return refuse(format!("{name}.queue"), "a limit in time", &allowed);
    }
    let discipline = net::queue::discipline(&choice.name, &choice.parameters).map_err(|allowed| SpecError {
        field: format!("{name}.discipline"),
        value: choice.name.clone(),
        allowed,
    })?;
    Ok(AcceptedLink { discipline: Some(discipline), ..drop_tail })
}

fn accept_disorder(name: &str, disorder: &DisorderSpec) -> Result<(), SpecError> {
    for (field, p) in [("reorder", disorder.late_probability), ("duplicate", disorder.double_probability)] {
        if !(0.0..1.0).contains(&p) {
            return refuse(format!("{name}.{field}"), p, "give a probability from 0 to below 1");
        }
    }
    let is_late = disorder.late_probability > 0.0;
    if disorder.late_ns > RTT_MAX_NS || is_late != (disorder.late_ns > 0) {
        return refuse(format!("{name}.reorder_by"), seconds(disorder.late_ns), "give more than 0 s, at most 10 s, and a probability");
    }
    Ok(())
}

fn accept_size(field: &str, size: QueueSpec) -> Result<Limit, SpecError> {
    let limit = size.limit;
    match size.unit {
        QueueUnit::Packets if (1..=QUEUE_MAX_PACKETS).contains(&limit) => Ok(Limit::Packets(limit as u32)),
        QueueUnit::Bytes if (1500..=1500 * QUEUE_MAX_PACKETS).contains(&limit) => Ok(Limit::Bytes(limit)),
        QueueUnit::Ns if (1..=600_000_000_000).contains(&limit) => Ok(Limit::Delay(Duration(limit))),
        QueueUnit::Packets => refuse(field, limit, "give 1 to 100000000 packets"),
        QueueUnit::Bytes => refuse(field, limit, "give 1500 to 150000000000 bytes"),
        QueueUnit::Ns => refuse(field, limit, "give 1 ns to 600 s"),
    }
}
