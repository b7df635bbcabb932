//! BBR: keeps the flow at the estimated bandwidth, with about a bandwidth-delay product in flight.
//!
//! Source: Cardwell et al., ACM Queue 14(5), 2016; draft-cardwell-iccrg-bbr-congestion-control-00; Linux 6.1 `tcp_bbr`.
//! Units: segments; microseconds; bandwidth in 2^-24 segments per microsecond; gains in 1/256; integers as in Linux.
//! State: one part per file: the model of the path, the pipe filled or not, the gain cycle, the RTT probe, the policer, aggregation,
//! recovery.
//! Departures: segments leave one by one, not in offload bursts, so in-flight is taken now and not at the next burst's departure. No
//! ACK counts as delayed for its lone short segment: all segments are full.

mod aggregation;
mod output;
mod policer;
mod probe_bw;
mod probe_rtt;
mod recorded;
mod recovery;
mod startup;

use units::{Stream, Time};

use self::aggregation::Aggregation;
use self::policer::Policer;
use self::probe_bw::Cycle;
use self::probe_rtt::ProbeRtt;
use self::recovery::Recovery;
use self::startup::Pipe;
use super::rounds::Rounds;
use super::windowed_max::WindowedMax;
use super::{borrows, runs};
use crate::parameter::{Constant, Parameter, Protocol, Values, Variant};
use crate::{Algorithm, CaEvent, CaState, CongestionControl, Connection, Needs, RateSample, Window, SSTHRESH_INFINITE};

const LINUX61: &str = "linux-6.1";

/// The registry's description.
pub const PROTOCOL: Protocol = Protocol {
    name: "bbr",
    aliases: &["bbr1"],
    family: "model-based",
    year: 2016,
    source: "Cardwell et al. 2016; Linux 6.1",
    summary: "Sends at the largest delivery rate of ten round trips, with twice the bandwidth-delay product in flight at most.",
    signals: &["rate", "rtt", "loss"],
    variants: &[Variant { name: LINUX61, aliases: &["linux"], summary: "Linux 6.1, integer arithmetic.", exact_kernel: true }],
    parameters: &[Parameter {
        name: "phase_draw",
        unit: "1",
        min: -1.0,
        max: 6.0,
        defaults: &[(LINUX61, -1.0)],
        doc: "Instead of a random draw from 0 to 6, whenever the gain cycle begins; -1 draws.",
    }],
    constants: &[
        Constant { name: "high_gain", variant: LINUX61, value: HIGH_GAIN as f64 / UNIT as f64, unit: "1" },
        Constant { name: "drain_gain", variant: LINUX61, value: DRAIN_GAIN as f64 / UNIT as f64, unit: "1" },
        Constant { name: "cwnd_gain", variant: LINUX61, value: CWND_GAIN as f64 / UNIT as f64, unit: "1" },
        Constant { name: "min_rtt_window", variant: LINUX61, value: 10.0, unit: "s" },
    ],
    profiles: &[
        runs("linux-6.1", LINUX61),
        borrows("linux-2.6.23", LINUX61),
        borrows("altaimd-2.6.6", LINUX61),
        borrows("linux-2.4", LINUX61),
        borrows("rfc", LINUX61),
    ],
    build: |values| Algorithm::Bbr(Box::new(Bbr::new(values))),
};

/// Gain one.
const UNIT: u64 = 256;
/// 2/ln 2: doubles the rate each round trip.
const HIGH_GAIN: u64 = 739;
/// The inverse of the high gain.
const DRAIN_GAIN: u64 = 88;
/// Twice the bandwidth-delay product: room for delayed ACKs.
const CWND_GAIN: u64 = 512;
/// Bits behind the point of a bandwidth.
const BW_SHIFT: u32 = 24;
/// The bandwidth is the largest of this many rounds.
const BW_ROUNDS: u64 = 10;
/// The smallest window, segments.
const WINDOW_MIN: u32 = 4;
/// The initial window, segments.
const WINDOW_INITIAL: u64 = 10;

/// What BBR is doing.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Mode {
    Startup,
    Drain,
    ProbeBw,
    ProbeRtt,
}

/// BBR version 1.
#[derive(Clone, Debug)]
pub struct Bbr {
    mode: Mode,
    pacing_gain: u64,
    cwnd_gain: u64,
    /// Bytes per second.
    pacing_rate: u64,
    /// Segments that Linux would send at once at that rate.
    burst: u64,
    has_seen_rtt: bool,
    bw: WindowedMax<u64>,
    rounds: Rounds,
    /// `u64::MAX` before the first sample.
    min_rtt_us: u64,
    min_rtt_at: Time,
    /// Something was sent after an idle time, and nothing of it delivered yet.
    restarts: bool,
    delivered_at: Time,
    pipe: Pipe,
    cycle: Cycle,
    probe_rtt: ProbeRtt,
    policer: Policer,
    aggregation: Aggregation,
    recovery: Recovery,
}

/// The kernel's clock of 1000 ticks per second.
fn ticks(at: Time) -> u64 {
    at.as_ms()
}

impl Bbr {
    fn new(values: &Values) -> Bbr {
        let draw = values.get("phase_draw");
        Bbr {
            mode: Mode::Startup,
            pacing_gain: HIGH_GAIN,
            cwnd_gain: HIGH_GAIN,
            pacing_rate: 0,
            burst: 0,
            has_seen_rtt: false,
            bw: WindowedMax::default(),
            rounds: Rounds::default(),
            min_rtt_us: u64::MAX,
            min_rtt_at: Time::ZERO,
            restarts: false,
            delivered_at: Time::ZERO,
            pipe: Pipe::default(),
            cycle: Cycle::new((draw >= 0.0).then_some(draw as u64)),
            probe_rtt: ProbeRtt::default(),
            policer: Policer::default(),
            aggregation: Aggregation::default(),
            recovery: Recovery::default(),
        }
    }

    /// The largest bandwidth of ten rounds.
    fn max_bw(&self) -> u64 {
        self.bw.largest()
    }

    /// The bandwidth believed in: a policer's, where one was found.
    fn bw(&self) -> u64 {
        self.policer.bw().unwrap_or_else(|| self.max_bw())
    }

    /// Rounds, the policer's intervals and the bandwidth filter.
    fn update_bw(&mut self, c: &Connection, s: &RateSample) {
        self.rounds.just_began = false;
        let (Some(delivered), Some(interval)) = (s.delivered, s.interval) else { return };
        self.rounds.on_delivered(s.prior_delivered, c.delivered);
        if self.rounds.just_began {
            self.recovery.conserves = false;
        }
        self.sample_policer(c, s);
        let bw = (u64::from(delivered) << BW_SHIFT) / interval.as_us().max(1);
        if !s.app_limited || bw >= self.max_bw() {
            self.bw.on_sampled(self.rounds.count, bw, BW_ROUNDS);
        }
    }

    fn update_gains(&mut self) {
        (self.pacing_gain, self.cwnd_gain) = match self.mode {
            Mode::Startup => (HIGH_GAIN, HIGH_GAIN),
            Mode::Drain => (DRAIN_GAIN, HIGH_GAIN),
            Mode::ProbeBw => (if self.policer.bw().is_some() { UNIT } else { self.cycle.gain() }, CWND_GAIN),
            Mode::ProbeRtt => (UNIT, UNIT),
        };
    }

    /// Leaves ProbeRTT or a timeout for what comes next.
    fn resume(&mut self) {
        if self.pipe.is_full() {
            self.enter_probe_bw();
        } else {
            self.mode = Mode::Startup;
        }
    }
}

impl CongestionControl for Bbr {
    fn needs(&self) -> Needs {
        Needs { full_control: true, rate_samples: true, rtt_stamps: true, pacing: true, ..Needs::default() }
    }

    fn on_seeded(&mut self, stream: Stream) {
        self.cycle.stream = stream;
    }

    fn on_established(&mut self, w: &mut Window, c: &Connection) {
        w.ssthresh = SSTHRESH_INFINITE;
        if c.rtt_min != Time::NEVER {
            self.min_rtt_us = c.rtt_min.as_us().max(1);
        }
        self.min_rtt_at = c.now;
        self.delivered_at = c.now;
        self.rounds.restart(c.delivered);
        self.aggregation.restart(c.now);
        self.pace_from_rtt(w, c);
    }

    fn on_acked(&mut self, _w: &mut Window, _c: &Connection, _acked: u32) {}

    fn on_rate_sampled(&mut self, w: &mut Window, c: &Connection, s: &RateSample) {
        self.delivered_at = s.delivered_at;
        self.update_bw(c, s);
        self.update_aggregation(w, s);
        self.update_cycle(s);
        self.check_full_pipe(s);
        self.check_drain(w, c);
        self.update_min_rtt(w, c, s);
        self.update_gains();
        self.pace(w, c);
        self.set_cwnd(w, c, s);
    }

    fn holds_back(&self) -> bool {
        self.probe_rtt.held_back
    }

    fn ssthresh(&mut self, w: &mut Window, _c: &Connection) -> f64 {
        self.save_cwnd(w);
        w.ssthresh
    }

    fn on_state_changed(&mut self, _w: &mut Window, c: &Connection, to: CaState) {
        if to == CaState::Loss {
            self.recovery.state = CaState::Loss;
            self.pipe.forget_level();
            self.rounds.just_began = true;
            self.on_timeout_for_policer(c);
        }
    }

    fn on_event(&mut self, w: &mut Window, c: &Connection, e: CaEvent) {
        if e == CaEvent::TxStarted && c.app_limited_until > 0 {
            self.restarts = true;
            self.aggregation.restart(c.now);
            if self.mode == Mode::ProbeBw {
                self.pace_at(self.bw(), UNIT, w, c);
            } else if self.mode == Mode::ProbeRtt {
                self.check_probe_rtt_done(w, c);
            }
        }
    }

    /// The loss was none: the window stays as it is, and the pipe may be larger than it seemed.
    fn undo(&mut self, w: &mut Window, c: &Connection) -> f64 {
        self.pipe.forget();
        self.policer.reset(self.delivered_at, c);
        w.cwnd
    }

    fn pacing_rate(&self, _w: &Window, _c: &Connection) -> Option<u64> {
        Some(self.pacing_rate.max(1))
    }

    fn variable_names(&self) -> &'static [&'static str] {
        &["mode", "bw_segments_s", "min_rtt_s", "pacing_gain", "cwnd_gain", "extra_acked", "round", "policed"]
    }

    fn variables(&self, out: &mut [f64]) {
        self.describe(out);
    }
}
