//! What s2n-quic says of itself, in its events.

use std::sync::{Arc, Mutex};
use std::time::Duration;

use endpoint::State;
use s2n_quic::provider::event::events::{Congestion, MtuUpdated, PacketLost, RecoveryMetrics};
use s2n_quic::provider::event::{ConnectionInfo, ConnectionMeta, Subscriber};

/// Writes down what it hears.
pub(crate) struct Listener {
    said: Arc<Mutex<State>>,
    probes: u32,
}

impl Listener {
    pub(crate) fn new(said: &Arc<Mutex<State>>) -> Listener {
        // What it counts begins at zero, not at nothing said.
        if let Ok(mut said) = said.lock() {
            *said = State { reductions: Some(0), timeouts: Some(0), ..*said };
        }
        Listener { said: Arc::clone(said), probes: 0 }
    }

    fn hear(&mut self, change: impl FnOnce(&mut State)) {
        if let Ok(mut said) = self.said.lock() {
            change(&mut said);
        }
    }
}

impl Subscriber for Listener {
    type ConnectionContext = ();

    fn create_connection_context(&mut self, _meta: &ConnectionMeta, _info: &ConnectionInfo) {}

    fn on_recovery_metrics(&mut self, _context: &mut (), _meta: &ConnectionMeta, event: &RecoveryMetrics) {
        // The count begins again when something is acknowledged.
        let expired = u64::from(event.pto_count.saturating_sub(self.probes));
        self.probes = event.pto_count;
        self.hear(|said| {
            said.window_bytes = Some(event.congestion_window.into());
            said.in_flight_bytes = Some(event.bytes_in_flight.into());
            // Zero until there is a sample.
            let has_sample = event.latest_rtt > Duration::ZERO;
            said.srtt = has_sample.then_some(event.smoothed_rtt);
            said.min_rtt = has_sample.then_some(event.min_rtt);
            said.timeouts = Some(said.timeouts.unwrap_or(0) + expired);
        });
    }

    fn on_mtu_updated(&mut self, _context: &mut (), _meta: &ConnectionMeta, event: &MtuUpdated) {
        self.hear(|said| said.datagram_bytes = Some(event.mtu.into()));
    }

    fn on_packet_lost(&mut self, _context: &mut (), _meta: &ConnectionMeta, _event: &PacketLost) {
        self.hear(|said| said.lost_packets += 1);
    }

    fn on_congestion(&mut self, _context: &mut (), _meta: &ConnectionMeta, _event: &Congestion) {
        self.hear(|said| said.reductions = Some(said.reductions.unwrap_or(0) + 1));
    }
}
