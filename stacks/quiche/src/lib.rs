//! quiche as an endpoint: its own packets, recovery, pacing and controllers, the simulator's clock and network.
//!
//! quiche reads the system's clock and BoringSSL the system's randomness: both are taken over (`takeover`).

mod identity;

use std::net::{Ipv6Addr, SocketAddr};
use std::time::{Duration, Instant};

use endpoint::{export_stack, to_nobody, Config, Ecn, Endpoint, Fault, Role, Shares, Stack, State, Supply};
use quiche::{Connection, ConnectionId, Error, Header, RecvInfo, Shutdown};
use takeover::{instant, since_zero, Taken};

export_stack!(Taken<Quiche>);

/// The name that the client asks for, that of the certificate.
const SERVER: &str = "tunnel.invalid";

/// The client's streams in one direction, from the first on (RFC 9000 2.1).
fn stream(number: usize) -> u64 {
    2 + 4 * number as u64
}

/// What is sent: zeros, again and again.
static PAYLOAD: [u8; 65_536] = [0; 65_536];

/// One end of a connection of quiche's.
pub struct Quiche {
    config: quiche::Config,
    connection: Option<Connection>,
    /// A datagram that quiche wants to leave at that time, with its bytes.
    paced: Option<(Instant, Vec<u8>)>,
    /// Where quiche writes datagrams.
    buffer: Vec<u8>,
    /// Where quiche reads a datagram, and decrypts it in place.
    arrived: Vec<u8>,
    /// Where the application reads to: it looks at nothing of it.
    into: Vec<u8>,
    shares: Shares,
    is_stopped: bool,
    read: u64,
    /// Of each stream, whether its end was written, and whether all of it is acknowledged.
    is_ended: Vec<bool>,
    is_finished: Vec<bool>,
}

fn address(role: Role) -> SocketAddr {
    (Ipv6Addr::LOCALHOST, if role == Role::Client { 4434 } else { 4433 }).into()
}

fn connection_id() -> ConnectionId<'static> {
    let mut id = vec![0; 16];
    endpoint::draws::fill(&mut id);
    ConnectionId::from_vec(id)
}

fn said(error: Error) -> Fault {
    format!("{error:?}")
}

impl Stack for Quiche {
    const NAME: &'static str = "quiche";
    const VERSION: &'static str = "0.30.0";
    const ALGORITHMS: &'static [&'static str] = &["cubic", "reno", "bbr2"];

    fn open(given: &Config) -> Result<Quiche, Fault> {
        if !Quiche::ALGORITHMS.contains(&given.algorithm.as_str()) {
            return Err(format!("has no controller {:?}; choose one of {}", given.algorithm, Quiche::ALGORITHMS.join(", ")));
        }
        let context = identity::context(given.role)?;
        let mut config = quiche::Config::with_boring_ssl_ctx_builder(quiche::PROTOCOL_VERSION, context).map_err(said)?;
        config.set_cc_algorithm_name(&given.algorithm).map_err(said)?;
        config.set_application_protos(&[b"tunnel"]).map_err(said)?;
        config.set_max_recv_udp_payload_size(given.datagram_bytes.into());
        config.set_max_send_udp_payload_size(given.datagram_bytes.into());
        // Nothing but congestion control limits what is in flight.
        config.set_initial_max_data(given.window_bytes);
        config.set_initial_max_stream_data_uni(given.window_bytes);
        config.set_initial_max_streams_uni(100);
        config.set_max_connection_window(given.window_bytes.max(24 * 1024 * 1024));
        config.set_max_stream_window(given.window_bytes.max(16 * 1024 * 1024));
        Ok(Quiche {
            config,
            connection: None,
            paced: None,
            buffer: vec![0; given.datagram_bytes.into()],
            arrived: Vec::new(),
            into: vec![0; 16_384],
            shares: Shares::of(given.streams),
            is_stopped: false,
            read: 0,
            is_ended: vec![false; given.streams as usize],
            is_finished: vec![false; given.streams as usize],
        })
    }
}

impl Quiche {
    /// After anything that changes a connection: the application writes and reads.
    fn settle(&mut self) -> Result<(), Fault> {
        let is_finished = self.is_finished();
        let Some(connection) = &mut self.connection else { return Ok(()) };
        if connection.is_closed() || connection.is_draining() {
            let why = match (connection.peer_error(), connection.local_error()) {
                (Some(error), _) | (None, Some(error)) => String::from_utf8_lossy(&error.reason).into_owned(),
                (None, None) => "no reason".into(),
            };
            return if self.is_stopped || is_finished { Ok(()) } else { Err(format!("connection lost: {why}")) };
        }
        if connection.is_server() {
            return self.receive_all();
        }
        // A stream whose end is acknowledged is gone.
        for (number, (is_finished, is_ended)) in self.is_finished.iter_mut().zip(&self.is_ended).enumerate() {
            *is_finished |= *is_ended && !self.is_stopped && connection.stream_finished(stream(number));
        }
        self.write()
    }

    fn is_finished(&self) -> bool {
        self.is_finished.iter().all(|&is_finished| is_finished)
    }

    /// Gives the streams what they take, in turns, until none takes more.
    fn write(&mut self) -> Result<(), Fault> {
        let mut idle = 0;
        while !self.is_stopped && idle < self.shares.streams() {
            let number = self.shares.turn();
            idle = if self.write_once(number)? { 0 } else { idle + 1 };
        }
        Ok(())
    }

    /// Gives a stream a piece; whether it may take another.
    fn write_once(&mut self, number: usize) -> Result<bool, Fault> {
        let Some(connection) = self.connection.as_mut().filter(|connection| connection.is_established()) else { return Ok(false) };
        if !self.shares.wants(number) {
            return Ok(false);
        }
        let left = self.shares.left(number);
        let most = left.min(PAYLOAD.len() as u64) as usize;
        let is_last = self.shares.ends(number) && most as u64 == left;
        let written = match connection.stream_send(stream(number), &PAYLOAD[..most], is_last) {
            Ok(written) => written,
            Err(Error::Done) => return Ok(false),
            Err(error) => return Err(said(error)),
        };
        self.shares.took(number, written as u64);
        if is_last && written == most {
            self.shares.ended(number);
            self.is_ended[number] = true;
        }
        Ok(written == most)
    }

    /// The application reads all there is.
    fn receive_all(&mut self) -> Result<(), Fault> {
        let Some(connection) = &mut self.connection else { return Ok(()) };
        for number in 0..self.shares.streams() {
            loop {
                match connection.stream_recv(stream(number), &mut self.into) {
                    Ok((bytes, _)) => self.read += bytes as u64,
                    // Nothing now, not open yet, read to its end, or reset by the peer.
                    Err(Error::Done | Error::InvalidStreamState(_) | Error::StreamReset(_)) => break,
                    Err(error) => return Err(said(error)),
                }
            }
        }
        Ok(())
    }
}

impl Endpoint for Quiche {
    fn connect(&mut self, _now: Duration) -> Result<(), Fault> {
        let (local, peer) = (address(Role::Client), address(Role::Server));
        self.connection = Some(quiche::connect(Some(SERVER), &connection_id(), local, peer, &mut self.config).map_err(said)?);
        Ok(())
    }

    fn receive(&mut self, _now: Duration, datagram: &[u8], _ecn: Ecn) -> Result<(), Fault> {
        self.arrived.clear();
        self.arrived.extend_from_slice(datagram);
        let (local, peer) = (address(Role::Server), address(Role::Client));
        if self.connection.is_none() {
            let header = Header::from_slice(&mut self.arrived, quiche::MAX_CONN_ID_LEN).map_err(said)?;
            if header.ty != quiche::Type::Initial {
                return Ok(());
            }
            self.connection = Some(quiche::accept(&connection_id(), None, local, peer, &mut self.config).map_err(said)?);
        }
        let Some(connection) = &mut self.connection else { return Ok(()) };
        let (to, from) = if connection.is_server() { (local, peer) } else { (peer, local) };
        match connection.recv(&mut self.arrived, RecvInfo { from, to }) {
            Ok(_) | Err(Error::Done) => {}
            // The connection closes itself.
            Err(_) if connection.local_error().is_some() => {}
            Err(error) => return Err(said(error)),
        }
        self.settle()
    }

    fn wake(&mut self, now: Duration) -> Result<(), Fault> {
        if let Some(connection) = &mut self.connection {
            if connection.timeout_instant().is_some_and(|at| at <= instant(now)) {
                connection.on_timeout();
            }
        }
        self.settle()
    }

    fn supply(&mut self, _now: Duration, supply: Supply) -> Result<(), Fault> {
        self.shares.supply(supply);
        if supply == Supply::Stop {
            self.is_stopped = true;
            if let Some(connection) = &mut self.connection {
                for number in 0..self.shares.streams() {
                    // What was finished and acknowledged before is closed.
                    let _ = connection.stream_shutdown(stream(number), Shutdown::Write, 0);
                }
            }
        }
        self.settle()
    }

    fn transmit(&mut self, now: Duration, datagram: &mut Vec<u8>) -> Result<Option<Ecn>, Fault> {
        let now = instant(now);
        let Some(connection) = &mut self.connection else { return Ok(None) };
        if self.paced.is_none() {
            let peer = address(if connection.is_server() { Role::Client } else { Role::Server });
            match connection.send(&mut self.buffer) {
                Ok((_, info)) if info.to != peer => return Err(to_nobody(info.to)),
                Ok((bytes, info)) if info.at <= now => {
                    datagram.extend_from_slice(&self.buffer[..bytes]);
                    return Ok(Some(Ecn::NotEct));
                }
                Ok((bytes, info)) => self.paced = Some((info.at, self.buffer[..bytes].to_vec())),
                Err(Error::Done) => return Ok(None),
                Err(error) => return Err(said(error)),
            }
        }
        Ok(self.paced.take_if(|(at, _)| *at <= now).map(|(_, bytes)| {
            datagram.extend_from_slice(&bytes);
            Ecn::NotEct
        }))
    }

    fn wake_at(&mut self) -> Option<Duration> {
        let paced = self.paced.as_ref().map(|(at, _)| *at);
        let timeout = self.connection.as_ref()?.timeout_instant();
        [paced, timeout].into_iter().flatten().min().map(since_zero)
    }

    fn state(&mut self) -> State {
        let is_finished = self.is_finished();
        let Some(connection) = &mut self.connection else { return State::default() };
        let is_connected = connection.is_established();
        let common = State { read_bytes: self.read, is_connected, is_finished, ..State::default() };
        let Some(path) = connection.path_stats().find(|path| path.active) else { return common };
        State {
            window_bytes: Some(path.cwnd as u64),
            srtt: path.min_rtt.map(|_| path.rtt),
            min_rtt: path.min_rtt,
            datagram_bytes: Some(path.pmtu as u64),
            lost_packets: path.lost as u64,
            timeouts: Some(path.total_pto_count as u64),
            ..common
        }
    }
}
