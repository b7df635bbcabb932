//! The hooks of a congestion-control algorithm.

use units::{ByteRate, Duration, Stream, Time};

use crate::slow_start::Kind;
use crate::{CaState, Connection, Needs, Window};

/// One ACK's contribution to RTT measurement (Linux `ack_sample`).
#[derive(Clone, Copy, Debug)]
pub struct RttSample {
    /// Segments cumulatively acknowledged by this ACK.
    pub acked: u32,
    /// RTT of the latest-sent segment that this ACK newly acknowledged; none if that was ambiguous.
    pub rtt: Option<Duration>,
    /// How long the segment whose timestamp this ACK echoes took to the receiver, without the ACK's own wait there. Right up to a
    /// constant, the offset of the clocks; none unless the ACK moved the window.
    pub forward: Option<Duration>,
    /// When the segment left whose timestamp this ACK echoes; none when `forward` is none.
    pub echoed: Option<Time>,
    /// Pipe before this ACK.
    pub in_flight: u32,
}

/// An ACK of which everything is known: it advances the window of a sender without trouble. [`RttSample`] says what the fields are.
#[derive(Clone, Copy, Debug)]
#[repr(C)]
pub struct PlainAck {
    /// As [`RttSample::rtt`].
    pub rtt: Duration,
    /// As [`RttSample::forward`].
    pub forward: Duration,
    /// As [`RttSample::echoed`].
    pub echoed: Time,
    /// As [`RttSample::acked`].
    pub acked: u32,
    /// As [`RttSample::in_flight`].
    pub in_flight: u32,
}

impl PlainAck {
    /// What it says of the RTT.
    #[inline]
    pub fn rtt_sample(&self) -> RttSample {
        let &PlainAck { rtt, forward, echoed, acked, in_flight } = self;
        RttSample { acked, rtt: Some(rtt), forward: Some(forward), echoed: Some(echoed), in_flight }
    }
}

/// What the ACK itself looked like (Linux `in_ack_event`).
#[derive(Clone, Copy, Debug)]
pub struct AckArrival {
    /// The ACK was more than a plain advance: it carried SACK blocks or ECE, or was a duplicate. The connection's state plays no part.
    pub slow_path: bool,
    /// The ACK carried ECN-Echo.
    pub ece: bool,
}

/// A delivery-rate sample (draft-cheng-iccrg-delivery-rate-estimation; Linux `rate_sample`).
#[derive(Clone, Copy, Debug)]
pub struct RateSample {
    /// The connection's delivery clock when the newest delivered segment was sent.
    pub prior_time: Time,
    /// `delivered` when the newest delivered segment was sent.
    pub prior_delivered: u64,
    /// Segments delivered over `interval`; none if this ACK delivered nothing that was not known to be delivered.
    pub delivered: Option<u32>,
    /// The sampling interval; none if shorter than the minimum RTT.
    pub interval: Option<Duration>,
    /// The connection's delivery clock: when something was last delivered (Linux `delivered_mstamp`).
    pub delivered_at: Time,
    /// RTT of the newest delivered segment.
    pub rtt: Option<Duration>,
    /// Segments newly found lost by this ACK.
    pub lost: u32,
    /// Segments newly delivered by this ACK.
    pub acked: u32,
    /// Pipe before this ACK.
    pub prior_in_flight: u32,
    /// Pipe when the newest delivered segment was sent, itself included.
    pub tx_in_flight: u32,
    /// Segments held to be lost since the newest delivered segment was sent.
    pub lost_since_sent: u32,
    /// The sampled segments were limited by the application, not by the window.
    pub app_limited: bool,
}

/// A segment that is held to be lost, and the connection when it was sent.
#[derive(Clone, Copy, Debug)]
pub struct LostSegment {
    /// Its number.
    pub seq: u64,
    /// Pipe when it was sent, itself included.
    pub tx_in_flight: u32,
    /// Segments held to be lost since then, itself included.
    pub lost_since_sent: u32,
    /// Sending was limited by the application.
    pub app_limited: bool,
}

/// One transmission of a segment, and the connection when it left: what stacks know of a packet whose controllers are told of each.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Packet {
    /// The transmissions of a connection are counted from 0, repeated ones among them.
    pub number: u64,
    /// The segment that it carries.
    pub seq: u64,
    /// When it left.
    pub sent: Time,
    /// `Connection::delivered` when it left.
    pub delivered: u64,
    /// Segments ever held to be lost when it left.
    pub lost: u64,
    /// Its payload.
    pub bytes: u32,
    /// Pipe when it left, itself included.
    pub in_flight: u32,
    /// Sending was limited by the application.
    pub app_limited: bool,
    /// The segment had been sent before.
    pub repeated: bool,
}

/// What follows from a rate sample, besides the window.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Steering {
    /// As [`CongestionControl::holds_back`].
    pub holds_back: bool,
    /// As [`CongestionControl::pacing_rate`].
    pub pacing_rate: Option<ByteRate>,
}

/// Notifications that carry no data (Linux `tcp_ca_event`).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum CaEvent {
    /// Data is sent while nothing was in flight: after an idle time, and whenever an ACK of all that is out releases it, as with a window of one or
    /// two segments (Linux `tcp_event_data_sent`; [`Connection::idle`] tells them apart). Comes before `Connection::last_sent` moves.
    TxStarted,
    /// The window was cut after an idle period.
    WindowRestarted,
    /// The reduction of a Recovery or CWR episode is complete.
    ReductionCompleted,
    /// The retransmission timer expired.
    TimedOut,
}

/// A congestion-control algorithm. On one ACK the transport calls, in this order: `on_rtt_sampled`, `on_packet_acked`, `on_ack_arrived`,
/// `on_packet_lost`, state changes if any, then `on_acked` (or `steer` under full control), then `on_packet_sent`. At most one `ssthresh`
/// per episode.
pub trait CongestionControl {
    /// What this algorithm asks of the transport.
    fn needs(&self) -> Needs {
        Needs::default()
    }

    /// Before anything else: the stream for whatever the algorithm draws at random.
    fn on_seeded(&mut self, _stream: Stream) {}

    /// The slow start of this law unless another is asked for; none when it has one of its own, which no part can replace.
    fn slow_start(&self) -> Option<Kind> {
        (!self.needs().control.is_full()).then_some(Kind::Standard)
    }

    /// The path's smallest RTT, for a slow start that compares with it; none while an RTT sample would not show the path.
    fn path_rtt(&self, c: &Connection) -> Option<Duration> {
        Some(c.rtt_min)
    }

    /// The connection is established.
    fn on_established(&mut self, _w: &mut Window, _c: &Connection) {}

    /// An ACK was matched against the segments it acknowledges (Linux `pkts_acked`). May move the window (TCP-LP). Only with
    /// `Needs::rtt_samples`.
    fn on_rtt_sampled(&mut self, _w: &mut Window, _c: &Connection, _s: &RttSample) {}

    /// An ACK came in (Linux `in_ack_event`). Only with `Needs::ack_arrivals`.
    fn on_ack_arrived(&mut self, _w: &mut Window, _c: &Connection, _a: &AckArrival) {}

    /// `acked` segments were newly delivered and the window may grow (Linux `cong_avoid`): never in CWR or Recovery.
    fn on_acked(&mut self, w: &mut Window, c: &Connection, acked: u32);

    /// A plain ACK that finds the sender in congestion avoidance: `on_rtt_sampled`, and, unless that leads to slow start, `on_acked` of
    /// `a.acked` segments when `Connection::cwnd_limited` will be `cwnd_limited`. Returns whether both are done. Only with
    /// `RttSamples::is_with_acks`, in place of the two.
    fn on_plain_ack(&mut self, w: &mut Window, c: &Connection, a: &PlainAck, _cwnd_limited: bool) -> bool {
        self.on_rtt_sampled(w, c, &a.rtt_sample());
        false
    }

    /// Full control (Linux `cong_control`): set cwnd and pacing from this ACK's rate sample.
    fn on_rate_sampled(&mut self, _w: &mut Window, _c: &Connection, _s: &RateSample) {}

    /// Whether the algorithm itself keeps the flow below what the path carries: what is sent now counts as limited by the application.
    /// Asked after `on_rate_sampled`.
    fn holds_back(&self) -> bool {
        false
    }

    /// `on_rate_sampled`, and what follows from it: one question for callers that must find out first which law it is that answers.
    #[inline]
    fn steer(&mut self, w: &mut Window, c: &Connection, s: &RateSample) -> Steering {
        self.on_rate_sampled(w, c, s);
        Steering { holds_back: self.holds_back(), pacing_rate: self.pacing_rate(w, c) }
    }

    /// A segment is held to be lost. Comes before the rate sample of the same ACK, only under full control by rate.
    fn on_segment_lost(&mut self, _w: &mut Window, _c: &Connection, _s: &LostSegment) {}

    /// A packet is about to leave, new or again: the connection is still that without it. What the window becomes here counts from the next
    /// event on. This and the next two only with `Needs::packets`.
    fn on_packet_sent(&mut self, _w: &mut Window, _c: &Connection, _p: &Packet) {}

    /// A packet has arrived, as far as ACKs tell: of a segment that was sent more than once the latest transmission. Those of one ACK come
    /// one by one, in the order in which they were sent; the connection is already that after all of them.
    fn on_packet_acked(&mut self, _w: &mut Window, _c: &Connection, _p: &Packet) {}

    /// A packet is held to be lost. Comes before the episode that this begins, if it does. May be acknowledged all the same, later.
    fn on_packet_lost(&mut self, _w: &mut Window, _c: &Connection, _p: &Packet) {}

    /// A congestion episode begins: the new slow-start threshold, in segments. The credit is zeroed by the caller before.
    fn ssthresh(&mut self, w: &mut Window, c: &Connection) -> f64;

    /// The connection is about to enter `to`.
    fn on_state_changed(&mut self, _w: &mut Window, _c: &Connection, _to: CaState) {}

    /// Something without data happened.
    fn on_event(&mut self, _w: &mut Window, _c: &Connection, _e: CaEvent) {}

    /// The episode proved spurious: the window to return to, in segments.
    fn undo(&mut self, w: &mut Window, c: &Connection) -> f64 {
        w.cwnd.max(c.prior_cwnd)
    }

    /// The rate to pace at; none for the transport's own rule.
    fn pacing_rate(&self, _w: &Window, _c: &Connection) -> Option<ByteRate> {
        None
    }

    /// Names of the algorithm's own variables, as columns of the flow samples.
    fn variable_names(&self) -> &'static [&'static str] {
        &[]
    }

    /// Their values, in the same order; NaN where not yet known.
    fn variables(&self, _out: &mut [f64]) {}
}
