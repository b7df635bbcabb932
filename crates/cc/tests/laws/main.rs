//! Laws against their sources: numbers worked out by hand, or printed in the paper or RFC, one file per protocol.

mod areno;
mod bbr;
mod bbr3;
mod bic;
mod concave_convex;
mod convex;
mod copa;
mod ctcp;
mod cubic;
mod dctcp;
mod fast;
mod hstcp;
mod hstcp_lp;
mod htcp;
mod hybla;
mod illinois;
mod ledbat;
mod lp;
mod prague;
mod reno;
mod scalable;
mod slow_start;
mod vegas;
mod veno;
mod westwood;
mod yeah;

use std::collections::BTreeMap;

use cc::{build, AckArrival, CaState, CongestionControl, Connection, Controller, RttSample, Window};
use units::{Duration, Time};

/// One connection in congestion avoidance, driven by hand.
pub(crate) struct Bench {
    pub(crate) law: Controller,
    pub(crate) w: Window,
    pub(crate) c: Connection,
}

impl Bench {
    /// `name:variant` with these parameters, at `cwnd` segments and out of slow start.
    pub(crate) fn new(spec: &str, parameters: &[(&str, f64)], cwnd: f64) -> Bench {
        let (name, variant) = spec.split_once(':').unwrap();
        let parameters: BTreeMap<String, f64> = parameters.iter().map(|&(key, value)| (key.to_string(), value)).collect();
        let law = build(name, Some(variant), "linux-6.1", &parameters).unwrap().algorithm;
        let mut bench = Bench { law, w: Window::new(10), c: Connection::new(1448) };
        bench.c.now = Time::from_ms(1_000);
        bench.law.on_established(&mut bench.w, &bench.c);
        bench.w.cwnd = cwnd;
        bench.w.ssthresh = 2.0;
        bench
    }

    /// An ACK of `acked` segments in congestion avoidance.
    pub(crate) fn ack(&mut self, acked: u32) {
        self.c.una += u64::from(acked);
        self.law.on_acked(&mut self.w, &self.c, acked);
    }

    /// An RTT sample on an ACK of `acked` segments, without growth.
    pub(crate) fn rtt(&mut self, rtt: Duration, acked: u32) {
        self.sample(rtt, None, acked);
    }

    /// The same with the forward delay that the ACK's timestamps give.
    pub(crate) fn sample(&mut self, rtt: Duration, forward: Option<Duration>, acked: u32) {
        self.c.rtt_min = self.c.rtt_min.min(rtt);
        self.c.srtt8_us = (rtt.as_us() * 8) as u32;
        self.c.delivered += u64::from(acked);
        let in_flight = self.w.segments();
        let echoed = forward.map(|_| self.c.now.saturating_sub(rtt));
        self.law.on_rtt_sampled(&mut self.w, &self.c, &RttSample { acked, rtt: Some(rtt), forward, echoed, in_flight });
        self.law.on_ack_arrived(&mut self.w, &self.c, &AckArrival { slow_path: false, ece: false });
    }

    /// A loss, recovered from at once: the new window.
    pub(crate) fn lose(&mut self) -> f64 {
        self.c.prior_cwnd = self.w.cwnd;
        self.w.cnt = 0;
        self.w.ssthresh = self.law.ssthresh(&mut self.w, &self.c);
        for state in [CaState::Recovery, CaState::Open] {
            self.law.on_state_changed(&mut self.w, &self.c, state);
            self.c.ca_state = state;
        }
        self.w.cwnd = self.w.ssthresh;
        self.w.cwnd
    }

    /// One round trip of one-segment ACKs, evenly spread.
    pub(crate) fn round(&mut self, rtt: Duration) {
        let n = self.w.segments();
        let start = self.c.now;
        self.c.nxt = self.c.una + u64::from(n);
        for i in 1..=u64::from(n) {
            self.c.now = start + rtt * i / u64::from(n);
            self.rtt(rtt, 1);
            self.ack(1);
        }
    }

    pub(crate) fn variable(&self, name: &str) -> f64 {
        let names = self.law.variable_names();
        let mut values = vec![f64::NAN; names.len()];
        self.law.variables(&mut values);
        values[names.iter().position(|n| *n == name).unwrap()]
    }

    /// The clock moves on.
    pub(crate) fn wait(&mut self, span: Duration) {
        self.c.now += span;
    }
}

#[track_caller]
pub(crate) fn near(got: f64, expected: f64, tolerance: f64) {
    assert!((got - expected).abs() <= tolerance, "got {got}, expected {expected} within {tolerance}");
}
