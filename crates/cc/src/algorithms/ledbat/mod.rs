//! LEDBAT: a background flow that keeps a target delay in the queue, whatever else is there.
//!
//! Source: RFC 6817; for `plus-plus` see `plus.rs`.
//! Units: segments; seconds.
//! State: the delay filters, the pipe before the ACK being handled.
//! Departures: of the segments that one ACK answers the first gives the delay. Slow start, when switched on, ends at three quarters of
//! the target, as in LEDBAT++. A window that falls takes the threshold along, so that it does not become slow start.

mod delay;
mod plus;

use self::delay::{Delays, BASE_HISTORY, CURRENT_FILTER};
pub use self::plus::LedbatPlus;
use super::{borrows, runs, switch};
use crate::parameter::{Constant, Parameter, Protocol, Values, Variant};
use crate::slow_start::Kind;
use crate::{Algorithm, CongestionControl, Connection, Needs, RttSample, Window};

const RFC: &str = "rfc6817";
const PLUS: &str = "plus-plus";

/// The registry's description.
pub const PROTOCOL: Protocol = Protocol {
    name: "ledbat",
    aliases: &[],
    family: "low priority",
    year: 2009,
    source: "RFC 6817; draft-irtf-iccrg-ledbat-plus-plus",
    summary: "Keeps a target delay in the queue and gives way to everything that queues more.",
    signals: &["owd", "rtt", "loss", "ecn"],
    variants: &[
        Variant { name: RFC, aliases: &["ledbat", "rfc"], summary: "One-way delay, at most 100 ms of it queueing.", exact_kernel: false },
        Variant {
            name: PLUS,
            aliases: &["++"],
            summary: "LEDBAT++: round-trip delay, 60 ms, multiplicative decrease, periodic slowdowns.",
            exact_kernel: false,
        },
    ],
    parameters: &[
        Parameter {
            name: "target",
            unit: "s",
            min: 0.001,
            max: 1.0,
            defaults: &[(RFC, 0.1), (PLUS, 0.06)],
            doc: "Queueing delay aimed at; RFC 6817 allows at most 0.1.",
        },
        Parameter {
            name: "gain",
            unit: "segments per RTT",
            min: 0.01,
            max: 1.0,
            defaults: &[(RFC, 1.0)],
            doc: "Increase at no queueing delay.",
        },
        Parameter {
            name: "c",
            unit: "1",
            min: 0.01,
            max: 10.0,
            defaults: &[(PLUS, 1.0)],
            doc: "Share of the window given up per RTT at twice the target.",
        },
        switch("slow_start", &[(RFC, 0.0), (PLUS, 1.0)], "Start with slow start, until three quarters of the target."),
        switch("slowdowns", &[(PLUS, 1.0)], "Periodic slowdowns, to see the base delay again."),
    ],
    constants: &[
        Constant { name: "base_history", variant: RFC, value: BASE_HISTORY as f64, unit: "minutes" },
        Constant { name: "current_filter", variant: RFC, value: CURRENT_FILTER as f64, unit: "samples" },
        Constant { name: "initial_window", variant: RFC, value: WINDOW_MIN, unit: "segments" },
        Constant { name: "min_window", variant: RFC, value: WINDOW_MIN, unit: "segments" },
        Constant { name: "allowed_increase", variant: RFC, value: ALLOWED_INCREASE, unit: "segments" },
    ],
    profiles: &[
        borrows("linux-6.1", RFC),
        borrows("linux-2.6.23", RFC),
        borrows("altaimd-2.6.6", RFC),
        borrows("linux-2.4", RFC),
        runs("rfc", RFC),
    ],
    build: |values| match values.variant() {
        PLUS => Algorithm::LedbatPlus(Box::new(LedbatPlus::new(values))),
        _ => Algorithm::Ledbat(Box::new(Ledbat::new(values))),
    },
};

/// The initial and the smallest window.
pub(crate) const WINDOW_MIN: f64 = 2.0;
/// Slow start ends at this part of the target.
pub(crate) const EXIT_SHARE: f64 = 0.75;
/// The window exceeds what was in flight by no more.
const ALLOWED_INCREASE: f64 = 1.0;

/// LEDBAT.
#[derive(Clone, Copy, Debug)]
pub struct Ledbat {
    target_s: f64,
    gain: f64,
    slow_start: bool,
    delays: Delays,
    flight: f64,
}

impl Ledbat {
    fn new(values: &Values) -> Ledbat {
        Ledbat {
            target_s: values.get("target"),
            gain: values.get("gain"),
            slow_start: values.on("slow_start"),
            delays: Delays::default(),
            flight: 0.0,
        }
    }
}

impl CongestionControl for Ledbat {
    fn needs(&self) -> Needs {
        Needs { rtt_stamps: true, ..Needs::default() }
    }

    fn slow_start(&self) -> Option<Kind> {
        None
    }

    fn on_established(&mut self, w: &mut Window, _c: &Connection) {
        w.cwnd = w.cwnd.min(WINDOW_MIN);
        if !self.slow_start {
            w.ssthresh = WINDOW_MIN;
        }
    }

    #[inline]
    fn on_rtt_sampled(&mut self, _w: &mut Window, c: &Connection, s: &RttSample) {
        self.flight = f64::from(s.in_flight);
        if let Some(forward) = s.forward {
            self.delays.on_sampled(forward.as_secs_f64(), c.now);
        }
    }

    #[inline]
    fn on_acked(&mut self, w: &mut Window, c: &Connection, acked: u32) {
        let Some(queueing_s) = self.delays.queueing_s() else { return };
        if w.in_slow_start() && queueing_s > EXIT_SHARE * self.target_s {
            w.ssthresh = w.cwnd.max(WINDOW_MIN);
        }
        if w.in_slow_start() {
            if c.cwnd_limited {
                w.slow_start_real(acked);
            }
            return;
        }
        let off_target = (self.target_s - queueing_s) / self.target_s;
        let step = self.gain * off_target * f64::from(acked) / w.cwnd;
        if step < 0.0 || c.cwnd_limited {
            w.cwnd = (w.cwnd + step).min(self.flight + ALLOWED_INCREASE).max(WINDOW_MIN);
            w.ssthresh = w.ssthresh.min(w.cwnd);
        }
    }

    fn ssthresh(&mut self, w: &mut Window, _c: &Connection) -> f64 {
        (0.5 * w.cwnd).max(WINDOW_MIN)
    }

    fn variable_names(&self) -> &'static [&'static str] {
        &["queueing_s", "base_delay_s"]
    }

    fn variables(&self, out: &mut [f64]) {
        let queueing_s = self.delays.queueing_s();
        out[0] = queueing_s.unwrap_or(f64::NAN);
        out[1] = queueing_s.map_or(f64::NAN, |_| self.delays.base_s());
    }
}
