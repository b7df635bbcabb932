//! One flow in the engine: its sender, its path, and what it does next.

use cc::Controller;
use net::{Disorder, Packet};
use tcp::{Sender, SenderTotals};
use units::{Duration, Stream, Time};

use super::arrivals::Birth;
use super::client::Client;
use super::disorder::drawn;
use super::host;
use super::jitter::Jitter;
use super::path::Path;
use super::viewer::Viewer;
use crate::accept::AcceptedFlow;
use crate::spec::{Direction, FlowSpec, Spec, WritesSpec};

/// What an event of a flow is, in the order in which events of one flow at one time are handled.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum FlowKind {
    /// The connection opens.
    Start,
    /// An ACK reaches a real reverse link.
    Crossing,
    /// An ACK reaches the sender.
    Ack,
    /// The delayed-ACK timer has expired at the receiver.
    Pending,
    /// A timer of the sender expires.
    Deadline,
    /// The application writes, or pauses.
    Write,
    /// The application stops.
    Stop,
}

/// When the engine must look at a flow, apart from its ACKs.
#[derive(Clone, Copy, Debug)]
#[repr(C)]
pub(crate) struct Agenda {
    /// When the start is due; once it was, when the application next writes or pauses, if ever.
    pub(crate) start: Time,
    stop: Time,
    pub(crate) next_sample: Time,
    /// When the counters at the beginning of the measurement window are taken.
    pub(crate) window_at: Time,
    pub(crate) end: Time,
    /// The earlier of `start` and `stop`.
    turn: Time,
    /// The earliest of all these but `next_sample`.
    rest: Time,
    /// The earliest of all these: until then nothing but the flow's ACKs and timers needs a look.
    pub(crate) calm_until: Time,
    /// When the sender's timer expires.
    pub(crate) wake: Time,
}

impl Agenda {
    /// After any of the times but `wake` was moved.
    pub(crate) fn refresh(&mut self) {
        self.turn = self.start.min(self.stop);
        self.rest = self.turn.min(self.end).min(self.window_at);
        self.look_ahead();
    }

    /// After the next sample was moved.
    #[inline]
    pub(crate) fn look_ahead(&mut self) {
        self.calm_until = self.rest.min(self.next_sample);
    }

    /// After any event of the sender: its timer expires at `deadline`.
    #[inline]
    pub(crate) fn rearm(&mut self, deadline: Time) {
        self.wake = deadline;
    }
}

/// State of one flow. All times are in the flow's clock. With many flows every event finds its flow gone from the cache: in
/// memory what a plain ACK looks at lies together in the middle, what is rarely looked at before and after it.
#[derive(Debug)]
#[repr(C)]
pub struct Flow {
    /// When everything asked for was acknowledged; never if it was not.
    pub(crate) completed: Time,
    pub(crate) path: Path,
    pub(crate) agenda: Agenda,
    /// The event that the engine will handle next.
    pub(crate) due: (Time, FlowKind),
    pub(crate) sender: Sender<Controller>,
    /// Integral of cwnd when the application stopped, or had everything acknowledged; NaN before.
    pub(crate) area_at_end: f64,
}

units::clone_by_field! { Flow: completed path agenda due sender area_at_end }

impl Flow {
    pub(crate) fn new(index: usize, accepted: &AcceptedFlow, spec: &Spec) -> Flow {
        let given = accepted.spec;
        let rtt = Duration(given.rtt_ns);
        let mut receiver = accepted.receiver();
        if given.handshake && given.bytes.is_some() {
            receiver.ends_after(accepted.sender.segments);
        }
        let (entry, reverse) = (given.hops.links(spec).0 as u8, spec.reverse_link().map(|link| link as u8));
        let links = match given.direction {
            Direction::Forward => (entry, reverse),
            Direction::Reverse => (reverse.expect("a reverse flow has its link"), Some(entry)),
        };
        let packet = Packet::data(given.packet_bytes, index as u32);
        let traffic = (packet, accepted.sender.options.ecn);
        let mut path = Path::new(receiver, rtt, traffic, links);
        path.put_behind(disorder(spec, index, given));
        let access = path.access_delay();
        path.put_on_host(host::side(spec, given, access));
        path.lead_over(spec.hops.len());
        path.answer_to(Client::of_flow(index, accepted, spec));
        path.show_to(matches!(given.writes, Some(WritesSpec::Video { .. })).then(|| Viewer::of_flow(index)));
        path.look_at_buffer();
        path.jitter = Jitter::of_flow(index, spec.seed, given.jitter_ns);
        path.opens = given.handshake;
        let samples = if spec.sample_ns == 0 { Time::NEVER } else { Time(given.start_ns.next_multiple_of(spec.sample_ns)) };
        let mut agenda = Agenda {
            start: Time(given.start_ns) + access,
            stop: given.stop_ns.map_or(Time::NEVER, |stop| Time(stop) + access),
            wake: Time::NEVER,
            turn: Time::NEVER,
            rest: Time::NEVER,
            end: Time(spec.duration_ns) + access,
            next_sample: samples.saturating_add(access),
            window_at: Time(spec.warmup_ns.max(given.start_ns)) + access,
            calm_until: Time::ZERO,
        };
        agenda.refresh();
        let mut sender = Sender::new(accepted.sender.clone(), accepted.control(index, spec.seed));
        if given.writes.is_some() || given.requests.is_some() {
            sender = sender.waiting();
        }
        let due = (agenda.start, FlowKind::Start);
        let mut flow = Flow { due, agenda, path, sender, completed: Time::NEVER, area_at_end: f64::NAN };
        if given.stack.is_some() {
            flow = flow.idle();
        }
        flow
    }

    /// The place of a flow that is a whole stack's: nothing ever happens to it.
    fn idle(mut self) -> Flow {
        let end = self.agenda.end;
        self.agenda = Agenda { start: Time::NEVER, stop: Time::NEVER, next_sample: Time::NEVER, window_at: Time::NEVER, ..self.agenda };
        self.agenda.refresh();
        self.due = (end, FlowKind::Stop);
        self
    }

    /// The same as what transfers are copies of: it is not sampled, and nothing of it is noted.
    pub(crate) fn prototype(mut self) -> Flow {
        self.agenda.next_sample = Time::NEVER;
        self.agenda.window_at = Time::NEVER;
        self.agenda.refresh();
        self.path.is_transfer = true;
        self
    }

    /// What is a copy of a prototype becomes this transfer, whose packets carry this number.
    pub(crate) fn on_born(&mut self, birth: Birth, number: u32) {
        self.path.on_born(number, birth.seed);
        let start = birth.at + self.path.access_delay();
        self.agenda.start = start;
        self.agenda.refresh();
        let segments = self.sender.on_born(birth.bytes);
        if self.sender.algorithm().may_draw() {
            self.sender.on_seeded(Stream::named(birth.seed, "algorithm"));
        }
        if self.path.opens {
            self.path.receiver.ends_after(segments);
        }
        if self.path.is_tapped {
            self.path.show_birth(birth.at, segments);
        }
        self.due = (start, FlowKind::Start);
    }

    /// Everything is acknowledged, and nothing is under way or armed any more.
    pub(crate) fn is_spent(&self) -> bool {
        self.sender.is_finished() && self.path.is_quiet() && self.sender.deadline() == Time::NEVER
    }

    /// Counters as of `at`, which is about now.
    pub(crate) fn totals(&self, at: Time) -> SenderTotals {
        let totals = self.sender.totals(at);
        let cwnd_area = if self.area_at_end.is_nan() { totals.cwnd_area } else { self.area_at_end };
        SenderTotals { cwnd_area, ..totals }
    }

    /// What its window is from now on counts no more: nothing is left to send.
    pub(crate) fn close_area(&mut self, now: Time) {
        if self.area_at_end.is_nan() {
            self.area_at_end = self.sender.totals(now).cwnd_area;
        }
    }

    /// The flow's next event.
    #[inline]
    pub(crate) fn next(&self) -> (Time, FlowKind) {
        let (ack, crossing, wake) = (self.path.arriving_at(), self.path.crossing_at(), self.agenda.wake);
        let (turn, pending) = (self.agenda.turn, self.path.pending_at());
        let other = turn.min(pending);
        let rest = other.min(crossing);
        if ack < wake {
            if ack < rest {
                return (ack, FlowKind::Ack);
            }
        } else if wake < rest && wake < ack {
            return (wake, FlowKind::Deadline);
        }
        if crossing < other.min(wake) {
            return (crossing, FlowKind::Crossing);
        }
        if pending < turn.min(crossing).min(ack) && pending <= wake {
            return (pending, FlowKind::Pending);
        }
        if turn < pending.min(crossing).min(ack).min(wake) {
            return self.next_turn();
        }
        self.next_of_all()
    }

    /// What the application does next, where nothing else happens before or then: a transfer begins so.
    #[inline]
    fn next_turn(&self) -> (Time, FlowKind) {
        let Agenda { start, stop, .. } = self.agenda;
        if stop < start {
            (stop, FlowKind::Stop)
        } else if self.sender.has_started() {
            (start, FlowKind::Write)
        } else {
            (start, FlowKind::Start)
        }
    }

    /// Something reached the flow: looks at when its next event is, never after the end.
    #[inline]
    pub(crate) fn set_due(&mut self) -> u64 {
        self.due = self.next();
        if self.due.0 >= self.agenda.end {
            u64::MAX
        } else {
            self.due.0 .0
        }
    }

    /// After something reached its path: its next event may be another than the one that is known.
    #[inline]
    pub(crate) fn is_moved(&self) -> bool {
        let (at, kind) = self.due;
        let path = &self.path;
        match kind {
            // What joins those under way in order is not the first of them.
            FlowKind::Ack => path.pending_at() <= at || path.crossing_at() <= at,
            FlowKind::Crossing => path.pending_at() <= at || path.arriving_at() <= at,
            FlowKind::Pending => true,
            _ => path.pending_at() <= at || path.arriving_at() <= at || path.crossing_at() <= at,
        }
    }

    /// The earliest of every kind; of several at one time, the first in the order of kinds.
    #[cold]
    fn next_of_all(&self) -> (Time, FlowKind) {
        let (start, write) = if self.sender.has_started() { (Time::NEVER, self.agenda.start) } else { (self.agenda.start, Time::NEVER) };
        [
            (start, FlowKind::Start),
            (self.path.crossing_at(), FlowKind::Crossing),
            (self.path.arriving_at(), FlowKind::Ack),
            (self.path.pending_at(), FlowKind::Pending),
            (self.agenda.wake, FlowKind::Deadline),
            (write, FlowKind::Write),
            (self.agenda.stop, FlowKind::Stop),
        ]
        .into_iter()
        .fold((Time::NEVER, FlowKind::Stop), |first, next| if next.0 < first.0 { next } else { first })
    }

    pub(crate) fn base_rtt(&self) -> Duration {
        self.path.rtt
    }

    /// The start, or a write, was; the next write is due at `write`.
    pub(crate) fn started(&mut self, write: Time) {
        self.agenda.start = write;
        self.agenda.refresh();
    }

    pub(crate) fn stopped(&mut self) {
        (self.agenda.stop, self.agenda.start) = (Time::NEVER, Time::NEVER);
        self.agenda.refresh();
        self.sender.on_stopped();
    }
}

/// What happens to the order of a flow's data behind its link, or its last hop.
pub(crate) fn disorder(spec: &Spec, index: usize, given: &FlowSpec) -> Option<Disorder> {
    let link = match (given.direction, given.hops.links(spec).1) {
        (Direction::Reverse, _) => spec.reverse.as_ref()?,
        (Direction::Forward, 0) => &spec.forward,
        (Direction::Forward, last) => &spec.hops[last - 1].link,
    };
    drawn(&link.disorder, || Stream::named(spec.seed, format_args!("flow{index}/disorder")))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The ACKs under way and the segments outstanding of a small window included.
    #[test]
    fn a_flow_takes_less_than_two_kilobytes() {
        assert!(std::mem::size_of::<Flow>() < 2000, "{} bytes", std::mem::size_of::<Flow>());
    }
}
