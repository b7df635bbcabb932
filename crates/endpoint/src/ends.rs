//! One end of a connection: what it is asked to be, what it is told, what it says.

use std::time::Duration;

/// Which end of a connection.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Role {
    /// It opens the connection and sends the data.
    Client,
    /// It answers and receives.
    Server,
}

/// The ECN field of a datagram's IP header (RFC 3168 5).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[repr(u8)]
pub enum Ecn {
    /// Not ECN-capable.
    #[default]
    NotEct = 0,
    /// ECT(1).
    Ect1 = 1,
    /// ECT(0).
    Ect0 = 2,
    /// Congestion experienced.
    Ce = 3,
}

impl Ecn {
    /// From the two bits.
    pub fn from_bits(bits: u8) -> Ecn {
        match bits & 3 {
            1 => Ecn::Ect1,
            2 => Ecn::Ect0,
            3 => Ecn::Ce,
            _ => Ecn::NotEct,
        }
    }
}

/// What an endpoint is to be.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Config {
    /// Number of the flow among the run's: for messages about a fault.
    pub flow: usize,
    /// Which end.
    pub role: Role,
    /// The congestion controller, by the stack's own name.
    pub algorithm: String,
    /// What random draws of this end follow from.
    pub seed: u64,
    /// Largest UDP payload that the path carries, bytes.
    pub datagram_bytes: u16,
    /// What flow control should allow at least, bytes: several times what the path holds.
    pub window_bytes: u64,
    /// Streams that the client opens, which share what its application writes; 1 or more.
    pub streams: u32,
}

/// What a client has to send from now on.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Supply {
    /// As much as it takes.
    Endless,
    /// This many bytes more.
    Bytes(u64),
    /// These bytes are the last: then the streams end.
    Last(u64),
    /// Nothing more, what is not sent yet included where the stack can do that.
    Stop,
    /// Nothing more for now: what the stack has taken leaves.
    Pause,
}

/// What an endpoint says of itself; nothing where it does not say.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct State {
    /// Congestion window, bytes.
    pub window_bytes: Option<u64>,
    /// Slow-start threshold, bytes.
    pub threshold_bytes: Option<u64>,
    /// Smoothed RTT.
    pub srtt: Option<Duration>,
    /// Smallest RTT.
    pub min_rtt: Option<Duration>,
    /// Bytes in flight.
    pub in_flight_bytes: Option<u64>,
    /// Pacing rate, bits per second.
    pub pacing_bps: Option<u64>,
    /// UDP payload of a full datagram now, bytes.
    pub datagram_bytes: Option<u64>,
    /// Packets declared lost so far.
    pub lost_packets: u64,
    /// Reductions of the window so far.
    pub reductions: Option<u64>,
    /// Expiries of the probe timeout so far.
    pub timeouts: Option<u64>,
    /// Congestion state, as Linux numbers it: 0 open, 1 disorder, 2 window reduced, 3 recovery, 4 loss.
    pub congestion: Option<u8>,
    /// Payload bytes that the application has read so far, each once.
    pub read_bytes: u64,
    /// The handshake is complete.
    pub is_connected: bool,
    /// All that it was given, the end of each stream included, is acknowledged.
    pub is_finished: bool,
}

/// What a stack could not do, in one line.
pub type Fault = String;

/// What an adapter answers when its stack sends to another address than that of the connection's other end.
pub fn to_nobody(address: impl std::fmt::Display) -> Fault {
    format!("sends to nobody: no end of its connection is at {address}")
}

/// One end of one connection. All times are since the beginning of the run and never go back.
pub trait Endpoint {
    /// A client begins the handshake.
    ///
    /// # Errors
    /// What went wrong, as everywhere here.
    fn connect(&mut self, now: Duration) -> Result<(), Fault>;

    /// A datagram arrives: its UDP payload.
    ///
    /// # Errors
    /// As above.
    fn receive(&mut self, now: Duration, datagram: &[u8], ecn: Ecn) -> Result<(), Fault>;

    /// The time that [`Endpoint::wake_at`] named has come.
    ///
    /// # Errors
    /// As above.
    fn wake(&mut self, now: Duration) -> Result<(), Fault>;

    /// The application has more to send, or stops.
    ///
    /// # Errors
    /// As above.
    fn supply(&mut self, now: Duration, supply: Supply) -> Result<(), Fault>;

    /// The next datagram that may leave now, put into `datagram`; none for nothing more. Called after everything above until it says none.
    ///
    /// # Errors
    /// As above.
    fn transmit(&mut self, now: Duration, datagram: &mut Vec<u8>) -> Result<Option<Ecn>, Fault>;

    /// When it wants to be woken next.
    fn wake_at(&mut self) -> Option<Duration>;

    /// What it says of itself.
    fn state(&mut self) -> State;
}

/// A stack: what its endpoints are made by.
pub trait Stack: Endpoint + Sized {
    /// Its name in a scenario.
    const NAME: &'static str;
    /// The version of its package.
    const VERSION: &'static str;
    /// Its congestion controllers.
    const ALGORITHMS: &'static [&'static str];

    /// One end of a connection.
    ///
    /// # Errors
    /// What it refuses, in one line.
    fn open(config: &Config) -> Result<Self, Fault>;
}
