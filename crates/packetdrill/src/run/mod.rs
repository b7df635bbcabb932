//! Runs a script: its stimuli drive a connection, and what it expects is compared.
//!
//! The clock is the script's own. A time that is relative counts from the event before: from when an expected segment left, otherwise from
//! when the event was due. Every timer that is due by then expires first. What leaves may do so earlier or later by packetdrill's own
//! tolerance: four milliseconds or what `--tolerance_usecs` says, and an eighth of the distance to the event before.
//!
//! Judged is the connection from its handshake to its end: when SYNs and SYN-ACKs leave again, data, ACKs, and a FIN, which is a segment of its own or
//! leaves with the last. A script may have one connection after another. Taken for granted is what the SYNs say, data in them among it (RFC 7413), and
//! what calls return. With a reset of the stack under test the script ends for here.

mod arrival;
mod calls;
mod expected;
mod handshake;
mod inbound;
mod opening;
mod repeats;
mod settings;
mod stream;

use tcp::{AceCounter, Ecn};
use units::Time;

use self::calls::Meaning;
use self::expected::{Left, Span};
use self::handshake::{Agreed, Handshake};
use self::settings::Settings;
pub use self::settings::Stack;
use self::stream::PeerStream;
use crate::drive::{Connect, Drive};
use crate::outcome::{Counts, Outcome, Stop, Verdict};
use crate::python::{Python, Value};
use crate::script::{Call, Direction, Event, Packet, Script, What};

/// Packetdrill's own, nanoseconds.
const TOLERANCE: u64 = 4_000_000;
/// What the option of accurate ECN takes of a segment, with its padding.
const ECN_OPTION_BYTES: u64 = 12;
/// The least time between two events, nanoseconds.
const TICK: u64 = 1000;
/// How far events of one time come apart by that.
const TICKS_MAX: u64 = 1_000_000;
/// A script is over by then: some four months.
const TIME_MAX: u64 = 10_u64.pow(16);
/// Options of the command line that mean nothing here.
const OPTIONS: [&str; 7] = ["send_omit_free", "ip_version", "local_ip", "remote_ip", "gateway_ip", "strict_segments", "bind_port"];

/// Runs the script of this text on `stack`.
pub fn run(text: &str, stack: &Stack) -> Outcome {
    let mut run = None;
    let verdict = match Script::parse(text) {
        Err((line, why)) => Verdict::NotDrivable(format!("line {line}: {why}")),
        Ok(script) => match Run::new(&script, stack.clone()) {
            Err(why) => Verdict::NotDrivable(why),
            Ok(new) => run.insert(new).all(&script),
        },
    };
    let (counts, not_judged, printed) = run.map_or((Counts::default(), vec![], vec![]), |run| (run.counts, run.not_judged, run.printed));
    Outcome { verdict, counts, not_judged, printed }
}

struct Run {
    settings: Settings,
    tolerance: u64,
    handshake: Handshake,
    agreed: Option<Agreed>,
    /// Bytes that were written before the connection was there.
    early: u64,
    /// Who wrote them waits for the handshake.
    has_writer: bool,
    /// A socket was made for the next connection.
    is_next: bool,
    /// The peer has reset the connection, or refused it.
    is_gone: bool,
    /// The stack under test has said that it writes nothing more.
    is_finished: bool,
    /// With its socket closed: what the peer may still say is not read.
    is_closed: bool,
    /// The peer has said something since the connection is open.
    has_ack: bool,
    /// The latest of the peer's timestamps.
    peer_stamp: Option<u64>,
    marks: AceCounter,
    /// Made when it is needed first, for the algorithm may be chosen until then.
    drive: Option<Drive>,
    /// Some command fills the device.
    has_device: bool,
    peer: PeerStream,
    /// The peer has sent data, or its end.
    has_received: bool,
    /// It has sent data since the handshake.
    has_data: bool,
    /// All of it has arrived, and its end.
    has_all: bool,
    left: Left,
    python: Python,
    /// When the event before was, nanoseconds.
    before: u64,
    /// The socket that listens.
    listener: Option<String>,
    counts: Counts,
    not_judged: Vec<String>,
    printed: Vec<Vec<Value>>,
}

impl Run {
    fn new(script: &Script, stack: Stack) -> Result<Run, String> {
        let (mut tolerance, mut own_mss) = (TOLERANCE, None);
        for (name, value) in &script.options {
            match name.as_str() {
                "tolerance_usecs" => tolerance = value.parse::<u64>().map_err(|_| format!("option {name}"))? * 1000,
                // Milliseconds, as those that are read here.
                "tcp_ts_tick_usecs" if value == "1000" => {}
                "mss" => own_mss = Some(value.parse().map_err(|_| format!("option {name}"))?),
                known if OPTIONS.contains(&known) => {}
                _ => return Err(format!("option --{name}")),
            }
        }
        let has_device = script.events.iter().any(|event| matches!(&event.what, What::Shell(text) if text.contains("limit 0")));
        Ok(Run {
            settings: Settings::new(stack),
            tolerance,
            handshake: Handshake::new(own_mss),
            agreed: None,
            early: 0,
            has_writer: false,
            is_next: false,
            is_gone: false,
            is_finished: false,
            peer_stamp: None,
            marks: AceCounter::default(),
            drive: None,
            has_device,
            peer: PeerStream::default(),
            has_received: false,
            has_data: false,
            has_all: false,
            has_ack: false,
            is_closed: false,
            left: Left::default(),
            python: Python::default(),
            before: 0,
            listener: None,
            counts: Counts::default(),
            not_judged: Vec::new(),
            printed: Vec::new(),
        })
    }

    fn all(&mut self, script: &Script) -> Verdict {
        for (index, event) in script.events.iter().enumerate() {
            if let Err(stop) = self.step(event, &script.events[index..]) {
                return stop.verdict(event.line, &self.counts);
            }
        }
        Stop::End.verdict(0, &self.counts)
    }

    /// `event` happens, the first of `events`.
    fn step(&mut self, event: &Event, events: &[Event]) -> Result<(), Stop> {
        let when = event.when;
        let base = if when.is_relative { self.before } else { 0 };
        let span = Span {
            from: base.saturating_add(when.from),
            to: if when.is_any { u64::MAX / 2 } else { base.saturating_add(when.to) },
            tolerance: self.tolerance.max(base.saturating_add(when.from).saturating_sub(self.before) / 8),
        };
        let is_expected = matches!(&event.what, What::Packet(packet) if packet.direction == Direction::Outbound);
        if !is_expected {
            self.before = span.from;
            self.set_apart(matches!(&event.what, What::Packet(_)));
            self.advance()?;
        }
        match &event.what {
            What::Other(why) => Err(Stop::NotDrivable(why.clone())),
            What::Shell(text) => self.on_commands(text),
            What::Call(call) => self.on_call(call, when.returns.is_some_and(|end| end > when.from)),
            What::Code(code) => self.on_code(code),
            What::Packet(packet) if packet.has('S') && !packet.has('.') && self.begins(packet) => {
                self.begin_anew();
                self.peer = PeerStream::of(events);
                self.on_handshake(packet, span)
            }
            What::Packet(packet) if self.is_gone && is_expected && packet.has('R') => Err(Stop::End),
            What::Packet(_) if self.is_gone => Err(Stop::NotDrivable("a segment after a reset".into())),
            What::Packet(packet) if self.agreed.is_none() => self.on_handshake(packet, span),
            What::Packet(packet) if is_expected => self.on_expected(packet, span),
            What::Packet(packet) => self.on_inbound(packet),
        }
    }

    /// What arrives when something left does so later, however little, and what follows at the same time does not come before it.
    fn set_apart(&mut self, arrives: bool) {
        let Some(drive) = &self.drive else { return };
        let (now, has_sent) = (drive.now().0, drive.sender().connection().last_sent == drive.now());
        if now > self.before && now - self.before < TICKS_MAX {
            self.before = now;
        }
        if arrives && has_sent && now == self.before {
            self.before += TICK;
        }
    }

    fn now(&self) -> Time {
        Time(self.before)
    }

    fn advance(&mut self) -> Result<(), Stop> {
        let now = self.now();
        if now.0 > TIME_MAX {
            return Err(Stop::NotDrivable("a time too far away".into()));
        }
        if let Some(drive) = &mut self.drive {
            if drive.now() > now {
                return Err(Stop::NotDrivable("an event before what must come first".into()));
            }
            drive.advance(now);
        }
        Ok(())
    }

    fn on_commands(&mut self, text: &str) -> Result<(), Stop> {
        if self.drive.is_none() {
            return self.settings.apply(text);
        }
        let before = self.settings.stack.options.clone();
        self.settings.apply(text)?;
        if before != self.settings.stack.options && !self.is_gone && !self.is_finished {
            return Err(Stop::NotDrivable("options that change while data is under way".into()));
        }
        let is_full = self.settings.is_full;
        self.drive()?.0.fill_device(is_full);
        Ok(())
    }

    fn on_call(&mut self, call: &Call, blocks: bool) -> Result<(), Stop> {
        let (name, descriptor) = (&call.name, call.args.first());
        match calls::meaning(call, blocks)? {
            Meaning::Nothing => Ok(()),
            Meaning::Answer => {
                self.not_judged.push(format!("call {name}"));
                Ok(())
            }
            Meaning::Socket => {
                (self.is_next, self.early, self.has_writer) = (true, 0, false);
                Ok(())
            }
            Meaning::Write { .. } if self.is_gone => Ok(()),
            Meaning::Write { bytes, blocks, .. } if self.agreed.is_none() || self.is_next => {
                self.early += bytes;
                self.has_writer |= blocks;
                Ok(())
            }
            Meaning::Write { blocks: true, .. } => Err(Stop::NotDrivable(format!("{name} that blocks"))),
            Meaning::Write { bytes, ends_record, .. } => {
                let now = self.now();
                let (drive, _) = self.drive()?;
                drive.write(now, bytes);
                if ends_record {
                    drive.end_record();
                }
                Ok(())
            }
            Meaning::Algorithm(_) if self.drive.is_some() => Err(Stop::NotDrivable("an algorithm chosen while data is under way".into())),
            Meaning::Algorithm(name) => {
                self.settings.stack.algorithm = name;
                self.settings.stack.variant = None;
                Ok(())
            }
            Meaning::Mss(mss) => self.handshake.limit_mss(mss),
            Meaning::MssTold(_) if self.agreed.is_none() || self.is_next || self.listener.as_ref() == descriptor => Ok(()),
            Meaning::MssTold(told) => {
                let mss = self.drive()?.0.info().snd_mss;
                self.counts.asserts += 1;
                if mss == told {
                    Ok(())
                } else {
                    Err(Stop::Differs(format!("{name} TCP_MAXSEG {told} but segments have {mss} bytes")))
                }
            }
            Meaning::Listen => {
                self.listener = descriptor.cloned();
                Ok(())
            }
            Meaning::Close if self.listener.as_ref() == descriptor => Ok(()),
            Meaning::Close if self.is_gone || self.is_finished || self.is_next => {
                self.is_closed |= name == "close";
                Ok(())
            }
            Meaning::Close if self.agreed.is_none() => Err(Stop::End),
            Meaning::Close => {
                let now = self.now();
                (self.is_finished, self.is_closed) = (true, name == "close");
                self.drive()?.0.finish(now);
                Ok(())
            }
        }
    }

    fn on_code(&mut self, code: &str) -> Result<(), Stop> {
        let mut info = if self.agreed.is_some() { Some(self.drive()?.0.info()) } else { None };
        if let Some(info) = info.as_mut().filter(|_| self.agreed.as_ref().is_some_and(|agreed| agreed.is_fast) && !self.has_ack) {
            // The SYN-ACK is not acknowledged yet.
            info.delivered -= 1;
        }
        let (options, state) = (self.agreed.as_ref().map(Agreed::options), self.state());
        let field = |name: &str| match name {
            "options" => options,
            "state" => state,
            _ => info.as_ref()?.field(name),
        };
        let lookup = |name: &str| constant(name).or_else(|| i64::try_from(field(name.strip_prefix("tcpi_")?)?).ok());
        let counts_syn_data = ["tcpi_retrans", "tcpi_total_retrans", "tcpi_lost"].iter().any(|name| code.contains(name));
        if counts_syn_data && self.agreed.as_ref().is_some_and(|agreed| agreed.sent_in_vain > 0) {
            return Err(Stop::NotDrivable("data of a SYN that leave again".into()));
        }
        let said = self.python.run(code, &lookup).map_err(|why| Stop::NotDrivable(format!("python: {why}")))?;
        self.counts.asserts += said.held;
        self.not_judged.extend(said.unknown);
        self.printed.extend(said.printed);
        said.broken.map_or(Ok(()), |what| Err(Stop::Differs(what)))
    }

    /// What Linux calls the connection's state (`tcp_states.h`); none before it is agreed upon, and none once the own side has ended.
    fn state(&self) -> Option<u64> {
        let agreed = self.agreed.as_ref()?;
        let name = match (self.is_gone, agreed.is_fast && !self.has_ack, self.has_all) {
            (true, ..) => "TCP_CLOSE",
            _ if self.is_finished => return None,
            (_, true, _) => "TCP_SYN_RECV",
            (_, _, true) => "TCP_CLOSE_WAIT",
            _ => "TCP_ESTABLISHED",
        };
        constant(name).map(|state| state as u64)
    }

    /// The connection, and what was agreed about it.
    fn drive(&mut self) -> Result<(&mut Drive, &Agreed), Stop> {
        let agreed = self.agreed.as_ref().ok_or_else(|| Stop::NotDrivable("no connection".into()))?;
        if self.drive.is_none() {
            let mut drive = open(&self.settings, agreed, self.has_device)?;
            drive.fill_device(self.settings.is_full);
            drive.advance(Time(self.before));
            self.drive = Some(drive);
        }
        Ok((self.drive.as_mut().expect("just made"), agreed))
    }

    /// A segment without data in front of what the peer expects, while that has no room.
    fn is_probe(&self, packet: &Packet) -> bool {
        self.drive.as_ref().is_some_and(|drive| {
            let c = drive.sender().connection();
            let first = self.agreed.as_ref().map_or(0, |agreed| agreed.sent_before);
            let una_byte = c.una.checked_sub(1).map_or(first, |last| drive.bytes(last).1);
            drive.sender().receive_window() == 0 && packet.seq == una_byte && !packet.has('S')
        })
    }

    fn on_expected(&mut self, packet: &Packet, span: Span) -> Result<(), Stop> {
        if packet.has('R') {
            return Err(Stop::End);
        }
        let takes_numbers = packet.length > 0 || packet.has('F');
        if !takes_numbers && self.is_probe(packet) {
            let Some(drive) = &mut self.drive else { unreachable!("it is shut") };
            let at = self.left.expect_probe(span, drive)?;
            self.counts.segments += 1;
            self.before = self.before.max(at.0);
            return Ok(());
        }
        if packet.has('S') || packet.seq == 0 {
            return Err(Stop::NotDrivable("retransmission in the handshake".into()));
        }
        if !takes_numbers && !self.has_received {
            // The last segment of the handshake, of a client; any other tells of what is not driven here.
            let first = self.agreed.as_ref().map_or(1, |agreed| agreed.sent_before + 1);
            let has_sent = self.drive.as_ref().is_some_and(|drive| drive.sender().connection().nxt > 0);
            let is_answer = packet.seq == first && !has_sent && self.handshake.is_clients();
            self.before = span.from;
            return if is_answer { Ok(()) } else { Err(Stop::NotDrivable("an ACK of no data".into())) };
        }
        let (_, agreed) = self.drive()?;
        let (ecn, mss) = (agreed.ecn, u64::from(agreed.mss));
        if packet.others.iter().any(|option| option == "ECN") {
            if packet.length + ECN_OPTION_BYTES >= mss || (packet.stamp.is_some() && packet.sack.len() == 2) {
                return Err(Stop::NotDrivable("room that the option ECN takes".into()));
            }
            self.not_judged.push("option ECN".into());
        }
        let (Some(drive), peer) = (&mut self.drive, &self.peer) else { unreachable!("just made") };
        let at = if takes_numbers {
            let (segments, at) = self.left.expect_data(packet, span, (drive, ecn))?;
            self.counts.segments += segments;
            at
        } else {
            // Of a closed connection whose own end is acknowledged Linux keeps no counters.
            let c = drive.sender().connection();
            let ecn = if self.is_closed && c.una == c.nxt { Ecn::Off } else { ecn };
            let at = self.left.expect_ack(packet, span, (drive, peer, ecn))?;
            self.counts.acks += 1;
            at
        };
        self.before = self.before.max(at.0);
        Ok(())
    }
}

/// The connection that was agreed upon.
fn open(settings: &Settings, agreed: &Agreed, device: bool) -> Result<Drive, Stop> {
    let stack = &settings.stack;
    let mut options = stack.options.clone();
    options.sack = agreed.sack;
    options.timestamps = agreed.stamp.is_some();
    if agreed.is_cut {
        options.initial_window = 1;
    }
    // What an algorithm asks for beyond that was not agreed upon either.
    options.ecn = agreed.ecn;
    let connect = Connect {
        algorithm: stack.algorithm.clone(),
        variant: stack.variant.clone(),
        profile: stack.profile.clone(),
        options,
        mss: agreed.mss,
        advmss: agreed.advmss,
        window: agreed.window_bytes / u64::from(agreed.mss),
        device,
        accepts: agreed.accepts,
        opened: agreed.opened,
        handshake_rtt: agreed.rtt,
        sent_before: agreed.sent_before,
        marked_before: agreed.marked_before,
        seed: 0,
        parameters: std::collections::BTreeMap::new(),
        guests: stack.guests.clone(),
    };
    Drive::connect(connect).map_err(|error| Stop::NotDrivable(error.to_string()))
}

/// Names that packetdrill defines.
fn constant(name: &str) -> Option<i64> {
    if let Some(option) = name.strip_prefix("TCPI_OPT_") {
        return handshake::option_bit(option).map(|bit| bit as i64);
    }
    let connections = [("TCP_ESTABLISHED", 1), ("TCP_SYN_RECV", 3), ("TCP_CLOSE", 7), ("TCP_CLOSE_WAIT", 8)];
    if let Some(&(_, state)) = connections.iter().find(|(known, _)| *known == name) {
        return Some(state);
    }
    let states = ["TCP_CA_Open", "TCP_CA_Disorder", "TCP_CA_CWR", "TCP_CA_Recovery", "TCP_CA_Loss"];
    match states.iter().position(|&state| state == name) {
        Some(state) => Some(state as i64),
        None => (name == "TCP_INFINITE_SSTHRESH").then_some(0x7fff_ffff),
    }
}
