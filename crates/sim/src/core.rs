//! The event core: who is next, and what happens then.
//!
//! Events are totally ordered by (time, flow, kind). The flow with the earliest event runs alone until another is due, so
//! that a train of ACKs of one flow is handled in one go. Samples are taken when a flow's, or a link's, next event has
//! passed the sampling time: between its own events its state does not change.

use std::any::Any;
use std::panic::{catch_unwind, AssertUnwindSafe};

use units::Time;

use crate::accept::{accept, Accepted, AcceptedFlow};
use crate::application::Application;
use crate::arrivals::Arrivals;
use crate::error::{Interrupted, RunError};
use crate::flow::{Flow, FlowKind};
use crate::host::{machines, Machine};
use crate::link::Link;
use crate::lot::Lot;
use crate::observer::{Observer, Silent};
use crate::records::{Event, EventKind, FlowRow, LinkRow, Records};
use crate::samples::FlowSamples;
use crate::source::Source;
use crate::spec::{Direction, FlowSpec, Spec};
use crate::tree::Tree;
use crate::wire::PathWire;

/// Events between two looks at the interrupt flag: a few milliseconds.
pub(crate) const EVENTS_PER_LOOK: u64 = 1 << 17;

/// Runs a scenario. `interrupted` is asked every few milliseconds of computing; true ends the run.
///
/// # Errors
/// A scenario that is refused, or an interruption.
pub fn run(spec: &Spec, interrupted: impl FnMut() -> bool) -> Result<Records, RunError> {
    run_observed(spec, &mut Silent, interrupted)
}

/// As [`run`], with an observer of every ACK.
///
/// # Errors
/// As [`run`].
pub fn run_observed<O: Observer>(spec: &Spec, observer: &mut O, interrupted: impl FnMut() -> bool) -> Result<Records, RunError> {
    run_named(spec, None, observer, interrupted)
}

/// As [`run_observed`], for a scenario that has a name: its digest.
///
/// # Errors
/// As [`run`].
///
/// # Panics
/// When an invariant is broken: a bug. The message then ends with the seed and the scenario's name, or the scenario itself.
pub fn run_named<O: Observer>(
    spec: &Spec,
    digest: Option<&str>,
    observer: &mut O,
    interrupted: impl FnMut() -> bool,
) -> Result<Records, RunError> {
    let accepted = accept(spec)?;
    // Nothing of a run that panicked is looked at again.
    let decides_late = accepted.links.iter().any(|link| link.discipline.is_some());
    let comes_and_goes = !accepted.sources.is_empty();
    let run = AssertUnwindSafe(|| match (decides_late, comes_and_goes) {
        (false, false) => Ok(Engine::<O, false>::new(accepted, observer).run(interrupted)?),
        (false, true) => Engine::<O, false>::new(accepted, observer).run_open(interrupted),
        (true, _) => Engine::<O, true>::new(accepted, observer).run_open(interrupted),
    });
    match catch_unwind(run) {
        Ok(records) => records,
        Err(panic) => {
            let scenario = digest.map_or_else(|| serde_json::to_string(spec).unwrap_or_default(), str::to_owned);
            panic!("{}; seed {}, scenario {scenario}", said(panic.as_ref()), spec.seed)
        }
    }
}

/// The message of a panic.
fn said(panic: &(dyn Any + Send)) -> &str {
    let text = panic.downcast_ref::<String>().map(String::as_str);
    text.or_else(|| panic.downcast_ref::<&str>().copied()).unwrap_or("a broken invariant")
}

/// A link and its next sample.
pub(crate) struct SampledLink {
    pub(crate) next: Time,
}

/// Protocol and variant of each flow: each pair once, and two bytes per flow.
struct Names {
    pairs: Vec<(&'static str, &'static str)>,
    of_flow: Vec<u16>,
}

impl Names {
    fn new(flows: &[AcceptedFlow]) -> Names {
        let mut pairs = Vec::new();
        let number = |flow: &AcceptedFlow| {
            let pair = (flow.algorithm, flow.variant);
            let known = pairs.iter().position(|&known| known == pair);
            known.unwrap_or_else(|| {
                pairs.push(pair);
                pairs.len() - 1
            }) as u16
        };
        let of_flow = flows.iter().map(number).collect();
        Names { pairs, of_flow }
    }

    fn iter(&self) -> impl Iterator<Item = (&'static str, &'static str)> + '_ {
        self.of_flow.iter().map(|&number| self.pairs[usize::from(number)])
    }
}

/// A run in progress; `LATE` if a link has a queue that decides late. Then it is another program: what the one without does costs it nothing.
pub struct Engine<'a, O, const LATE: bool = false> {
    pub(crate) spec: &'a Spec,
    names: Names,
    observer: &'a mut O,
    pub(crate) flows: Vec<Flow>,
    pub(crate) arrivals: Arrivals,
    /// Of flows that do not always have more to send; empty if all have.
    applications: Vec<Option<Application>>,
    /// Parties after the flows.
    pub(crate) sources: Vec<Source>,
    pub(crate) links: Vec<Link>,
    pub(crate) lot: Lot,
    pub(crate) machines: Vec<Machine>,
    pub(crate) link_samples: SampledLink,
    pub(crate) records: Records,
    pub(crate) events: u64,
}

impl<'a, O: Observer, const LATE: bool> Engine<'a, O, LATE> {
    /// A run that has not begun.
    pub fn new(accepted: Accepted<'a>, observer: &'a mut O) -> Engine<'a, O, LATE> {
        let spec = accepted.spec;
        let window = (Time(spec.warmup_ns), Time(spec.duration_ns));
        let links = accepted.links.into_iter().map(|link| Link::new(link, window, spec.seed)).collect();
        let (arrivals, transfers) = Arrivals::new(&accepted.sources, spec);
        let flow_samples = FlowSamples::new(spec.sample_ns, &accepted.flows);
        let records = Records { flow_samples, transfers, ..Records::default() };
        let names = Names::new(&accepted.flows);
        let flows: Vec<_> = accepted.flows.into_iter().enumerate().map(|(i, flow)| Flow::new(i, flow, spec)).collect();
        let sources = spec.traffic.iter().zip(flows.len()..).map(|(given, number)| Source::new(given, number, spec)).collect();
        Engine {
            spec,
            names,
            observer,
            flows,
            arrivals,
            applications: Application::of_run(spec),
            sources,
            links,
            lot: Lot::new(spec),
            machines: machines(spec),
            link_samples: SampledLink { next: if spec.sample_ns == 0 { Time::NEVER } else { Time::ZERO } },
            records,
            events: 0,
        }
    }

    /// Runs to the end.
    ///
    /// # Errors
    /// An interruption.
    pub fn run(mut self, mut interrupted: impl FnMut() -> bool) -> Result<Records, Interrupted> {
        let mut tree = Tree::new(self.first_due().into_iter());
        let mut look_at = EVENTS_PER_LOOK;
        while let Some((flow, bound)) = tree.first() {
            if self.events >= look_at {
                if interrupted() {
                    return Err(Interrupted);
                }
                look_at = self.events + EVENTS_PER_LOOK;
            }
            let next = match flow.checked_sub(self.flows.len()) {
                None => self.run_flow(flow, bound, look_at),
                Some(source) => self.run_source(source, bound, look_at),
            };
            tree.put_back(next);
        }
        Ok(self.finish())
    }

    /// When each flow, then each source, has its first event.
    pub(crate) fn first_due(&self) -> Vec<u64> {
        self.flows.iter().map(|flow| flow.due.0 .0).chain(self.sources.iter().map(|source| source.due.0)).collect()
    }

    /// Handles the event that is due at one flow, and more of its events while they come before `bound`; returns the time
    /// of its next. In line: with many flows a turn is one event.
    #[inline(always)]
    pub(crate) fn run_flow(&mut self, index: usize, bound: u64, look_at: u64) -> u64 {
        let (mut now, mut kind) = self.flows[index].due;
        loop {
            if now >= self.flows[index].agenda.calm_until || now >= self.link_samples.next {
                self.catch_up(index, now);
            }
            match kind {
                FlowKind::Ack => self.take_acks(index, Time(bound).min(self.link_samples.next), look_at),
                FlowKind::Crossing => self.cross(index),
                FlowKind::Deadline => self.wake(index, now),
                _ => self.handle_rare(index, now, kind),
            }
            let flow = &mut self.flows[index];
            (now, kind) = flow.next();
            if now >= flow.agenda.end {
                return u64::MAX;
            }
            if now.0 >= bound || self.events >= look_at {
                flow.due = (now, kind);
                return now.0;
            }
        }
    }

    /// The ACK that is next, and those that follow it before anything else happens, before `until`: no other flow's
    /// event, no timer, no sample.
    #[inline]
    fn take_acks(&mut self, index: usize, until: Time, look_at: u64) {
        let Flow { agenda, path, sender, .. } = &mut self.flows[index];
        let (link, events, machines) = (&mut self.links[path.data_link()], &mut self.records.events, &mut self.machines);
        let mut wire = PathWire::<LATE> { path, link, events, machines, flow: index, spec: self.spec };
        let until = until.min(agenda.calm_until);
        let mut next = wire.path.arriving.pop();
        while let Some(delivery) = next {
            let (at, ack) = (delivery.at, delivery.ack());
            let sack = wire.path.take_sack(&ack);
            sender.on_ack(at, &ack, sack.as_ref(), &mut wire);
            self.observer.on_acked(at, index, sender);
            agenda.rearm(sender.deadline());
            self.events += 1;
            if sender.is_finished() {
                return self.complete(index, at);
            }
            let before = until.min(agenda.wake).min(wire.path.pending_at()).min(wire.path.crossing_at());
            next = wire.path.arriving.pop_if(|delivery| delivery.at < before && self.events < look_at);
        }
    }

    /// The flow's ACK reaches a real link.
    #[inline]
    fn cross(&mut self, index: usize) {
        self.flows[index].path.cross::<LATE>(index, &mut self.links);
        self.events += 1;
    }

    /// The flow's timer is due for a look: if the sender has moved its deadline, it is looked at again then.
    #[inline(never)]
    fn wake(&mut self, index: usize, now: Time) {
        self.events += 1;
        let Flow { agenda, path, sender, .. } = &mut self.flows[index];
        agenda.wake = sender.deadline();
        if agenda.wake > now {
            return;
        }
        let (link, events, machines) = (&mut self.links[path.data_link()], &mut self.records.events, &mut self.machines);
        let mut wire = PathWire::<LATE> { path, link, events, machines, flow: index, spec: self.spec };
        sender.on_deadline(now, &mut wire);
        agenda.wake = sender.deadline();
        if sender.is_finished() {
            self.complete(index, now);
        }
    }

    /// Takes the samples and snapshots that fall before an event of flow `index` at `now`.
    #[inline(never)]
    fn catch_up(&mut self, index: usize, now: Time) {
        self.sample_flow(index, now);
        if self.link_samples.next <= now {
            self.sample_links(now);
        }
    }

    /// What happens once to a flow, or now and then.
    #[inline(never)]
    fn handle_rare(&mut self, index: usize, now: Time, kind: FlowKind) {
        self.events += 1;
        let flow = &mut self.flows[index];
        let application = self.applications.get_mut(index).and_then(Option::as_mut);
        let rtt = flow.base_rtt();
        match kind {
            FlowKind::Pending => return self.handle_pending(index, now),
            FlowKind::Stop => {
                flow.close_area(now);
                flow.stopped();
            }
            FlowKind::Write => {}
            _ => flow.started(if application.is_some() { now } else { Time::NEVER }),
        }
        let Flow { sender, path, .. } = flow;
        let at = now.since(path.access_delay());
        let (link, events, machines) = (&mut self.links[path.data_link()], &mut self.records.events, &mut self.machines);
        let mut wire = PathWire::<LATE> { path, link, events, machines, flow: index, spec: self.spec };
        if kind == FlowKind::Start {
            if !wire.path.is_transfer {
                note(wire.events, at, index, EventKind::Start);
            }
            sender.on_started(now, rtt, &mut wire);
        }
        if let (FlowKind::Write, Some(application)) = (kind, application) {
            let next = application.write(now, sender, &mut wire);
            flow.started(next);
        }
        flow.agenda.rearm(flow.sender.deadline());
        if flow.sender.is_finished() {
            self.complete(index, now);
        }
    }

    #[cold]
    fn complete(&mut self, index: usize, now: Time) {
        let flow = &mut self.flows[index];
        if flow.completed == Time::NEVER {
            flow.close_area(now);
            flow.completed = now;
            let at = now.since(flow.path.access_delay());
            if flow.path.is_transfer {
                self.arrivals.on_completed(index, flow, (now, at), &mut self.records.transfers);
            } else {
                note(&mut self.records.events, at, index, EventKind::Stop);
            }
        }
    }

    fn sample_flow(&mut self, index: usize, until: Time) {
        let flow = &mut self.flows[index];
        if flow.agenda.window_at <= until {
            flow.at_window = flow.totals(flow.agenda.window_at);
            flow.agenda.window_at = Time::NEVER;
        }
        let agenda = &mut flow.agenda;
        if agenda.next_sample <= until {
            // Nothing changed since the last event: the rows that fall due differ in their time alone.
            let interval = self.spec.sample_ns;
            let first = agenda.next_sample;
            let rows = (until - first).0 / interval + 1;
            agenda.next_sample += Time(rows * interval);
            if flow.sender.has_started() {
                let first_ns = (first - flow.path.access_delay()).0;
                self.records.flow_samples.push(index, flow, first_ns, rows);
            }
        }
        flow.agenda.refresh();
    }

    #[cold]
    pub(crate) fn sample_links(&mut self, until: Time) {
        while self.link_samples.next <= until {
            let t = self.link_samples.next;
            let next = t + Time(self.spec.sample_ns);
            // Flows' clocks run on for a while after the links'.
            self.link_samples.next = if next.0 > self.spec.duration_ns { Time::NEVER } else { next };
            for (index, link) in self.links.iter_mut().enumerate() {
                let occupancy = link.occupancy(t);
                let samples = &mut self.records.link_samples;
                samples.t_ns.push(t.0);
                samples.link.push(index as u32);
                samples.queue_packets.push(occupancy.packets);
                samples.queue_bytes.push(occupancy.bytes);
                samples.delivered_bytes.push(occupancy.delivered_bytes);
                samples.dropped.push(occupancy.dropped);
                samples.marked.push(occupancy.marked);
            }
        }
    }

    pub(crate) fn finish(mut self) -> Records {
        let spec = self.spec;
        for index in 0..self.flows.len() {
            self.sample_flow(index, self.flows[index].agenda.end);
        }
        self.sample_links(Time(spec.duration_ns));
        self.close_sources();
        self.close_machines();
        let window_ns = spec.duration_ns - spec.warmup_ns;
        self.records.links = self
            .links
            .iter_mut()
            .map(|link| LinkRow { totals: link.totals(), window_ns, capacity_bytes: link.window_capacity_bytes() })
            .collect();
        self.records.link_names = spec.links().into_iter().map(|link| link.name).collect();
        let named = self.flows.iter().zip(&spec.flows).zip(self.names.iter());
        self.records.flows = named.map(|((flow, given), names)| flow_row(flow, given, names, spec)).collect();
        self.arrivals.count_unfinished(&self.flows, &mut self.records.transfers);
        let by_transfers: u64 = self.records.transfers.rows.iter().map(|row| u64::from(row.sent)).sum();
        let datagrams: u64 = self.records.sources.iter().map(|row| row.at_end.sent).sum();
        self.records.data_packets = self.records.flows.iter().map(|row| row.at_end.sent).sum::<u64>() + by_transfers + datagrams;
        self.records.core_events = self.events;
        let Engine { mut records, flows, .. } = self;
        // Sorting takes room of its own.
        drop(flows);
        records.events.sort_by_key(|event| event.t_ns);
        records
    }
}

fn note(events: &mut Vec<Event>, at: Time, flow: usize, kind: EventKind) {
    events.push(Event { t_ns: at.0, flow: flow as i32, link: -1, kind, value: f64::NAN, value2: f64::NAN });
}

fn flow_row(flow: &Flow, given: &FlowSpec, (algorithm, variant): (&'static str, &'static str), spec: &Spec) -> FlowRow {
    let access = flow.path.access_delay();
    let completed_ns = if flow.completed == Time::NEVER { u64::MAX } else { flow.completed.since(access).0 };
    let from = spec.warmup_ns.max(given.start_ns);
    let to = spec.duration_ns.min(given.stop_ns.unwrap_or(u64::MAX)).min(if given.bytes.is_some() { completed_ns } else { u64::MAX });
    FlowRow {
        algorithm,
        variant,
        is_reverse: given.direction == Direction::Reverse,
        start_s: given.start_ns as f64 * 1e-9,
        stop_s: given.stop_ns.map_or(f64::NAN, |stop| stop as f64 * 1e-9),
        completed_s: if completed_ns == u64::MAX { f64::NAN } else { completed_ns as f64 * 1e-9 },
        mss_bytes: given.mss_bytes,
        packet_bytes: given.packet_bytes,
        lost_packets: flow.path.lost,
        marked_packets: flow.path.marked,
        host: given.host,
        send_stalls: flow.sender.send_stalls(),
        receive_window_bytes: receive_window_bytes(flow, given),
        window_s: to.saturating_sub(from) as f64 * 1e-9,
        at_window: flow.at_window,
        at_end: flow.totals(flow.agenda.end),
    }
}

/// The largest window that the receiver offered, as the scenario says it where it does.
fn receive_window_bytes(flow: &Flow, given: &FlowSpec) -> Option<u64> {
    let packets = flow.sender.receive_window();
    let given_bytes = given.window_bytes.filter(|_| given.window_packets == Some(packets));
    (packets < u64::MAX).then(|| given_bytes.unwrap_or(packets.saturating_mul(given.mss_bytes.into())))
}
