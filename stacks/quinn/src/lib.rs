//! quinn-proto as an endpoint: what of it is its own (`common/quinn.rs` holds the rest).

use endpoint::export_stack;
use quinn_proto as proto;
use takeover::Taken;

#[path = "../../common/rustls.rs"]
mod identity;
#[cfg(feature = "null-cipher")]
#[path = "../../common/null.rs"]
#[macro_use]
mod null_cipher;
#[cfg(feature = "null-cipher")]
mod null {
    null_cipher!(id: &ConnectionId, configured: Arc<Self>, path: []);
}
#[path = "../../common/quinn.rs"]
mod quinn;
mod with;

export_stack!(Taken<quinn::Quinn>);

mod own {
    use std::net::SocketAddr;
    use std::sync::Arc;
    use std::time::Instant;

    use bytes::{Bytes, BytesMut};
    use endpoint::State;
    use quinn_proto::congestion::{BbrConfig, ControllerFactory, CubicConfig, NewRenoConfig};
    use quinn_proto::{Connection, DatagramEvent, EcnCodepoint, Endpoint, EndpointConfig, SendStream, ServerConfig, Transmit, WriteError};

    pub(crate) const NAME: &str = if cfg!(feature = "null-cipher") { "quinn-null-cipher" } else { "quinn" };
    pub(crate) const VERSION: &str = "0.11.19";
    pub(crate) const ALGORITHMS: &[&str] = crate::with::ALGORITHMS;

    pub(crate) fn controller(name: &str) -> Option<Arc<dyn ControllerFactory + Send + Sync>> {
        match name {
            "cubic" => Some(Arc::new(CubicConfig::default())),
            "reno" => Some(Arc::new(NewRenoConfig::default())),
            "bbr" => Some(Arc::new(BbrConfig::default())),
            other => crate::with::controller(other),
        }
    }

    pub(crate) fn endpoint(config: Arc<EndpointConfig>, server: Option<Arc<ServerConfig>>) -> Endpoint {
        Endpoint::new(config, server, true, None)
    }

    pub(crate) fn handle(
        endpoint: &mut Endpoint,
        now: Instant,
        peer: SocketAddr,
        ecn: Option<EcnCodepoint>,
        datagram: BytesMut,
        answer: &mut Vec<u8>,
    ) -> Option<DatagramEvent> {
        endpoint.handle(now, peer, None, ecn, datagram, answer)
    }

    pub(crate) fn transmit(connection: &mut Connection, now: Instant, datagram: &mut Vec<u8>) -> Option<Transmit> {
        connection.poll_transmit(now, 1, datagram)
    }

    pub(crate) fn write(stream: &mut SendStream<'_>, bytes: Bytes) -> Result<usize, WriteError> {
        stream.write_chunks(&mut [bytes]).map(|written| written.bytes)
    }

    /// What it says of itself.
    pub(crate) fn said(connection: &mut Connection, common: State) -> State {
        let (path, control) = (connection.stats().path, connection.congestion_state().metrics());
        State {
            window_bytes: Some(control.congestion_window),
            threshold_bytes: control.ssthresh.filter(|&bytes| bytes < u64::MAX),
            srtt: Some(path.rtt),
            min_rtt: Some(path.min_rtt),
            pacing_bps: control.pacing_rate,
            datagram_bytes: Some(path.current_mtu.into()),
            lost_packets: path.lost_packets,
            reductions: Some(path.congestion_events),
            ..common
        }
    }
}
