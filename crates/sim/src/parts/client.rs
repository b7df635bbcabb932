//! The other end of a flow whose application asks for what it is sent: requests, responses, and thoughts between them.
//!
//! The client has the clock of its packets' arrival at it, as the receiver has. It writes a request, waits until the whole response has arrived in
//! order, thinks, and asks again. Its packets are those of a sender of its own, which Linux's default algorithm drives, whatever that of the
//! responses is. The server writes the response when the last packet of the request arrives.

use std::collections::{BTreeMap, VecDeque};

use cc::Controller;
use tcp::{Arrival, Asking, Bare, Heard, Hearing, Opening, Range, Reduction, Wire};
use units::{Duration, Stream, Time};

use super::request::{most_bytes, Piece, LABELS};
use crate::accept::AcceptedFlow;
use crate::laws::Whole;
use crate::records::ExchangeRow;
use crate::spec::Spec;

/// The algorithm of clients.
const LAW: &str = "cubic";

/// What a client does next.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum State {
    /// The connection is not there, or nothing more is asked.
    Idle,
    /// It will ask.
    Thinking,
    /// It has asked and has no answer.
    Asking,
    /// The response has begun to arrive.
    Listening,
}

/// What becomes of a packet of a request at the server.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Asked {
    /// This ACK leaves at once.
    pub(crate) heard: Option<Bare>,
    /// The request is whole: segments of all responses up to this one, and whether it is the last.
    pub(crate) written: Option<(u64, bool)>,
}

/// What its sender sends, until it leaves: packets of all requests, and how many of them had left before.
#[derive(Clone, Debug, Default)]
struct Leaving {
    packets: Vec<u64>,
    again: u32,
}

impl Wire for Leaving {
    fn send(&mut self, _now: Time, seq: u64) {
        self.packets.push(seq);
    }

    fn resend(&mut self, now: Time, seq: u64) {
        self.again += 1;
        self.send(now, seq);
    }

    fn on_loss_episode(&mut self, _now: Time, _reduction: Reduction) {}

    fn on_timeout(&mut self, _now: Time, _cwnd: f64) {}

    fn on_undo(&mut self, _now: Time, _cwnd: f64) {}

    fn on_slow_start_exit(&mut self, _now: Time, _cwnd: f64) {}
}

/// One client, and what its server knows of its request.
#[derive(Clone, Debug)]
pub(crate) struct Client {
    sizes: Whole,
    responses: Whole,
    think: Whole,
    sized: Stream,
    answered: Stream,
    thoughts: Stream,
    /// How many exchanges there are at most.
    count: u64,
    /// When it asks no more.
    stop: Time,
    /// When the run ends. A segment that is still under way then has been looked at as it left, and what the client does until it arrives with it.
    end: Time,
    mss: u64,
    /// IP bytes of a packet that are no payload.
    pub(crate) header_bytes: u32,
    flow: u32,
    asking: Asking<Controller>,
    leaving: Leaving,
    state: State,
    /// When it thinks no more; never if it does not think.
    asks_at: Time,
    /// When the SYN arrived, if it arrived once.
    syn: Option<Time>,
    has_syn: bool,
    rows: Vec<ExchangeRow>,
    /// Payload bytes of the request.
    request: u64,
    /// Segments of the responses before this one, and with it.
    response: (u64, u64),
    /// Packets of the requests before each.
    before: Vec<u64>,
    hearing: Hearing,
    /// ACKs of requests on their way, by their numbers, and how many there were before.
    said: VecDeque<(u64, Heard)>,
    says: u64,
    /// Packets of the request that have arrived at the server, a bit each.
    arrived: u32,
    /// When the copy that the server answered was sent.
    answered_copy: Time,
}

impl Client {
    /// That of flow `index`, if it has one.
    pub(crate) fn of_flow(index: usize, accepted: &AcceptedFlow, spec: &Spec) -> Option<Client> {
        let given = accepted.spec.requests.as_ref()?;
        let stream = |part: &str| Stream::named(spec.seed, format_args!("flow{index}/{part}"));
        let (mss, rtt) = (accepted.sender.mss, Duration(accepted.spec.rtt_ns));
        let law = cc::build_with(accepted.guests, LAW, None, &accepted.spec.profile, &BTreeMap::new()).expect("of every profile").algorithm;
        let mut client = Client {
            sizes: Whole::new(given.sizes, Some(most_bytes(&accepted.sender))),
            responses: Whole::new(given.responses, None),
            think: Whole::new(given.think, None),
            sized: stream("requests"),
            answered: stream("responses"),
            thoughts: stream("thoughts"),
            count: given.count.unwrap_or(u64::MAX),
            stop: accepted.spec.stop_ns.map_or(Time::NEVER, Time),
            end: Time(spec.duration_ns),
            mss: mss.into(),
            header_bytes: accepted.spec.packet_bytes - mss,
            flow: index as u32,
            asking: Asking::new(&accepted.sender.options, mss, law),
            leaving: Leaving::default(),
            state: State::Idle,
            asks_at: Time::NEVER,
            syn: None,
            has_syn: false,
            rows: Vec::new(),
            request: 0,
            response: (0, 0),
            before: Vec::new(),
            hearing: Hearing::new(&accepted.sender.options, rtt),
            said: VecDeque::new(),
            says: 0,
            arrived: 0,
            answered_copy: Time::ZERO,
        };
        if !accepted.spec.handshake {
            client.begin(Time(accepted.spec.start_ns), Some(rtt));
        }
        Some(client)
    }

    /// When it does something next.
    pub(crate) fn next_at(&self) -> Time {
        let at = self.asks_at.min(self.asking.deadline());
        if at <= self.stop {
            at
        } else {
            Time::NEVER
        }
    }

    /// The connection is there, and its handshake took so long.
    fn begin(&mut self, now: Time, rtt: Option<Duration>) {
        self.asking.on_established(now, rtt, &mut self.leaving);
        self.state = State::Thinking;
        self.asks_at = now;
    }

    /// A part of the handshake arrives, whose SYN-ACK left again so often.
    pub(crate) fn on_opening(&mut self, now: Time, part: Opening, again: u8) {
        match part {
            Opening::Syn => {
                self.syn = (!self.has_syn).then_some(now);
                self.has_syn = true;
            }
            Opening::Ack if self.state == State::Idle && self.rows.is_empty() => {
                let rtt = self.syn.and_then(|syn| self.asking.handshake_rtt(now, syn, again));
                self.begin(now, rtt);
            }
            Opening::Ack => {}
        }
    }

    /// It asks, or a timer of what it has asked expires.
    pub(crate) fn on_due(&mut self) {
        let now = self.next_at();
        if self.asks_at > now {
            return self.asking.on_deadline(now, &mut self.leaving);
        }
        self.asks_at = Time::NEVER;
        self.before.push(self.asked());
        self.request = self.sizes.draw(&mut self.sized);
        let bytes = self.responses.draw(&mut self.answered);
        self.response = (self.response.1, self.response.1 + bytes.div_ceil(self.mss));
        self.arrived = 0;
        self.rows.push(ExchangeRow {
            flow: self.flow,
            start_ns: now.0,
            request_bytes: self.request,
            bytes,
            completion_ns: u64::MAX,
            repeats: 0,
        });
        self.state = State::Asking;
        self.asking.on_asked(now, self.asked(), &mut self.leaving);
    }

    fn pieces(&self) -> u64 {
        self.request.div_ceil(self.mss)
    }

    /// Packets of all requests.
    fn asked(&self) -> u64 {
        self.before.last().map_or(0, |before| before + self.pieces())
    }

    /// What its sender has sent: it leaves now.
    pub(crate) fn take_leaving(&mut self, now: Time) -> Vec<Piece> {
        let Leaving { packets, again } = std::mem::take(&mut self.leaving);
        if let Some(row) = self.rows.last_mut().filter(|_| now < self.end) {
            row.repeats += again;
        }
        // Those of the requests before are acknowledged: each had its response.
        let before = self.before.last().copied().unwrap_or(0);
        packets.into_iter().map(|seq| self.piece(seq - before)).collect()
    }

    fn piece(&self, number: u64) -> Piece {
        let payload = (self.request - number * self.mss).min(self.mss) as u32;
        Piece { exchange: (self.rows.len() as u32).wrapping_sub(1) & LABELS, number: number as u32, payload }
    }

    /// The ACK of this number arrives; one that was overtaken says nothing.
    pub(crate) fn on_heard(&mut self, now: Time, number: u64) {
        while self.said.front().is_some_and(|&(before, _)| before < number) {
            self.said.pop_front();
        }
        if self.said.front().is_some_and(|&(first, _)| first == number) {
            if let Some((_, heard)) = self.said.pop_front() {
                self.asking.on_heard(now, &heard, &mut self.leaving);
            }
        }
    }

    /// A segment arrives; the receiver then expects `next`.
    pub(crate) fn on_segment(&mut self, now: Time, seq: u64, next: u64) {
        let (before, end) = self.response;
        if self.state == State::Asking && seq >= before {
            let all = (self.asked(), self.answered_copy);
            self.asking.on_answered(now, all, &mut self.leaving);
            self.state = State::Listening;
        }
        if self.state == State::Listening && next >= end {
            if let Some(row) = self.rows.last_mut() {
                row.completion_ns = now.0 - row.start_ns;
            }
            self.state = State::Idle;
            if (self.rows.len() as u64) < self.count {
                self.state = State::Thinking;
                let thought = Duration(self.think.draw(&mut self.thoughts));
                self.asks_at = now.saturating_add(thought);
            }
        }
    }

    /// A packet of a request arrives at the server at `at`, sent at `sent`.
    pub(crate) fn on_arrived(&mut self, piece: Piece, sent: Time, at: Time) -> Asked {
        let latest = self.before.len() as u32 - 1;
        let back = latest.wrapping_sub(piece.exchange) & LABELS;
        let seq = self.before[(latest - back) as usize] + u64::from(piece.number);
        let heard = self.hearing.on_packet(Arrival { at, seq, sent });
        let mut asked = Asked { heard: heard.map(|heard| self.say(heard)), written: None };
        let all = (1 << self.pieces()) - 1;
        if back > 0 || self.arrived == all {
            return asked;
        }
        self.arrived |= 1 << piece.number;
        self.answered_copy = sent;
        if self.arrived == all {
            self.hearing.on_answering(at);
            asked.written = Some((self.response.1, self.rows.len() as u64 == self.count));
        }
        asked
    }

    /// An ACK of a request leaves.
    fn say(&mut self, heard: Heard) -> Bare {
        self.said.push_back((self.says, heard));
        self.says += 1;
        heard.bare(self.says - 1)
    }

    /// The bytes, of those of all requests, in the SACK blocks of the ACK of this number, if it is on its way; an empty range is no block.
    pub(crate) fn blocks_of(&self, number: u64) -> [Range; 3] {
        let sack = self.said.iter().find(|&&(other, _)| other == number).and_then(|(_, heard)| heard.sack);
        let mut blocks = sack.into_iter().flat_map(|sack| sack.duplicate.map(Range::of).into_iter().chain(sack.blocks));
        std::array::from_fn(|_| {
            let block = blocks.next().unwrap_or_default();
            Range { from: self.place_of(block.from), to: self.place_of(block.to) }
        })
    }

    /// Bytes of all requests before packet `seq` of them, or after the last.
    fn place_of(&self, seq: u64) -> u64 {
        let latest = self.before.partition_point(|&before| before <= seq) - 1;
        let others: u64 = self.rows[..latest].iter().map(|row| row.request_bytes).sum();
        others + ((seq - self.before[latest]) * self.mss).min(self.rows[latest].request_bytes)
    }

    /// When the ACK of a request that waits at the server leaves, in the server's clock.
    pub(crate) fn hears_at(&self) -> Time {
        self.hearing.deadline()
    }

    /// It leaves, unless that is put off.
    pub(crate) fn hear(&mut self) -> Option<Bare> {
        if self.hearing.puts_off() {
            return None;
        }
        let heard = self.hearing.on_deadline();
        Some(self.say(heard))
    }

    /// The run ends: its exchanges.
    pub(crate) fn close(mut self, end: Time) -> Vec<ExchangeRow> {
        self.rows.retain(|row| row.start_ns < end.0);
        for row in &mut self.rows {
            if row.start_ns.saturating_add(row.completion_ns) > end.0 {
                row.completion_ns = u64::MAX;
            }
        }
        self.rows
    }
}
