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
        let flow = &accepted.spec;
        let rtt = Time(flow.rtt_ns);
        let receiver = Receiver::new(ReceiverSpec::new(&accepted.sender.options, rtt));
        let links = match flow.direction {
            Direction::Forward => (0, spec.reverse.is_some().then_some(1)),
            Direction::Reverse => (1, Some(0)),
        };
        let jitter = Stream::named(spec.seed, &format!("flow{index}/jitter"));
        let path = Path::new(receiver, rtt, flow.packet_bytes, links, (flow.jitter_ns, jitter));
        let access = path.access_delay();
        let samples = if spec.sample_ns == 0 { Time::NEVER } else { Time(flow.start_ns.next_multiple_of(spec.sample_ns)) };
        Flow {
            sender: Sender::new(accepted.sender.clone(), accepted.control.clone()),
            start: Time(flow.start_ns) + access,
            stop: flow.stop_ns.map_or(Time::NEVER, |stop| Time(stop) + access),
            wake: Time::NEVER,
            end: Time(spec.duration_ns) + access,
            next_sample: samples.saturating_add(access),
            window_at: Time(spec.warmup_ns.max(flow.start_ns)) + access,
            at_window: SenderTotals::default(),
            completed: None,
            path,
            rtt,
        }
    }

    /// The flow's next event, or none before the run ends.
    #[inline]
    pub(crate) fn next(&self) -> (Time, FlowKind) {
        let mut next = (self.path.arriving.front().map_or(Time::NEVER, |delivery| delivery.at), FlowKind::Ack);
        let mut consider = |at: Time, kind: FlowKind| {
            if at < next.0 || (at == next.0 && kind < next.1) {
                next = (at, kind);
            }
        };
        consider(self.path.pending_at(), FlowKind::Pending);
        consider(self.wake, FlowKind::Deadline);
        if let Some(delivery) = self.path.crossing.front() {
            consider(delivery.at, FlowKind::Crossing);
        }
        consider(self.start, FlowKind::Start);
        consider(self.stop, FlowKind::Stop);
        next
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
    }

    pub(crate) fn stopped(&mut self) {
        self.stop = Time::NEVER;
        self.sender.on_stopped();
    }

    /// After any event of the sender: looks at the timer no later than its deadline.
    #[inline]
    pub(crate) fn rearm(&mut self) {
        let deadline = self.sender.deadline();
        if deadline < self.wake {
            self.wake = deadline;
        }
    }

    /// The sender's timer is due for a look: true if it has expired, else looked at again at its deadline.
    pub(crate) fn wakes(&mut self, now: Time) -> bool {
        let deadline = self.sender.deadline();
        self.wake = if deadline <= now { Time::NEVER } else { deadline };
        deadline <= now
    }
}
