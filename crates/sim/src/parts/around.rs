//! What the parts of a run share while an event is handled.

use units::Time;

use super::gaps::Gaps;
use super::host::{machines, Machine};
use super::party::Party;
use crate::records::{Event, EventKind};
use crate::spec::Spec;

/// Which packets are noted as events.
#[derive(Clone, Debug)]
pub(crate) struct Notes {
    drops: bool,
    marks: bool,
    /// Until when, of each link. A link with drop-tail that is no hop of several notes what happens until the clocks of all flows have come
    /// to the end, the others until their own has.
    until: Vec<Time>,
}

impl Notes {
    fn new(spec: &Spec) -> Notes {
        let links = spec.links();
        let until = links.iter().enumerate().map(|(number, link)| {
            let is_in_row = !spec.hops.is_empty() && number <= spec.hops.len();
            if is_in_row || link.spec.discipline.is_some() {
                Time(spec.duration_ns)
            } else {
                Time::NEVER
            }
        });
        Notes { drops: spec.record_drops, marks: spec.record_marks, until: until.collect() }
    }
}

/// A packet that is noted: whose it is, and at which link something happened to it.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Noted {
    /// Number of its flow or source; none of a transfer.
    pub(crate) flow: Option<usize>,
    pub(crate) link: usize,
}

/// All that is not a flow, a link or a source.
#[derive(Debug)]
pub(crate) struct Around {
    pub(crate) machines: Vec<Machine>,
    pub(crate) events: Vec<Event>,
    pub(crate) gaps: Gaps,
    /// Parties whose next event was moved by an event of another, and links from which packets should be taken.
    pub(crate) changed: Vec<Party>,
    notes: Notes,
}

impl Around {
    pub(crate) fn new(spec: &Spec) -> Around {
        Around { machines: machines(spec), events: Vec::new(), gaps: Gaps::new(spec), changed: Vec::new(), notes: Notes::new(spec) }
    }

    /// A link dropped or lost a packet.
    pub(crate) fn note_drop(&mut self, at: Time, noted: Noted) {
        if self.notes.drops && at < self.notes.until[noted.link] {
            self.push(at, noted, EventKind::Drop);
        }
    }

    /// A link marked a packet.
    pub(crate) fn note_mark(&mut self, at: Time, noted: Noted) {
        if self.notes.marks && at <= self.notes.until[noted.link] {
            self.push(at, noted, EventKind::Mark);
        }
    }

    fn push(&mut self, at: Time, Noted { flow, link }: Noted, kind: EventKind) {
        let flow = flow.map_or(-1, |flow| flow as i32);
        self.events.push(Event { t_ns: at.0, flow, link: link as i16, kind, value: f64::NAN, value2: f64::NAN });
    }

    /// Something happened to a flow, or a source.
    pub(crate) fn note(&mut self, at: Time, flow: usize, kind: EventKind) {
        self.events.push(Event { t_ns: at.0, flow: flow as i32, link: -1, kind, value: f64::NAN, value2: f64::NAN });
    }
}
