//! The loop: the party whose event is next has its turn.
//!
//! Events are totally ordered by (time, party, kind). The party with the earliest event runs alone until another is due, so that a train of
//! ACKs of one flow is handled in one go. An event that moves the next event of another party puts that party on a list, which is looked
//! through before the next turn.

use net::Link;
use tcp::SenderTotals;
use units::{Duration, Time};

use super::calendar::Calendar;
use super::names::Names;
use super::observer::Audience;
use super::standstill::Standstill;
use crate::accept::{Accepted, AcceptedFlow};
use crate::error::{Interrupted, RunError};
use crate::parts::application::Application;
use crate::parts::around::Around;
use crate::parts::arrivals::Arrivals;
use crate::parts::datagrams::Source;
use crate::parts::flow::Flow;
use crate::parts::load::Load;
use crate::parts::party::{Counts, Numbers, Party};
use crate::parts::stack::StackFlow;
use crate::parts::tap::Tapped;
use crate::records::{FlowSamples, Records, Shown};
use crate::spec::{access_delay, Spec};

/// Events between two looks at the interrupt flag: a few milliseconds.
pub const EVENTS_PER_LOOK: u64 = 1 << 17;

/// A run in progress. It is compiled once for links that all know departures on arrival, and once for links of any kind.
pub struct Engine<'a, O, L> {
    pub(super) spec: &'a Spec,
    pub(super) names: Names,
    pub(super) observer: &'a mut O,
    pub(super) flows: Vec<Flow>,
    /// The counters of each flow of the scenario at the beginning of its measurement window; empty while all are zero, as without a warm-up.
    pub(super) at_window: Vec<SenderTotals>,
    pub(super) arrivals: Arrivals,
    /// Of flows that do not always have more to send; empty if all have.
    pub(super) applications: Vec<Option<Application>>,
    pub(super) sources: Vec<Source>,
    pub(super) stacks: Vec<StackFlow>,
    pub(super) links: Vec<L>,
    pub(super) horizons: Vec<Horizon>,
    pub(super) around: Around,
    /// When the links are sampled next.
    pub(super) links_at: Time,
    pub(super) records: Records,
    pub(super) events: u64,
}

/// How far a run has come: who is next, and when the interrupt flag is looked at.
pub(super) struct Course {
    numbers: Numbers,
    calendar: Calendar,
    look_at: u64,
    standstill: Standstill,
}

/// When a link whose queue decides late must be looked at.
pub(super) struct Horizon {
    /// From a packet's departure to the first moment at which it can have an effect elsewhere, at least.
    pub(super) lookahead: Duration,
    pub(super) due: Time,
}

impl<'a, O: Audience, L: Link<Load>> Engine<'a, O, L> {
    /// A run that has not begun, over these links.
    pub(super) fn new(accepted: Accepted<'a>, mut stacks: Vec<StackFlow>, links: Vec<L>, observer: &'a mut O) -> Engine<'a, O, L> {
        let spec = accepted.spec;
        let (mut arrivals, transfers) = Arrivals::new(&accepted.sources, spec);
        let shown = accepted.flows.iter().map(|flow| Shown {
            // A whole stack's bytes are counted as they are.
            mss: if flow.stack.is_some() { 1 } else { flow.sender.mss },
            variables: flow.variables,
        });
        let flow_samples = FlowSamples::new(spec.sample_ns, shown);
        let records = Records { flow_samples, transfers, ..Records::default() };
        let names = Names::new(&accepted.flows);
        let tap = if O::SEES_PACKETS { observer.tap() } else { None };
        let tapped = |(i, flow): (usize, &AcceptedFlow<'_>)| {
            let facts = tap.as_ref().filter(|_| flow.stack.is_none()).map(|tap| (tap.clone(), Tapped::of_flow(flow)));
            let mut flow = Flow::new(i, flow, spec);
            if let Some((tap, facts)) = facts {
                flow.path.tapped_by(tap, facts);
            }
            flow
        };
        let flows: Vec<_> = accepted.flows.iter().enumerate().map(tapped).collect();
        if let Some(tap) = &tap {
            arrivals.tapped_by(tap, &accepted.sources);
            stacks.iter_mut().for_each(|stack| stack.tapped_by(tap.clone()));
        }
        Engine {
            spec,
            names,
            observer,
            at_window: Vec::new(),
            flows,
            arrivals,
            applications: Application::of_run(spec),
            sources: spec.traffic.iter().enumerate().map(|(index, given)| Source::new(given, index, spec)).collect(),
            stacks,
            links,
            horizons: horizons(spec),
            around: Around::new(spec),
            links_at: if spec.sample_ns == 0 { Time::NEVER } else { Time::ZERO },
            records,
            events: 0,
        }
    }

    /// Runs to the end.
    ///
    /// # Errors
    /// An interruption, or more transfers open than there is room for.
    pub(super) fn run(mut self, mut look: impl FnMut(&mut Records) -> Option<u64>) -> Result<Records, RunError> {
        let mut course = self.begin();
        course.look_at = look(&mut self.records).ok_or(Interrupted)?;
        self.proceed::<false>(&mut course, u64::MAX, look)?;
        // The rows need its memory.
        drop(course);
        Ok(self.finish())
    }

    /// Who is next at the beginning.
    #[inline(always)]
    pub(super) fn begin(&mut self) -> Course {
        let numbers = Numbers::new(Counts {
            links: if L::LATE { self.links.len() } else { 0 },
            gaps: self.around.gaps.len(),
            arrivals: self.arrivals.sources.len(),
            flows: self.flows.len(),
            datagrams: self.sources.len(),
            stacks: self.stacks.len(),
        });
        let mut calendar = Calendar::new(numbers.len());
        for number in 0..numbers.len() {
            calendar.set(number, self.due(numbers.party(number)));
        }
        Course { numbers, calendar, look_at: EVENTS_PER_LOOK, standstill: Standstill::default() }
    }

    /// Handles events: all of them, or, if it `STOPS`, those before `until`. What it did then is the same as without the stop.
    /// `look` may take samples out, and says after how many events to look again; none ends it.
    ///
    /// # Errors
    /// As [`Engine::run`].
    #[inline(always)]
    pub(super) fn proceed<const STOPS: bool>(
        &mut self,
        course: &mut Course,
        until: u64,
        mut look: impl FnMut(&mut Records) -> Option<u64>,
    ) -> Result<(), RunError> {
        let Course { numbers, calendar, look_at, standstill } = course;
        while let Some((number, bound)) = calendar.first() {
            if STOPS && calendar.now() >= until {
                break;
            }
            let bound = if STOPS { bound.min(until) } else { bound };
            if self.events >= *look_at {
                let Some(later) = look(&mut self.records) else { return Err(Interrupted.into()) };
                if standstill.is_at(calendar.now(), self.events) {
                    return Err(self.stuck(numbers.party(number), standstill));
                }
                *look_at = self.events + later;
            }
            let next = match numbers.party(number) {
                Party::Flow(index) => self.run_flow(index, bound, *look_at),
                Party::Link(index) => self.advance_link(index),
                Party::Gap(index) => self.reach_hop(index),
                Party::Datagrams(index) => self.run_source(index, bound, *look_at),
                Party::Arrivals(index) => self.begin_transfer(index)?,
                Party::Stack(index) => self.run_stack(index, bound, *look_at)?,
            };
            calendar.put_back(number, next);
            while let Some(party) = self.around.changed.pop() {
                if let Party::Link(index) = party {
                    self.empty_link(index);
                }
                calendar.set(numbers.number(party), self.due(party));
            }
        }
        Ok(())
    }

    /// Time does not pass any more: a law from outside did that. Without one it is a broken invariant.
    #[cold]
    fn stuck(&self, party: Party, standstill: &Standstill) -> RunError {
        let of_party = |flow: &usize| matches!(party, Party::Flow(index) if index == *flow);
        let mut guests = (0..self.flows.len()).filter(|&flow| self.flows[flow].sender.algorithm().is_guest());
        let flow = guests.clone().find(of_party).or_else(|| guests.next()).expect("time passes in every run of laws of our own");
        let file = self.names.iter().nth(flow).map_or("", |(name, _)| name);
        standstill.fault(file, flow).into()
    }

    /// When a party has its next event.
    fn due(&mut self, party: Party) -> u64 {
        match party {
            Party::Link(index) => self.set_link_due(index),
            Party::Gap(index) => self.around.gaps.next_at(index).0,
            Party::Arrivals(index) => self.arrivals.sources[index].next_at().0,
            Party::Flow(index) => self.flows[index].set_due(),
            Party::Datagrams(index) => self.sources[index].due.0,
            Party::Stack(index) => self.stacks[index].due(),
        }
    }

    /// The next transfer of a source begins; returns when another will.
    #[inline(never)]
    fn begin_transfer(&mut self, source: usize) -> Result<u64, RunError> {
        if L::LATE {
            // The lowest free slot is taken: what was dropped may have freed one.
            self.settle_links(self.arrivals.sources[source].next_at());
        }
        let flow = self.arrivals.begin(source, &mut self.flows, &mut self.records.transfers)?;
        self.give_host(flow);
        self.around.gaps.on_born(flow, self.records.transfers.rows.last().map_or(0, |row| row.kind));
        self.events += 1;
        self.around.changed.push(Party::Flow(flow));
        Ok(self.arrivals.sources[source].next_at().0)
    }
}

/// When departures can first have an effect: a packet reaches the next hop after the propagation to it. If it has left its last link, its
/// ACK reaches a sender, or a real link, a quarter of its flow's base RTT later or more.
fn horizons(spec: &Spec) -> Vec<Horizon> {
    let nearest = spec.everybody().map(|(_, flow)| access_delay(Duration(flow.rtt_ns))).min().unwrap_or(Duration::ZERO);
    let of_link = |link: usize| spec.hops.get(link).map_or(nearest, |hop| nearest.min(Duration(hop.delay_ns)));
    (0..spec.links().len()).map(|link| Horizon { lookahead: of_link(link), due: Time::NEVER }).collect()
}
