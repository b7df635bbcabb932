//! The Linux kernel's TCP as an endpoint: a guest for each end of a connection, User-Mode Linux without processes, whose clock goes as far as it is told.
//!
//! A guest is a process that waits in a read from a socket while the simulator is busy, and the simulator waits while the guest is. What crosses that socket
//! is in [`wire`]; the other side of it is in `python/windtunnel/backends/linux/endpoint`.

mod guest;
mod place;
mod wire;

use std::collections::VecDeque;
use std::sync::OnceLock;
use std::time::Duration;

use endpoint::table::{table_of, Table};
use endpoint::{Config, Ecn, Endpoint, Fault, Stack, State, Supply};
use guest::Guest;
use place::Place;
use wire::{Open, Said, Segment, What, NEVER};

/// IP and UDP headers, which a datagram's size does not count, bytes.
const HEADER_BYTES: u32 = 28;

/// One end of a connection of a kernel's.
pub struct Linux {
    guest: Guest,
    said: Said,
    leaving: VecDeque<Segment>,
}

/// The table of this stack's endpoints: version and controllers are those of the kernel beside this library.
#[no_mangle]
pub extern "C" fn windtunnel_stack() -> *const Table {
    static TABLE: OnceLock<Table> = OnceLock::new();
    TABLE.get_or_init(|| {
        let text = |text: &str| std::ffi::CString::new(text).unwrap_or_default().into_raw().cast_const();
        let place = Place::get();
        Table { version: text(&place.version), algorithms: text(&place.algorithms.join(",")), ..table_of::<Linux>() }
    })
}

impl Stack for Linux {
    const NAME: &'static str = "linux";
    const VERSION: &'static str = "";
    const ALGORITHMS: &'static [&'static str] = &[];

    fn open(given: &Config) -> Result<Linux, Fault> {
        let place = Place::get();
        if !place.algorithms.contains(&given.algorithm) {
            return Err(format!("has no controller {:?}; choose one of {}", given.algorithm, place.algorithms.join(", ")));
        }
        if given.streams != 1 {
            return Err(format!("has one stream in a connection, and {} are asked for", given.streams));
        }
        let guest = Guest::start(place, given)?;
        let mut made = Linux { guest, said: Said::default(), leaving: VecDeque::new() };
        made.guest.tell(&Open::of(given, HEADER_BYTES))?;
        // What it says of the time before the run is of no use.
        made.said = made.guest.hear(&mut made.leaving)?;
        made.go_on(Duration::ZERO, What::GoOn, 0, None)?;
        Ok(made)
    }
}

impl Linux {
    /// Lets the guest run until `now`, where `what` happens; takes what it does then.
    fn go_on(&mut self, now: Duration, what: What, bytes: u64, arriving: Option<&Segment>) -> Result<(), Fault> {
        self.guest.order(now.as_nanos() as u64, what, bytes, arriving)?;
        self.said = self.guest.hear(&mut self.leaving)?;
        match self.said.error {
            0 => Ok(()),
            _ if self.said.is_finished == 1 => Ok(()),
            error => Err(format!("connection lost: {}", std::io::Error::from_raw_os_error(error as i32))),
        }
    }
}

impl Endpoint for Linux {
    fn connect(&mut self, now: Duration) -> Result<(), Fault> {
        self.go_on(now, What::Connect, 0, None)
    }

    fn receive(&mut self, now: Duration, datagram: &[u8], ecn: Ecn) -> Result<(), Fault> {
        let segment = Segment::from_datagram(datagram, ecn as u8).ok_or("is sent what is no segment")?;
        self.go_on(now, What::GoOn, 0, Some(&segment))
    }

    fn wake(&mut self, now: Duration) -> Result<(), Fault> {
        self.go_on(now, What::GoOn, 0, None)
    }

    fn supply(&mut self, now: Duration, supply: Supply) -> Result<(), Fault> {
        let (what, bytes) = match supply {
            Supply::Endless => (What::Endless, 0),
            Supply::Bytes(bytes) => (What::Bytes, bytes),
            Supply::Last(bytes) => (What::Last, bytes),
            Supply::Stop => (What::Stop, 0),
            Supply::Pause => (What::Pause, 0),
        };
        self.go_on(now, what, bytes, None)
    }

    fn transmit(&mut self, _now: Duration, datagram: &mut Vec<u8>) -> Result<Option<Ecn>, Fault> {
        Ok(self.leaving.pop_front().map(|segment| {
            segment.into_datagram(datagram);
            Ecn::from_bits(segment.ecn)
        }))
    }

    fn wake_at(&mut self) -> Option<Duration> {
        (self.said.next != NEVER).then(|| Duration::from_nanos(self.said.next))
    }

    fn state(&mut self) -> State {
        let said = &self.said;
        let known = |value: u64| (value != NEVER).then_some(value);
        let bytes = |segments: u64| segments.saturating_mul(said.mss);
        State {
            window_bytes: Some(bytes(said.cwnd)),
            threshold_bytes: known(said.ssthresh).map(bytes),
            srtt: known(said.srtt_us).map(Duration::from_micros),
            min_rtt: known(said.min_rtt_us).map(Duration::from_micros),
            in_flight_bytes: Some(bytes(said.in_flight)),
            pacing_bps: known(said.pacing).map(|rate| rate.saturating_mul(8)),
            datagram_bytes: Some(said.mss),
            lost_packets: said.retransmitted,
            reductions: Some(said.loss_episodes),
            timeouts: Some(said.timeouts),
            congestion: Some(said.state as u8),
            read_bytes: said.received,
            is_connected: said.is_connected == 1,
            is_finished: said.is_finished == 1,
        }
    }
}
