//! A flow, or a transfer, with its two ends.

use cc::Controller;
use sim::{AcceptedFlow, Direction, DisorderSpec, HopSpec, LinkSpec, Spec, StretchSpec};
use tcp::{Ecn, Receiver, Sender, SenderTotals};
use units::{Duration, Stream, Time};

use super::births::Birth;
use super::client::Client;
use super::writes::Writes;

/// What a link does to the order of segments: draws, with which probabilities and by how much.
pub(super) struct Unordered(pub(super) Stream, pub(super) DisorderSpec);

impl Unordered {
    /// How late the next one is, and how many of it there are.
    pub(super) fn draw(&mut self) -> (Duration, u64) {
        let DisorderSpec { late_probability, late_ns, double_probability } = self.1;
        if late_probability + double_probability == 0.0 {
            return (Duration::ZERO, 1);
        }
        let late_by = if self.0.unit() < late_probability { Duration(late_ns) } else { Duration::ZERO };
        (late_by, 1 + u64::from(self.0.unit() < double_probability))
    }
}

/// A connection.
pub(super) struct Flow {
    pub(super) sender: Sender<Controller>,
    /// When its timer was last put on the agenda for; never if that event is past.
    pub(super) timer: Time,
    pub(super) receiver: Receiver,
    /// It begins with a handshake.
    pub(super) opens: bool,
    pub(super) rtt: Duration,
    pub(super) quarter: Duration,
    /// From its last link to where its packets are received.
    pub(super) last_leg: Duration,
    /// Propagation between the hops that its ACKs cross.
    pub(super) between_of_acks: Duration,
    pub(super) end: Time,
    pub(super) jitter: Stream,
    /// What the last link does to the order of its segments.
    pub(super) disorder: Unordered,
    pub(super) jitter_ns: u64,
    pub(super) last_arrival: Time,
    pub(super) packet_bytes: u32,
    pub(super) data_link: usize,
    /// Of those that its packets, or its ACKs, cross forward.
    pub(super) last_hop: usize,
    pub(super) ack_link: Option<usize>,
    pub(super) lost: u64,
    pub(super) marked: u64,
    pub(super) ecn: Ecn,
    pub(super) host: Option<usize>,
    /// Segments that its device refused.
    pub(super) refused: u64,
    /// What its application still does.
    pub(super) writes: Option<Writes>,
    /// Who asks for what it sends.
    pub(super) client: Option<Client>,
    /// Integral of cwnd when nothing was left to send.
    pub(super) area: Option<f64>,
    /// Segments and ACKs that exist.
    pub(super) under_way: u64,
    /// The row of a transfer.
    pub(super) row: Option<usize>,
    /// Its source.
    pub(super) source: usize,
}

impl Flow {
    pub(super) fn new(given: &AcceptedFlow, (index, seed): (usize, u64), spec: &Spec) -> Flow {
        let rtt = Duration(given.spec.rtt_ns);
        let is_forward = given.spec.direction == Direction::Forward;
        let (first, reverse) = (first_hop(given.spec.hops), spec.hops.len() + 1);
        let last = match last_hop(given.spec.hops, spec) {
            _ if !is_forward => spec.reverse.as_ref().expect("a link"),
            0 => &spec.forward,
            last => &spec.hops[last - 1].link,
        };
        let between = Duration(between(spec, given.spec.hops));
        Flow {
            sender: Sender::new(given.sender.clone(), given.control(index, seed)),
            timer: Time::NEVER,
            receiver: receiver(given, given.spec.bytes.map(|_| given.sender.segments)),
            opens: given.spec.handshake,
            rtt,
            quarter: rtt / 4,
            last_leg: rtt / 4 - if is_forward { between } else { Duration::ZERO },
            between_of_acks: if is_forward { Duration::ZERO } else { between },
            end: Time(spec.duration_ns) + rtt / 4,
            jitter: Stream::named(seed, format_args!("flow{index}/jitter")),
            disorder: Unordered(Stream::named(seed, format_args!("flow{index}/disorder")), last.disorder),
            jitter_ns: given.spec.jitter_ns,
            last_arrival: Time::ZERO,
            packet_bytes: given.spec.packet_bytes,
            data_link: if is_forward { first } else { reverse },
            last_hop: last_hop(given.spec.hops, spec),
            ack_link: if is_forward { spec.reverse.as_ref().map(|_| reverse) } else { Some(first) },
            lost: 0,
            marked: 0,
            ecn: given.sender.options.ecn,
            host: given.spec.host.map(|host| host as usize),
            refused: 0,
            writes: None,
            client: None,
            area: None,
            under_way: 0,
            row: None,
            source: 0,
        }
    }

    /// A transfer, in row `row`.
    pub(super) fn transfer(given: &AcceptedFlow, birth: Birth, row: usize, spec: &Spec) -> Flow {
        let mut sender = given.sender.clone();
        sender.segments = birth.bytes.div_ceil(u64::from(sender.mss));
        let mut control = given.control(0, 0);
        cc::CongestionControl::on_seeded(&mut control, Stream::named(birth.seed, "algorithm"));
        let like = Flow::new(given, (0, 0), spec);
        Flow {
            receiver: receiver(given, Some(sender.segments)),
            sender: Sender::new(sender, control),
            jitter: Stream::named(birth.seed, "jitter"),
            disorder: Unordered(Stream::named(birth.seed, "disorder"), like.disorder.1),
            row: Some(row),
            ..like
        }
    }

    /// A transfer that is over, down to its last packet.
    pub(super) fn is_gone(&self) -> bool {
        let is_over = self.sender.is_finished() && self.sender.deadline() == Time::NEVER;
        self.row.is_some() && is_over && self.under_way == 0 && self.receiver.deadline() == Time::NEVER
    }

    pub(super) fn totals(&self) -> SenderTotals {
        let at_end = self.sender.totals(self.end);
        SenderTotals { cwnd_area: self.area.unwrap_or(at_end.cwnd_area), ..at_end }
    }
}

/// The flow's receiver, told where the connection ends if its beginning is seen too.
fn receiver(given: &AcceptedFlow, segments: Option<u64>) -> Receiver {
    let mut receiver = given.receiver();
    if let Some(segments) = segments.filter(|_| given.spec.handshake) {
        receiver.ends_after(segments);
    }
    receiver
}

fn first_hop(stretch: StretchSpec) -> usize {
    stretch.enter.map_or(0, |enter| enter as usize - 1)
}

/// From each hop to the next: propagation, and what the hop before does to the order of segments.
pub(super) fn gaps(spec: &Spec) -> Vec<(Duration, Unordered)> {
    let links = std::iter::once(&spec.forward).chain(spec.hops.iter().map(|hop| &hop.link));
    let gap = |((number, before), hop): ((usize, &LinkSpec), &HopSpec)| {
        let name = if number == 1 { "link0".to_owned() } else { format!("forward{number}") };
        (Duration(hop.delay_ns), Unordered(Stream::named(spec.seed, format_args!("{name}/disorder")), before.disorder))
    };
    (1..).zip(links).zip(&spec.hops).map(gap).collect()
}

/// Where a party's packets leave the hops.
pub(super) fn last_hop(stretch: StretchSpec, spec: &Spec) -> usize {
    stretch.leave.map_or(spec.hops.len(), |leave| leave as usize - 1)
}

/// Nanoseconds on the way from the first hop to the last.
fn between(spec: &Spec, stretch: StretchSpec) -> u64 {
    let numbered = spec.hops.iter().zip(2..);
    let crossed = numbered.filter(|(_, number)| *number > stretch.enter.unwrap_or(1) && stretch.leave.is_none_or(|leave| *number <= leave));
    crossed.map(|(hop, _)| hop.delay_ns).sum()
}
