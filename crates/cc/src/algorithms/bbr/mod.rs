//! BBR: keeps the flow at the estimated bandwidth, with about a bandwidth-delay product in flight.
//!
//! Source: Cardwell et al., ACM Queue 14(5), 2016; draft-cardwell-iccrg-bbr-congestion-control-00; Linux 6.1 `tcp_bbr`.
//! Units: segments; microseconds; bandwidth in 2^-24 segments per microsecond; gains in 1/256; integers as in Linux.
//! State: one part per file: the model of the path, the pipe filled or not, the gain cycle, the RTT probe, the policer, aggregation,
//! recovery.
//! Departures: segments leave one by one, not in offload bursts, so in-flight is taken now and not at the next burst's departure. No
//! ACK counts as delayed for its lone short segment: all segments are full.

mod aggregation;
mod bandwidth;
mod idle;
mod mode;
mod output;
mod policer;
mod probe_bw;
mod probe_rtt;
mod protocol;
mod recorded;
mod recovery;
mod startup;
mod target;

use units::{ByteRate, Stream, Time};

use self::aggregation::Aggregation;
use self::bandwidth::Rate;
use self::mode::{Mode, HIGH_GAIN};
use self::output::Pacing;
use self::policer::Policer;
use self::probe_bw::Cycle;
use self::probe_rtt::{MinRtt, ProbeRtt};
pub use self::protocol::{build, PROTOCOL};
use self::recovery::Recovery;
use self::startup::Pipe;
use self::target::Product;
use super::rounds::Rounds;
use super::windowed_max::WindowedMax;
use crate::{CaEvent, CaState, CongestionControl, Connection, Control, Needs, RateSample, Window, SSTHRESH_INFINITE};

/// Gain one.
const UNIT: u64 = 256;
/// Bits behind the point of a bandwidth.
const BW_SHIFT: u32 = 24;

/// BBR version 1.
#[derive(Clone, Debug)]
pub struct Bbr {
    mode: Mode,
    pacing_gain: u64,
    cwnd_gain: u64,
    pacing: Pacing,
    /// What the window moves towards, without what is added to it.
    target: Product,
    bw: WindowedMax<u64>,
    rounds: Rounds,
    min_rtt: MinRtt,
    /// Something was sent after an idle time, and nothing of it delivered yet.
    restarts: bool,
    delivered_at: Time,
    /// The same in whole microseconds, as Linux has it.
    delivered_us: u64,
    pipe: Pipe,
    cycle: Cycle,
    probe_rtt: ProbeRtt,
    policer: Policer,
    aggregation: Aggregation,
    recovery: Recovery,
}

impl Bbr {
    #[inline]
    fn note_delivery(&mut self, at: Time) {
        self.delivered_at = at;
        self.delivered_us = at.as_us();
    }
}

impl CongestionControl for Bbr {
    fn needs(&self) -> Needs {
        Needs { control: Control::FullByRate, ..Needs::default() }
    }

    fn on_seeded(&mut self, stream: Stream) {
        self.cycle.stream = stream;
    }

    fn on_established(&mut self, w: &mut Window, c: &Connection) {
        w.ssthresh = SSTHRESH_INFINITE;
        self.min_rtt.start(c);
        self.note_delivery(c.now);
        self.rounds.restart(c.delivered);
        self.aggregation.restart(c.now);
        self.pace_from_rtt(w, c);
    }

    fn on_acked(&mut self, _w: &mut Window, _c: &Connection, _acked: u32) {}

    fn on_rate_sampled(&mut self, w: &mut Window, c: &Connection, s: &RateSample) {
        self.note_delivery(s.delivered_at);
        self.rounds.just_began = false;
        if let (Some(delivered), Some(interval)) = (s.delivered, s.interval) {
            self.update_bw(c, s, Rate { delivered, interval });
            if s.acked > 0 {
                self.update_aggregation(w, s.acked);
            }
        }
        if self.mode == Mode::ProbeBw {
            self.update_cycle(s);
        } else {
            // In ProbeBW the pipe is full.
            self.check_full_pipe(s);
            self.check_drain(w, c);
        }
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
            self.restart_from_loss(c);
        }
    }

    fn on_event(&mut self, w: &mut Window, c: &Connection, e: CaEvent) {
        if e == CaEvent::TxStarted && c.app_limited_until > 0 {
            self.restart_from_idle(w, c);
        }
    }

    /// The loss was none: the window stays as it is, and the pipe may be larger than it seemed.
    fn undo(&mut self, w: &mut Window, c: &Connection) -> f64 {
        self.pipe.forget();
        self.policer.reset(self.delivered_at, c);
        w.cwnd
    }

    fn pacing_rate(&self, _w: &Window, _c: &Connection) -> Option<ByteRate> {
        Some(self.pacing.rate.max(ByteRate(1)))
    }

    fn variable_names(&self) -> &'static [&'static str] {
        &["mode", "bw_segments_s", "min_rtt_s", "pacing_gain", "cwnd_gain", "extra_acked", "round", "policed"]
    }

    fn variables(&self, out: &mut [f64]) {
        self.describe(out);
    }
}
