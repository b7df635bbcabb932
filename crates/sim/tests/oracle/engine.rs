//! The textbook core: one heap of events, every packet an object, every timer an event. It shares the sender, the receiver
//! and the algorithms with the simulator, and nothing of what lies between them.

use cc::Controller;
use sim::{Accepted, Observer, PageRow, TransferRow};
use tcp::{Bare, Ecn, EcnBits, Opening, Sender, SenderTotals, SYN_BYTES};
use units::{Duration, Stream, Time};

use super::agenda::{Agenda, Event, Kind, Owner};
use super::births;
use super::client::{bytes_back, Client};
use super::flow::{gaps, last_hop, Flow, Unordered};
use super::host::Host;
use super::link::{Arrival, Link, Load, Packet};
use super::loss::Loss;
use super::outbox::{Outbox, Sent};
use super::outcome::{note_totals, Outcome};
use super::service::Service;
use super::source::Source;
use super::writes::Writes;

/// IP bytes of an ACK, and of the handshake's last.
pub(super) const ACK_BYTES: u32 = 52;

/// Events at one moment that no scenario needs: time has stopped.
const EVENTS_AT_ONCE_MAX: u64 = 100_000;

/// What a packet carries.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Carried {
    Segment,
    Ack,
    Datagram,
}

impl Carried {
    fn of(load: &Load) -> Carried {
        match load {
            Load::Segment { .. } => Carried::Segment,
            Load::Ack { .. } | Load::Question(_) => Carried::Ack,
            Load::Datagram => Carried::Datagram,
        }
    }
}

/// IP bytes of what a load is, of a flow with full packets of `full`.
fn bytes_of_load(load: &Load, full: u32) -> u32 {
    match load {
        Load::Segment { seq, .. } => bytes_of(*seq, full),
        _ => full,
    }
}

/// IP bytes of segment `seq` of such a flow, of a part of its handshake or of another packet without data: an ACK of a request says SACK blocks with 12 bytes for the first, 8 for each other.
pub(super) fn bytes_of(seq: u64, full: u32) -> u32 {
    match (Opening::of(seq), Bare::of(seq)) {
        (Some(Opening::Syn), _) => SYN_BYTES,
        (_, Some(Bare::Heard { blocks, .. })) => ACK_BYTES + [0, 12, 20, 28][usize::from(blocks)],
        (Some(Opening::Ack), _) | (_, Some(Bare::Probe)) => ACK_BYTES,
        _ => full,
    }
}

/// The core.
pub(super) struct Textbook<'a> {
    accepted: &'a Accepted<'a>,
    /// Transfers behind the others: the lowest place of one that is gone is taken by the next.
    pub(super) flows: Vec<Flow>,
    sources: Vec<Source>,
    links: Vec<Link>,
    pub(super) hosts: Vec<Host>,
    pub(super) agenda: Agenda,
    /// From each hop to the next: propagation, and what the hop before does to the order of segments.
    gaps: Vec<(Duration, Unordered)>,
    /// The last hop of each source of datagrams.
    exits: Vec<usize>,
    births: Vec<births::Source>,
    transfers: Vec<TransferRow>,
    /// Of each page whose it is, how many objects it has, and which transfers they are.
    pages: Vec<((u32, u32), u64, Vec<usize>)>,
}

/// Runs an accepted scenario.
pub fn run<O: Observer>(accepted: &Accepted, observer: &mut O) -> Outcome {
    let mut core = Textbook::new(accepted);
    let (mut last, mut at_once) = (Time::ZERO, 0);
    while let Some(event) = core.agenda.heap.pop() {
        assert!(event.at >= last, "time runs backwards: {:?} at {:?} after {last:?}", event.kind, event.at);
        at_once = if event.at == last { at_once + 1 } else { 0 };
        assert!(at_once < EVENTS_AT_ONCE_MAX, "time has stopped: {:?} of flow {:?} at {last:?}", event.kind, event.owner);
        last = event.at;
        match event.owner {
            Owner::Link if event.kind == Kind::Hop => core.arrive(event.at, event.link, event.packet.expect("a packet")),
            Owner::Link => core.on_transmitted(event.at, event.link),
            Owner::Birth(birth) => core.on_born(birth),
            Owner::Datagram(source) => core.on_datagram(event.at, source),
            Owner::Flow(flow) | Owner::Transfer(flow) => core.on_flow(event, flow, observer),
        }
    }
    let ends: Vec<(usize, SenderTotals)> = core.flows.iter().filter_map(|flow| flow.row.map(|row| (row, flow.totals()))).collect();
    for (row, totals) in ends {
        note_totals(&mut core.transfers[row], &totals);
    }
    core.flows.truncate(accepted.flows.len());
    let mut exchanges: Vec<_> =
        core.flows.iter().filter_map(|flow| flow.client.as_ref()).flat_map(|client| client.rows(Time(accepted.spec.duration_ns))).collect();
    exchanges.sort_by_key(|row| (row.start_ns, row.flow));
    Outcome {
        links: core.links.iter().map(Link::totals).collect(),
        flows: core.flows.iter().map(Flow::totals).collect(),
        lost: core.flows.iter().map(|flow| flow.lost).collect(),
        marked: core.flows.iter().map(|flow| flow.marked).collect(),
        refused: core.flows.iter().map(|flow| flow.refused).collect(),
        worked: core.worked(),
        pages: core.pages.iter().map(|page| core.page_row(page)).collect(),
        transfers: core.transfers,
        exchanges,
        sources: core.sources.iter().map(Source::totals).collect(),
    }
}

impl<'a> Textbook<'a> {
    fn new(accepted: &'a Accepted<'a>) -> Textbook<'a> {
        let spec = &accepted.spec;
        let window = (Time(spec.warmup_ns), Time(spec.duration_ns));
        let link = |i: usize| {
            let (given, name) = match i {
                0 => (&spec.forward, "link0".to_owned()),
                _ if i <= spec.hops.len() => (&spec.hops[i - 1].link, format!("forward{}", i + 1)),
                _ => (spec.reverse.as_ref().expect("a link that exists"), "link1".to_owned()),
            };
            let stream = |part| Stream::named(spec.seed, format_args!("{name}/{part}"));
            let losses = given.losses.iter().enumerate().map(|(number, loss)| Loss::new(loss, spec.seed, (&name, number))).collect();
            Link::new(&accepted.links[i], window, (stream("loss"), losses, stream("queue")), Service::new(given))
        };
        let mut agenda = Agenda::of(accepted.flows.len());
        let mut flows = Vec::new();
        for (index, given) in accepted.flows.iter().enumerate() {
            let quarter = Duration(given.spec.rtt_ns / 4);
            agenda.add(Time(given.spec.start_ns) + quarter, index, Kind::Start, None);
            if let Some(stop) = given.spec.stop_ns {
                agenda.add(Time(stop) + quarter, index, Kind::Stop, None);
            }
            let writes = given.spec.writes.map(|writes| Writes::new(writes, given.spec));
            if let Some(writes) = &writes {
                agenda.add(writes.next() + quarter, index, Kind::Write, None);
            }
            let mut flow = Flow::new(given, (index, spec.seed), spec);
            flow.client = Client::new(given, (index, spec.seed));
            flows.push(match writes {
                None if flow.client.is_some() => Flow { sender: flow.sender.waiting(), ..flow },
                Some(writes) => Flow { sender: flow.sender.waiting(), writes: Some(writes), ..flow },
                None => flow,
            });
        }
        let sources: Vec<Source> = spec.traffic.iter().map(|given| Source::new(given, spec)).collect();
        for (index, first) in sources.iter().enumerate().filter_map(|(index, source)| Some((index, source.next()?))) {
            agenda.add_datagram(first, index);
        }
        let births = births::sources(accepted);
        births.iter().enumerate().for_each(|(index, birth)| agenda.add_birth(birth.next, index));
        let links = (0..accepted.links.len()).map(link).collect();
        let hosts = spec.hosts.iter().map(Host::new).collect();
        let exits = spec.traffic.iter().map(|source| last_hop(source.hops, spec)).collect();
        let gaps = gaps(spec);
        let transfers = Vec::new();
        let mut core = Textbook { accepted, flows, sources, links, hosts, agenda, gaps, exits, births, transfers, pages: Vec::new() };
        (0..core.flows.len()).for_each(|index| core.await_client(index));
        core
    }

    /// A page as its transfers make it.
    fn page_row(&self, ((source, session), objects, transfers): &((u32, u32), u64, Vec<usize>)) -> PageRow {
        let rows = || transfers.iter().map(|&row| &self.transfers[row]);
        let start_ns = rows().map(|row| row.start_ns).min().expect("a page has an object");
        let is_complete = transfers.len() as u64 == *objects && rows().all(|row| row.completion_ns < u64::MAX);
        let end_ns = rows().map(|row| row.start_ns.saturating_add(row.completion_ns)).max();
        let completion_ns = end_ns.filter(|_| is_complete).map_or(u64::MAX, |end| end - start_ns);
        let bytes = rows().map(|row| row.bytes).sum();
        PageRow { start_ns, bytes, completion_ns, objects: *objects, source: *source, session: *session }
    }

    /// What each host's processor had worked at the sampling times.
    fn worked(&self) -> Vec<(u64, u32, u64)> {
        let spec = self.accepted.spec;
        if spec.sample_ns == 0 {
            return Vec::new();
        }
        let kinds = self.accepted.sources.iter().flat_map(|source| &source.kinds);
        let everybody = || self.accepted.flows.iter().chain(kinds.clone()).map(|given| given.spec);
        let metered = self.hosts.iter().zip(&spec.hosts).zip(0..).filter(|((host, given), _)| host.has_processor() && !given.per_transfer);
        let worked = |((host, _), number): ((&Host, _), u32)| {
            let clock = everybody().find(|flow| flow.host == Some(number)).map_or(0, |flow| flow.rtt_ns / 4);
            let times = (0..=spec.duration_ns).step_by(spec.sample_ns as usize);
            times.map(|at| (at, number, host.worked(at + clock))).collect::<Vec<_>>()
        };
        metered.flat_map(worked).collect()
    }

    /// A source's next transfer begins.
    fn on_born(&mut self, index: usize) {
        let birth = self.births[index].birth();
        self.agenda.add_birth(self.births[index].next, index);
        let mut kinds = self.accepted.sources.iter().flat_map(|source| &source.kinds);
        let given = kinds.nth(birth.kind).expect("a kind of the scenario");
        let mut flow = Flow { source: index, ..Flow::transfer(given, birth, self.transfers.len(), self.accepted.spec) };
        if let Some(own) = flow.host.map(|host| &self.accepted.spec.hosts[host]).filter(|host| host.per_transfer) {
            flow.host = Some(self.hosts.len());
            self.hosts.push(Host::new(own));
        }
        let source = &mut self.births[index];
        if let Some(objects) = birth.left {
            let is_going_on = self.pages.get(source.page).is_some_and(|page| page.0 == source.number && page.2.len() < page.1 as usize);
            if !is_going_on {
                source.page = self.pages.len();
                self.pages.push((source.number, objects, Vec::new()));
            }
            self.pages[source.page].2.push(self.transfers.len());
        }
        self.transfers.push(TransferRow {
            start_ns: birth.at.0,
            bytes: birth.bytes,
            completion_ns: u64::MAX,
            kind: birth.kind as u32,
            sent: 0,
            retransmitted: 0,
            timeouts: 0,
        });
        let at = birth.at + flow.quarter;
        let place = self.flows.iter().position(Flow::is_gone).unwrap_or(self.flows.len());
        if place == self.flows.len() {
            self.flows.push(flow);
        } else {
            self.flows[place] = flow;
        }
        self.agenda.add(at, place, Kind::Start, None);
    }

    fn on_flow<O: Observer>(&mut self, event: Event, index: usize, observer: &mut O) {
        let now = event.at;
        match (event.kind, event.load) {
            (Kind::Segment, Some(Load::Segment { seq, sent, ecn })) => self.on_segment(now, index, (seq, sent), ecn),
            (Kind::DelayedAck, _) => self.on_delayed_ack(now, index),
            (Kind::Client, _) => self.on_client(now, index),
            (Kind::Read, _) => self.on_read(now, index),
            (Kind::Forgotten, _) => self.flows[index].under_way -= 1,
            // The flow's part of the run is over.
            _ if now >= self.flows[index].end => {}
            (Kind::Crossing, Some(load)) => {
                let link = self.flows[index].ack_link.expect("a link to cross");
                let connection = self.connection(index);
                let bytes = bytes_back(&load);
                self.put(now, link, Packet { flow: index, connection, bytes, is_l4s: false, was_marked: false, load });
            }
            (Kind::Leaving, Some(load)) => {
                let Flow { data_link, packet_bytes, ecn, .. } = self.flows[index];
                let bytes = bytes_of_load(&load, packet_bytes);
                let connection = self.connection(index);
                self.flows[index].under_way -= 1;
                self.put(now, data_link, Packet { flow: index, connection, bytes, is_l4s: ecn == Ecn::L4s, was_marked: false, load });
            }
            (Kind::Ack, Some(load)) if self.is_processed(index) => {
                let Flow { sender, host, .. } = &self.flows[index];
                let connection = sender.connection();
                let host = &mut self.hosts[host.expect("a processor")];
                let has_sack = matches!(load, Load::Ack { ack, .. } if ack.has_sack);
                let done = host.take_ack(now, has_sack, connection.nxt - connection.una);
                self.agenda.add(done, index, Kind::Processed, Some(load));
            }
            (Kind::Ack | Kind::Processed, Some(Load::Question(question))) => {
                self.flows[index].under_way -= 1;
                self.on_question(now, index, question);
                observer.on_acked(now, index, &self.flows[index].sender);
            }
            (Kind::Ack | Kind::Processed, Some(Load::Ack { ack, sack })) => {
                self.flows[index].under_way -= 1;
                self.drive(index, |sender, outbox| match sack {
                    Some(sack) if sack.window.is_some() => {
                        sender.on_offering_ack(now, ack, &sack, outbox);
                    }
                    _ => {
                        sender.on_ack(now, ack, sack.as_ref(), outbox);
                    }
                });
                observer.on_acked(now, index, &self.flows[index].sender);
            }
            (Kind::Start, _) => {
                let Flow { rtt, opens, .. } = self.flows[index];
                self.drive(index, |sender, outbox| if opens { sender.on_opened(now, outbox) } else { sender.on_started(now, rtt, outbox) });
            }
            (Kind::Hearing, _) => self.on_hearing(now, index),
            (Kind::Stop, _) => {
                let flow = &mut self.flows[index];
                flow.area.get_or_insert(flow.sender.totals(now).cwnd_area);
                flow.writes = None;
                self.drive(index, |sender, _| sender.on_stopped());
            }
            (Kind::Write, _) => self.on_write(now, index),
            (Kind::Deadline, _) => {
                if self.flows[index].timer == now {
                    self.flows[index].timer = Time::NEVER;
                }
                if self.flows[index].sender.deadline() == now {
                    self.drive(index, |sender, outbox| {
                        sender.on_deadline(now, outbox);
                    });
                }
            }
            (kind, load) => panic!("a {kind:?} event carries {load:?}"),
        }
        let flow = &mut self.flows[index];
        if now < flow.end && flow.sender.is_finished() {
            flow.area.get_or_insert(flow.sender.totals(now).cwnd_area);
            let row = flow.row.map(|row| &mut self.transfers[row]).filter(|row| row.completion_ns == u64::MAX);
            if let Some(row) = row {
                row.completion_ns = (now - flow.quarter).0 - row.start_ns;
                note_totals(row, &flow.totals());
                let source = flow.source;
                if self.births[source].on_completed(now) {
                    self.agenda.add_birth(self.births[source].next, source);
                }
            }
        }
    }

    fn is_processed(&self, index: usize) -> bool {
        self.flows[index].host.is_some_and(|host| self.hosts[host].has_processor())
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

    fn on_datagram(&mut self, now: Time, index: usize) {
        let source = &mut self.sources[index];
        source.note_sent(now);
        let (link, bytes) = (source.link(self.gaps.len() + 1), source.bytes());
        if let Some(next) = source.next() {
            self.agenda.add_datagram(next, index);
        }
        let connection = self.accepted.flows.len() + index;
        self.put(now, link, Packet { flow: index, connection, bytes, is_l4s: false, was_marked: false, load: Load::Datagram });
    }

    /// Lets the sender act; puts what it sends on its link, and its timer, if it moved, on the agenda.
    pub(super) fn drive(&mut self, index: usize, act: impl FnOnce(&mut Sender<Controller>, &mut Outbox<'_>)) {
        let flow = &mut self.flows[index];
        let host = flow.host.map(|host| &mut self.hosts[host]);
        let is_held = host.as_ref().is_some_and(|host| host.holds_segments());
        let host = host.map(|host| (host, flow.packet_bytes));
        let mut outbox = Outbox::new(host);
        act(&mut flow.sender, &mut outbox);
        let Outbox { segments, resent, refused, .. } = outbox;
        flow.refused += refused;
        let deadline = flow.sender.deadline();
        if deadline < Time::NEVER && deadline != flow.timer {
            self.agenda.add(deadline, index, Kind::Deadline, None);
        }
        flow.timer = deadline;
        let (link, packet_bytes, mode) = (flow.data_link, flow.packet_bytes, flow.ecn);
        for Sent { at: sent, leaves, seq, bits } in segments {
            // RFC 3168 6.1.5: a retransmission is not ECN-capable; RFC 8257 and RFC 9768 lift that.
            let is_capable = match mode {
                Ecn::Auto | Ecn::Off => false,
                Ecn::Classic => !resent.contains(&seq),
                Ecn::Dctcp | Ecn::Accurate | Ecn::L4s => true,
            };
            let load = Load::Segment { seq, sent, ecn: is_capable.then_some(bits) };
            if is_held {
                self.flows[index].under_way += 1;
                self.agenda.add(leaves, index, Kind::Leaving, Some(load));
                continue;
            }
            let bytes = bytes_of_load(&load, packet_bytes);
            let connection = self.connection(index);
            self.put(sent, link, Packet { flow: index, connection, bytes, is_l4s: mode == Ecn::L4s, was_marked: false, load });
        }
    }

    fn connection(&self, index: usize) -> usize {
        self.flows[index].row.map_or(index, |row| self.accepted.flows.len() + self.sources.len() + row)
    }

    fn put(&mut self, now: Time, link: usize, packet: Packet) {
        if let Load::Segment { .. } = packet.load {
            self.flows[packet.flow].under_way += 1;
        }
        self.arrive(now, link, packet);
    }

    /// A packet arrives at its first link or a further one.
    fn arrive(&mut self, now: Time, link: usize, packet: Packet) {
        let (flow, kind, is_fresh) = (packet.flow, Carried::of(&packet.load), !packet.was_marked);
        match self.links[link].arrive(now, packet) {
            (Arrival::Served(done), marked) => {
                self.note_marked(flow, marked && is_fresh);
                self.agenda.add_link(done, link);
            }
            (Arrival::Queued, marked) => self.note_marked(flow, marked && is_fresh),
            (Arrival::Waits(until), _) => self.agenda.add_link(until, link),
            (Arrival::Lost, _) => self.note_lost(flow, kind),
        }
        self.note_dropped(link);
    }

    fn note_marked(&mut self, flow: usize, is_marked: bool) {
        if is_marked {
            self.flows[flow].marked += 1;
        }
    }

    fn note_lost(&mut self, flow: usize, kind: Carried) {
        if kind == Carried::Datagram {
            self.sources[flow].lost += 1;
        } else {
            self.flows[flow].lost += u64::from(kind == Carried::Segment);
            self.flows[flow].under_way -= 1;
        }
    }

    fn note_dropped(&mut self, link: usize) {
        for packet in std::mem::take(&mut self.links[link].dropped) {
            self.note_lost(packet.flow, Carried::of(&packet.load));
        }
    }

    fn on_transmitted(&mut self, now: Time, link: usize) {
        if !self.links[link].transmits_until(now) {
            if let Some(next) = self.links[link].wake(now) {
                self.agenda.add_link(next, link);
            }
            return;
        }
        let (mut packet, next) = self.links[link].complete(now);
        self.note_dropped(link);
        if self.links[link].decides_late() {
            let is_marked = matches!(packet.load, Load::Segment { ecn: Some(EcnBits { ce: true, .. }), .. });
            self.note_marked(packet.flow, is_marked && !packet.was_marked);
        }
        if let Some(done) = next {
            self.agenda.add_link(done, link);
        }
        let now = self.links[link].far_end(now);
        if let Load::Segment { ecn: Some(bits), .. } = &mut packet.load {
            packet.was_marked |= bits.ce;
            bits.ce = packet.was_marked;
        }
        let exit = if let Load::Datagram = packet.load { self.exits[packet.flow] } else { self.flows[packet.flow].last_hop };
        if link < self.gaps.len() && link < exit {
            return self.go_on(now, link, packet);
        }
        if let Load::Datagram = packet.load {
            return self.sources[packet.flow].note_delivered(now);
        }
        let flow = &mut self.flows[packet.flow];
        match packet.load {
            Load::Segment { .. } => {
                let (late_by, copies) = flow.disorder.draw();
                let at = now + flow.last_leg + late_by;
                flow.under_way += copies - 1;
                for _ in 0..copies {
                    self.agenda.add(at, packet.flow, Kind::Segment, Some(packet.load.clone()));
                }
            }
            Load::Datagram => {}
            load @ (Load::Ack { .. } | Load::Question(_)) => {
                let crossed = if link <= self.gaps.len() { flow.between_of_acks } else { Duration::ZERO };
                let travels = flow.rtt - flow.quarter - flow.quarter - crossed;
                self.bring_back(now + travels, packet.flow, load);
            }
        }
    }

    /// A packet is on its way to the next hop, which does not see who has marked it, but that somebody has.
    fn go_on(&mut self, now: Time, link: usize, mut packet: Packet) {
        if let Load::Segment { ecn: Some(bits), .. } = &mut packet.load {
            bits.ce = false;
        }
        packet.is_l4s |= packet.was_marked;
        let (delay, unordered) = &mut self.gaps[link];
        let (late_by, copies) = if let Load::Segment { .. } = packet.load { unordered.draw() } else { (Duration::ZERO, 1) };
        if copies > 1 {
            self.flows[packet.flow].under_way += copies - 1;
        }
        for _ in 0..copies {
            self.agenda.add_hop(now + *delay + late_by, link + 1, packet.clone());
        }
    }
}
