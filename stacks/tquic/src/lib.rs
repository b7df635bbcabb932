//! tquic as an endpoint: its own packets, recovery, pacing and controllers, the simulator's clock and network.
//!
//! tquic reads the system's clock and randomness, as its BoringSSL does: both are taken over (`takeover`).

mod application;
mod identity;

use std::cell::RefCell;
use std::net::{Ipv6Addr, SocketAddr};
use std::rc::Rc;
use std::time::Duration;

use endpoint::{export_stack, to_nobody, Config, Ecn, Endpoint, Fault, Role, Stack, State, Supply};
use takeover::{instant, Taken};
use tquic::{CongestionControlAlgorithm, PacketInfo};

use application::{Application, Callbacks, Outgoing};

export_stack!(Taken<Tquic>);

/// The name that the client asks for, that of the certificate.
const SERVER: &str = "tunnel.invalid";

/// One end of a connection of tquic's.
pub struct Tquic {
    endpoint: tquic::Endpoint,
    role: Role,
    application: Rc<RefCell<Application>>,
    outgoing: Rc<Outgoing>,
    /// Where tquic reads a datagram, and decrypts it in place.
    arrived: Vec<u8>,
    datagram_bytes: u16,
    /// The time of the latest call.
    now: Duration,
}

fn address(role: Role) -> SocketAddr {
    (Ipv6Addr::LOCALHOST, if role == Role::Client { 4434 } else { 4433 }).into()
}

fn other(role: Role) -> Role {
    if role == Role::Client {
        Role::Server
    } else {
        Role::Client
    }
}

fn text(error: impl std::fmt::Display) -> Fault {
    error.to_string()
}

impl Stack for Tquic {
    const NAME: &'static str = if cfg!(feature = "null-cipher") { "tquic-null-cipher" } else { "tquic" };
    const VERSION: &'static str = "1.6.0";
    const ALGORITHMS: &'static [&'static str] = &["cubic", "bbr", "bbr3", "copa"];

    fn open(given: &Config) -> Result<Tquic, Fault> {
        let algorithm = match given.algorithm.as_str() {
            "cubic" => CongestionControlAlgorithm::Cubic,
            "bbr" => CongestionControlAlgorithm::Bbr,
            "bbr3" => CongestionControlAlgorithm::Bbr3,
            "copa" => CongestionControlAlgorithm::Copa,
            other => return Err(format!("has no controller {other:?}; choose one of {}", Tquic::ALGORITHMS.join(", "))),
        };
        let mut config = tquic::Config::new().map_err(text)?;
        config.set_congestion_control_algorithm(algorithm);
        config.set_recv_udp_payload_size(given.datagram_bytes);
        // It is told what the path carries, as quiche is, and does not probe for it.
        config.enable_dplpmtud(false);
        config.set_send_udp_payload_size(given.datagram_bytes.into());
        // An extension of its own, for packets after the handshake, on both ends (draft-banks-quic-disable-encryption).
        config.enable_encryption(!cfg!(feature = "null-cipher"));
        // Nothing but congestion control limits what is in flight.
        config.set_initial_max_data(given.window_bytes);
        config.set_initial_max_stream_data_uni(given.window_bytes);
        config.set_initial_max_streams_uni(given.streams.max(100).into());
        config.set_max_connection_window(given.window_bytes.max(15 << 20));
        config.set_max_stream_window(given.window_bytes.max(6 << 20));
        config.set_tls_config(identity::config(given.role)?);
        let application = Rc::new(RefCell::new(Application::new(given.streams)));
        let outgoing = Rc::new(Outgoing::default());
        let callbacks = Box::new(Callbacks::new(&application));
        let endpoint = tquic::Endpoint::new(Box::new(config), given.role == Role::Server, callbacks, outgoing.clone());
        Ok(Tquic {
            endpoint,
            role: given.role,
            application,
            outgoing,
            arrived: Vec::new(),
            datagram_bytes: given.datagram_bytes,
            now: Duration::ZERO,
        })
    }
}

impl Tquic {
    /// After anything that changes a connection: callbacks, and what may be sent is.
    fn settle(&mut self, now: Duration) -> Result<(), Fault> {
        self.now = now;
        self.endpoint.process_connections().map_err(text)?;
        self.application.borrow_mut().fault.take().map_or(Ok(()), Err)
    }
}

impl Endpoint for Tquic {
    fn connect(&mut self, now: Duration) -> Result<(), Fault> {
        let (local, remote) = (address(Role::Client), address(Role::Server));
        let connection = self.endpoint.connect(local, remote, Some(SERVER), None, None, None).map_err(text)?;
        self.application.borrow_mut().connection = Some(connection);
        self.settle(now)
    }

    fn receive(&mut self, now: Duration, datagram: &[u8], _ecn: Ecn) -> Result<(), Fault> {
        let info = PacketInfo { src: address(other(self.role)), dst: address(self.role), time: instant(now) };
        self.arrived.clear();
        self.arrived.extend_from_slice(datagram);
        self.endpoint.recv(&mut self.arrived, &info).map_err(text)?;
        self.settle(now)
    }

    fn wake(&mut self, now: Duration) -> Result<(), Fault> {
        self.endpoint.on_timeout(instant(now));
        self.settle(now)
    }

    fn supply(&mut self, now: Duration, supply: Supply) -> Result<(), Fault> {
        let mut application = self.application.borrow_mut();
        application.shares.supply(supply);
        if let Some(connection) = application.connection.and_then(|index| self.endpoint.conn_get_mut(index)) {
            if supply == Supply::Stop {
                application.stop(connection);
            } else {
                application.write(connection);
            }
        }
        drop(application);
        self.settle(now)
    }

    fn transmit(&mut self, _now: Duration, datagram: &mut Vec<u8>) -> Result<Option<Ecn>, Fault> {
        match self.outgoing.take(datagram) {
            Some(to) if to != address(other(self.role)) => Err(to_nobody(to)),
            Some(_) => Ok(Some(Ecn::NotEct)),
            None => Ok(None),
        }
    }

    fn wake_at(&mut self) -> Option<Duration> {
        // As late as the event loop of its tools wakes it, whose timeouts are whole milliseconds. A timer that is never late would starve its pacer, which
        // rounds the wait for a byte down, and finds none when it looks so soon.
        let left = self.endpoint.timeout()?;
        Some(self.now + Duration::from_millis(left.as_nanos().div_ceil(1_000_000) as u64))
    }

    fn state(&mut self) -> State {
        let application = self.application.borrow();
        let (is_connected, is_finished) = (application.is_connected, application.is_finished());
        let common = State { read_bytes: application.read, is_connected, is_finished, ..State::default() };
        let Some(connection) = application.connection.and_then(|index| self.endpoint.conn_get_mut(index)) else { return common };
        let Ok(stats) = connection.get_path_stats(address(self.role), address(other(self.role))) else { return common };
        // Zero until there is anything to say.
        let said = |value: u64| (value > 0).then_some(value);
        State {
            window_bytes: said(stats.final_cwnd),
            srtt: said(stats.srtt).map(Duration::from_micros).filter(|_| is_connected),
            min_rtt: said(stats.min_rtt).map(Duration::from_micros).filter(|_| is_connected),
            // Of bytes per second.
            pacing_bps: said(stats.pacing_rate).map(|bytes| bytes.saturating_mul(8)),
            datagram_bytes: Some(self.datagram_bytes.into()),
            lost_packets: stats.lost_count,
            reductions: Some(stats.loss_event_count),
            ..common
        }
    }
}
