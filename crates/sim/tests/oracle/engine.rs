//! The textbook core: one heap of events, every packet an object, every timer an event. It shares the sender, the receiver
//! and the algorithms with the simulator, and nothing of what lies between them.

use std::cmp::Ordering;
use std::collections::BinaryHeap;

use cc::Controller;
use net::LinkTotals;
use sim::{Accepted, Direction, DisorderSpec, Observer, SourceTotals};
use tcp::{Ack, Ecn, EcnBits, Receiver, Sack, Sender, SenderTotals, Wire};
use units::{Stream, Time};

use super::link::{Arrival, Link, Load, Packet};
use super::loss::Loss;
use super::service::Service;
use super::source::Source;
use super::writes::Writes;

/// IP bytes of an ACK.
const ACK_BYTES: u32 = 52;

/// Events at one moment that no scenario needs: time has stopped.
const EVENTS_AT_ONCE_MAX: u64 = 100_000;

/// What happens, in the order in which it does at one time to one flow.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Kind {
    /// A link has transmitted a packet: before everything else at that time.
    Transmitted,
    Start,
    /// An ACK reaches the reverse link.
    Crossing,
    /// An ACK reaches the sender.
    Ack,
    /// A segment reaches the receiver.
    Segment,
    /// The receiver's timer expires.
    DelayedAck,
    /// The sender's timer expires.
    Deadline,
    /// The application writes, or pauses.
    Write,
    Stop,
    /// A datagram reaches its link.
    Datagram,
}

struct Event {
    at: Time,
    /// A flow, or a source after all flows; links come before all flows.
    flow: Option<usize>,
    kind: Kind,
    sequence: u64,
    /// The link concerned.
    link: usize,
    load: Option<Load>,
}

impl Event {
    fn key(&self) -> (Time, Option<usize>, Kind, u64) {
        (self.at, self.flow, self.kind, self.sequence)
    }
}

impl Ord for Event {
    /// The earliest is the greatest, for the heap.
    fn cmp(&self, other: &Event) -> Ordering {
        other.key().cmp(&self.key())
    }
}

impl PartialOrd for Event {
    fn partial_cmp(&self, other: &Event) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl PartialEq for Event {
    fn eq(&self, other: &Event) -> bool {
        self.key() == other.key()
    }
}

impl Eq for Event {}

/// The agenda.
#[derive(Default)]
struct Agenda {
    heap: BinaryHeap<Event>,
    sequence: u64,
}

impl Agenda {
    fn add(&mut self, at: Time, flow: usize, kind: Kind, load: Option<Load>) {
        self.push(Event { at, flow: Some(flow), kind, sequence: 0, link: 0, load });
    }

    fn add_link(&mut self, at: Time, link: usize) {
        self.push(Event { at, flow: None, kind: Kind::Transmitted, sequence: 0, link, load: None });
    }

    fn push(&mut self, event: Event) {
        self.sequence += 1;
        self.heap.push(Event { sequence: self.sequence, ..event });
    }
}

struct Flow {
    sender: Sender<Controller>,
    receiver: Receiver,
    rtt: Time,
    quarter: Time,
    end: Time,
    jitter: Stream,
    /// Draws of the segments that are late or double, and with which probabilities and by how much.
    disorder: (Stream, DisorderSpec),
    jitter_ns: u64,
    last_arrival: Time,
    packet_bytes: u32,
    data_link: usize,
    ack_link: Option<usize>,
    lost: u64,
    marked: u64,
    ecn: Ecn,
    /// What its application still does.
    writes: Option<Writes>,
    /// Integral of cwnd when nothing was left to send.
    area: Option<f64>,
}

impl Flow {
    fn totals(&self) -> SenderTotals {
        let at_end = self.sender.totals(self.end);
        SenderTotals { cwnd_area: self.area.unwrap_or(at_end.cwnd_area), ..at_end }
    }
}

/// Takes down what a sender sends.
#[derive(Default)]
struct Outbox {
    segments: Vec<(Time, u64, EcnBits)>,
    resent: Vec<u64>,
    cwr: bool,
}

impl Wire for Outbox {
    fn send(&mut self, now: Time, seq: u64) {
        self.segments.push((now, seq, EcnBits { ce: false, cwr: std::mem::take(&mut self.cwr) }));
    }
    fn resend(&mut self, now: Time, seq: u64) {
        self.segments.push((now, seq, EcnBits::default()));
        self.resent.push(seq);
    }
    fn announce_reduction(&mut self) {
        self.cwr = true;
    }
    fn on_loss_episode(&mut self, _now: Time, _cwnd: f64, _ssthresh: f64) {}
    fn on_timeout(&mut self, _now: Time, _cwnd: f64) {}
    fn on_undo(&mut self, _now: Time, _cwnd: f64) {}
    fn on_slow_start_exit(&mut self, _now: Time, _cwnd: f64) {}
}

/// What is compared with the simulator's records.
#[derive(Clone, Debug, PartialEq)]
pub struct Outcome {
    /// Counters of the links.
    pub links: Vec<LinkTotals>,
    /// Counters of the flows.
    pub flows: Vec<SenderTotals>,
    /// Segments of each flow that were dropped or lost.
    pub lost: Vec<u64>,
    /// Segments of each flow that were marked.
    pub marked: Vec<u64>,
    /// Of each source: packets lost, counters when the window began, counters at the end.
    pub sources: Vec<(u64, SourceTotals, SourceTotals)>,
}

/// The core.
struct Textbook {
    flows: Vec<Flow>,
    sources: Vec<Source>,
    links: Vec<Link>,
    agenda: Agenda,
}

/// Runs an accepted scenario.
pub fn run<O: Observer>(accepted: &Accepted, observer: &mut O) -> Outcome {
    let mut core = Textbook::new(accepted);
    let (mut last, mut at_once) = (Time::ZERO, 0);
    while let Some(event) = core.agenda.heap.pop() {
        assert!(event.at >= last, "time runs backwards: {:?} at {:?} after {last:?}", event.kind, event.at);
        at_once = if event.at == last { at_once + 1 } else { 0 };
        assert!(at_once < EVENTS_AT_ONCE_MAX, "time has stopped: {:?} of flow {:?} at {last:?}", event.kind, event.flow);
        last = event.at;
        match event.flow {
            None => core.on_transmitted(event.at, event.link),
            Some(flow) if flow < core.flows.len() => core.on_flow(event, flow, observer),
            Some(flow) => core.on_datagram(event.at, flow),
        }
    }
    Outcome {
        links: core.links.iter().map(Link::totals).collect(),
        flows: core.flows.iter().map(Flow::totals).collect(),
        lost: core.flows.iter().map(|flow| flow.lost).collect(),
        marked: core.flows.iter().map(|flow| flow.marked).collect(),
        sources: core.sources.iter().map(Source::totals).collect(),
    }
}

impl Textbook {
    fn new(accepted: &Accepted) -> Textbook {
        let spec = &accepted.spec;
        let window = (Time(spec.warmup_ns), Time(spec.duration_ns));
        let link = |i: usize| {
            let stream = |part| Stream::named(spec.seed, &format!("link{i}/{part}"));
            let given = [Some(&spec.forward), spec.reverse.as_ref()][i].expect("a link that exists");
            let losses = given.losses.iter().enumerate().map(|(number, loss)| Loss::new(loss, spec.seed, (i, number))).collect();
            Link::new(&accepted.links[i], window, (stream("loss"), losses, stream("queue")), Service::new(given))
        };
        let mut agenda = Agenda::default();
        let mut flows = Vec::new();
        for (index, given) in accepted.flows.iter().enumerate() {
            let rtt = Time(given.spec.rtt_ns);
            let quarter = Time(rtt.0 / 4);
            let is_forward = given.spec.direction == Direction::Forward;
            agenda.add(Time(given.spec.start_ns) + quarter, index, Kind::Start, None);
            if let Some(stop) = given.spec.stop_ns {
                agenda.add(Time(stop) + quarter, index, Kind::Stop, None);
            }
            let sender = Sender::new(given.sender.clone(), given.control(index, spec.seed));
            let writes = given.spec.writes.map(|writes| Writes::new(writes, given.spec));
            if let Some(writes) = &writes {
                agenda.add(writes.next() + quarter, index, Kind::Write, None);
            }
            flows.push(Flow {
                sender: if writes.is_some() { sender.waiting() } else { sender },
                writes,
                receiver: given.receiver(),
                rtt,
                quarter,
                end: Time(spec.duration_ns) + quarter,
                jitter: Stream::named(spec.seed, &format!("flow{index}/jitter")),
                disorder: (
                    Stream::named(spec.seed, &format!("flow{index}/disorder")),
                    if is_forward { spec.forward.disorder } else { spec.reverse.as_ref().expect("a link").disorder },
                ),
                jitter_ns: given.spec.jitter_ns,
                last_arrival: Time::ZERO,
                packet_bytes: given.spec.packet_bytes,
                data_link: if is_forward { 0 } else { 1 },
                ack_link: if is_forward { spec.reverse.as_ref().map(|_| 1) } else { Some(0) },
                lost: 0,
                marked: 0,
                ecn: given.sender.options.ecn,
                area: None,
            });
        }
        let sources: Vec<Source> = spec.traffic.iter().map(|given| Source::new(given, spec)).collect();
        for (index, first) in sources.iter().enumerate().filter_map(|(index, source)| Some((index, source.next()?))) {
            agenda.add(first, flows.len() + index, Kind::Datagram, None);
        }
        Textbook { flows, sources, links: (0..accepted.links.len()).map(link).collect(), agenda }
    }

    fn on_flow<O: Observer>(&mut self, event: Event, index: usize, observer: &mut O) {
        let now = event.at;
        match (event.kind, event.load) {
            (Kind::Segment, Some(Load::Segment { seq, sent, ecn })) => self.on_segment(now, index, (seq, sent), ecn),
            (Kind::DelayedAck, _) => self.on_delayed_ack(now, index),
            // The flow's part of the run is over.
            _ if now >= self.flows[index].end => {}
            (Kind::Crossing, Some(load)) => {
                let link = self.flows[index].ack_link.expect("a link to cross");
                self.put(now, link, Packet { flow: index, bytes: ACK_BYTES, is_l4s: false, load });
            }
            (Kind::Ack, Some(Load::Ack { ack, sack })) => {
                self.drive(index, |sender, outbox| sender.on_ack(now, &ack, sack.as_ref(), outbox));
                observer.on_acked(now, index, &self.flows[index].sender);
            }
            (Kind::Start, _) => {
                let rtt = self.flows[index].rtt;
                self.drive(index, |sender, outbox| sender.on_started(now, rtt, outbox));
            }
            (Kind::Stop, _) => {
                let flow = &mut self.flows[index];
                flow.area.get_or_insert(flow.sender.totals(now).cwnd_area);
                flow.writes = None;
                self.drive(index, |sender, _| sender.on_stopped());
            }
            (Kind::Write, _) => self.on_write(now, index),
            (Kind::Deadline, _) if self.flows[index].sender.deadline() == now => {
                self.drive(index, |sender, outbox| sender.on_deadline(now, outbox));
            }
            (Kind::Deadline, _) => {}
            (kind, load) => panic!("a {kind:?} event carries {load:?}"),
        }
        let flow = &mut self.flows[index];
        if now < flow.end && flow.sender.is_finished() {
            flow.area.get_or_insert(flow.sender.totals(now).cwnd_area);
        }
    }

    fn on_write(&mut self, now: Time, index: usize) {
        let quarter = self.flows[index].quarter;
        let Some(writes) = &mut self.flows[index].writes else { return };
        let written = writes.take();
        if !writes.is_over() {
            let next = writes.next() + quarter;
            self.agenda.add(next, index, Kind::Write, None);
        }
        self.drive(index, |sender, outbox| match written {
            Some(segments) => sender.on_written(now, segments, outbox),
            None => sender.on_paused(),
        });
    }

    fn on_datagram(&mut self, now: Time, flow: usize) {
        let source = &mut self.sources[flow - self.flows.len()];
        source.note_sent(now);
        let (link, bytes) = (source.link(), source.bytes());
        if let Some(next) = source.next() {
            self.agenda.add(next, flow, Kind::Datagram, None);
        }
        self.put(now, link, Packet { flow, bytes, is_l4s: false, load: Load::Datagram });
    }

    /// Lets the sender act; puts what it sends on its link, and its timer, if it moved, on the agenda.
    fn drive(&mut self, index: usize, act: impl FnOnce(&mut Sender<Controller>, &mut Outbox)) {
        let flow = &mut self.flows[index];
        let mut outbox = Outbox::default();
        act(&mut flow.sender, &mut outbox);
        let deadline = flow.sender.deadline();
        if deadline < Time::NEVER {
            self.agenda.add(deadline, index, Kind::Deadline, None);
        }
        let (link, bytes, mode) = (flow.data_link, flow.packet_bytes, flow.ecn);
        for (sent, seq, bits) in outbox.segments {
            // RFC 3168 6.1.5: a retransmission is not ECN-capable; RFC 8257 and RFC 9768 lift that.
            let is_capable = match mode {
                Ecn::Auto | Ecn::Off => false,
                Ecn::Classic => !outbox.resent.contains(&seq),
                Ecn::Dctcp | Ecn::Accurate | Ecn::L4s => true,
            };
            let load = Load::Segment { seq, sent, ecn: is_capable.then_some(bits) };
            self.put(sent, link, Packet { flow: index, bytes, is_l4s: mode == Ecn::L4s, load });
        }
    }

    fn put(&mut self, now: Time, link: usize, packet: Packet) {
        let (flow, is_ack) = (packet.flow, matches!(packet.load, Load::Ack { .. }));
        match self.links[link].arrive(now, packet) {
            (Arrival::Served(done), marked) => {
                self.note_marked(flow, marked);
                self.agenda.add_link(done, link);
            }
            (Arrival::Queued, marked) => self.note_marked(flow, marked),
            (Arrival::Waits(until), _) => self.agenda.add_link(until, link),
            (Arrival::Lost, _) => self.note_lost(flow, is_ack),
        }
        self.note_dropped(link);
    }

    fn note_marked(&mut self, flow: usize, is_marked: bool) {
        if is_marked {
            self.flows[flow].marked += 1;
        }
    }

    fn note_lost(&mut self, flow: usize, is_ack: bool) {
        match flow.checked_sub(self.flows.len()) {
            Some(source) => self.sources[source].lost += 1,
            None => self.flows[flow].lost += u64::from(!is_ack),
        }
    }

    fn note_dropped(&mut self, link: usize) {
        for packet in std::mem::take(&mut self.links[link].dropped) {
            self.note_lost(packet.flow, matches!(packet.load, Load::Ack { .. }));
        }
    }

    fn on_transmitted(&mut self, now: Time, link: usize) {
        if !self.links[link].transmits_until(now) {
            if let Some(next) = self.links[link].wake(now) {
                self.agenda.add_link(next, link);
            }
            return;
        }
        let (packet, next) = self.links[link].complete(now);
        self.note_dropped(link);
        if self.links[link].decides_late() {
            let is_marked = matches!(packet.load, Load::Segment { ecn: Some(EcnBits { ce: true, .. }), .. });
            self.note_marked(packet.flow, is_marked);
        }
        if let Some(done) = next {
            self.agenda.add_link(done, link);
        }
        let now = self.links[link].far_end(now);
        if let Load::Datagram = packet.load {
            return self.sources[packet.flow - self.flows.len()].note_delivered(now);
        }
        let flow = &mut self.flows[packet.flow];
        match packet.load {
            Load::Segment { .. } => {
                let (draws, disorder) = &mut flow.disorder;
                let (is_late, is_double) = match *disorder {
                    DisorderSpec { late_probability, double_probability, .. } if late_probability + double_probability > 0.0 => {
                        (draws.unit() < late_probability, draws.unit() < double_probability)
                    }
                    _ => (false, false),
                };
                let at = now + flow.quarter + Time(if is_late { disorder.late_ns } else { 0 });
                for _ in 0..1 + u32::from(is_double) {
                    self.agenda.add(at, packet.flow, Kind::Segment, Some(packet.load.clone()));
                }
            }
            Load::Datagram => {}
            Load::Ack { ack, sack } => {
                let travels = flow.rtt - flow.quarter - flow.quarter;
                self.bring_back(now + travels, packet.flow, ack, sack);
            }
        }
    }

    fn on_segment(&mut self, now: Time, index: usize, (seq, sent): (u64, Time), ecn: Option<EcnBits>) {
        let (mode, receiver) = (self.flows[index].ecn, &mut self.flows[index].receiver);
        if !matches!(mode, Ecn::Auto | Ecn::Off) {
            if let Some(ack) = receiver.on_ecn_bits(ecn.unwrap_or_default()) {
                self.acknowledge(now, index, ack, None);
            }
        }
        let receiver = &mut self.flows[index].receiver;
        match receiver.on_segment(now, seq, sent) {
            Some(ack) => {
                let sack = ack.has_sack.then_some(*receiver.sack());
                self.acknowledge(now, index, ack, sack);
            }
            None => self.agenda.add(receiver.deadline(), index, Kind::DelayedAck, None),
        }
    }

    fn on_delayed_ack(&mut self, now: Time, index: usize) {
        if self.flows[index].receiver.deadline() == now {
            let receiver = &mut self.flows[index].receiver;
            let ack = receiver.on_deadline();
            let sack = ack.has_sack.then_some(*receiver.sack());
            self.acknowledge(now, index, ack, sack);
        }
    }

    /// The receiver sends an ACK.
    fn acknowledge(&mut self, now: Time, index: usize, ack: Ack, sack: Option<Sack>) {
        let flow = &self.flows[index];
        if flow.ack_link.is_some() {
            self.agenda.add(now + flow.quarter, index, Kind::Crossing, Some(Load::Ack { ack, sack }));
        } else {
            let travels = flow.rtt - flow.quarter;
            self.bring_back(now + travels, index, ack, sack);
        }
    }

    /// Only propagation and jitter lie between an ACK and its sender; it never overtakes the one ahead of it.
    fn bring_back(&mut self, at: Time, index: usize, ack: Ack, sack: Option<Sack>) {
        let flow = &mut self.flows[index];
        let jitter = if flow.jitter_ns > 0 { flow.jitter.up_to(flow.jitter_ns) } else { 0 };
        flow.last_arrival = flow.last_arrival.max(at + Time(jitter));
        self.agenda.add(flow.last_arrival, index, Kind::Ack, Some(Load::Ack { ack, sack }));
    }
}
