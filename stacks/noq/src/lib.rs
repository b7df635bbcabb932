//! noq-proto, iroh's fork of quinn-proto, as an endpoint: what of it is its own (`common/quinn.rs` holds the rest).

use endpoint::export_stack;
use noq_proto as proto;
use takeover::Taken;

#[path = "../../common/rustls.rs"]
mod identity;
#[cfg(feature = "null-cipher")]
#[path = "../../common/null.rs"]
#[macro_use]
mod null_cipher;
#[cfg(feature = "null-cipher")]
mod null {
    null_cipher!(id: ConnectionId, configured: &Self, path: [crate::proto::PathId]);
}
#[path = "../../common/quinn.rs"]
mod quinn;

export_stack!(Taken<quinn::Quinn>);

mod own {
    use std::net::SocketAddr;
    use std::num::NonZeroUsize;
    use std::sync::Arc;
    use std::time::Instant;

    use bytes::{Bytes, BytesMut};
    use endpoint::State;
    use noq_proto::congestion::{Bbr3Config, ControllerFactory, CubicConfig, NewRenoConfig};
    use noq_proto::{
        Connection, DatagramEvent, EcnCodepoint, Endpoint, EndpointConfig, FourTuple, PathId, SendStream, ServerConfig, Transmit,
        WriteError,
    };

    pub(crate) const NAME: &str = if cfg!(feature = "null-cipher") { "noq-null-cipher" } else { "noq" };
    pub(crate) const VERSION: &str = "1.4.0";
    pub(crate) const ALGORITHMS: &[&str] = &["cubic", "reno", "bbr3"];

    pub(crate) fn controller(name: &str) -> Option<Arc<dyn ControllerFactory + Send + Sync>> {
        match name {
            "cubic" => Some(Arc::new(CubicConfig::default())),
            "reno" => Some(Arc::new(NewRenoConfig::default())),
            "bbr3" => Some(Arc::new(Bbr3Config::default())),
            _ => None,
        }
    }

    pub(crate) fn endpoint(config: Arc<EndpointConfig>, server: Option<Arc<ServerConfig>>) -> Endpoint {
        Endpoint::new(config, server, true)
    }

    pub(crate) fn handle(
        endpoint: &mut Endpoint,
        now: Instant,
        peer: SocketAddr,
        ecn: Option<EcnCodepoint>,
        datagram: BytesMut,
        answer: &mut Vec<u8>,
    ) -> Option<DatagramEvent> {
        endpoint.handle(now, FourTuple::new(peer, None), ecn, datagram, answer)
    }

    pub(crate) fn transmit(connection: &mut Connection, now: Instant, datagram: &mut Vec<u8>) -> Option<Transmit> {
        connection.poll_transmit(now, NonZeroUsize::MIN, datagram)
    }

    pub(crate) fn write(stream: &mut SendStream<'_>, bytes: Bytes) -> Result<usize, WriteError> {
        stream.write_chunks(&mut &mut [bytes][..])
    }

    /// What it says of itself: of its one path.
    pub(crate) fn said(connection: &mut Connection, common: State) -> State {
        let control = connection.congestion_state(PathId::ZERO).map(|controller| controller.metrics());
        let (Some(path), Some(control)) = (connection.path_stats(PathId::ZERO), control) else { return common };
        State {
            window_bytes: Some(control.congestion_window),
            threshold_bytes: control.ssthresh.filter(|&bytes| bytes < u64::MAX),
            srtt: Some(path.rtt),
            // Of bytes per second where quinn says bits.
            pacing_bps: control.pacing_rate.map(|bytes| bytes.saturating_mul(8)),
            datagram_bytes: Some(path.current_mtu.into()),
            lost_packets: path.lost_packets,
            reductions: Some(path.congestion_events),
            ..common
        }
    }
}
