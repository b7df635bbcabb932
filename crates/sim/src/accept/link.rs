//! A link, checked.

use net::{Changes, DisciplineSpec, FifoSpec, Limit, LimitSteps, LinkParts, Losses, Streams};
use units::{Rate, Stream, Time};

use super::changes::accept_changes;
use super::losses::accept_losses;
use super::refusal::{refuse, seconds};
use super::sizes::accept_size;
use crate::error::SpecError;
use crate::limits::{EXTRA_S, PROBABILITY, RATE_BPS};
use crate::spec::{DisorderSpec, NamedLink, Spec};

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

impl AcceptedLink {
    /// Every size that its queue has in the run.
    pub(crate) fn limits(&self) -> impl Iterator<Item = Limit> + '_ {
        std::iter::once(self.fifo.limit).chain(self.changes.limit.iter().flat_map(LimitSteps::limits))
    }

    /// What the link is built from: it measures over `window`, and its draws follow from `seed`.
    pub fn parts(self, window: std::ops::Range<Time>, seed: u64) -> LinkParts {
        let AcceptedLink { fifo, discipline, losses, changes, stream: name } = self;
        let stream = |part| Stream::named(seed, format_args!("{name}/{part}"));
        LinkParts { fifo, discipline, losses, changes, window, streams: Streams { loss: stream("loss"), queue: stream("queue") } }
    }
}

pub(super) fn accept_link(named: &NamedLink, run: &Spec) -> Result<AcceptedLink, SpecError> {
    let (name, link) = (&*named.field, named.spec);
    if !RATE_BPS.holds(link.rate_bps as f64) {
        return refuse(format!("{name}.rate"), link.rate_bps, format!("give {RATE_BPS}"));
    }
    if !PROBABILITY.holds(link.loss_probability) {
        return refuse(format!("{name}.loss"), link.loss_probability, format!("give a probability {PROBABILITY}"));
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
    if drop_tail.changes.service.is_some() && drop_tail.limits().any(|limit| matches!(limit, Limit::Delay(_))) {
        let allowed = format!("give packets or bytes: {} at a rate that changes cannot know how long its queue takes", choice.name);
        return refuse(format!("{name}.queue"), "a limit in time", allowed);
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
        if !PROBABILITY.holds(p) {
            return refuse(format!("{name}.{field}"), p, format!("give a probability {PROBABILITY}"));
        }
    }
    let is_late = disorder.late_probability > 0.0;
    if !EXTRA_S.holds_ns(disorder.late_ns) || is_late != (disorder.late_ns > 0) {
        let allowed = format!("give more than 0 s, {EXTRA_S}, and a probability");
        return refuse(format!("{name}.reorder_by"), seconds(disorder.late_ns), allowed);
    }
    Ok(())
}
