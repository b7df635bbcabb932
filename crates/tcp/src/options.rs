//! The stack's options, and the profiles that choose them together.

use serde::{Deserialize, Serialize};
use units::Duration;

/// How segments are found lost.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum LossDetection {
    /// RFC 8985: by the time of sending.
    Rack,
    /// RFC 6675: three segments SACKed above.
    Rfc6675,
    /// Forward acknowledgement (Mathis and Mahdavi 1996; Linux 2.4 and 2.6): sent more than three segments before the highest SACKed
    /// one. Once reordering is seen, as RFC 6675.
    Fack,
}

/// How the window comes down during Recovery and CWR.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum RecoveryRule {
    /// Proportional rate reduction as in Linux 6.1: in proportion to the window before.
    Prr,
    /// The same as RFC 9937 has it, which replaces RFC 6937: in proportion to what may be delivered in the episode.
    Rfc9937,
    /// One segment less for every second ACK (Linux 2.4 and 2.6).
    RateHalving,
    /// At once (RFC 6675, RFC 8257): nothing leaves before as much has arrived.
    AtOnce,
    /// The same, and when the losses are repaired slow start from one segment (Windows Vista before its first service pack).
    ToOne,
}

/// How the retransmission timeout follows from RTT samples.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum RtoRule {
    /// The variance term, not the sum, is floored at 200 ms.
    Linux,
    /// RFC 6298: at least one second.
    Rfc6298,
}

/// How many segments an ACK counts for in window growth.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Abc {
    /// Every segment delivered.
    Linux,
    /// RFC 3465: in slow start at most `abc_limit`, one after a timeout.
    Rfc3465,
    /// One per ACK.
    Off,
}

/// Whether segments are spread over the round trip.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Pacing {
    /// Bursts leave as the ACK clock allows.
    None,
    /// Bursts of the size of Linux's automatic segmentation offload, at its pacing rate.
    Linux,
    /// Segment by segment, at the same rate.
    Full,
}

/// What becomes of the window when the application pauses for longer than a retransmission timeout.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum IdleRestart {
    /// Halved once per timeout, down to the initial window; and a window that was not filled for a timeout moves half-way to what was used
    /// of it (RFC 2861, as Linux has it).
    Linux,
    /// The initial window, at once (RFC 5681 4.1).
    Rfc5681,
    /// Nothing.
    None,
}

/// Whether segments may be marked instead of dropped, and how the receiver tells of marks.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Ecn {
    /// What the algorithm asks for; off if it asks for nothing.
    Auto,
    /// Not ECN-capable.
    Off,
    /// RFC 3168: ECN-Echo on every ACK until the sender has answered.
    Classic,
    /// RFC 8257: ECN-Echo on the ACKs of marked segments.
    Dctcp,
    /// RFC 9768: every ACK counts the marked segments.
    Accurate,
    /// The same, with segments that say so: ECT(1), for queues that treat them apart (RFC 9331).
    L4s,
}

/// A span of four bytes, in whole microseconds, that is read and written in seconds: flows are many.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(from = "f64", into = "f64")]
pub struct Micros(u32);

impl From<f64> for Micros {
    fn from(seconds: f64) -> Micros {
        Micros((seconds * 1e6 + 0.5) as u32)
    }
}

impl From<Micros> for f64 {
    fn from(span: Micros) -> f64 {
        f64::from(span.0) / 1e6
    }
}

impl From<Micros> for Duration {
    fn from(span: Micros) -> Duration {
        Duration::from_us(u64::from(span.0))
    }
}

/// Options of one connection's stack. Each can be set alone; a profile sets all of them.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Options {
    /// Selective acknowledgements (RFC 2018); without them, NewReno (RFC 6582).
    pub sack: bool,
    /// Timestamps (RFC 7323); without them an ACK of a segment that was sent twice gives no RTT sample and proves no reduction spurious.
    pub timestamps: bool,
    /// Loss detection with SACK.
    pub loss_detection: LossDetection,
    /// Window reduction.
    pub recovery: RecoveryRule,
    /// Retransmission timeout.
    pub rto: RtoRule,
    /// The least variation that enters Linux's timeout, seconds: it is never shorter than the RTT and this.
    pub rto_min_s: Micros,
    /// Limited transmit (RFC 3042): new data may leave on the first two duplicate ACKs.
    pub limited_transmit: bool,
    /// Spurious reductions are undone (DSACK, timestamps).
    pub undo: bool,
    /// Forward RTO recovery (RFC 5682).
    pub frto: bool,
    /// Tail loss probe (RFC 8985).
    pub tlp: bool,
    /// In-order segments per ACK.
    pub ack_every: u8,
    /// Delayed-ACK timer, seconds (Linux's minimum; it adapts upwards).
    pub delayed_ack_s: f64,
    /// The longest that it adapts to, seconds; no shorter than the timer itself.
    pub delayed_ack_max_s: Micros,
    /// Segments acknowledged one by one at the start.
    pub quickack: u32,
    /// While the receiver's window opens, by two segments for each that arrives, every segment is acknowledged.
    pub opening_acks: bool,
    /// The last segment, which ends the connection (FIN), leaves whatever the congestion window is.
    pub fin_past_window: bool,
    /// Behind a hole one ACK stands for the segments of 5 % of an RTT, at most a millisecond.
    pub ack_compression: bool,
    /// Byte counting.
    pub abc: Abc,
    /// Most segments an ACK counts for in slow start under RFC 3465.
    pub abc_limit: u8,
    /// Initial window, segments.
    pub initial_window: u32,
    /// Slow-start threshold of a new connection, segments; 0 for none. Linux 2.4 and 2.6 started from what an earlier connection to
    /// the same host had left.
    pub initial_ssthresh: u32,
    /// Tick of the clock that times segments, seconds; 0 for an exact one. Linux 2.4 and 2.6 counted jiffies.
    pub rtt_granularity_s: f64,
    /// By how much the smallest RTT is taken for too long at least, seconds: no sample is shorter than the handshake's and this.
    pub min_rtt_error_s: Micros,
    /// By how much RTT samples are too long from a back-off until two round trips later, seconds (a host busy with the loss).
    pub rtt_error_after_loss_s: Micros,
    /// The window stays as the timeout left it until the losses are repaired (a bug of Linux 2.4.22).
    pub rto_freeze: bool,
    /// Interval of the clock that wakes the timers of sender and receiver, seconds; 0 for an exact one (jiffies: 10, 4 or 1 ms).
    pub timer_tick_s: f64,
    /// Segments leave in bursts of so many, at most a third of the window (segmentation offload); 1 for none.
    pub offload_segments: u8,
    /// The receiver's window grows with what a round trip brings, from 64 kB to the flow's cap (Linux's dynamic right-sizing).
    pub autotune: bool,
    /// Pacing.
    pub pacing: Pacing,
    /// A paced segment that leaves late, for want of an ACK, brings the next one forward by as much, up to half a distance (Linux since
    /// 5.0).
    pub pacing_credit: bool,
    /// Explicit congestion notification.
    pub ecn: Ecn,
    /// The window after an idle time.
    pub idle_restart: IdleRestart,
}

impl Options {
    /// Names of the profiles.
    pub const PROFILES: [&'static str; 6] = cc::PROFILES;

    /// The options of the profile `name`, or none if there is no such profile.
    pub fn of_profile(name: &str) -> Option<Options> {
        let linux61 = Options {
            sack: true,
            timestamps: true,
            loss_detection: LossDetection::Rack,
            recovery: RecoveryRule::Prr,
            rto: RtoRule::Linux,
            rto_min_s: Micros::from(0.2),
            limited_transmit: true,
            undo: true,
            frto: true,
            tlp: true,
            ack_every: 2,
            delayed_ack_s: 0.04,
            delayed_ack_max_s: Micros::from(0.2),
            quickack: 16,
            opening_acks: true,
            fin_past_window: true,
            ack_compression: true,
            abc: Abc::Linux,
            abc_limit: 2,
            initial_window: 10,
            initial_ssthresh: 0,
            rtt_granularity_s: 0.0,
            min_rtt_error_s: Micros::default(),
            rtt_error_after_loss_s: Micros::default(),
            rto_freeze: false,
            timer_tick_s: 0.0,
            offload_segments: 1,
            autotune: false,
            pacing: Pacing::None,
            pacing_credit: true,
            ecn: Ecn::Auto,
            idle_restart: IdleRestart::Linux,
        };
        let linux26 = Options {
            loss_detection: LossDetection::Fack,
            recovery: RecoveryRule::RateHalving,
            frto: false,
            tlp: false,
            opening_acks: false,
            fin_past_window: false,
            ack_compression: false,
            abc: Abc::Off,
            initial_window: 3,
            rtt_granularity_s: 0.001,
            pacing_credit: false,
            ..linux61
        };
        match name {
            "linux-6.1" => Some(linux61),
            // The first segment shows what share of the buffer is window, which opens it once more: an ACK beside the sixteen.
            "linux-6.12" => Some(Options {
                opening_acks: false,
                fin_past_window: false,
                quickack: 17,
                delayed_ack_max_s: Micros::from(0.199),
                ..linux61
            }),
            "linux-2.6.23" => Some(linux26),
            "linux-2.4" => Some(Options { initial_window: 2, rtt_granularity_s: 0.01, ..linux26 }),
            "altaimd-2.6.6" => Some(Options {
                loss_detection: LossDetection::Rfc6675,
                recovery: RecoveryRule::RateHalving,
                frto: false,
                tlp: false,
                opening_acks: false,
                fin_past_window: false,
                ack_compression: false,
                abc: Abc::Rfc3465,
                initial_window: 3,
                pacing_credit: false,
                ..linux61
            }),
            "rfc" => Some(Options {
                loss_detection: LossDetection::Rfc6675,
                recovery: RecoveryRule::Rfc9937,
                rto: RtoRule::Rfc6298,
                undo: false,
                frto: false,
                tlp: false,
                delayed_ack_s: 0.2,
                quickack: 0,
                opening_acks: false,
                fin_past_window: false,
                ack_compression: false,
                abc: Abc::Rfc3465,
                pacing_credit: false,
                idle_restart: IdleRestart::Rfc5681,
                ..linux61
            }),
            _ => None,
        }
    }

    /// The delayed-ACK timer as a span.
    pub fn delayed_ack(&self) -> Duration {
        Duration::from_secs_f64(self.delayed_ack_s)
    }
}
