//! What a capture from anywhere says of the connections of TCP in it.

mod figures;
mod file;
mod flow;
mod outstanding;
mod packet;

use std::collections::BTreeMap;
use std::fmt;
use std::io::Read;

pub use figures::{Columns, Vantage};
use file::File;
pub use flow::{Counts, Flow, Happened, Sample, Times};
use packet::{parse, End, Other};

use crate::headers::{ACK, SYN};

/// Why a file is no capture of TCP that can be read: one line, behind the file's name.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ReadError(String);

impl ReadError {
    fn bad(what: String) -> ReadError {
        ReadError(what)
    }
}

impl fmt::Display for ReadError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl std::error::Error for ReadError {}

/// How a capture is read.
#[derive(Clone, Debug)]
pub struct Wanted {
    /// The interface, by its name or number; none for the first that has TCP.
    pub interface: Option<String>,
    /// From one sample to the next, nanoseconds.
    pub every_ns: u64,
}

/// What was read.
#[derive(Debug)]
pub struct Found {
    /// Directions with data, in the order of their connections' first packets.
    pub flows: Vec<Flow>,
    /// When the capture begins: what times are counted from. Of a capture of ours the run's beginning.
    pub zero_ns: i64,
    /// Packets of the interface, and those of them that are no TCP.
    pub packets: u64,
    /// See there.
    pub others: u64,
    /// The interface, and all that have packets.
    pub interface: String,
    /// See there.
    pub interfaces: Vec<String>,
    /// Who wrote the file, where it says so.
    pub application: String,
}

/// A connection: its ends in order.
type Pair = (End, End);

struct Reading {
    wanted: Option<String>,
    chosen: Option<u32>,
    every_ns: i64,
    zero_ns: Option<i64>,
    numbers: BTreeMap<Pair, usize>,
    /// Both directions of each connection.
    connections: Vec<[Flow; 2]>,
    packets: u64,
    others: u64,
    first_other: Option<Other>,
    last_ns: i64,
}

/// Reads a capture.
///
/// # Errors
/// A file that is none, is damaged or cut off, or holds no TCP.
pub fn read(from: impl Read, wanted: &Wanted) -> Result<Found, ReadError> {
    let mut file = File::open(from)?;
    let mut reading = Reading {
        wanted: wanted.interface.clone(),
        chosen: None,
        every_ns: wanted.every_ns.max(1) as i64,
        zero_ns: file.application.starts_with("windtunnel ").then_some(crate::ZERO_NS as i64),
        numbers: BTreeMap::new(),
        connections: Vec::new(),
        packets: 0,
        others: 0,
        first_other: None,
        last_ns: i64::MIN,
    };
    let mut with_packets: BTreeMap<u32, String> = BTreeMap::new();
    while let Some(raw) = file.next()? {
        let interface = &file.interfaces[raw.interface as usize];
        with_packets.entry(raw.interface).or_insert_with(|| interface.name.clone());
        let is_wanted = match (&reading.wanted, reading.chosen) {
            (_, Some(chosen)) => chosen == raw.interface,
            (Some(wanted), None) => *wanted == interface.name || *wanted == raw.interface.to_string(),
            (None, None) => true,
        };
        if is_wanted {
            reading.on_packet(&raw);
        }
    }
    reading.finish(with_packets, file.application)
}

impl Reading {
    fn on_packet(&mut self, raw: &file::Raw) {
        let zero_ns = *self.zero_ns.get_or_insert(raw.time_ns);
        self.packets += 1;
        let segment = match parse(raw.link_type, &raw.bytes, raw.length) {
            Ok(segment) => segment,
            Err(other) => {
                self.others += 1;
                self.first_other.get_or_insert(other);
                return;
            }
        };
        self.chosen = Some(raw.interface);
        // Captures of several processors may be out of order by a little.
        self.last_ns = self.last_ns.max(raw.time_ns);
        let pair = (segment.from.min(segment.to), segment.from.max(segment.to));
        let is_new = segment.has(SYN)
            && !segment.has(ACK)
            && self.numbers.get(&pair).is_some_and(|&known| {
                let both = &self.connections[known];
                both.iter().any(Flow::has_begun) && !both.iter().any(|flow| flow.is_opened_by(&segment))
            });
        let number = match self.numbers.get(&pair) {
            Some(&number) if !is_new => number,
            _ => {
                let every_ns = self.every_ns;
                self.connections.push([pair, (pair.1, pair.0)].map(|ends| Flow::new(ends, zero_ns, every_ns)));
                self.numbers.insert(pair, self.connections.len() - 1);
                self.connections.len() - 1
            }
        };
        let [forward, backward] = &mut self.connections[number];
        let (own, other) = if segment.from == pair.0 { (forward, backward) } else { (backward, forward) };
        own.on_sent(self.last_ns, &segment);
        other.on_answered(self.last_ns, &segment);
    }

    fn finish(self, with_packets: BTreeMap<u32, String>, application: String) -> Result<Found, ReadError> {
        let names: Vec<String> =
            with_packets.iter().map(|(number, name)| if name.is_empty() { number.to_string() } else { name.clone() }).collect();
        let Some(chosen) = self.chosen else { return Err(self.nothing(&names)) };
        let mut flows: Vec<Flow> = self.connections.into_iter().flatten().filter(|flow| flow.counts.data_frames > 0).collect();
        if flows.is_empty() {
            return Err(ReadError::bad(format!("holds {} packets of TCP and no data", self.packets - self.others)));
        }
        for flow in &mut flows {
            flow.sample_until(flow.last_ns);
        }
        let place = with_packets.keys().position(|&number| number == chosen).unwrap_or_default();
        Ok(Found {
            flows,
            zero_ns: self.zero_ns.unwrap_or_default(),
            packets: self.packets,
            others: self.others,
            interface: names[place].clone(),
            interfaces: names,
            application,
        })
    }

    /// No TCP was found.
    fn nothing(&self, names: &[String]) -> ReadError {
        if let Some(wanted) = self.wanted.as_ref().filter(|_| self.packets == 0 && !names.is_empty()) {
            return ReadError::bad(format!("has no packets at {wanted:?}; allowed: {}", names.join(", ")));
        }
        let first = match &self.first_other {
            None => return ReadError::bad("holds no packets".into()),
            Some(Other::LinkType(kind)) => format!("link type {kind}, which is not read"),
            Some(Other::Network(kind)) => format!("Ethernet type {kind:#06x}"),
            Some(Other::Protocol(17)) => "UDP".into(),
            Some(Other::Protocol(protocol)) => format!("IP protocol {protocol}"),
            Some(Other::Piece) => "cut before the end of its headers".into(),
        };
        ReadError::bad(format!("holds {} packets and no TCP; the first is {first}", self.packets))
    }
}

impl Flow {
    /// The names of its ends: of the data's sender, of its receiver.
    pub fn ends(&self) -> (String, String) {
        (self.from.to_string(), self.to.to_string())
    }

    /// It has had data: a further SYN begins another.
    fn has_begun(&self) -> bool {
        self.counts.data_frames > 0
    }
}
