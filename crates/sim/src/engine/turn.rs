//! A flow's turn.

use cc::Controller;
use net::Link;
use tcp::{Ack, Sack, Sender};
use units::Time;

use super::observer::Audience;
use super::run::Engine;
use crate::parts::around::Around;
use crate::parts::flow::{Flow, FlowKind};
use crate::parts::load::Load;
use crate::parts::party::Party;
use crate::parts::request::Piece;
use crate::parts::wire::PathWire;
use crate::records::EventKind;

/// A packet of a request arrives at the server, with the ACK that it carries. It may be acknowledged at once. Once the request is whole the response is
/// written. Returns the
/// sender's deadline.
#[cold]
#[inline(never)]
fn be_asked<L: Link<Load>>(
    sender: &mut Sender<Controller>,
    wire: &mut PathWire<'_, L>,
    at: Time,
    (piece, ack, sack): (Piece, Ack, Sack),
) -> Time {
    let (sent, carried) = Piece::carries(&ack, &sack);
    if carried.cumulative > sender.connection().una {
        sender.on_ack(at, carried, None, wire);
    }
    let Some(client) = wire.path.client() else { return sender.deadline() };
    let asked = client.on_arrived(piece, sent, at);
    wire.path.refresh_beyond();
    if let Some(heard) = asked.heard {
        wire.send_bare(at, heard);
    }
    if let Some((segments, is_last)) = asked.written {
        sender.on_written(at, segments, wire);
        if is_last {
            sender.on_last_written();
        }
    }
    sender.deadline()
}

/// How far a flow may go on alone.
struct Limits {
    /// Something else is due then.
    until: Time,
    /// Events by which the interrupt flag is looked at.
    look_at: u64,
}

/// What became of a flow's ACKs.
enum Taken {
    /// Its next event is not known yet.
    Some,
    /// Its next event is one more ACK, then.
    NextAt(Time),
    /// Everything asked for was acknowledged then.
    AllAt(Time),
}

/// The ACK that is next, and those that follow it before anything else happens: no other flow's event, no timer, no sample.
#[inline(always)]
fn take_acks<O: Audience, L: Link<Load>>(
    flow: &mut Flow,
    index: usize,
    limits: &Limits,
    (links, around, observer, events): (&mut [L], &mut Around, &mut O, &mut u64),
) -> Taken {
    let Flow { agenda, path, sender, due, .. } = flow;
    let link = &mut links[path.data_link()];
    let mut wire = PathWire { path, link, around, flow: index };
    let calm_until = agenda.calm_until;
    let until = limits.until.min(calm_until);
    let mut next = wire.path.take_arriving();
    while let Some(delivery) = next {
        let (at, ack) = (delivery.at, delivery.ack());
        let deadline = if ack.has_sack {
            let sack = wire.path.take_sack();
            if O::SEES_PACKETS && wire.path.is_tapped {
                wire.path.show_arriving(at, ack, sack);
            }
            match Piece::of(&ack) {
                None if sack.is_some_and(|sack| sack.window.is_some()) => {
                    sender.on_offering_ack(at, ack, &sack.unwrap_or_default(), &mut wire)
                }
                None => sender.on_ack(at, ack, sack.as_ref(), &mut wire),
                Some(piece) => be_asked(sender, &mut wire, at, (piece, ack, sack.unwrap_or_default())),
            }
        } else {
            if O::SEES_PACKETS && wire.path.is_tapped {
                wire.path.show_arriving(at, ack, None);
            }
            sender.on_ack(at, ack, None, &mut wire)
        };
        observer.on_acked(at, index, sender);
        agenda.rearm(deadline);
        *events += 1;
        if sender.is_finished() {
            return Taken::AllAt(at);
        }
        if L::LATE && !wire.around.changed.is_empty() {
            return Taken::Some;
        }
        let at = wire.path.arriving_at();
        if at >= until || at >= agenda.wake || !wire.path.is_calm_at(at) || *events >= limits.look_at {
            if at < calm_until && at < agenda.wake && wire.path.is_calm_at(at) {
                *due = (at, FlowKind::Ack);
                return Taken::NextAt(at);
            }
            return Taken::Some;
        }
        next = wire.path.take_arriving();
    }
    Taken::Some
}

/// The flow's timer is due for a look: if the sender has moved its deadline, it is looked at again then.
#[inline(always)]
fn wake<L: Link<Load>>(flow: &mut Flow, index: usize, now: Time, (links, around): (&mut [L], &mut Around)) {
    let Flow { agenda, path, sender, .. } = flow;
    let due = sender.deadline();
    if due > now {
        agenda.wake = due;
        return;
    }
    let link = &mut links[path.data_link()];
    let mut wire = PathWire { path, link, around, flow: index };
    // Nothing is acknowledged by that: a transfer does not end here.
    agenda.wake = sender.on_deadline(now, &mut wire);
}

impl<O: Audience, L: Link<Load>> Engine<'_, O, L> {
    /// As [`Engine::run_events`]; a transfer of which nothing is left frees its slot.
    #[inline(always)]
    pub(super) fn run_flow(&mut self, index: usize, bound: u64, look_at: u64) -> u64 {
        let next = self.run_events(index, bound, look_at);
        if self.arrivals.release(index, &self.flows[index]) {
            return u64::MAX;
        }
        next
    }

    /// Handles the event that is due at one flow, and more of its events while they come before `bound` and move no other party's; returns
    /// the time of its next. Inlined, for with many flows a turn is one event.
    #[inline(always)]
    fn run_events(&mut self, index: usize, bound: u64, look_at: u64) -> u64 {
        // Looked up again only after what may have moved the flows.
        let mut flow = &mut self.flows[index];
        let (mut now, mut kind) = flow.due;
        loop {
            if now >= flow.agenda.calm_until || now >= self.links_at {
                self.catch_up(index, now);
                flow = &mut self.flows[index];
            }
            if kind == FlowKind::Deadline {
                self.events += 1;
                wake(flow, index, now, (&mut self.links, &mut self.around));
            } else if kind != FlowKind::Ack {
                self.handle_other((index, now), kind, Time(bound).min(self.links_at));
                flow = &mut self.flows[index];
            } else {
                let limits = Limits { until: Time(bound).min(self.links_at), look_at };
                let rest = (&mut self.links[..], &mut self.around, &mut *self.observer, &mut self.events);
                match take_acks(flow, index, &limits, rest) {
                    Taken::NextAt(at) => return at.0,
                    Taken::AllAt(at) => {
                        self.complete(index, at);
                        flow = &mut self.flows[index];
                    }
                    Taken::Some => {}
                }
            }
            (now, kind) = flow.next();
            if now >= flow.agenda.end {
                flow.due = (now, kind);
                return u64::MAX;
            }
            if now.0 >= bound || self.events >= look_at || !self.around.changed.is_empty() {
                flow.due = (now, kind);
                return now.0;
            }
        }
    }

    /// Neither an ACK nor a timer. Out of line, for the two are then distinguished without a table of jumps.
    #[inline(never)]
    fn handle_other(&mut self, (index, now): (usize, Time), kind: FlowKind, until: Time) {
        match kind {
            FlowKind::Crossing => self.cross(index),
            FlowKind::Pending => self.handle_pending(index, now, until),
            _ => self.handle_rare(index, now, kind),
        }
    }

    /// What happens once to a flow, or now and then.
    #[inline(never)]
    fn handle_rare(&mut self, index: usize, now: Time, kind: FlowKind) {
        self.events += 1;
        let flow = &mut self.flows[index];
        let application = self.applications.get_mut(index).and_then(Option::as_mut);
        let (rtt, opens) = (flow.base_rtt(), flow.path.opens);
        match kind {
            FlowKind::Stop => {
                flow.close_area(now);
                flow.stopped();
            }
            FlowKind::Write => {}
            _ => flow.started(if application.is_some() { now } else { Time::NEVER }),
        }
        let Flow { sender, path, .. } = flow;
        let at = now.saturating_sub(path.access_delay());
        let link = &mut self.links[path.data_link()];
        let mut wire = PathWire { path, link, around: &mut self.around, flow: index };
        if kind == FlowKind::Start {
            if !wire.path.is_transfer {
                wire.around.note(at, index, EventKind::Start);
            }
            if opens {
                sender.on_opened(now, &mut wire);
            } else {
                sender.on_started(now, rtt, &mut wire);
            }
        }
        if let (FlowKind::Write, Some(application)) = (kind, application) {
            if let Some(frame) = application.encode(now, sender) {
                wire.path.on_captured(now, frame);
            }
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
            let at = now.saturating_sub(flow.path.access_delay());
            if flow.path.is_transfer {
                self.arrivals.on_completed(index, flow, now, &mut self.records.transfers);
                self.around.changed.extend(self.arrivals.take_woken().map(Party::Arrivals));
            } else {
                self.around.note(at, index, EventKind::Stop);
            }
        }
    }
}
