//! A flow that is a whole stack's: two endpoints, and the datagrams between them that no link holds.
//!
//! Its clock is that of a flow: both ends' events are handled a quarter of the base RTT after they happen, when what they send reaches its
//! link. The endpoints themselves are told the time at which things happen.

use endpoint::{Config, Ecn, Endpoint, Fault, Opens, Role, State, Supply};
use net::{Disorder, Fate, Packet};
use tcp::SenderTotals;
use units::{Duration, Stream, Time};

use super::inbox::{Inbox, Side};
use super::jitter::Jitter;
use super::load::Payload;
use super::tap::{Place, SeenDatagram, SharedTap, TappedStack};
use crate::accept::AcceptedFlow;
use crate::spec::{access_delay, Direction, Spec, WritesSpec};

/// IP and UDP headers, bytes.
pub(crate) const HEADER_BYTES: u32 = 28;

/// Events of one instant after which an endpoint is said to hang.
const BUSY: u32 = 1 << 20;

/// Within such a time an end answers the first datagram that it gets: three times the first probe timeout of its peer, a second (RFC 9002 6.2.2).
const UNANSWERED: Duration = Duration(3_000_000_000);

/// What happens to it, in the order in which events of one time are handled.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Step {
    /// The client opens the connection.
    Start,
    /// The application writes, or pauses.
    Write,
    /// A datagram arrives.
    Arrival,
    /// The program of an end that reads in turns reads what has arrived.
    Turn(Side),
    /// An endpoint has asked to be woken.
    Wake(Side),
    /// The application stops.
    Stop,
}

/// A whole stack's flow in the engine.
pub(crate) struct StackFlow {
    /// Number of the flow.
    pub(crate) flow: usize,
    /// What records call the stack.
    pub(crate) known_as: &'static str,
    pub(crate) data_link: usize,
    ack_link: Option<usize>,
    /// What its datagrams are shown to.
    tap: Option<SharedTap>,
    quarter: Duration,
    rtt: Duration,
    client: Box<dyn Endpoint>,
    server: Box<dyn Endpoint>,
    start: Time,
    stop: Time,
    bytes: Option<u64>,
    /// When the application writes, how often it has or turned, and when it does so next.
    writes: Option<WritesSpec>,
    turns: u64,
    write_at: Time,
    pub(crate) end: Time,
    wakes: [Time; 2],
    inbox: Inbox,
    /// Those that have arrived, for those that leave: their memory is used again, and the box is what travels.
    #[allow(clippy::vec_box)]
    spare: Vec<Box<Payload>>,
    /// Largest UDP payload of the path.
    most_bytes: usize,
    jitter: Option<Box<Jitter>>,
    last_arrival: Time,
    disorder: Option<Disorder>,
    pub(crate) next_sample: Time,
    window_at: Time,
    /// Events so far at this instant.
    busy: (Time, u32),
    /// What the client said last, and since when.
    said: (State, Time),
    pub(crate) completed: Time,
    pub(crate) lost: u64,
    pub(crate) marked: u64,
    /// When the server got its first datagram, and how many it has sent.
    heard: Time,
    answers: u64,
    totals: SenderTotals,
    pub(crate) at_window: (SenderTotals, u64),
}

impl StackFlow {
    /// Flow number `flow` of a run.
    ///
    /// # Errors
    /// What the stack refuses.
    pub(crate) fn new(
        flow: usize,
        accepted: &AcceptedFlow<'_>,
        stack: &dyn Opens,
        disorder: Option<Disorder>,
        spec: &Spec,
    ) -> Result<StackFlow, Fault> {
        let given = accepted.spec;
        let open = |role| {
            let seed = Stream::named(spec.seed, format_args!("flow{flow}/stack")).up_to(u64::MAX);
            let datagram_bytes = (given.packet_bytes - HEADER_BYTES) as u16;
            let window_bytes = accepted.receives.saturating_mul(datagram_bytes.into());
            let (algorithm, streams) = (given.algorithm.clone(), given.streams.unwrap_or(1));
            stack.open(&Config { flow, role, algorithm, seed, datagram_bytes, window_bytes, streams })
        };
        let (entry, reverse) = (given.hops.links(spec).0, spec.reverse_link());
        let (data_link, ack_link) = match given.direction {
            Direction::Forward => (entry, reverse),
            Direction::Reverse => (reverse.expect("a reverse flow has its link"), Some(entry)),
        };
        let rtt = Duration(given.rtt_ns);
        let quarter = access_delay(rtt);
        let samples = if spec.sample_ns == 0 { Time::NEVER } else { Time(given.start_ns.next_multiple_of(spec.sample_ns)) };
        Ok(StackFlow {
            flow,
            known_as: stack.known_as(),
            data_link,
            ack_link,
            tap: None,
            quarter,
            rtt,
            client: open(Role::Client)?,
            server: open(Role::Server)?,
            start: Time(given.start_ns) + quarter,
            stop: given.stop_ns.map_or(Time::NEVER, |stop| Time(stop) + quarter),
            bytes: given.bytes,
            writes: given.writes,
            turns: 0,
            write_at: Time::NEVER,
            end: Time(spec.duration_ns) + quarter,
            wakes: [Time::NEVER; 2],
            inbox: Inbox::read_each(Duration(given.turn_ns)),
            spare: Vec::new(),
            most_bytes: (given.packet_bytes - HEADER_BYTES) as usize,
            jitter: Jitter::of_flow(flow, spec.seed, given.jitter_ns),
            last_arrival: Time::ZERO,
            disorder,
            next_sample: samples.saturating_add(quarter),
            window_at: Time(spec.warmup_ns.max(given.start_ns)) + quarter,
            busy: (Time::ZERO, 0),
            said: (State::default(), Time::ZERO),
            completed: Time::NEVER,
            lost: 0,
            marked: 0,
            heard: Time::NEVER,
            answers: 0,
            totals: SenderTotals::default(),
            at_window: (SenderTotals::default(), 0),
        })
    }

    /// The same, whose datagrams are shown.
    pub(crate) fn tapped_by(&mut self, to: SharedTap) {
        let tapped = TappedStack { rtt: self.rtt, known_as: self.known_as };
        to.with(|tap| tap.on_stack(self.flow as u32, &tapped));
        self.tap = Some(to);
    }

    /// A datagram is seen at a place.
    pub(crate) fn show(&self, place: Place, at: Time, payload: &Payload) {
        let Some(tap) = &self.tap else { return };
        let Payload { bytes, ecn, is_data } = payload;
        let seen = SeenDatagram { at, flow: self.flow as u32, place, is_data: *is_data, ecn: *ecn as u8, bytes };
        tap.with(|tap| tap.on_datagram(&seen));
    }

    /// A datagram arrives now, in the flow's clock.
    fn show_arriving(&self, now: Time, payload: &Payload) {
        let at = now.saturating_sub(self.quarter);
        if payload.is_data {
            return self.show(Place::Receiver, at, payload);
        }
        self.show(Place::Bottleneck, at.saturating_sub(self.quarter), payload);
        self.show(Place::Sender, at, payload);
    }

    /// The link that what this side sends crosses; none for ACKs that meet no link.
    pub(crate) fn link(&self, side: Side) -> Option<usize> {
        if side == Side::Client {
            Some(self.data_link)
        } else {
            self.ack_link
        }
    }

    /// Its next event, and when.
    pub(crate) fn next(&self) -> (Time, Step) {
        let [client, server] = self.wakes;
        let [client_reads, server_reads] = self.inbox.reads_at();
        let steps = [
            (self.start, Step::Start),
            (self.write_at, Step::Write),
            (self.inbox.arrives_at(), Step::Arrival),
            (client_reads, Step::Turn(Side::Client)),
            (server_reads, Step::Turn(Side::Server)),
            (client, Step::Wake(Side::Client)),
            (server, Step::Wake(Side::Server)),
            (self.stop, Step::Stop),
        ];
        steps.into_iter().fold((Time::NEVER, Step::Stop), |first, next| if next.0 < first.0 { next } else { first })
    }

    /// When the engine must look at it, never after the end.
    pub(crate) fn due(&self) -> u64 {
        let (at, _) = self.next();
        if at >= self.end {
            u64::MAX
        } else {
            at.0
        }
    }

    /// Handles its next event; returns which side may send now, none where a datagram arrives that its end has not read.
    ///
    /// # Errors
    /// What an endpoint could not do.
    pub(crate) fn take(&mut self) -> Result<Option<Side>, Fault> {
        let (at, step) = self.next();
        self.busy = if self.busy.0 == at { (at, self.busy.1 + 1) } else { (at, 0) };
        if self.busy.1 > BUSY {
            return Err(format!("keeps one instant busy: {BUSY} events and no time passes"));
        }
        let now = self.told(at);
        match step {
            Step::Start => {
                self.start = Time::NEVER;
                self.client.connect(now)?;
                match self.writes {
                    Some(_) => self.write_at = at,
                    None => self.client.supply(now, self.bytes.map_or(Supply::Endless, Supply::Last))?,
                }
                Ok(Some(Side::Client))
            }
            Step::Write => {
                let supply = self.write(at);
                self.client.supply(now, supply)?;
                Ok(Some(Side::Client))
            }
            Step::Stop => {
                (self.stop, self.write_at) = (Time::NEVER, Time::NEVER);
                self.client.supply(now, Supply::Stop)?;
                Ok(Some(Side::Client))
            }
            Step::Wake(side) => {
                self.wakes[side as usize] = Time::NEVER;
                self.side(side).wake(now)?;
                Ok(Some(side))
            }
            Step::Arrival => {
                let Some(payload) = self.inbox.pop() else { return Ok(None) };
                let side = if payload.is_data { Side::Server } else { Side::Client };
                self.show_arriving(at, &payload);
                if let Some(payload) = self.inbox.keep(side, at, payload) {
                    self.read(side, at, payload)?;
                    return Ok(Some(side));
                }
                Ok(None)
            }
            Step::Turn(side) => {
                for payload in self.inbox.turn(side) {
                    self.read(side, at, payload)?;
                }
                Ok(Some(side))
            }
        }
    }

    /// An end reads a datagram.
    fn read(&mut self, side: Side, at: Time, payload: Box<Payload>) -> Result<(), Fault> {
        if side == Side::Server {
            self.totals.delivered += 1;
            self.heard = self.heard.min(at);
        }
        let now = self.told(at);
        self.side(side).receive(now, &payload.bytes, payload.ecn)?;
        self.spare.push(payload);
        Ok(())
    }

    /// What the application does now; sets when it does something again.
    fn write(&mut self, now: Time) -> Supply {
        self.turns += 1;
        match self.writes {
            Some(WritesSpec::OnOff { on_ns, .. }) if self.turns % 2 == 1 => {
                self.write_at = now + Duration(on_ns);
                Supply::Endless
            }
            Some(WritesSpec::OnOff { off_ns, .. }) => {
                self.write_at = now + Duration(off_ns);
                Supply::Pause
            }
            Some(WritesSpec::Chunks { rate_bps, every_ns }) => {
                // All that the rate makes of the time so far, so that nothing is lost to rounding.
                let until = |turns: u64| {
                    let bits = u128::from(rate_bps) * u128::from(every_ns) * u128::from(turns) / 1_000_000_000;
                    u64::try_from(bits / 8).unwrap_or(u64::MAX)
                };
                let (before, after) = (until(self.turns - 1), until(self.turns));
                match self.bytes.filter(|&bytes| bytes <= after) {
                    Some(bytes) => {
                        self.write_at = Time::NEVER;
                        Supply::Last(bytes - before)
                    }
                    None => {
                        self.write_at = now + Duration(every_ns);
                        Supply::Bytes(after - before)
                    }
                }
            }
            Some(WritesSpec::Video { .. }) | None => Supply::Pause,
        }
    }

    /// What the endpoints are told of `at`, an instant of the flow's clock.
    fn told(&self, at: Time) -> std::time::Duration {
        std::time::Duration::from_nanos((at - self.quarter).0)
    }

    fn side(&mut self, side: Side) -> &mut dyn Endpoint {
        match side {
            Side::Client => self.client.as_mut(),
            Side::Server => self.server.as_mut(),
        }
    }

    /// The next datagram that a side sends at `at`.
    ///
    /// # Errors
    /// What the endpoint could not do.
    pub(crate) fn transmit(&mut self, side: Side, at: Time) -> Result<Option<(Packet, Box<Payload>)>, Fault> {
        let now = self.told(at);
        let mut payload = self.spare.pop().unwrap_or_else(|| Box::new(Payload { bytes: Vec::new(), ecn: Ecn::NotEct, is_data: true }));
        payload.bytes.clear();
        let Some(ecn) = self.side(side).transmit(now, &mut payload.bytes)? else {
            self.spare.push(payload);
            return Ok(None);
        };
        self.busy.1 += 1;
        if payload.bytes.is_empty() || self.busy.1 > BUSY {
            return Err(format!("sends {} at one instant", if payload.bytes.is_empty() { "an empty datagram" } else { "without end" }));
        }
        if payload.bytes.len() > self.most_bytes {
            return Err(format!("sends a datagram of {} bytes where the path carries {}", payload.bytes.len(), self.most_bytes));
        }
        let is_data = side == Side::Client;
        self.totals.sent += u64::from(is_data);
        self.answers += u64::from(!is_data);
        (payload.ecn, payload.is_data) = (ecn, is_data);
        self.show(if is_data { Place::Sender } else { Place::Receiver }, at.saturating_sub(self.quarter), &payload);
        let length = payload.bytes.len() as u32 + HEADER_BYTES;
        let packet =
            Packet { bytes: length, flow: self.flow as u32, ecn_capable: ecn != Ecn::NotEct, is_l4s: ecn == Ecn::Ect1, is_ack: !is_data };
        Ok(Some((packet, payload)))
    }

    /// After a turn at `now`: whether the flow can still do anything. Only a fault of the stack's stops it before the handshake: an end that waits for an answer
    /// has a timer, and one that gets a datagram answers.
    ///
    /// # Errors
    /// It has sent nothing, or what it has sent has no answer, and neither end asks to be woken; or what has arrived stays without an answer.
    pub(crate) fn goes_on(&self, now: Time) -> Result<(), Fault> {
        if self.answers == 0 && self.heard.saturating_add(UNANSWERED) <= now {
            return Err(format!("sends to nobody: the other end has got {} datagrams and answers none", self.totals.delivered));
        }
        let (sent, arrived) = (self.totals.sent, self.totals.delivered + self.lost);
        let is_asleep = self.wakes == [Time::NEVER; 2] && self.inbox.is_empty() && sent <= arrived;
        let is_over = self.start != Time::NEVER || self.completed != Time::NEVER || self.said.0.is_connected;
        if is_over || !is_asleep || (sent > 0 && self.write_at != Time::NEVER) {
            return Ok(());
        }
        Err(match sent {
            0 => "sends nothing and asks for no wake-up".into(),
            _ => format!("has no answer to any of {sent} datagrams and asks for no wake-up"),
        })
    }

    /// After a side's turn at `at`: when it wants to be woken, and what the client says of itself.
    pub(crate) fn settle(&mut self, side: Side, at: Time) {
        let quarter = self.quarter;
        let wake = self.side(side).wake_at().map_or(Time::NEVER, |wake| Time(wake.as_nanos() as u64).saturating_add(quarter));
        self.wakes[side as usize] = wake.max(at);
        if side == Side::Server {
            return;
        }
        self.account(at);
        self.said = (self.client.state(), at);
        if self.said.0.is_finished && self.completed == Time::NEVER {
            self.completed = at;
        }
        self.totals.retransmitted = self.said.0.lost_packets;
    }

    /// Counts the window until `at`.
    fn account(&mut self, at: Time) {
        let (said, since) = self.said;
        if self.completed == Time::NEVER {
            self.totals.cwnd_area += window_packets(&said) * (at - since).0 as f64;
        }
        self.said.1 = at;
    }

    /// A datagram leaves its last link at `at`, or, without one, its sender. Says whether its next event is another than before.
    pub(crate) fn departs(&mut self, at: Time, payload: Box<Payload>) -> bool {
        let before = self.next().0;
        let Fate { late_by, copies } = match &mut self.disorder {
            Some(disorder) if payload.is_data => disorder.draw(),
            _ => Fate { late_by: Duration::ZERO, copies: 1 },
        };
        let arrives = if payload.is_data {
            at + self.quarter + self.quarter + late_by
        } else {
            let jitter = self.jitter.as_mut().map_or(Duration::ZERO, |jitter| jitter.draw());
            self.last_arrival = self.last_arrival.max(at + (self.rtt - self.quarter - self.quarter) + jitter);
            self.last_arrival
        };
        for _ in 1..copies {
            self.inbox.push(arrives, payload.clone());
        }
        self.inbox.push(arrives, payload);
        self.next().0 != before
    }

    /// Counters as of `at`, and the bytes that the server's application has read.
    pub(crate) fn totals(&mut self, at: Time) -> (SenderTotals, u64) {
        self.account(at.max(self.said.1));
        (self.totals, self.server.state().read_bytes)
    }

    /// Takes the snapshot at the beginning of the measurement window, if `now` has passed it.
    pub(crate) fn snapshot(&mut self, now: Time) {
        if self.window_at <= now {
            self.at_window = self.totals(self.window_at);
            self.window_at = Time::NEVER;
        }
    }

    /// What the client says of itself, and the bytes that the server's application has read.
    pub(crate) fn said(&mut self) -> (State, u64) {
        (self.said.0, self.server.state().read_bytes)
    }

    /// From a sender to its first link.
    pub(crate) fn access_delay(&self) -> Duration {
        self.quarter
    }
}

/// The window in full datagrams; 0 where the stack does not say.
pub(crate) fn window_packets(said: &State) -> f64 {
    said.window_bytes.map_or(0.0, |bytes| bytes as f64 / datagram(said))
}

/// Payload bytes of a full datagram.
pub(crate) fn datagram(said: &State) -> f64 {
    said.datagram_bytes.filter(|&bytes| bytes > 0).unwrap_or(1200) as f64
}
