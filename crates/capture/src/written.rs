//! A tap that writes what it is shown as pcapng, in order of time, as the run goes on.
//!
//! A packet is written once nothing earlier can be shown any more. What waits until then is what a run has under way, so memory does not grow
//! with its length.

use std::cmp::Reverse;
use std::collections::{BTreeMap, BinaryHeap};
use std::io::{self, Write};

use sim::{Place, Seen, SeenDatagram, SharedTap, Tap, Tapped, TappedStack};
use std::sync::{Arc, Mutex, PoisonError};

use crate::connection::Connection;
use crate::datagrams::Datagrams;
use crate::headers::Headers;
use crate::pcapng;

/// Simulated time 0 in files: 2000-01-01 00:00:00 UTC, so that a handshake before it has a time, too.
pub const ZERO_NS: u64 = 946_684_800_000_000_000;
/// Of TCP only headers are kept, of datagrams all.
const SNAP_LENGTH: u32 = 96;
const SNAP_LENGTH_OF_DATAGRAMS: u32 = 65_535;
/// What a packet that was not part of the run says of itself.
const NOT_OF_THE_RUN: &str = "before the run, in which the connection is established";
/// After so many new transfers transfers that are over are forgotten, when nothing of them was seen for so long.
const BIRTHS: u32 = 4096;
const SILENCE_NS: i64 = 10_000_000_000;

/// What is to be written.
#[derive(Clone, Debug)]
pub struct Named {
    /// Where packets are captured: an interface each.
    pub places: Vec<Place>,
    /// Who writes.
    pub application: String,
    /// What the file says of itself.
    pub comment: String,
    /// The run's length: packets from then on are not written.
    pub end_ns: u64,
    /// Some of its flows are whole stacks.
    pub has_stacks: bool,
}

/// What was written.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Counts {
    /// Packets, by place.
    pub packets: [u64; 3],
    /// Most packets that waited at once.
    pub waited: usize,
}

#[derive(Debug)]
struct Waiting {
    ns: i64,
    /// Of two at one time the one shown first is first.
    order: u64,
    interface: u32,
    is_of_run: bool,
    headers: Headers,
    payload: Box<[u8]>,
}

impl PartialEq for Waiting {
    fn eq(&self, other: &Waiting) -> bool {
        (self.ns, self.order) == (other.ns, other.order)
    }
}

impl Eq for Waiting {}

impl PartialOrd for Waiting {
    fn partial_cmp(&self, other: &Waiting) -> Option<std::cmp::Ordering> {
        Some(self.cmp(other))
    }
}

impl Ord for Waiting {
    fn cmp(&self, other: &Waiting) -> std::cmp::Ordering {
        (self.ns, self.order).cmp(&(other.ns, other.order))
    }
}

/// The tap.
#[derive(Debug)]
pub struct Written<W> {
    to: W,
    interfaces: [Option<u32>; 3],
    connections: BTreeMap<u32, Connection>,
    stacks: BTreeMap<u32, Datagrams>,
    waiting: BinaryHeap<Reverse<Waiting>>,
    shown: u64,
    births: u32,
    /// What is shown from now on is not earlier than this, less `lag_ns`.
    now_ns: i64,
    lag_ns: i64,
    end_ns: i64,
    counts: Counts,
    /// Where the packets of one place were written up to, which never goes back.
    written_ns: i64,
    failed: Option<io::Error>,
}

impl<W: Write> Written<W> {
    /// A file that has a section and its interfaces.
    ///
    /// # Errors
    /// What the writer says.
    pub fn new(mut to: W, named: &Named) -> io::Result<Written<W>> {
        pcapng::section(&mut to, &named.application, &named.comment)?;
        let mut interfaces = [None; 3];
        for (number, &place) in named.places.iter().enumerate() {
            let snap_length = if named.has_stacks { SNAP_LENGTH_OF_DATAGRAMS } else { SNAP_LENGTH };
            pcapng::interface(&mut to, place.name(), snap_length)?;
            interfaces[place as usize] = Some(number as u32);
        }
        Ok(Written {
            to,
            interfaces,
            connections: BTreeMap::new(),
            stacks: BTreeMap::new(),
            waiting: BinaryHeap::new(),
            shown: 0,
            births: 0,
            now_ns: i64::MIN / 2,
            lag_ns: 0,
            end_ns: named.end_ns as i64,
            counts: Counts::default(),
            written_ns: i64::MIN,
            failed: None,
        })
    }

    /// The writer has refused something: a run need not go on.
    pub fn has_failed(&self) -> bool {
        self.failed.is_some()
    }

    /// The run is over: what waits is written.
    ///
    /// # Errors
    /// What the writer said.
    pub fn finish(&mut self) -> io::Result<Counts> {
        self.write_until(i64::MAX);
        match self.failed.take() {
            Some(error) => Err(error),
            None => self.to.flush().map(|()| self.counts),
        }
    }

    fn wait(&mut self, (ns, place): (i64, Place), (headers, payload): (Headers, Box<[u8]>), is_of_run: bool) {
        let Some(interface) = self.interfaces[place as usize].filter(|_| ns < self.end_ns) else { return };
        assert!(ns >= self.written_ns, "a packet at {ns} ns is shown after those until {} ns were written", self.written_ns);
        self.counts.packets[place as usize] += 1;
        self.waiting.push(Reverse(Waiting { ns, order: self.shown, interface, is_of_run, headers, payload }));
        self.shown += 1;
        self.counts.waited = self.counts.waited.max(self.waiting.len());
    }

    /// Nothing earlier than `ns` will be shown.
    fn write_until(&mut self, ns: i64) {
        while self.failed.is_none() && self.waiting.peek().is_some_and(|Reverse(first)| first.ns < ns) {
            let Some(Reverse(first)) = self.waiting.pop() else { return };
            self.written_ns = first.ns;
            let written = pcapng::Written {
                interface: first.interface,
                time_ns: ZERO_NS.wrapping_add_signed(first.ns),
                bytes: [first.headers.bytes(), &first.payload],
                length: first.headers.on_wire,
                comment: (!first.is_of_run).then_some(NOT_OF_THE_RUN),
            };
            self.failed = pcapng::packet(&mut self.to, &written).err();
        }
    }

    /// A packet of the run is seen, a quarter of a base RTT before it reaches its link where it is at its sender.
    fn on_packet(&mut self, (ns, place): (i64, Place), packet: (Headers, Box<[u8]>), quarter_ns: u64) {
        if place == Place::Sender {
            self.now_ns = self.now_ns.max(ns + quarter_ns as i64);
        }
        self.wait((ns, place), packet, true);
        if place == Place::Sender {
            self.write_until(self.now_ns - self.lag_ns);
        }
    }

    /// Forgets transfers that are over.
    fn forget(&mut self) {
        let before = self.now_ns - self.lag_ns - SILENCE_NS;
        self.connections.retain(|_, connection| !connection.is_over() || connection.seen_ns > before);
    }
}

impl<W: Write + Send> Tap for Written<W> {
    fn on_connection(&mut self, flow: u32, tapped: &Tapped) {
        self.births += 1;
        if self.births % BIRTHS == 0 {
            self.forget();
        }
        // At its receiver, and on the reverse path, events happen up to three quarters of a base RTT before they are shown.
        self.lag_ns = self.lag_ns.max(2 * tapped.rtt.0 as i64);
        let mut connection = Connection::new(flow, tapped);
        if !tapped.opens {
            for (ns, place, headers) in connection.opened_before() {
                self.wait((ns, place), (headers, Box::default()), false);
            }
        }
        self.connections.insert(flow, connection);
    }

    fn on_seen(&mut self, seen: &Seen) {
        let Some(connection) = self.connections.get_mut(&seen.flow) else { return };
        let ns = seen.at.0 as i64;
        let headers = connection.headers(ns, seen.place, &seen.content);
        let quarter_ns = connection.quarter_ns();
        self.on_packet((ns, seen.place), (headers, Box::default()), quarter_ns);
    }

    fn on_stack(&mut self, flow: u32, tapped: &TappedStack<'_>) {
        self.lag_ns = self.lag_ns.max(2 * tapped.rtt.0 as i64);
        self.stacks.insert(flow, Datagrams::new(flow, tapped));
    }

    fn on_datagram(&mut self, seen: &SeenDatagram<'_>) {
        let Some(stack) = self.stacks.get(&seen.flow) else { return };
        let (packet, quarter_ns) = (stack.packet(seen), stack.quarter_ns());
        self.on_packet((seen.at.0 as i64, seen.place), packet, quarter_ns);
    }
}

/// The same as a tap of a run.
pub fn shared<W: Write + Send + 'static>(written: &Arc<Mutex<Written<W>>>) -> SharedTap {
    SharedTap::new(written.clone())
}

/// Looks at a tap that a run may have.
pub fn with<W, T>(written: &Mutex<Written<W>>, look: impl FnOnce(&mut Written<W>) -> T) -> T {
    look(&mut written.lock().unwrap_or_else(PoisonError::into_inner))
}
