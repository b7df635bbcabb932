//! What hooks in Python are shown: the window, which they may write, and the rest, which they may read. Times are in seconds.

use cc::{AckArrival, Connection, LostSegment, RateSample, RttSample, Window};
use pyo3::prelude::*;
use units::{Duration, Time};

fn seconds(span: Option<Duration>) -> Option<f64> {
    span.map(|span| Time(span.0).as_secs_f64())
}

/// The congestion window: what a controller writes.
#[pyclass(name = "Window", module = "windtunnel")]
#[derive(Default)]
pub(crate) struct PyWindow {
    /// Segments.
    #[pyo3(get, set)]
    pub(super) cwnd: f64,
    /// Segments.
    #[pyo3(get, set)]
    pub(super) ssthresh: f64,
    /// Credit towards the next whole segment.
    #[pyo3(get, set)]
    pub(super) cnt: u32,
}

#[pymethods]
impl PyWindow {
    /// A window of so many segments, for a law's tests.
    #[new]
    #[pyo3(signature = (cwnd = 10.0, ssthresh = cc::SSTHRESH_INFINITE))]
    fn new(cwnd: f64, ssthresh: f64) -> PyWindow {
        PyWindow { cwnd, ssthresh, cnt: 0 }
    }

    /// Whether it is below the threshold.
    #[getter]
    fn in_slow_start(&self) -> bool {
        self.cwnd < self.ssthresh
    }

    /// Slow start by so many acknowledged segments, never past the threshold; what is left of them for congestion avoidance.
    fn slow_start(&mut self, acked: u32) -> f64 {
        let mut window = Window { cwnd: self.cwnd, ssthresh: self.ssthresh, cnt: self.cnt };
        let left = window.slow_start_real(acked);
        self.cwnd = window.cwnd;
        left
    }

    fn __repr__(&self) -> String {
        format!("Window(cwnd={}, ssthresh={})", self.cwnd, self.ssthresh)
    }
}

/// The connection, as the transport keeps it. One object serves all calls of a flow: it shows the connection of the latest call.
#[pyclass(name = "Connection", module = "windtunnel")]
pub(crate) struct PyConnection(pub(super) Connection);

#[pymethods]
impl PyConnection {
    /// A connection that has sent nothing, for a law's tests; what is named is as given.
    #[new]
    #[pyo3(signature = (*, now_s = 0.0, srtt_s = None, rtt_min_s = None, in_flight = 0, delivered = 0, mss_bytes = 1448, cwnd_limited = true))]
    fn new(
        now_s: f64,
        srtt_s: Option<f64>,
        rtt_min_s: Option<f64>,
        in_flight: u32,
        delivered: u64,
        mss_bytes: u32,
        cwnd_limited: bool,
    ) -> PyConnection {
        let ns = |seconds: f64| (seconds * 1e9).round() as u64;
        PyConnection(Connection {
            now: Time(ns(now_s)),
            srtt8_us: srtt_s.map_or(0, |srtt_s| (srtt_s * 8e6).round() as u32),
            rtt_min: rtt_min_s.map_or(Duration::FOREVER, |rtt_s| Duration(ns(rtt_s))),
            in_flight,
            delivered,
            cwnd_limited,
            ..Connection::new(mss_bytes)
        })
    }

    /// Time of what is being handled, seconds.
    #[getter]
    fn now_s(&self) -> f64 {
        self.0.now.as_secs_f64()
    }
    /// Smoothed RTT, seconds; None before the first sample.
    #[getter]
    fn srtt_s(&self) -> Option<f64> {
        (self.0.srtt8_us > 0).then(|| f64::from(self.0.srtt8_us) / 8e6)
    }
    /// Smallest RTT of the last 300 s, seconds; None before the first sample.
    #[getter]
    fn rtt_min_s(&self) -> Option<f64> {
        (self.0.rtt_min != Duration::FOREVER).then(|| Time(self.0.rtt_min.0).as_secs_f64())
    }
    /// First segment not cumulatively acknowledged.
    #[getter]
    fn una(&self) -> u64 {
        self.0.una
    }
    /// Next segment to be sent for the first time.
    #[getter]
    fn nxt(&self) -> u64 {
        self.0.nxt
    }
    /// Segments delivered so far.
    #[getter]
    fn delivered(&self) -> u64 {
        self.0.delivered
    }
    /// Of those, echoed as ECN-marked.
    #[getter]
    fn delivered_ce(&self) -> u64 {
        self.0.delivered_ce
    }
    /// Segments ever held to be lost; kept for controllers by rate.
    #[getter]
    fn lost(&self) -> u64 {
        self.0.lost
    }
    /// Segments in flight: the pipe.
    #[getter]
    fn in_flight(&self) -> u32 {
        self.0.in_flight
    }
    /// Payload bytes of a full segment.
    #[getter]
    fn mss_bytes(&self) -> u32 {
        self.0.mss
    }
    /// Window when the current reduction began, segments.
    #[getter]
    fn prior_cwnd(&self) -> f64 {
        self.0.prior_cwnd
    }
    /// At which the transport would pace, bytes per second.
    #[getter]
    fn pacing_rate_bytes_per_s(&self) -> u64 {
        self.0.pacing_rate.0
    }
    /// When the last data segment was sent, seconds.
    #[getter]
    fn last_sent_s(&self) -> f64 {
        self.0.last_sent.as_secs_f64()
    }
    /// `open`, `disorder`, `cwr`, `recovery` or `loss`; during `on_state_changed` the one that is left.
    #[getter]
    fn ca_state(&self) -> &'static str {
        name_of_state(self.0.ca_state)
    }
    /// The window limited the sender.
    #[getter]
    fn cwnd_limited(&self) -> bool {
        self.0.cwnd_limited
    }
    /// Segments leave spread over the round trip.
    #[getter]
    fn is_paced(&self) -> bool {
        self.0.is_paced
    }
}

pub(super) fn name_of_state(state: cc::CaState) -> &'static str {
    match state {
        cc::CaState::Open => "open",
        cc::CaState::Disorder => "disorder",
        cc::CaState::Cwr => "cwr",
        cc::CaState::Recovery => "recovery",
        cc::CaState::Loss => "loss",
    }
}

/// Declares a class of values that are read only, made of one of the core's.
macro_rules! told {
    ($(#[$doc:meta])* $class:ident as $name:literal from $core:ident { $($(#[$of:meta])* $field:ident: $type:ty = $value:expr,)+ }) => {
        $(#[$doc])*
        #[pyclass(name = $name, module = "windtunnel", frozen, get_all)]
        pub(crate) struct $class { $($(#[$of])* $field: $type,)+ }

        impl From<&$core> for $class {
            fn from(s: &$core) -> $class {
                $(let $field: $type = ($value)(s);)+
                $class { $($field,)+ }
            }
        }
    };
}

told! {
    /// One ACK's contribution to RTT measurement.
    PyRttSample as "RttSample" from RttSample {
        /// Segments cumulatively acknowledged by this ACK.
        acked: u32 = |s: &RttSample| s.acked,
        /// RTT of the latest-sent segment newly acknowledged, seconds; None if ambiguous.
        rtt_s: Option<f64> = |s: &RttSample| seconds(s.rtt),
        /// Of that, to the receiver, up to a constant, seconds.
        forward_s: Option<f64> = |s: &RttSample| seconds(s.forward),
        /// When the segment left whose timestamp this ACK echoes, seconds.
        sent_s: Option<f64> = |s: &RttSample| s.echoed.map(Time::as_secs_f64),
        /// The pipe before this ACK.
        in_flight: u32 = |s: &RttSample| s.in_flight,
    }
}

told! {
    /// What the ACK itself looked like.
    PyAckArrival as "AckArrival" from AckArrival {
        /// More than a plain advance: SACK blocks, ECE, or a duplicate.
        is_slow_path: bool = |s: &AckArrival| s.slow_path,
        /// It carried ECN-Echo.
        has_ece: bool = |s: &AckArrival| s.ece,
    }
}

told! {
    /// A delivery-rate sample.
    PyRateSample as "RateSample" from RateSample {
        /// Segments delivered over `interval_s`; None if this ACK delivered nothing new.
        delivered: Option<u32> = |s: &RateSample| s.delivered,
        /// The sampling interval, seconds; None if shorter than the smallest RTT.
        interval_s: Option<f64> = |s: &RateSample| seconds(s.interval),
        /// RTT of the newest delivered segment, seconds.
        rtt_s: Option<f64> = |s: &RateSample| seconds(s.rtt),
        /// When something was last delivered, seconds.
        delivered_s: f64 = |s: &RateSample| s.delivered_at.as_secs_f64(),
        /// The same clock when the newest delivered segment was sent, seconds.
        prior_delivered_s: f64 = |s: &RateSample| s.prior_time.as_secs_f64(),
        /// `Connection.delivered` when the newest delivered segment was sent.
        prior_delivered: u64 = |s: &RateSample| s.prior_delivered,
        /// Segments newly found lost by this ACK.
        lost: u32 = |s: &RateSample| s.lost,
        /// Segments newly delivered by this ACK.
        acked: u32 = |s: &RateSample| s.acked,
        /// The pipe before this ACK.
        prior_in_flight: u32 = |s: &RateSample| s.prior_in_flight,
        /// The pipe when the newest delivered segment was sent, itself included.
        tx_in_flight: u32 = |s: &RateSample| s.tx_in_flight,
        /// Segments held to be lost since then.
        lost_since_sent: u32 = |s: &RateSample| s.lost_since_sent,
        /// The sampled segments were limited by the application.
        is_app_limited: bool = |s: &RateSample| s.app_limited,
    }
}

told! {
    /// A segment that is held to be lost, and the connection when it was sent.
    PyLostSegment as "LostSegment" from LostSegment {
        /// Its number.
        seq: u64 = |s: &LostSegment| s.seq,
        /// The pipe when it was sent, itself included.
        tx_in_flight: u32 = |s: &LostSegment| s.tx_in_flight,
        /// Segments held to be lost since then, itself included.
        lost_since_sent: u32 = |s: &LostSegment| s.lost_since_sent,
        /// Sending was limited by the application.
        is_app_limited: bool = |s: &LostSegment| s.app_limited,
    }
}
