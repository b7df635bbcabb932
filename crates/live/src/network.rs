//! Links and ways in computed time: packets go in with the time at which they came, and come out when they are due. Knows no clock.

use std::cmp::Reverse;
use std::collections::BinaryHeap;

use net::{Answer, AnyLink, Disorder, DisorderSpec, Link, LinkTotals};
use serde::Serialize;
use sim::{Accepted, Pace, Spec, UdpSpec};
use units::{Duration, Stream, Time};

use crate::passing::Passing;
use crate::path::{Stage, Ways};

/// Something that happens at a time; of one time, what was put in first.
#[derive(Debug)]
struct At<T> {
    at: Time,
    turn: u64,
    what: T,
}

impl<T> PartialEq for At<T> {
    fn eq(&self, other: &At<T>) -> bool {
        (self.at, self.turn) == (other.at, other.turn)
    }
}

impl<T> Eq for At<T> {}

impl<T> PartialOrd for At<T> {
    fn partial_cmp(&self, other: &At<T>) -> Option<std::cmp::Ordering> {
        Some(self.cmp(other))
    }
}

impl<T> Ord for At<T> {
    fn cmp(&self, other: &At<T>) -> std::cmp::Ordering {
        (self.at, self.turn).cmp(&(other.at, other.turn))
    }
}

type Agenda = BinaryHeap<Reverse<At<Box<Passing>>>>;

fn first(agenda: &Agenda) -> Time {
    agenda.peek().map_or(Time::NEVER, |Reverse(next)| next.at)
}

/// What happened to a flow's packets.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
pub struct FlowCount {
    /// Packets with data that its sender sent.
    pub sent: u64,
    /// Packets with data handed to its receiver.
    pub delivered: u64,
    /// Packets with data that a link dropped or lost.
    pub dropped: u64,
    /// Packets with data that links marked.
    pub marked: u64,
    /// Packets to its sender, or without data, that a link dropped or lost.
    pub acks_dropped: u64,
}

/// A source of datagrams in the router.
#[derive(Debug)]
struct Source {
    pace: Pace,
    bytes: u32,
    /// When the next is at its first link; never if there is none.
    due: Time,
    end: Time,
}

impl Source {
    fn new(given: &UdpSpec, spec: &Spec) -> Source {
        let end = Time(given.stop_ns.unwrap_or(u64::MAX).min(spec.duration_ns));
        Source { pace: Pace::new(given), bytes: given.packet_bytes, due: Time(given.start_ns), end }
    }

    /// The datagram that is due is sent.
    fn step(&mut self) {
        let next = self.pace.next(self.due, self.bytes);
        self.due = if next < self.end { next } else { Time::NEVER };
    }
}

/// Samples of the links, as columns.
#[derive(Clone, Debug, Default, Serialize)]
pub struct LinkSamples {
    t_ns: Vec<u64>,
    link: Vec<u32>,
    queue_packets: Vec<u32>,
    queue_bytes: Vec<u64>,
    delivered_bytes: Vec<u64>,
    dropped: Vec<u64>,
    marked: Vec<u64>,
}

/// A drop: when, nanoseconds; the flow; the link.
pub type Drop = (u64, u32, usize);

/// What a network measured.
#[derive(Debug)]
pub struct Measured {
    /// The links' totals over the measurement window, and the bytes they could have carried where their rates change.
    pub links: Vec<(LinkTotals, Option<f64>)>,
    /// Samples of the links.
    pub samples: LinkSamples,
    /// Of flows, then of sources of datagrams.
    pub counts: Vec<FlowCount>,
    /// The same at the beginning of the window.
    pub at_window: Vec<FlowCount>,
    /// Of data.
    pub drops: Vec<Drop>,
}

/// The links of a scenario with the ways over them.
#[derive(Debug)]
pub struct Network {
    links: Vec<AnyLink<Box<Passing>>>,
    disorders: Vec<Option<Disorder>>,
    ways: Vec<Ways>,
    /// Of a flow's ACKs: where the draws come from, the largest, and when the latest arrived.
    jitter: Vec<(Stream, u64, Time)>,
    /// Numbered after the flows.
    sources: Vec<Source>,
    /// Datagrams of sources behind their last link: when they leave it, and whose they are.
    gone: BinaryHeap<Reverse<(Time, usize)>>,
    /// On their way to a link.
    inner: Agenda,
    /// On their way to a host.
    due: Agenda,
    turn: u64,
    /// Everything before has happened at the links.
    reached: Time,
    /// No packet that comes from now on is at a link sooner after it came.
    lookahead: Duration,
    sample_ns: u64,
    next_sample: Time,
    end: Time,
    samples: LinkSamples,
    counts: Vec<FlowCount>,
    /// The counts at the beginning of the measurement window, and when it begins.
    at_window: (Option<Vec<FlowCount>>, Time),
    drops: Vec<Drop>,
}

impl Network {
    /// That of a scenario; without its links if it is `plain`.
    pub fn new(accepted: Accepted<'_>, plain: bool) -> Network {
        let spec = accepted.spec;
        let window = Time(spec.warmup_ns)..Time(spec.duration_ns);
        let ways = spec.flows.iter().map(|flow| Ways::of(flow, spec));
        let mut ways: Vec<Ways> = if plain { ways.map(Ways::plain).collect() } else { ways.collect() };
        let sources: Vec<Source> = if plain { Vec::new() } else { spec.traffic.iter().map(|given| Source::new(given, spec)).collect() };
        ways.extend(spec.traffic.iter().map(|source| Ways::of_source(source, spec)));
        let draws = |index: usize| {
            let most_ns = if plain { 0 } else { spec.flows[index].jitter_ns };
            (Stream::named(spec.seed, format_args!("flow{index}/jitter")), most_ns, Time::ZERO)
        };
        let has_samples = spec.sample_ns > 0 && !plain;
        Network {
            links: accepted.links.into_iter().map(|link| AnyLink::new(link.parts(window.clone(), spec.seed))).collect(),
            disorders: disorders(spec),
            jitter: (0..spec.flows.len()).map(draws).collect(),
            sources,
            gone: BinaryHeap::new(),
            inner: Agenda::new(),
            due: Agenda::new(),
            turn: 0,
            reached: Time::ZERO,
            lookahead: ways.iter().filter_map(Ways::access).min().unwrap_or(Duration::ZERO),
            sample_ns: spec.sample_ns,
            next_sample: if has_samples { Time(spec.sample_ns) } else { Time::NEVER },
            end: Time(spec.duration_ns),
            samples: LinkSamples::default(),
            counts: vec![FlowCount::default(); ways.len()],
            at_window: (None, window.start),
            drops: Vec::new(),
            ways,
        }
    }

    /// A packet comes from a host at `now`.
    pub fn arrive(&mut self, now: Time, passing: Box<Passing>) {
        self.counts[passing.flow as usize].sent += u64::from(passing.is_data());
        self.go_on(now, passing);
    }

    /// It is `now`, and every packet that came before has arrived: the links work until nothing is known any more.
    pub fn advance(&mut self, now: Time) {
        let until = now + self.lookahead;
        loop {
            let link = (0..self.links.len()).min_by_key(|&link| self.links[link].next_at());
            let link_at = link.map_or(Time::NEVER, |link| self.links[link].next_at());
            let source = (0..self.sources.len()).min_by_key(|&source| self.sources[source].due);
            let source_at = source.map_or(Time::NEVER, |source| self.sources[source].due);
            let next = link_at.min(source_at).min(first(&self.inner)).min(self.next_sample);
            if next > until || next == Time::NEVER {
                break;
            }
            self.reached = self.reached.max(next);
            match (link, source) {
                _ if self.next_sample == next => self.sample(),
                (Some(link), _) if link_at == next => self.serve(link, next),
                (_, Some(source)) if source_at == next => self.send(source),
                _ => self.offer_next(),
            }
        }
        self.reached = self.reached.max(until);
        self.count(now);
    }

    /// A source sends a datagram.
    fn send(&mut self, source: usize) {
        let flow = self.ways.len() - self.sources.len() + source;
        let (at, passing) = (self.sources[source].due, Passing::datagram(self.sources[source].bytes, flow as u32));
        self.sources[source].step();
        self.counts[flow].sent += 1;
        self.offer(at, Box::new(passing));
    }

    /// Counts the datagrams that have left by `now`, and takes the counts at the beginning of the window if that is over.
    fn count(&mut self, now: Time) {
        let (taken, begins) = &mut self.at_window;
        while let Some(&Reverse((at, flow))) = self.gone.peek().filter(|gone| gone.0 .0 <= now) {
            if taken.is_none() && at > *begins {
                *taken = Some(self.counts.clone());
            }
            self.counts[flow].delivered += 1;
            self.gone.pop();
        }
        if taken.is_none() && now >= *begins {
            *taken = Some(self.counts.clone());
        }
    }

    /// When the router must look again: a packet is due, or will be.
    pub fn next_at(&self) -> Time {
        let links = self.links.iter().map(Link::next_at).min().unwrap_or(Time::NEVER);
        first(&self.due).min(first(&self.inner)).min(links)
    }

    /// When the first packet is due at a host.
    pub fn due_at(&self) -> Time {
        first(&self.due)
    }

    /// Takes a packet that is due at `now`, and when it was.
    pub fn take_due(&mut self, now: Time) -> Option<(Time, Box<Passing>)> {
        if first(&self.due) > now {
            return None;
        }
        let Reverse(At { at, what, .. }) = self.due.pop()?;
        self.counts[what.flow as usize].delivered += u64::from(what.is_data());
        Some((at, what))
    }

    /// What was measured, when the measurement window is over.
    pub fn finish(mut self) -> Measured {
        let links = self.links.iter_mut().map(|link| (link.totals(), link.window_capacity_bytes())).collect();
        let at_window = self.at_window.0.unwrap_or_else(|| self.counts.clone());
        Measured { links, samples: self.samples, counts: self.counts, at_window, drops: self.drops }
    }

    /// A packet has come to the beginning of a stage at `now`.
    fn go_on(&mut self, mut now: Time, mut passing: Box<Passing>) {
        let flow = passing.flow as usize;
        let way = &self.ways[flow].0[usize::from(passing.returns)];
        while let Some(&stage) = way.get(passing.stage) {
            match stage {
                Stage::Wait(wait) => now += wait,
                Stage::Cross(_) => {
                    let at = now.max(self.reached);
                    return put(&mut self.inner, &mut self.turn, at, passing);
                }
            }
            passing.stage += 1;
        }
        if passing.returns {
            let (draws, most_ns, latest) = &mut self.jitter[flow];
            if *most_ns > 0 {
                now = (now + Duration(draws.up_to(*most_ns))).max(*latest);
                *latest = now;
            }
        }
        if flow >= self.jitter.len() {
            return self.gone.push(Reverse((now, flow)));
        }
        put(&mut self.due, &mut self.turn, now, passing);
    }

    /// The next packet is at its link.
    fn offer_next(&mut self) {
        let Some(Reverse(At { at, what, .. })) = self.inner.pop() else { return };
        self.offer(at, what);
    }

    /// A packet is at the link of its stage.
    fn offer(&mut self, at: Time, mut passing: Box<Passing>) {
        let Stage::Cross(link) = self.ways[passing.flow as usize].0[usize::from(passing.returns)][passing.stage] else { return };
        // RFC 9331 5.1: whichever node marked it, it may have been of a scalable sender.
        passing.packet.is_l4s = passing.bytes[1] & 1 != 0;
        if let Some(fifo) = self.links[link].as_fifo() {
            return match fifo.take(at, passing.packet) {
                Answer::Departs(left) => self.leave(link, left, passing),
                Answer::DepartsMarked { at: left, .. } => {
                    self.mark(&mut passing);
                    self.leave(link, left, passing);
                }
                Answer::Dropped | Answer::Lost | Answer::Waits => self.lose(at, link, &passing),
            };
        }
        let packet = passing.packet;
        self.links[link].offer(at, packet, passing);
        self.empty(link);
    }

    /// A link that decides late works until `now`.
    fn serve(&mut self, link: usize, now: Time) {
        self.links[link].settle(now);
        self.empty(link);
    }

    fn empty(&mut self, link: usize) {
        while let Some(left) = self.links[link].take_left() {
            let mut passing = left.packet.load;
            if left.packet.is_marked {
                self.mark(&mut passing);
            }
            self.leave(link, left.at, passing);
        }
        while let Some(dropped) = self.links[link].take_dropped() {
            self.lose(dropped.at, link, &dropped.packet.load);
        }
    }

    fn mark(&mut self, passing: &mut Passing) {
        let is_first = passing.bytes[1] & 3 != 3;
        self.counts[passing.flow as usize].marked += u64::from(is_first && passing.is_data());
        passing.mark();
    }

    /// A packet has left a link: data now and then late, now and then twice.
    fn leave(&mut self, link: usize, mut at: Time, mut passing: Box<Passing>) {
        passing.stage += 1;
        if let Some(disorder) = self.disorders[link].as_mut().filter(|_| passing.is_data()) {
            let fate = disorder.draw();
            at += fate.late_by;
            for _ in 1..fate.copies {
                self.go_on(at, passing.clone());
            }
        }
        self.go_on(at, passing);
    }

    fn lose(&mut self, at: Time, link: usize, passing: &Passing) {
        let count = &mut self.counts[passing.flow as usize];
        if !passing.is_data() {
            count.acks_dropped += 1;
            return;
        }
        count.dropped += 1;
        self.drops.push((at.0, passing.flow, link));
    }

    fn sample(&mut self) {
        let at = self.next_sample;
        let next = at + Duration(self.sample_ns);
        self.next_sample = if next > self.end { Time::NEVER } else { next };
        for link in 0..self.links.len() {
            let occupancy = self.links[link].occupancy(at);
            self.samples.t_ns.push(at.0);
            self.samples.link.push(link as u32);
            self.samples.queue_packets.push(occupancy.packets);
            self.samples.queue_bytes.push(occupancy.bytes);
            self.samples.delivered_bytes.push(occupancy.delivered_bytes);
            self.samples.dropped.push(occupancy.dropped);
            self.samples.marked.push(occupancy.marked);
            self.empty(link);
        }
    }
}

fn put(agenda: &mut Agenda, turn: &mut u64, at: Time, what: Box<Passing>) {
    *turn += 1;
    agenda.push(Reverse(At { at, turn: *turn, what }));
}

/// What happens behind each link to the order of data.
fn disorders(spec: &Spec) -> Vec<Option<Disorder>> {
    let drawn = |named: sim::NamedLink<'_>| {
        let sim::DisorderSpec { late_probability, late_ns, double_probability } = named.spec.disorder;
        let given = DisorderSpec { late_probability, late_by: Duration(late_ns), double_probability };
        (!given.is_empty()).then(|| Disorder::new(given, Stream::named(spec.seed, format_args!("{}/disorder", named.stream))))
    };
    spec.links().into_iter().map(drawn).collect()
}
