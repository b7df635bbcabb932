//! A client that asks: what it does, from its draws, with every packet of a request an object.

use std::collections::BTreeMap;

use cc::Controller;
use sim::{AcceptedFlow, ExchangeRow, Law, RequestsSpec};
use tcp::{Ack, Arrival, Asking, Bare, Heard, Hearing, Opening, Reduction, Wire};
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

/// Packets of all requests that the client's sender sends, in order, and those of them that it had sent before.
#[derive(Default)]
struct Outgoing {
    all: Vec<u64>,
    again: Vec<u64>,
}

impl Wire for Outgoing {
    fn send(&mut self, _now: Time, seq: u64) {
        self.all.push(seq);
    }
    fn resend(&mut self, _now: Time, seq: u64) {
        self.all.push(seq);
        self.again.push(seq);
    }
    fn on_loss_episode(&mut self, _now: Time, _reduction: Reduction) {}
    fn on_timeout(&mut self, _now: Time, _cwnd: f64) {}
    fn on_undo(&mut self, _now: Time, _cwnd: f64) {}
    fn on_slow_start_exit(&mut self, _now: Time, _cwnd: f64) {}
}

/// The client of a flow, and what its server knows.
pub(super) struct Client {
    given: RequestsSpec,
    /// Of requests, responses and thoughts.
    streams: [Stream; 3],
    asking: Asking<Controller>,
    outgoing: Outgoing,
    stop: Time,
    mss: u64,
    most: u64,
    /// When it asks for the first time or after a thought.
    asks_at: Option<Time>,
    /// Nothing of the response has arrived.
    is_waiting: bool,
    /// When SYNs arrived.
    syns: Vec<Time>,
    rows: Vec<ExchangeRow>,
    /// Segments of all responses up to each exchange's.
    ends: Vec<u64>,
    /// Which packets of the last request the server has, and when the copy that made it whole was sent.
    has: Vec<bool>,
    answered: Option<Time>,
    hearing: Hearing,
    /// Packets of the requests before each, and ACKs on their way.
    starts: Vec<u64>,
    said: BTreeMap<u64, Heard>,
    says: u64,
}

impl Client {
    pub(super) fn new(given: &AcceptedFlow, (index, seed): (usize, u64)) -> Option<Client> {
        let requests = given.spec.requests.as_deref()?.clone();
        let law = cc::build("cubic", None, &given.spec.profile, &BTreeMap::new()).expect("of every profile");
        let mut client = Client {
            given: requests,
            streams: ["requests", "responses", "thoughts"].map(|part| Stream::named(seed, format_args!("flow{index}/{part}"))),
            asking: Asking::new(&given.sender.options, given.sender.mss, law.algorithm),
            outgoing: Outgoing::default(),
            stop: Time(given.spec.stop_ns.unwrap_or(u64::MAX)),
            mss: given.sender.mss.into(),
            most: u64::from(given.sender.options.initial_window).min(10) * u64::from(given.sender.mss),
            asks_at: None,
            is_waiting: false,
            syns: Vec::new(),
            rows: Vec::new(),
            ends: Vec::new(),
            has: Vec::new(),
            answered: None,
            hearing: Hearing::new(&given.sender.options, Duration(given.spec.rtt_ns)),
            starts: Vec::new(),
            said: BTreeMap::new(),
            says: 0,
        };
        if !given.spec.handshake {
            let start = Time(given.spec.start_ns);
            client.asking.on_established(start, Some(Duration(given.spec.rtt_ns)), &mut client.outgoing);
            client.asks_at = Some(start);
        }
        Some(client)
    }

    fn next(&self) -> Option<Time> {
        let timer = Some(self.asking.deadline()).filter(|&at| at < Time::NEVER);
        self.asks_at.into_iter().chain(timer).min()
    }

    fn row(&mut self) -> &mut ExchangeRow {
        self.rows.last_mut().expect("an exchange")
    }

    /// Asks, or a timer expires.
    fn act(&mut self, now: Time, flow: usize) {
        if self.asks_at != Some(now) {
            return self.asking.on_deadline(now, &mut self.outgoing);
        }
        self.asks_at = None;
        let cut = |law: Law, stream: &mut Stream| draw(law, stream);
        let request_bytes = cut(self.given.sizes, &mut self.streams[0]).min(self.most);
        let bytes = cut(self.given.responses, &mut self.streams[1]);
        let before = self.ends.last().copied().unwrap_or(0);
        self.ends.push(before + bytes.div_ceil(self.mss));
        self.rows.push(ExchangeRow { flow: flow as u32, start_ns: now.0, request_bytes, bytes, completion_ns: u64::MAX, repeats: 0 });
        self.starts.push(self.all());
        (self.has, self.answered) = (vec![false; request_bytes.div_ceil(self.mss) as usize], None);
        self.is_waiting = true;
        self.asking.on_asked(now, self.all(), &mut self.outgoing);
    }

    /// Packets of all requests.
    fn all(&self) -> u64 {
        self.starts.last().map_or(0, |start| start + self.has.len() as u64)
    }

    /// The numbers and sizes of the packets that leave; of those after the end of the run none counts.
    fn leaving(&mut self, is_counted: bool) -> Vec<(usize, u64)> {
        let Outgoing { all, again } = std::mem::take(&mut self.outgoing);
        if all.is_empty() {
            return Vec::new();
        }
        let (mss, start) = (self.mss, *self.starts.last().expect("an exchange"));
        if is_counted {
            self.row().repeats += again.len() as u32;
        }
        let request = self.row().request_bytes;
        all.into_iter().map(|seq| seq - start).map(|number| (number as usize, (request - number * mss).min(mss))).collect()
    }

    /// Something arrives at the client.
    fn on_segment(&mut self, now: Time, seq: u64, (next, again): (u64, u8)) {
        if seq == Opening::Syn.seq() {
            self.syns.push(now);
        } else if seq == Opening::Ack.seq() {
            if self.rows.is_empty() && self.asks_at.is_none() {
                let rtt = if self.syns.len() == 1 { self.asking.handshake_rtt(now, self.syns[0], again) } else { None };
                self.asking.on_established(now, rtt, &mut self.outgoing);
                self.asks_at = Some(now);
            }
        } else if let Some(Bare::Heard { number, .. }) = Bare::of(seq) {
            // Those that were sent before it and are not here are lost, or count no more.
            let later = self.said.split_off(&number);
            self.said = later;
            if let Some(heard) = self.said.remove(&number) {
                self.asking.on_heard(now, &heard, &mut self.outgoing);
            }
        } else {
            let (end, before) = (*self.ends.last().expect("an exchange"), self.ends.iter().rev().nth(1).copied().unwrap_or(0));
            if seq >= before && std::mem::take(&mut self.is_waiting) {
                let all = (self.all(), self.answered.expect("the server has answered"));
                self.asking.on_answered(now, all, &mut self.outgoing);
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
        let Some(client) = self.flows[index].client.as_mut().filter(|client| client.next() == Some(now)) else { return };
        client.act(now, index);
        self.let_questions_leave(now, index);
    }

    /// What the client's sender has sent leaves.
    fn let_questions_leave(&mut self, now: Time, index: usize) {
        let flow = &mut self.flows[index];
        let (packet_bytes, is_counted) = (flow.packet_bytes, now + flow.quarter < flow.end);
        let Some(client) = flow.client.as_mut() else { return };
        let leaving = client.leaving(is_counted);
        let (exchange, header) = (client.rows.len(), packet_bytes - client.mss as u32);
        if !leaving.is_empty() {
            let carried = flow.receiver.carried(leaving.len() as u32);
            for (number, payload) in leaving {
                let question = Question { exchange, number, bytes: payload as u32 + header, sent: now, carried };
                self.send_back(now, index, Load::Question(question));
            }
        }
        self.await_client(index);
    }

    pub(super) fn tell_client(&mut self, now: Time, index: usize, seq: u64) {
        let receiver = &self.flows[index].receiver;
        let next = (receiver.next(), receiver.answered_again());
        let Some(client) = &mut self.flows[index].client else { return };
        client.on_segment(now, seq, next);
        self.let_questions_leave(now, index);
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
        let seq = client.starts[exchange - 1] + number as u64;
        let heard = client.hearing.on_packet(Arrival { at: now, seq, sent });
        self.say(now, index, heard);
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

    /// The timer of an ACK of a request expires.
    pub(super) fn on_hearing(&mut self, now: Time, index: usize) {
        let Some(client) = &mut self.flows[index].client else { return };
        if client.hearing.deadline() == now {
            let is_late = client.hearing.puts_off();
            let heard = (!is_late).then(|| client.hearing.on_deadline());
            self.say(now, index, heard);
        }
    }

    /// An ACK of a request leaves, or its timer runs.
    fn say(&mut self, now: Time, index: usize, heard: Option<Heard>) {
        let Some(client) = &mut self.flows[index].client else { return };
        let deadline = client.hearing.deadline();
        let number = client.says;
        if let Some(heard) = heard {
            let blocks =
                heard.sack.map_or(0, |sack| sack.blocks.iter().filter(|block| block.to > 0).count() + sack.duplicate.iter().count());
            client.said.insert(number, heard);
            client.says += 1;
            self.drive(index, |_, outbox| outbox.send_bare(now, Bare::Heard { number, blocks: blocks as u8 }));
        }
        if deadline < Time::NEVER {
            self.agenda.add(deadline, index, Kind::Hearing, None);
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
