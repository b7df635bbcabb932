//! A client that asks: what it does, from its draws, with every packet of a request an object.

use std::collections::BTreeMap;

use sim::{AcceptedFlow, ExchangeRow, Law, RequestsSpec};
use tcp::{Ack, Arrival, Asking, Bare, Heard, Hearing, Opening};
use units::{Duration, Stream, Time};

use super::agenda::Kind;
use super::births::draw;
use super::engine::{Textbook, ACK_BYTES};
use super::link::Load;

/// A packet of a request.
#[derive(Clone, Copy, Debug)]
pub struct Question {
    exchange: usize,
    number: usize,
    pub(super) bytes: u32,
    sent: Time,
    carried: Ack,
}

/// The client of a flow, and what its server knows.
pub(super) struct Client {
    given: RequestsSpec,
    /// Of requests, responses and thoughts.
    streams: [Stream; 3],
    asking: Asking,
    stop: Time,
    mss: u64,
    most: u64,
    /// When it asks for the first time or after a thought, or again.
    asks_at: Option<Time>,
    repeats_at: Option<Time>,
    /// When SYNs arrived.
    syns: Vec<Time>,
    rows: Vec<ExchangeRow>,
    /// Segments of all responses up to each exchange's.
    ends: Vec<u64>,
    /// Which packets of the last request the server has, and when the copy that made it whole was sent.
    has: Vec<bool>,
    answered: Option<Time>,
    hearing: Hearing,
    /// Packets of the requests before the last, and what of all was acknowledged: packets, and when the copies were sent that this echoes.
    before: u64,
    acknowledged: BTreeMap<u64, Time>,
    heard: u64,
}

impl Client {
    pub(super) fn new(given: &AcceptedFlow, (index, seed): (usize, u64)) -> Option<Client> {
        let requests = given.spec.requests.as_deref()?.clone();
        let mut client = Client {
            given: requests,
            streams: ["requests", "responses", "thoughts"].map(|part| Stream::named(seed, &format!("flow{index}/{part}"))),
            asking: Asking::new(&given.sender.options, given.sender.mss),
            stop: Time(given.spec.stop_ns.unwrap_or(u64::MAX)),
            mss: given.sender.mss.into(),
            most: u64::from(given.sender.options.initial_window).min(10) * u64::from(given.sender.mss),
            asks_at: None,
            repeats_at: None,
            syns: Vec::new(),
            rows: Vec::new(),
            ends: Vec::new(),
            has: Vec::new(),
            answered: None,
            hearing: Hearing::new(&given.sender.options, Duration(given.spec.rtt_ns)),
            before: 0,
            acknowledged: BTreeMap::new(),
            heard: 0,
        };
        if !given.spec.handshake {
            client.asking.on_established(Some(Duration(given.spec.rtt_ns)));
            client.asks_at = Some(Time(given.spec.start_ns));
        }
        Some(client)
    }

    fn next(&self) -> Option<Time> {
        self.asks_at.or(self.repeats_at)
    }

    fn row(&mut self) -> &mut ExchangeRow {
        self.rows.last_mut().expect("an exchange")
    }

    /// Asks, or asks again; the numbers and sizes of the packets.
    fn ask(&mut self, now: Time, flow: usize) -> Vec<(usize, u64)> {
        if self.asks_at.take().is_some() {
            let cut = |law: Law, stream: &mut Stream| draw(law, stream);
            let request_bytes = cut(self.given.sizes, &mut self.streams[0]).min(self.most);
            let bytes = cut(self.given.responses, &mut self.streams[1]);
            let before = self.ends.last().copied().unwrap_or(0);
            self.ends.push(before + bytes.div_ceil(self.mss));
            self.rows.push(ExchangeRow { flow: flow as u32, start_ns: now.0, request_bytes, bytes, completion_ns: u64::MAX, repeats: 0 });
            let packets = request_bytes.div_ceil(self.mss);
            self.before += self.has.len() as u64;
            self.heard = self.before;
            (self.has, self.answered) = (vec![false; packets as usize], None);
            self.repeats_at = Some(self.asking.on_asked(now, packets));
        } else {
            self.repeats_at = Some(self.asking.on_deadline(now));
            self.row().repeats += 1;
        }
        let request = self.row().request_bytes;
        (self.heard - self.before..self.has.len() as u64)
            .map(|number| (number as usize, (request - number * self.mss).min(self.mss)))
            .collect()
    }

    /// Something arrives at the client.
    fn on_segment(&mut self, now: Time, seq: u64, (next, again): (u64, u8)) {
        if seq == Opening::Syn.seq() {
            self.syns.push(now);
        } else if seq == Opening::Ack.seq() {
            if self.rows.is_empty() && self.asks_at.is_none() {
                let rtt = if self.syns.len() == 1 { self.asking.handshake_rtt(now, self.syns[0], again) } else { None };
                self.asking.on_established(rtt);
                self.asks_at = Some(now);
            }
        } else if let Some(Bare::Heard(packets)) = Bare::of(seq) {
            if packets > self.heard && self.repeats_at.is_some() {
                self.heard = packets;
                let again = self.asking.on_heard(now, packets, self.acknowledged[&packets]);
                self.repeats_at = (again < Time::NEVER).then_some(again);
            }
        } else {
            let (end, before) = (*self.ends.last().expect("an exchange"), self.ends.iter().rev().nth(1).copied().unwrap_or(0));
            if seq >= before && self.repeats_at.take().is_some() {
                self.heard = self.before + self.has.len() as u64;
                self.asking.on_answered(now, self.answered.expect("the server has answered"));
            }
            let is_open = self.row().completion_ns == u64::MAX;
            if is_open && next >= end {
                self.row().completion_ns = now.0 - self.row().start_ns;
                if self.given.count.is_none_or(|count| (self.rows.len() as u64) < count) {
                    self.asks_at = Some(now.saturating_add(Duration(draw(self.given.think, &mut self.streams[2]))));
                }
            }
        }
    }

    /// The rows at the end of the run.
    pub(super) fn rows(&self, end: Time) -> Vec<ExchangeRow> {
        let cut = |row: &ExchangeRow| {
            let is_over = row.completion_ns < u64::MAX && row.start_ns + row.completion_ns <= end.0;
            ExchangeRow { completion_ns: if is_over { row.completion_ns } else { u64::MAX }, ..*row }
        };
        self.rows.iter().filter(|row| row.start_ns < end.0).map(cut).collect()
    }
}

impl Textbook<'_> {
    /// Puts what the client does next on the agenda.
    pub(super) fn await_client(&mut self, index: usize) {
        let flow = &self.flows[index];
        let end = flow.end - flow.quarter;
        let is_in_time = |client: &&Client| client.next().is_some_and(|at| at <= client.stop && at < end);
        if let Some(at) = flow.client.as_ref().filter(is_in_time).and_then(Client::next) {
            self.agenda.add(at, index, Kind::Client, None);
        }
    }

    pub(super) fn on_client(&mut self, now: Time, index: usize) {
        let flow = &mut self.flows[index];
        let header = flow.packet_bytes;
        let Some(client) = flow.client.as_mut().filter(|client| client.next() == Some(now)) else { return };
        let sizes = client.ask(now, index);
        let (exchange, header) = (client.rows.len(), header - client.mss as u32);
        let carried = flow.receiver.carried(sizes.len() as u32);
        for (number, payload) in sizes {
            let question = Question { exchange, number, bytes: payload as u32 + header, sent: now, carried };
            self.send_back(now, index, Load::Question(question));
        }
        self.await_client(index);
    }

    pub(super) fn tell_client(&mut self, now: Time, index: usize, seq: u64) {
        let receiver = &self.flows[index].receiver;
        let next = (receiver.next(), receiver.answered_again());
        let Some(client) = &mut self.flows[index].client else { return };
        client.on_segment(now, seq, next);
        self.await_client(index);
    }

    /// A packet of a request is at the server.
    pub(super) fn on_question(&mut self, now: Time, index: usize, question: Question) {
        let Question { exchange, number, sent, carried, .. } = question;
        self.drive(index, |sender, outbox| {
            if carried.cumulative > sender.connection().una {
                sender.on_ack(now, carried, None, outbox);
            }
        });
        let Some(client) = &mut self.flows[index].client else { return };
        let is_late = exchange != client.rows.len();
        let seq = if is_late { client.before - 1 } else { client.before + number as u64 };
        let heard = client.hearing.on_packet(Arrival { at: now, seq, sent });
        if let Some(Heard { packets, sent }) = heard {
            client.acknowledged.insert(packets, sent);
            self.drive(index, |_, outbox| outbox.send_bare(now, Bare::Heard(packets)));
        }
        let Some(client) = &mut self.flows[index].client else { return };
        if exchange != client.rows.len() || client.answered.is_some() {
            return;
        }
        client.has[number] = true;
        if client.has.iter().all(|&has| has) {
            client.answered = Some(sent);
            client.hearing.on_answering(now);
            let written = client.ends[exchange - 1];
            let is_last = client.given.count == Some(exchange as u64);
            self.drive(index, |sender, outbox| {
                sender.on_written(now, written, outbox);
                if is_last {
                    sender.on_last_written();
                }
            });
        }
    }
}

/// IP bytes of what travels with the ACKs.
pub(super) fn bytes_back(load: &Load) -> u32 {
    match load {
        Load::Question(question) => question.bytes,
        Load::Ack { ack, .. } if ack.is_syn_ack() => tcp::SYN_BYTES,
        Load::Ack { sack: Some(sack), .. } => {
            let blocks = sack.blocks.iter().filter(|block| block.to > 0).count() + sack.duplicate.iter().count();
            ACK_BYTES + [0, 12, 20, 28][blocks]
        }
        _ => ACK_BYTES,
    }
}
