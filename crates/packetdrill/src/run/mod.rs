//! Runs a script: its stimuli drive a connection, and what it expects is compared.
//!
//! The clock is the script's own. A time that is relative counts from the event before: from when an expected segment left, otherwise from
//! when the event was due. Every timer that is due by then expires first. What leaves may do so earlier or later by packetdrill's own
//! tolerance: four milliseconds or what `--tolerance_usecs` says, and an eighth of the distance to the event before.
//!
//! Judged is the connection between handshake and close. What happens before it opens is taken for granted, and the script ends, for
//! here, with the first close, shutdown, FIN or RST.

mod calls;
mod expected;
mod handshake;
mod inbound;
mod settings;
mod stream;

use tcp::{Ecn, EcnBits};
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
use crate::script::{Direction, Event, Packet, Script, What};

/// Packetdrill's own, nanoseconds.
const TOLERANCE: u64 = 4_000_000;
/// What the option of accurate ECN takes of a segment, with its padding.
const ECN_OPTION_BYTES: u64 = 12;
/// A script is over by then: some four months.
const TIME_MAX: u64 = 10_u64.pow(16);
/// Options of the command line that mean nothing here.
const OPTIONS: [&str; 6] = ["ip_version", "local_ip", "remote_ip", "gateway_ip", "strict_segments", "bind_port"];

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
    /// Made when it is needed first, for the algorithm may be chosen until then.
    drive: Option<Drive>,
    /// Some command fills the device.
    has_device: bool,
    peer: PeerStream,
    /// The peer has sent data.
    has_received: bool,
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
            drive: None,
            has_device,
            peer: PeerStream::of(script),
            has_received: false,
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
        for event in &script.events {
            if let Err(stop) = self.step(event) {
                return stop.verdict(event.line, &self.counts);
            }
        }
        Stop::End.verdict(0, &self.counts)
    }

    fn step(&mut self, event: &Event) -> Result<(), Stop> {
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
            self.advance()?;
        }
        match &event.what {
            What::Other(why) => Err(Stop::NotDrivable(why.clone())),
            What::Shell(text) => self.on_commands(text),
            What::Call(call) => self.on_call(calls::meaning(call, when.returns.is_some_and(|end| end > when.from)), call.args.first()),
            What::Code(code) => self.on_code(code),
            What::Packet(packet) if self.agreed.is_none() => self.on_handshake(packet, span),
            What::Packet(packet) if is_expected => self.on_expected(packet, span),
            What::Packet(packet) => self.on_inbound(packet),
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
        if before != self.settings.stack.options {
            return Err(Stop::NotDrivable("options that change while data is under way".into()));
        }
        let is_full = self.settings.is_full;
        self.drive()?.0.fill_device(is_full);
        Ok(())
    }

    fn on_call(&mut self, meaning: Result<Meaning, Stop>, descriptor: Option<&String>) -> Result<(), Stop> {
        match meaning? {
            Meaning::Nothing => Ok(()),
            Meaning::Write(_) if self.agreed.is_none() => Err(Stop::NotDrivable("a write before the handshake is over".into())),
            Meaning::Write(bytes) => {
                let now = self.now();
                self.drive()?.0.write(now, bytes);
                Ok(())
            }
            Meaning::Algorithm(_) if self.drive.is_some() => Err(Stop::NotDrivable("an algorithm chosen while data is under way".into())),
            Meaning::Algorithm(name) => {
                self.settings.stack.algorithm = name;
                self.settings.stack.variant = None;
                Ok(())
            }
            Meaning::Mss(mss) => self.handshake.limit_mss(mss),
            Meaning::Listen => {
                self.listener = descriptor.cloned();
                Ok(())
            }
            Meaning::Close if self.listener.as_ref() == descriptor => Ok(()),
            Meaning::Close => Err(Stop::End),
        }
    }

    fn on_code(&mut self, code: &str) -> Result<(), Stop> {
        let info = if self.agreed.is_some() { Some(self.drive()?.0.info()) } else { None };
        let lookup = |name: &str| constant(name).or_else(|| i64::try_from(info.as_ref()?.field(name.strip_prefix("tcpi_")?)?).ok());
        let said = self.python.run(code, &lookup).map_err(|why| Stop::NotDrivable(format!("python: {why}")))?;
        self.counts.asserts += said.held;
        self.not_judged.extend(said.unknown);
        self.printed.extend(said.printed);
        said.broken.map_or(Ok(()), |what| Err(Stop::Differs(what)))
    }

    fn on_handshake(&mut self, packet: &Packet, span: Span) -> Result<(), Stop> {
        self.before = span.from;
        self.agreed = self.handshake.on_packet(Time(span.from), packet, &self.settings)?;
        if self.agreed.is_some() && packet.length > 0 {
            return self.on_inbound(packet);
        }
        Ok(())
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

    fn on_inbound(&mut self, packet: &Packet) -> Result<(), Stop> {
        if packet.has('F') {
            return Err(Stop::End);
        }
        if packet.has('S') || packet.has('R') || !packet.has('.') {
            return Err(Stop::NotDrivable(format!("segment {}", packet.flags)));
        }
        let now = self.now();
        let (drive, agreed) = self.drive()?;
        let is_accurate = agreed.ecn == Ecn::Accurate;
        // Bytes by codepoint say no more than the counter does where that cannot have wrapped.
        if let Some(option) = packet.others.iter().find(|option| !(is_accurate && *option == "ECN")) {
            return Err(Stop::NotDrivable(format!("option {option}")));
        }
        if is_accurate && packet.length == 0 && packet.ip_ecn.as_deref() == Some("ce") {
            return Err(Stop::NotDrivable("a mark on an ACK".into()));
        }
        if let Some(told) = inbound::told(packet, agreed, drive)? {
            drive.ack(now, &told);
        }
        if packet.length > 0 {
            let segment = self.peer.segment(packet)?;
            let ce = packet.ip_ecn.as_deref() == Some("ce");
            let cwr = !is_accurate && packet.has('W');
            self.drive()?.0.receive(now, segment, EcnBits { ce, cwr });
            self.has_received = true;
        }
        Ok(())
    }

    /// A segment without data in front of what the peer expects, while that has no room.
    fn is_probe(&self, packet: &Packet) -> bool {
        self.drive.as_ref().is_some_and(|drive| {
            let c = drive.sender().connection();
            let una_byte = c.una.checked_sub(1).map_or(0, |last| drive.bytes(last).1);
            drive.sender().receive_window() == 0 && packet.seq == una_byte && !packet.has('S')
        })
    }

    fn on_expected(&mut self, packet: &Packet, span: Span) -> Result<(), Stop> {
        if packet.has('F') || packet.has('R') {
            return Err(Stop::End);
        }
        if packet.length == 0 && self.is_probe(packet) {
            let Some(drive) = &mut self.drive else { unreachable!("it is shut") };
            let at = self.left.expect_probe(span, drive)?;
            self.counts.segments += 1;
            self.before = self.before.max(at.0);
            return Ok(());
        }
        if packet.has('S') || packet.seq == 0 {
            return Err(Stop::NotDrivable("retransmission in the handshake".into()));
        }
        if packet.length == 0 && !self.has_received {
            // The last segment of the handshake, of a client; any other tells of what is not driven here.
            let is_answer = packet.seq == 1 && self.drive.is_none() && self.handshake.is_clients();
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
        let at = if packet.length > 0 {
            let (segments, at) = self.left.expect_data(packet, span, (drive, ecn))?;
            self.counts.segments += segments;
            at
        } else {
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
    // What an algorithm asks for beyond that was not agreed upon either.
    options.ecn = agreed.ecn;
    let connect = Connect {
        algorithm: stack.algorithm.clone(),
        variant: stack.variant.clone(),
        profile: stack.profile.clone(),
        options,
        mss: agreed.mss,
        window: agreed.window_bytes / u64::from(agreed.mss),
        device,
        accepts: agreed.accepts,
        opened: agreed.opened,
        handshake_rtt: agreed.rtt,
        seed: 0,
        parameters: std::collections::BTreeMap::new(),
        guests: stack.guests.clone(),
    };
    Drive::connect(connect).map_err(|error| Stop::NotDrivable(error.to_string()))
}

/// Names that packetdrill defines.
fn constant(name: &str) -> Option<i64> {
    let states = ["TCP_CA_Open", "TCP_CA_Disorder", "TCP_CA_CWR", "TCP_CA_Recovery", "TCP_CA_Loss"];
    match states.iter().position(|&state| state == name) {
        Some(state) => Some(state as i64),
        None => (name == "TCP_INFINITE_SSTHRESH").then_some(0x7fff_ffff),
    }
}
