//! The network of an endpoint of s2n-quic's: datagrams in and out one by one, and the simulator's clock.

use std::convert::Infallible;
use std::net::{Ipv4Addr, SocketAddr};
use std::sync::{Arc, Mutex};
use std::task::{Context, Poll};
use std::time::Duration;

use endpoint::{to_nobody, Config, Ecn, Fault, Role};
use s2n_quic::provider::io::Provider;
use s2n_quic_core::endpoint::Endpoint;
use s2n_quic_core::inet::{datagram, ExplicitCongestionNotification as Codepoint, SocketAddress};
use s2n_quic_core::io::{rx, tx};
use s2n_quic_core::path::{mtu, Tuple};
use s2n_quic_core::time::Timestamp;

/// Bytes of IPv4 and UDP headers, which s2n-quic counts into the MTU.
const HEADERS: u16 = 28;

pub(crate) fn address(role: Role) -> SocketAddr {
    (Ipv4Addr::LOCALHOST, if role == Role::Client { 4434 } else { 4433 }).into()
}

fn other(role: Role) -> Role {
    if role == Role::Client {
        Role::Server
    } else {
        Role::Client
    }
}

fn timestamp(now: Duration) -> Timestamp {
    // SAFETY: this is the endpoint's source of time.
    unsafe { Timestamp::from_duration(now) }
}

/// An endpoint of whatever type s2n-quic's builder has made it.
pub(crate) trait Driven {
    fn receive(&mut self, incoming: &mut Incoming<'_>, now: Duration);
    fn transmit(&mut self, outgoing: &mut Outgoing, now: Duration);
    /// Whether the application has asked anything of it.
    fn wakeups(&mut self, context: &mut Context<'_>, now: Duration) -> bool;
    fn timeout(&self) -> Option<Duration>;
}

impl<E: Endpoint<PathHandle = Tuple>> Driven for E {
    fn receive(&mut self, incoming: &mut Incoming<'_>, now: Duration) {
        Endpoint::receive(self, incoming, &timestamp(now));
    }

    fn transmit(&mut self, outgoing: &mut Outgoing, now: Duration) {
        Endpoint::transmit(self, outgoing, &timestamp(now));
    }

    fn wakeups(&mut self, context: &mut Context<'_>, now: Duration) -> bool {
        matches!(self.poll_wakeups(context, &timestamp(now)), Poll::Ready(Ok(count)) if count > 0)
    }

    fn timeout(&self) -> Option<Duration> {
        // SAFETY: as above.
        Endpoint::timeout(self).map(|at| unsafe { at.as_duration() })
    }
}

/// Where a started endpoint is found.
pub(crate) type Place = Arc<Mutex<Option<Box<dyn Driven + Send>>>>;

/// Puts the endpoint that it is given there.
pub(crate) struct Io {
    place: Place,
    role: Role,
    mtu: mtu::Config,
}

impl Io {
    pub(crate) fn new(config: &Config) -> Result<(Io, Place), Fault> {
        let mtu = mtu::Config::builder().with_max_mtu(config.datagram_bytes + HEADERS).and_then(|builder| builder.build());
        let place = Place::default();
        Ok((Io { place: Arc::clone(&place), role: config.role, mtu: mtu.map_err(|error| error.to_string())? }, place))
    }
}

impl Provider for Io {
    type PathHandle = Tuple;
    type Error = Infallible;

    fn start<E: Endpoint<PathHandle = Tuple>>(self, mut endpoint: E) -> Result<SocketAddress, Infallible> {
        endpoint.set_mtu_config(self.mtu);
        if let Ok(mut place) = self.place.lock() {
            *place = Some(Box::new(endpoint));
        }
        Ok(address(self.role).into())
    }
}

/// One datagram that arrives.
pub(crate) struct Incoming<'a> {
    datagram: Option<&'a [u8]>,
    ecn: Ecn,
    role: Role,
}

impl<'a> Incoming<'a> {
    /// At the end of this role.
    pub(crate) fn new(datagram: &'a [u8], ecn: Ecn, role: Role) -> Incoming<'a> {
        Incoming { datagram: Some(datagram), ecn, role }
    }
}

impl rx::Queue for Incoming<'_> {
    type Handle = Tuple;

    fn for_each<F: FnMut(datagram::Header<Tuple>, &mut [u8])>(&mut self, mut on_packet: F) {
        let Some(datagram) = self.datagram.take() else { return };
        let (local, remote): (SocketAddress, SocketAddress) = (address(self.role).into(), address(other(self.role)).into());
        let ecn = match self.ecn {
            Ecn::NotEct => Codepoint::NotEct,
            Ecn::Ect1 => Codepoint::Ect1,
            Ecn::Ect0 => Codepoint::Ect0,
            Ecn::Ce => Codepoint::Ce,
        };
        let path = Tuple { remote_address: remote.into(), local_address: local.into() };
        on_packet(datagram::Header { path, ecn }, &mut datagram.to_vec());
    }

    fn is_empty(&self) -> bool {
        self.datagram.is_none()
    }
}

/// Room for one datagram that leaves.
pub(crate) struct Outgoing {
    buffer: Vec<u8>,
    waiting: Option<(usize, Ecn)>,
    peer: SocketAddr,
    /// Where it has sent to that is not the other end.
    astray: Option<SocketAddr>,
}

impl Outgoing {
    /// Of the end of this role.
    pub(crate) fn new(datagram_bytes: u16, role: Role) -> Outgoing {
        Outgoing { buffer: vec![0; datagram_bytes.into()], waiting: None, peer: address(other(role)), astray: None }
    }

    /// The datagram that it has, put into `datagram`.
    pub(crate) fn take(&mut self, datagram: &mut Vec<u8>) -> Result<Option<Ecn>, Fault> {
        if let Some(address) = self.astray {
            return Err(to_nobody(address));
        }
        let Some((bytes, ecn)) = self.waiting.take() else { return Ok(None) };
        datagram.extend_from_slice(&self.buffer[..bytes]);
        Ok(Some(ecn))
    }
}

impl tx::Queue for Outgoing {
    type Handle = Tuple;
    const SUPPORTS_ECN: bool = true;

    fn push<M: tx::Message<Handle = Tuple>>(&mut self, mut message: M) -> Result<tx::Outcome, tx::Error> {
        if self.waiting.is_some() {
            return Err(tx::Error::AtCapacity);
        }
        let to: SocketAddr = message.path_handle().remote_address.0.into();
        self.astray = (to != self.peer).then_some(to);
        let ecn = Ecn::from_bits(message.ecn() as u8);
        let bytes = message.write_payload(tx::PayloadBuffer::new(&mut self.buffer), 0)?;
        self.waiting = Some((bytes, ecn));
        Ok(tx::Outcome { len: bytes, index: 0 })
    }

    fn capacity(&self) -> usize {
        usize::from(self.waiting.is_none())
    }
}
