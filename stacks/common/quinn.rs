//! quinn-proto, and its fork noq-proto, as an endpoint: its own packets, recovery, pacing and controllers, the simulator's clock and network.
//!
//! What differs between the two stands in `own`, beside the file that takes this one in.

use std::collections::VecDeque;
use std::net::{Ipv6Addr, SocketAddr};
use std::sync::Arc;
use std::time::Duration;

use bytes::{Bytes, BytesMut};
use endpoint::{to_nobody, Config, Ecn, Endpoint, Fault, Role, Shares, Stack, State, Supply};
use takeover::{instant, since_zero};

#[cfg(feature = "null-cipher")]
use crate::null;
use crate::proto::crypto::rustls::{QuicClientConfig, QuicServerConfig};
use crate::proto::{
    self, Connection, ConnectionHandle, DatagramEvent, Dir, EcnCodepoint, EndpointConfig, Event, FinishError, ServerConfig, StreamEvent,
    StreamId, TransportConfig, VarInt, WriteError,
};
use crate::{identity, own};

/// The name that the client asks for, that of the certificate.
const SERVER: &str = "tunnel.invalid";

/// What is sent: zeros, again and again, without a copy.
static PAYLOAD: [u8; 65_536] = [0; 65_536];

/// quinn's own window of a stream, bytes: 100 ms at 12.5 MB/s.
const STREAM_WINDOW: u64 = 1_250_000;

/// One end of a connection of quinn's.
pub struct Quinn {
    endpoint: proto::Endpoint,
    client: Option<proto::ClientConfig>,
    connection: Option<(ConnectionHandle, Connection)>,
    /// Datagrams that the endpoint answers with itself, outside a connection.
    answers: VecDeque<(Vec<u8>, Ecn)>,
    /// Of a client, one for each of its application's shares, as they are opened; of a server, those that it was sent on.
    streams: Vec<StreamId>,
    shares: Shares,
    /// Streams of which all is acknowledged.
    finished: usize,
    is_stopped: bool,
    read: u64,
    is_connected: bool,
}

fn address(port: u16) -> SocketAddr {
    (Ipv6Addr::LOCALHOST, port).into()
}

/// The peer, whichever end asks.
fn peer() -> SocketAddr {
    address(4433)
}

impl Stack for Quinn {
    const NAME: &'static str = own::NAME;
    const VERSION: &'static str = own::VERSION;
    const ALGORITHMS: &'static [&'static str] = own::ALGORITHMS;

    fn open(config: &Config) -> Result<Quinn, Fault> {
        let Some(factory) = own::controller(&config.algorithm) else {
            return Err(format!("has no controller {:?}; choose one of {}", config.algorithm, Quinn::ALGORITHMS.join(", ")));
        };
        let mut transport = TransportConfig::default();
        transport
            .congestion_controller_factory(factory)
            // Nothing but congestion control limits what is in flight; what waits to be sent is little, so that an application that pauses is heard.
            .stream_receive_window(VarInt::try_from(config.window_bytes.max(STREAM_WINDOW)).map_err(|error| error.to_string())?)
            .send_window(config.window_bytes);
        let transport = Arc::new(transport);
        let mut seed = [0; 32];
        seed[..8].copy_from_slice(&config.seed.to_le_bytes());
        seed[8] = u8::from(config.role == Role::Server);
        let mut own_config = EndpointConfig::default();
        own_config.rng_seed(Some(seed));
        own_config.max_udp_payload_size(config.datagram_bytes).map_err(|error| error.to_string())?;
        let (client, server) = match config.role {
            Role::Client => {
                let tls = Arc::new(QuicClientConfig::try_from(identity::client()?).map_err(|error| error.to_string())?);
                #[cfg(feature = "null-cipher")]
                let tls = Arc::new(null::Client(tls));
                let mut client = proto::ClientConfig::new(tls);
                client.transport_config(transport);
                (Some(client), None)
            }
            Role::Server => {
                let tls = Arc::new(QuicServerConfig::try_from(identity::server()?).map_err(|error| error.to_string())?);
                #[cfg(feature = "null-cipher")]
                let tls = Arc::new(null::Server(tls));
                let mut server = ServerConfig::with_crypto(tls);
                server.transport_config(transport);
                (None, Some(Arc::new(server)))
            }
        };
        Ok(Quinn {
            endpoint: own::endpoint(Arc::new(own_config), server),
            client,
            connection: None,
            answers: VecDeque::new(),
            streams: Vec::new(),
            shares: Shares::of(config.streams),
            finished: 0,
            is_stopped: false,
            read: 0,
            is_connected: false,
        })
    }
}

impl Quinn {
    /// Hands events to and fro between connection and endpoint, then those for the application.
    fn settle(&mut self) -> Result<(), Fault> {
        let Some((handle, connection)) = &mut self.connection else { return Ok(()) };
        while let Some(event) = connection.poll_endpoint_events() {
            if let Some(event) = self.endpoint.handle_event(*handle, event) {
                connection.handle_event(event);
            }
        }
        while let Some(event) = self.connection.as_mut().and_then(|(_, connection)| connection.poll()) {
            match event {
                Event::Connected => {
                    self.is_connected = true;
                    self.write()?;
                }
                Event::ConnectionLost { reason } if !self.is_stopped && !self.is_finished() => {
                    return Err(format!("connection lost: {reason}"))
                }
                Event::Stream(StreamEvent::Opened { .. } | StreamEvent::Readable { .. }) => self.read()?,
                Event::Stream(StreamEvent::Writable { .. }) => self.write()?,
                Event::Stream(StreamEvent::Finished { .. }) => self.finished += 1,
                _ => {}
            }
        }
        Ok(())
    }

    fn is_finished(&self) -> bool {
        self.finished == self.shares.streams()
    }

    /// Gives the streams what they take, in turns, until none takes more.
    fn write(&mut self) -> Result<(), Fault> {
        let mut idle = 0;
        while self.is_connected && !self.is_stopped && idle < self.shares.streams() {
            let number = self.shares.turn();
            idle = if self.write_once(number)? { 0 } else { idle + 1 };
        }
        Ok(())
    }

    /// Gives a stream a piece, or its end; whether it took anything.
    fn write_once(&mut self, number: usize) -> Result<bool, Fault> {
        let Some((_, connection)) = self.connection.as_mut().filter(|_| self.shares.wants(number)) else { return Ok(false) };
        while self.streams.len() <= number {
            self.streams.push(connection.streams().open(Dir::Uni).ok_or("the peer allows no stream")?);
        }
        let mut sending = connection.send_stream(self.streams[number]);
        let most = self.shares.left(number).min(PAYLOAD.len() as u64) as usize;
        if most > 0 {
            return match own::write(&mut sending, Bytes::from_static(&PAYLOAD[..most])) {
                Ok(written) => {
                    self.shares.took(number, written as u64);
                    Ok(true)
                }
                Err(WriteError::Blocked) => Ok(false),
                Err(error) => Err(error.to_string()),
            };
        }
        self.shares.ended(number);
        match sending.finish() {
            Ok(()) | Err(FinishError::ClosedStream) => Ok(true),
            Err(error) => Err(error.to_string()),
        }
    }

    /// The application reads all there is.
    fn read(&mut self) -> Result<(), Fault> {
        let Some((_, connection)) = &mut self.connection else { return Ok(()) };
        while let Some(stream) = connection.streams().accept(Dir::Uni) {
            self.streams.push(stream);
        }
        for &stream in &self.streams {
            let mut receiving = connection.recv_stream(stream);
            // A stream that was read to its end, or that the peer has reset, is gone.
            let Ok(mut chunks) = receiving.read(true) else { continue };
            while let Ok(Some(chunk)) = chunks.next(usize::MAX) {
                self.read += chunk.bytes.len() as u64;
            }
            let _ = chunks.finalize();
        }
        Ok(())
    }
}

impl Endpoint for Quinn {
    fn connect(&mut self, now: Duration) -> Result<(), Fault> {
        let client = self.client.clone().ok_or("a server opens no connection")?;
        let opened = self.endpoint.connect(instant(now), client, peer(), SERVER);
        self.connection = Some(opened.map_err(|error| error.to_string())?);
        self.settle()
    }

    fn receive(&mut self, now: Duration, datagram: &[u8], ecn: Ecn) -> Result<(), Fault> {
        let mut answer = Vec::new();
        let (at, ecn) = (instant(now), EcnCodepoint::from_bits(ecn as u8));
        match own::handle(&mut self.endpoint, at, peer(), ecn, BytesMut::from(datagram), &mut answer) {
            Some(DatagramEvent::ConnectionEvent(_, event)) => {
                if let Some((_, connection)) = &mut self.connection {
                    connection.handle_event(event);
                }
            }
            Some(DatagramEvent::NewConnection(incoming)) => {
                let accepted = self.endpoint.accept(incoming, at, &mut answer, None);
                self.connection = Some(accepted.map_err(|error| error.cause.to_string())?);
            }
            Some(DatagramEvent::Response(sent)) => {
                answer.truncate(sent.size);
                self.answers.push_back((answer, Ecn::NotEct));
            }
            None => {}
        }
        self.settle()
    }

    fn wake(&mut self, now: Duration) -> Result<(), Fault> {
        if let Some((_, connection)) = &mut self.connection {
            connection.handle_timeout(instant(now));
        }
        self.settle()
    }

    fn supply(&mut self, _now: Duration, supply: Supply) -> Result<(), Fault> {
        self.shares.supply(supply);
        if supply == Supply::Stop {
            self.is_stopped = true;
            if let Some((_, connection)) = &mut self.connection {
                for &stream in &self.streams {
                    // What was finished and acknowledged before is closed.
                    let _ = connection.send_stream(stream).reset(VarInt::from_u32(0));
                }
            }
        }
        self.write()?;
        self.settle()
    }

    fn transmit(&mut self, now: Duration, datagram: &mut Vec<u8>) -> Result<Option<Ecn>, Fault> {
        if let Some((answer, ecn)) = self.answers.pop_front() {
            datagram.extend_from_slice(&answer);
            return Ok(Some(ecn));
        }
        let Some((_, connection)) = &mut self.connection else { return Ok(None) };
        let sent = own::transmit(connection, instant(now), datagram);
        let ecn = match sent {
            Some(sent) if sent.destination != peer() => return Err(to_nobody(sent.destination)),
            Some(sent) => {
                datagram.truncate(sent.size);
                Some(sent.ecn.map_or(Ecn::NotEct, |ecn| Ecn::from_bits(ecn as u8)))
            }
            None => None,
        };
        self.settle()?;
        Ok(ecn)
    }

    fn wake_at(&mut self) -> Option<Duration> {
        let at = self.connection.as_mut()?.1.poll_timeout()?;
        Some(since_zero(at))
    }

    fn state(&mut self) -> State {
        let common = State { read_bytes: self.read, is_connected: self.is_connected, is_finished: self.is_finished(), ..State::default() };
        let Some((_, connection)) = &mut self.connection else { return common };
        own::said(connection, common)
    }
}
