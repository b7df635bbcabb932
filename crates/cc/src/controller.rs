//! An algorithm behind its slow start: what the transport drives.

use units::{ByteRate, Duration, Stream};

use crate::registry::{dispatch, Algorithm};
use crate::slow_start::{Kind, RttOnPath, SlowStart};
use crate::{
    AckArrival, CaEvent, CaState, CongestionControl, Connection, LostSegment, Needs, Packet, PlainAck, RateSample, RttSample, Steering,
    Window,
};

/// A law of the registry and the slow start in front of it.
#[derive(Clone, Debug)]
pub struct Controller {
    pub(crate) slow_start: SlowStart,
    pub(crate) law: Algorithm,
}

impl Controller {
    pub(crate) fn new(law: Algorithm, slow_start: Kind) -> Controller {
        Controller { slow_start: SlowStart::new(slow_start), law }
    }

    /// The flow that the law is of. Only a guest's wants to know.
    pub fn on_seated(&mut self, flow: usize) {
        if let Algorithm::Guest(guest) = &mut self.law {
            guest.0.on_seated(flow);
        }
    }

    /// Whether the law may draw at random, so that it must be seeded. The two that most flows have never do; the others may.
    #[inline]
    pub fn may_draw(&self) -> bool {
        !matches!(self.law, Algorithm::Reno(_) | Algorithm::Cubic(_))
    }

    /// Whether the law is from outside.
    pub fn is_guest(&self) -> bool {
        matches!(self.law, Algorithm::Guest(_))
    }

    /// An RTT sample in slow start, seen by a part that may end it. Out of line, as [`Controller::shape`]: few ACKs get here.
    #[inline(never)]
    pub(crate) fn watch(&mut self, w: &mut Window, c: &Connection, s: &RttSample) {
        if let (Some(rtt), Some(path)) = (s.rtt, self.law.path_rtt(c)) {
            self.slow_start.on_rtt_sampled(w, c, RttOnPath { rtt, path });
        }
    }

    /// What an ACK of `acked` segments in slow start is worth to the law.
    #[inline(never)]
    pub(crate) fn shape(&mut self, w: &Window, c: &Connection, acked: u32) -> u32 {
        self.slow_start.worth(w, c, acked)
    }
}

/// Out of line, so that no law pays for the registers of another: the dispatch is a jump.
#[inline(never)]
fn on_rtt_sampled(law: &mut impl CongestionControl, w: &mut Window, c: &Connection, s: &RttSample) {
    law.on_rtt_sampled(w, c, s);
}

/// As [`on_rtt_sampled`].
#[inline(never)]
fn on_acked(law: &mut impl CongestionControl, w: &mut Window, c: &Connection, acked: u32) {
    law.on_acked(w, c, acked);
}

impl CongestionControl for Controller {
    #[inline]
    fn needs(&self) -> Needs {
        let of_law = dispatch!(&self.law, law => law.needs());
        let transport_rate = of_law.transport_rate || self.slow_start.needs_rate();
        Needs { transport_rate, rtt_samples: self.slow_start.rtt_samples(of_law.rtt_samples), ..of_law }
    }
    fn slow_start(&self) -> Option<Kind> {
        self.law.slow_start()
    }
    fn path_rtt(&self, c: &Connection) -> Option<Duration> {
        self.law.path_rtt(c)
    }
    fn on_seeded(&mut self, stream: Stream) {
        dispatch!(&mut self.law, law => law.on_seeded(stream))
    }
    #[inline]
    fn on_established(&mut self, w: &mut Window, c: &Connection) {
        dispatch!(&mut self.law, law => law.on_established(w, c));
        self.slow_start.on_established(w, c);
    }
    #[inline(always)]
    fn on_rtt_sampled(&mut self, w: &mut Window, c: &Connection, s: &RttSample) {
        if self.slow_start.watches && w.in_slow_start() {
            self.watch(w, c, s);
        }
        match &mut self.law {
            Algorithm::Cubic(law) if law.ignores(s) => {}
            law => dispatch!(law, law => on_rtt_sampled(law, w, c, s)),
        }
    }
    #[inline(always)]
    fn on_ack_arrived(&mut self, w: &mut Window, c: &Connection, a: &AckArrival) {
        dispatch!(&mut self.law, law => law.on_ack_arrived(w, c, a))
    }
    #[inline(always)]
    fn on_acked(&mut self, w: &mut Window, c: &Connection, acked: u32) {
        let acked = if self.slow_start.shapes && w.in_slow_start() { self.shape(w, c, acked) } else { acked };
        match &mut self.law {
            // Shorter than a call, and the next needs no table of jumps: most flows have one of these laws.
            Algorithm::Reno(law) => law.on_acked(w, c, acked),
            Algorithm::Cubic(law) => on_acked(law, w, c, acked),
            law => dispatch!(law, law => on_acked(law, w, c, acked)),
        }
    }
    fn on_plain_ack(&mut self, w: &mut Window, c: &Connection, a: &PlainAck, cwnd_limited: bool) -> bool {
        // In congestion avoidance no slow start has anything to see or to shape.
        if let Algorithm::Guest(law) = &mut self.law {
            return law.on_plain_ack(w, c, a, cwnd_limited);
        }
        self.on_rtt_sampled(w, c, &a.rtt_sample());
        false
    }
    #[inline]
    fn on_rate_sampled(&mut self, w: &mut Window, c: &Connection, s: &RateSample) {
        dispatch!(&mut self.law, law => law.on_rate_sampled(w, c, s))
    }
    #[inline]
    fn steer(&mut self, w: &mut Window, c: &Connection, s: &RateSample) -> Steering {
        match &mut self.law {
            Algorithm::Bbr(law) => law.steer(w, c, s),
            Algorithm::Bbr3(law) => law.steer(w, c, s),
            law => {
                // A copy: the sample itself need then not lie in memory for the two that look at it where it was made.
                let s = *s;
                dispatch!(law, law => law.steer(w, c, &s))
            }
        }
    }
    #[inline]
    fn holds_back(&self) -> bool {
        dispatch!(&self.law, law => law.holds_back())
    }
    fn on_segment_lost(&mut self, w: &mut Window, c: &Connection, s: &LostSegment) {
        dispatch!(&mut self.law, law => law.on_segment_lost(w, c, s))
    }
    fn on_packet_sent(&mut self, w: &mut Window, c: &Connection, p: &Packet) {
        dispatch!(&mut self.law, law => law.on_packet_sent(w, c, p))
    }
    fn on_packet_acked(&mut self, w: &mut Window, c: &Connection, p: &Packet) {
        dispatch!(&mut self.law, law => law.on_packet_acked(w, c, p))
    }
    fn on_packet_lost(&mut self, w: &mut Window, c: &Connection, p: &Packet) {
        dispatch!(&mut self.law, law => law.on_packet_lost(w, c, p))
    }
    #[inline]
    fn ssthresh(&mut self, w: &mut Window, c: &Connection) -> f64 {
        dispatch!(&mut self.law, law => law.ssthresh(w, c))
    }
    #[inline]
    fn on_state_changed(&mut self, w: &mut Window, c: &Connection, to: CaState) {
        dispatch!(&mut self.law, law => law.on_state_changed(w, c, to));
        self.slow_start.on_state_changed(c, to);
    }
    #[inline]
    fn on_event(&mut self, w: &mut Window, c: &Connection, e: CaEvent) {
        dispatch!(&mut self.law, law => law.on_event(w, c, e))
    }
    #[inline]
    fn undo(&mut self, w: &mut Window, c: &Connection) -> f64 {
        dispatch!(&mut self.law, law => law.undo(w, c))
    }
    #[inline]
    fn pacing_rate(&self, w: &Window, c: &Connection) -> Option<ByteRate> {
        dispatch!(&self.law, law => law.pacing_rate(w, c))
    }
    fn variable_names(&self) -> &'static [&'static str] {
        dispatch!(&self.law, law => law.variable_names())
    }
    fn variables(&self, out: &mut [f64]) {
        dispatch!(&self.law, law => law.variables(out))
    }
}
