//! One flow in the engine: its sender, its path, and what it does next.

use cc::Algorithm;
use tcp::{Receiver, ReceiverSpec, Sender, SenderTotals};
use units::{Stream, Time};

use crate::accept::AcceptedFlow;
use crate::path::Path;
use crate::spec::{Direction, Spec};

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
    /// The application stops.
    Stop,
}

/// State of one flow. All times are in the flow's clock.
#[derive(Clone, Debug)]
pub struct Flow {
    pub(crate) sender: Sender<Algorithm>,
    pub(crate) path: Path,
    /// When the start is due; never once it was.
    start: Time,
    stop: Time,
    /// When the sender's timer is looked at: not later than its deadline.
    wake: Time,
    /// The earliest of `start`, `stop` and `wake`.
    rare: Time,
    pub(crate) end: Time,
    pub(crate) next_sample: Time,
    /// When the counters at the beginning of the measurement window are taken.
    pub(crate) window_at: Time,
    pub(crate) at_window: SenderTotals,
    pub(crate) completed: Option<Time>,
    rtt: Time,
}

impl Flow {
    pub(crate) fn new(index: usize, accepted: &AcceptedFlow, spec: &Spec) -> Flow {
        let given = &accepted.spec;
        let rtt = Time(given.rtt_ns);
        let receiver = Receiver::new(ReceiverSpec::new(&accepted.sender.options, rtt));
        let links = match given.direction {
            Direction::Forward => (0, spec.reverse.is_some().then_some(1)),
            Direction::Reverse => (1, Some(0)),
        };
        let jitter = Stream::named(spec.seed, &format!("flow{index}/jitter"));
        let path = Path::new(receiver, rtt, given.packet_bytes, links, (given.jitter_ns, jitter));
        let access = path.access_delay();
        let samples = if spec.sample_ns == 0 { Time::NEVER } else { Time(given.start_ns.next_multiple_of(spec.sample_ns)) };
        let mut flow = Flow {
            sender: Sender::new(accepted.sender.clone(), accepted.control.clone()),
            start: Time(given.start_ns) + access,
            stop: given.stop_ns.map_or(Time::NEVER, |stop| Time(stop) + access),
            wake: Time::NEVER,
            rare: Time::NEVER,
            end: Time(spec.duration_ns) + access,
            next_sample: samples.saturating_add(access),
            window_at: Time(spec.warmup_ns.max(given.start_ns)) + access,
            at_window: SenderTotals::default(),
            completed: None,
            path,
            rtt,
        };
        flow.refresh_rare();
        flow
    }

    fn refresh_rare(&mut self) {
        self.rare = self.start.min(self.stop).min(self.wake);
    }

    /// The flow's next event.
    #[inline]
    pub(crate) fn next(&self) -> (Time, FlowKind) {
        let ack = self.path.arriving.front().map_or(Time::NEVER, |delivery| delivery.at);
        let other = self.rare.min(self.path.pending_at());
        if ack < other && self.path.crossing.is_empty() {
            return (ack, FlowKind::Ack);
        }
        self.next_of_all(ack)
    }

    /// The earliest of every kind; of several at one time, the first in the order of kinds.
    fn next_of_all(&self, ack: Time) -> (Time, FlowKind) {
        let crossing = self.path.crossing.front().map_or(Time::NEVER, |delivery| delivery.at);
        [
            (self.start, FlowKind::Start),
            (crossing, FlowKind::Crossing),
            (ack, FlowKind::Ack),
            (self.path.pending_at(), FlowKind::Pending),
            (self.wake, FlowKind::Deadline),
            (self.stop, FlowKind::Stop),
        ]
        .into_iter()
        .fold((Time::NEVER, FlowKind::Stop), |first, next| if next.0 < first.0 { next } else { first })
    }

    /// When the flow is due: its next event, or a sample or snapshot to be taken before that; never after the end.
    #[inline]
    pub(crate) fn key(&self) -> u64 {
        let (at, _) = self.next();
        if at >= self.end {
            u64::MAX
        } else {
            at.0
        }
    }

    pub(crate) fn base_rtt(&self) -> Time {
        self.rtt
    }

    pub(crate) fn started(&mut self) {
        self.start = Time::NEVER;
        self.refresh_rare();
    }

    pub(crate) fn stopped(&mut self) {
        self.stop = Time::NEVER;
        self.refresh_rare();
        self.sender.on_stopped();
    }

    /// After any event of the sender: looks at the timer no later than its deadline.
    #[inline]
    pub(crate) fn rearm(&mut self) {
        let deadline = self.sender.deadline();
        if deadline < self.wake {
            self.wake = deadline;
            self.refresh_rare();
        }
    }

    /// The sender's timer is due for a look: true if it has expired, else looked at again at its deadline.
    pub(crate) fn wakes(&mut self, now: Time) -> bool {
        let deadline = self.sender.deadline();
        self.wake = if deadline <= now { Time::NEVER } else { deadline };
        self.refresh_rare();
        deadline <= now
    }
}
