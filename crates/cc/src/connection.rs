//! What the transport shows an algorithm of its connection.

use units::{ByteRate, Duration, Time};

/// The congestion state of the connection (Linux `tcp_ca_state`).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
#[repr(u8)]
pub enum CaState {
    /// Nothing unusual.
    #[default]
    Open = 0,
    /// Duplicate or selective ACKs arrived; loss is not proven yet.
    Disorder = 1,
    /// The window is being reduced after ECN or a local drop.
    Cwr = 2,
    /// Lost segments are being retransmitted after fast retransmit.
    Recovery = 3,
    /// The retransmission timer expired.
    Loss = 4,
}

/// Read-only state of a connection, owned and kept current by the transport. Counts are in segments. In C's order: guests read it as it is.
#[derive(Clone, Debug)]
#[repr(C)]
pub struct Connection {
    /// The time of the event being handled.
    pub now: Time,
    /// First segment not cumulatively acknowledged.
    pub una: u64,
    /// Next segment to be sent for the first time.
    pub nxt: u64,
    /// Segments delivered so far (cumulatively or selectively acknowledged for the first time).
    pub delivered: u64,
    /// Of those, segments whose delivery was echoed as ECN-marked.
    pub delivered_ce: u64,
    /// Segments ever held to be lost, kept for algorithms that set the window themselves, need rate samples or are told of packets.
    pub lost: u64,
    /// Deliveries are limited by the application, not by the window, until so many have been made (Linux `app_limited`, which counts the SYN too); 0 when
    /// they are not. Kept for algorithms that need rate samples.
    pub app_limited_until: u64,
    /// Smallest RTT of the last 300 s, or `Duration::FOREVER` before the first sample.
    pub rtt_min: Duration,
    /// At which the transport would pace (Linux `sk_pacing_rate`); zero before the first RTT sample. Kept for connections
    /// that are paced, and in slow start for algorithms that need it.
    pub pacing_rate: ByteRate,
    /// When the last data segment was sent (Linux `lsndtime`).
    pub last_sent: Time,
    /// Window when the current reduction began (Linux `prior_cwnd`).
    pub prior_cwnd: f64,
    /// Segments sent and not cumulatively acknowledged, less those SACKed or lost, plus those retransmitted ("pipe").
    pub in_flight: u32,
    /// Payload bytes of a full segment.
    pub mss: u32,
    /// Eight times the smoothed RTT, in microseconds (Linux `srtt_us`); 0 before the first sample.
    pub srtt8_us: u32,
    /// The state the connection is in (during `on_state_changed`: the one it leaves).
    pub ca_state: CaState,
    /// Whether the window limited the sender (Linux `tcp_is_cwnd_limited`).
    pub cwnd_limited: bool,
    /// Whether segments leave spread over the round trip, not as the ACKs come.
    pub is_paced: bool,
    /// Segments are acknowledged selectively.
    pub selective_acks: bool,
}

impl Connection {
    /// A connection that has sent nothing.
    pub fn new(mss: u32) -> Connection {
        Connection {
            now: Time::ZERO,
            ca_state: CaState::Open,
            cwnd_limited: true,
            is_paced: false,
            selective_acks: true,
            mss,
            una: 0,
            nxt: 0,
            in_flight: 0,
            delivered: 0,
            delivered_ce: 0,
            lost: 0,
            app_limited_until: 0,
            srtt8_us: 0,
            rtt_min: Duration::FOREVER,
            pacing_rate: ByteRate::ZERO,
            prior_cwnd: 0.0,
            last_sent: Time::ZERO,
        }
    }

    /// How long nothing has been in flight when a segment leaves into an empty pipe ([`CaEvent::TxStarted`](crate::CaEvent::TxStarted)): the
    /// idle time beyond a smoothed RTT, after which the last ACK was here. None to speak of where that ACK releases the segment.
    pub fn idle(&self) -> Duration {
        let silent = self.now.since(self.last_sent);
        silent.saturating_sub(Duration::from_us(u64::from(self.srtt8_us) / 8))
    }
}
