//! What a sender and a receiver are made from, for them and for their parts.

use units::Duration;

use crate::ticks::Ticks;
use crate::{Ecn, Options};

const ATO_MIN: Duration = Duration::from_ms(40);
/// A compressed ACK waits a twentieth of the RTT, at most this (Linux `tcp_comp_sack_delay_ns`),
const COMPRESSION_MAX: Duration = Duration::from_ms(1);
/// and as much more as its timer is allowed to be late, which it uses up (`tcp_comp_sack_slack_ns`).
const COMPRESSION_SLACK: Duration = Duration::from_us(100);
/// Window that a receiver offers at first: what fits into the header's field without a scale.
const FIRST_WINDOW_BYTES: u64 = 65_535;

/// What a sender is told at the start.
#[derive(Clone, Debug)]
pub struct SenderSpec {
    /// The stack's options.
    pub options: Options,
    /// Payload bytes of a segment.
    pub mss: u32,
    /// Segments the application sends; `u64::MAX` for no end.
    pub segments: u64,
    /// Receiver's window, segments; `u64::MAX` for no limit.
    pub window: u64,
    /// The host's device queue may refuse a segment.
    pub device: bool,
}

/// What the receiver needs to know of the path and the options.
#[derive(Clone, Debug)]
pub struct ReceiverSpec {
    /// In-order segments per ACK.
    pub ack_every: u32,
    /// Minimum of the delayed-ACK timer.
    pub delayed_ack: Duration,
    /// The longest that the timer adapts to.
    pub delayed_ack_max: Duration,
    /// Segments acknowledged one by one at the start, and after an idle time.
    pub quickack: u32,
    /// Segments that open the receiver's window, before those: each is acknowledged at once, for it tells of the wider window.
    pub opening: u32,
    /// How long ACKs behind a hole are held back for one that stands for all; [`Duration::ZERO`] for not at all.
    pub compression: Duration,
    /// Whether SACK blocks are sent.
    pub sack: bool,
    /// How marks are told.
    pub ecn: Ecn,
    /// RTT measured in the handshake.
    pub handshake_rtt: Duration,
    /// The clock of its timers.
    pub(crate) ticks: Ticks,
}

impl ReceiverSpec {
    /// The receiver's part of `options`, on a path of this base RTT.
    pub fn new(options: &Options, handshake_rtt: Duration) -> ReceiverSpec {
        ReceiverSpec {
            ack_every: options.ack_every.into(),
            delayed_ack: options.delayed_ack(),
            delayed_ack_max: options.delayed_ack_max_s.into(),
            quickack: options.quickack,
            opening: 0,
            compression: compression(options, handshake_rtt),
            sack: options.sack,
            ecn: options.ecn,
            handshake_rtt,
            ticks: Ticks::of(options),
        }
    }

    /// The window may open to `bytes`: by two segments of `mss` bytes for each that arrives (Linux `tcp_grow_window`).
    pub fn with_window(self, options: &Options, bytes: u64, mss: u32) -> ReceiverSpec {
        let opening = bytes.saturating_sub(FIRST_WINDOW_BYTES).div_ceil(2 * u64::from(mss));
        ReceiverSpec { opening: if options.opening_acks { opening as u32 } else { 0 }, ..self }
    }

    /// The receiver's own retransmission timeout: an idle time longer than this brings quick ACKs back.
    pub(crate) fn rto(&self) -> Duration {
        (self.handshake_rtt * 3).max(self.handshake_rtt + Duration::from_ms(200))
    }

    /// The longest that an ACK is delayed.
    pub(crate) fn delay_max(&self) -> Duration {
        self.handshake_rtt.max(ATO_MIN).min(self.delayed_ack_max).max(self.delayed_ack)
    }
}

/// How long an ACK behind a hole waits under `options`.
fn compression(options: &Options, rtt: Duration) -> Duration {
    if options.ack_compression && options.sack {
        (rtt / 20).min(COMPRESSION_MAX) + COMPRESSION_SLACK
    } else {
        Duration::ZERO
    }
}
