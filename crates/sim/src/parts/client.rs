//! The other end of a flow whose application asks for what it is sent: requests, responses, and thoughts between them.
//!
//! The client has the clock of its packets' arrival at it, as the receiver has. It sends a request, all packets at once, waits until the whole
//! response has arrived in order, thinks, and asks again. Until the server has acknowledged the request, or begun to answer it, a timer repeats
//! what is missing. The server writes the response when the last packet of the request arrives.

use tcp::{Arrival, Asking, Hearing, Opening};
use units::{Duration, Stream, Time};

use super::request::{most_bytes, Piece, PIECES_MAX};
use crate::accept::AcceptedFlow;
use crate::laws::Whole;
use crate::records::ExchangeRow;
use crate::spec::Spec;

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
    /// So many packets of all requests are acknowledged at once.
    pub(crate) heard: Option<u64>,
    /// The request is whole: segments of all responses up to this one, and whether it is the last.
    pub(crate) written: Option<(u64, bool)>,
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
    asking: Asking,
    state: State,
    /// When it thinks no more, or the request leaves again; never if neither.
    next_at: Time,
    /// When the SYN arrived, if it arrived once.
    syn: Option<Time>,
    has_syn: bool,
    rows: Vec<ExchangeRow>,
    /// Payload bytes of the request.
    request: u64,
    /// Segments of the responses before this one, and with it.
    response: (u64, u64),
    /// Packets of the requests before this one, and those of this one that the server has acknowledged.
    before: u64,
    heard: u64,
    hearing: Hearing,
    /// When the copies were sent that the ACKs of packets echo.
    copies: [Time; PIECES_MAX as usize],
    /// Packets of the request that have arrived at the server, a bit each.
    arrived: u32,
    /// When the copy that the server answered was sent.
    answered_copy: Time,
}

impl Client {
    /// That of flow `index`, if it has one.
    pub(crate) fn of_flow(index: usize, accepted: &AcceptedFlow, spec: &Spec) -> Option<Client> {
        let given = accepted.spec.requests.as_ref()?;
        let stream = |part: &str| Stream::named(spec.seed, &format!("flow{index}/{part}"));
        let (mss, rtt) = (accepted.sender.mss, Duration(accepted.spec.rtt_ns));
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
            asking: Asking::new(&accepted.sender.options, mss),
            state: State::Idle,
            next_at: Time::NEVER,
            syn: None,
            has_syn: false,
            rows: Vec::new(),
            request: 0,
            response: (0, 0),
            before: 0,
            heard: 0,
            hearing: Hearing::new(&accepted.sender.options, rtt),
            copies: [Time::ZERO; PIECES_MAX as usize],
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
        self.next_at
    }

    /// The connection is there, and its handshake took so long.
    fn begin(&mut self, now: Time, rtt: Option<Duration>) {
        self.asking.on_established(rtt);
        self.state = State::Thinking;
        self.wait_until(now);
    }

    /// It asks then, or never, if that is too late.
    fn wait_until(&mut self, at: Time) {
        self.next_at = if at <= self.stop { at } else { Time::NEVER };
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

    /// It asks, or asks again.
    pub(crate) fn on_due(&mut self) {
        let now = self.next_at;
        if self.state == State::Asking {
            if let Some(row) = self.rows.last_mut() {
                row.repeats += u32::from(now < self.end);
            }
            let again = self.asking.on_deadline(now);
            return self.wait_until(again);
        }
        self.before += self.pieces();
        self.heard = 0;
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
        let again = self.asking.on_asked(now, self.pieces());
        self.wait_until(again);
    }

    fn pieces(&self) -> u64 {
        self.request.div_ceil(self.mss)
    }

    /// Packets of the request that the server has not acknowledged: they leave now.
    pub(crate) fn unheard(&self) -> impl Iterator<Item = Piece> + '_ {
        (self.heard..self.pieces()).map(|number| self.piece(number))
    }

    fn piece(&self, number: u64) -> Piece {
        let payload = (self.request - number * self.mss).min(self.mss) as u32;
        Piece { exchange: self.exchange(), number: number as u32, payload }
    }

    fn exchange(&self) -> u32 {
        (self.rows.len() as u32).wrapping_sub(1) & 0xff_ffff
    }

    /// An ACK of so many packets of all requests arrives.
    pub(crate) fn on_heard(&mut self, now: Time, packets: u64) {
        let heard = packets.saturating_sub(self.before);
        if self.state == State::Asking && heard > self.heard {
            self.heard = heard;
            let again = self.asking.on_heard(now, packets, self.copies[heard as usize - 1]);
            self.wait_until(again);
        }
    }

    /// A segment arrives; the receiver then expects `next`.
    pub(crate) fn on_segment(&mut self, now: Time, seq: u64, next: u64) {
        let (before, end) = self.response;
        if self.state == State::Asking && seq >= before {
            self.asking.on_answered(now, self.answered_copy);
            (self.state, self.next_at) = (State::Listening, Time::NEVER);
        }
        if self.state == State::Listening && next >= end {
            if let Some(row) = self.rows.last_mut() {
                row.completion_ns = now.0 - row.start_ns;
            }
            self.state = State::Idle;
            if (self.rows.len() as u64) < self.count {
                self.state = State::Thinking;
                let thought = Duration(self.think.draw(&mut self.thoughts));
                self.wait_until(now.saturating_add(thought));
            }
        }
    }

    /// A packet of a request arrives at the server at `at`, sent at `sent`.
    pub(crate) fn on_arrived(&mut self, piece: Piece, sent: Time, at: Time) -> Asked {
        let is_late = piece.exchange != self.exchange();
        let seq = if is_late { self.before.saturating_sub(1) } else { self.before + u64::from(piece.number) };
        let heard = self.hearing.on_packet(Arrival { at, seq, sent });
        if let Some(latest) = heard.and_then(|heard| heard.packets.checked_sub(self.before + 1)) {
            self.copies[latest as usize] = heard.map_or(sent, |heard| heard.sent);
        }
        let mut asked = Asked { heard: heard.map(|heard| heard.packets), written: None };
        let all = (1 << self.pieces()) - 1;
        if is_late || self.arrived == all {
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
