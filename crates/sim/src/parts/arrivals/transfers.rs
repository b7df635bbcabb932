//! Transfers that are open, in slots, and what is kept of all others: a row each.

use units::Time;

use super::origin::Origin;
use super::poisson::Poisson;
use super::session::Session;
use super::slots::FreeSlots;
use super::source::{Completion, Source};
use crate::accept::{AcceptedFlow, AcceptedSource, Loop, ALIVE_MAX};
use crate::error::SpecError;
use crate::parts::flow::Flow;
use crate::parts::tap::{SharedTap, Tapped};
use crate::records::{PageRow, TransferKind, TransferRow, Transfers};
use crate::spec::Spec;

/// Of a slot that no transfer has.
const NOBODY: u32 = u32::MAX;

/// The sources of a run, a session each by itself, and the slots of their transfers.
#[derive(Debug, Default)]
pub(crate) struct Arrivals {
    pub(crate) sources: Vec<Source>,
    /// A transfer of each kind that has not begun, source by source.
    prototypes: Vec<Flow>,
    /// Where each source's prototypes begin.
    firsts: Vec<usize>,
    /// Flows that are no transfers come before the slots.
    before: usize,
    /// Numbers of connections follow those of flows and datagrams.
    numbered_from: usize,
    /// The row of each slot's transfer.
    rows: Vec<u32>,
    /// Its source.
    owners: Vec<u32>,
    /// Sources from here on are sessions.
    first_session: u32,
    /// The row of each session's page.
    pages: Vec<u32>,
    /// A session whose transfer was complete just now.
    woken: Option<usize>,
    free: FreeSlots,
}

impl Arrivals {
    /// Of these sources, and what their transfers' rows say of their kinds.
    pub(crate) fn new(accepted: &[AcceptedSource], spec: &Spec) -> (Arrivals, Transfers) {
        let mut arrivals =
            Arrivals { before: spec.flows.len(), numbered_from: spec.flows.len() + spec.traffic.len(), ..Arrivals::default() };
        let mut transfers = Transfers::default();
        for (index, given) in accepted.iter().enumerate() {
            let first = arrivals.prototypes.len();
            for kind in &given.kinds {
                transfers.kinds.push(described(index, kind));
                arrivals.prototypes.push(Flow::new(0, kind, spec).prototype());
            }
            let origin = Origin { index, seed: spec.seed, end: Time(spec.duration_ns) };
            match given.spec {
                Loop::Open(open) => arrivals.sources.push(Source::Poisson(Poisson::new(origin, given, open))),
                Loop::Closed(closed) => {
                    arrivals.sources.extend((0..closed.count).map(|number| {
                        let access = arrivals.prototypes[first + number as usize % given.kinds.len()].path.access_delay();
                        Source::Session(Session::new(origin, number, closed, access))
                    }));
                }
            }
            arrivals.firsts.resize(arrivals.sources.len(), first);
        }
        arrivals.first_session = spec.arrivals.len() as u32;
        arrivals.pages.resize(arrivals.sources.len() - spec.arrivals.len(), NOBODY);
        transfers.sessions = arrivals.pages.len() as u32;
        (arrivals, transfers)
    }

    /// Packets of transfers are shown, too.
    pub(crate) fn tapped_by(&mut self, tap: &SharedTap, accepted: &[AcceptedSource]) {
        let kinds = accepted.iter().flat_map(|source| &source.kinds);
        for (prototype, kind) in self.prototypes.iter_mut().zip(kinds) {
            prototype.path.tapped_by(tap.clone(), Tapped::of_flow(kind));
        }
    }

    /// The next transfer of a source begins; returns the number of its flow.
    pub(crate) fn begin(&mut self, source: usize, flows: &mut Vec<Flow>, transfers: &mut Transfers) -> Result<usize, SpecError> {
        let birth = self.sources[source].next_transfer();
        let kind = self.firsts[source] + birth.kind;
        let row = transfers.rows.len();
        // Queues tell connections apart by this number: it is no other's while they may meet.
        let number = (self.numbered_from + row) as u32 & 0x3fff_ffff;
        let prototype = &self.prototypes[kind];
        transfers.rows.push(TransferRow::begun(birth.at, birth.bytes, kind as u32));
        if let Some(session) = source.checked_sub(self.first_session as usize) {
            if let Some(objects) = birth.page {
                self.pages[session] = transfers.pages.len() as u32;
                let source = transfers.kinds[kind].source;
                let page = PageRow { start_ns: birth.at.0, bytes: 0, completion_ns: u64::MAX, objects, source, session: session as u32 };
                transfers.pages.push(page);
            }
            transfers.pages[self.pages[session] as usize].bytes += birth.bytes;
        }
        let slot = match self.free.take() {
            Some(slot) => slot,
            None if self.rows.len() < ALIVE_MAX && row < NOBODY as usize => {
                self.rows.push(NOBODY);
                self.owners.push(NOBODY);
                self.rows.len() - 1
            }
            None => {
                let value = format!("{} transfers at once after {:.3} s", self.rows.len(), birth.at.as_secs_f64());
                let allowed = "give less load: the link never catches up".to_owned();
                return Err(SpecError { field: "arrivals".to_owned(), value, allowed });
            }
        };
        self.rows[slot] = row as u32;
        self.owners[slot] = source as u32;
        let index = self.before + slot;
        match flows.get_mut(index) {
            Some(flow) => flow.clone_from(prototype),
            None => flows.push(prototype.clone()),
        }
        flows[index].on_born(birth, number);
        Ok(index)
    }

    /// Flow `index`, a transfer, has everything acknowledged at `now` in its clock.
    pub(crate) fn on_completed(&mut self, index: usize, flow: &Flow, now: Time, transfers: &mut Transfers) {
        // In the sender's clock.
        let at = now.saturating_sub(flow.path.access_delay());
        let row = &mut transfers.rows[self.rows[index - self.before] as usize];
        row.completion_ns = at.0 - row.start_ns;
        row.count(&flow.sender.totals(now));
        let owner = self.owners[index - self.before] as usize;
        let completion = self.sources[owner].on_completed(now);
        if completion == Completion::Page {
            let page = &mut transfers.pages[self.pages[owner - self.first_session as usize] as usize];
            page.completion_ns = at.0 - page.start_ns;
        }
        if completion != Completion::Unheeded {
            self.woken = Some(owner);
        }
    }

    /// A session that waits no longer, once.
    pub(crate) fn take_woken(&mut self) -> Option<usize> {
        self.woken.take()
    }

    /// Frees the slot of flow `index` if it is a transfer of which nothing is under way any more; says whether it did.
    #[inline(always)]
    pub(crate) fn release(&mut self, index: usize, flow: &Flow) -> bool {
        index >= self.before && flow.is_spent() && self.free_slot(index - self.before)
    }

    /// Frees a slot; says whether it was taken.
    fn free_slot(&mut self, slot: usize) -> bool {
        if std::mem::replace(&mut self.rows[slot], NOBODY) == NOBODY {
            return false;
        }
        self.free.put(slot);
        true
    }

    /// The run is over: what the unfinished have sent.
    pub(crate) fn count_unfinished(&self, flows: &[Flow], transfers: &mut Transfers) {
        for (flow, &row) in
            flows[self.before..].iter().zip(&self.rows).filter(|(flow, &row)| row != NOBODY && flow.completed == Time::NEVER)
        {
            transfers.rows[row as usize].count(&flow.sender.totals(flow.agenda.end));
        }
    }
}

/// What all transfers of a kind of this source share.
fn described(source: usize, accepted: &AcceptedFlow) -> TransferKind {
    let AcceptedFlow { algorithm, variant, spec, .. } = accepted;
    TransferKind { source: source as u32, algorithm, variant, rtt_ns: spec.rtt_ns }
}
