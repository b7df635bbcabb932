//! BBR version 3: BBR that bounds rate and in-flight by what loss tells, over a long and a short term.
//!
//! Source: draft-ietf-ccwg-bbr-06 (July 2026). Its names inflight_longterm and so on are here `inflight_long`.
//! Units: segments, segments per second, seconds, real-valued; instants in `Time`, spans in `Duration`.
//! State: one part per file: bandwidth and aggregation, the pipe, the short and the long term, the probing cycle, the RTT probe, the undo.
//! Departures: the bandwidth filter holds the current and the previous cycle, as the draft's text has it, which is one cycle less than
//! the general filter it names. `ssthresh` shows where Startup ended and has no effect. No response to ECN: the draft has none.

mod bandwidth;
mod idle;
mod long_term;
mod output;
mod probe_bw;
mod probe_rtt;
mod protocol;
mod sample;
mod short_term;
mod startup;
mod state;
mod undo;
mod variables;

use units::{ByteRate, Duration, Stream};

use self::bandwidth::{Aggregation, Bandwidth};
use self::long_term::LongTerm;
use self::probe_bw::Cycle;
use self::probe_rtt::MinRtt;
pub use self::protocol::{build, PROTOCOL};
use self::sample::Sample;
use self::short_term::ShortTerm;
use self::startup::Pipe;
use self::state::{State, STARTUP_GAIN};
use self::undo::Undo;
use super::real::smaller;
use super::rounds::Rounds;
use crate::{CaEvent, CaState, CongestionControl, Connection, Control, LostSegment, Needs, RateSample, Window, SSTHRESH_INFINITE};

/// Tolerated loss of a round trip while probing.
const LOSS_THRESHOLD: f64 = 0.02;
/// A lossy round leaves this part.
const BETA: f64 = 0.7;
/// Part of the long-term in-flight left to others.
const HEADROOM: f64 = 0.15;
/// The smallest window, segments.
const WINDOW_MIN: f64 = 4.0;

/// BBR version 3.
#[derive(Clone, Debug, Default)]
pub struct Bbr3 {
    state: State,
    /// Segments per second: the smaller of the largest measured and the short term's.
    bw: f64,
    /// Segments per second.
    pacing_rate: f64,
    mss: f64,
    /// C.InitialCwnd, segments.
    initial: f64,
    rounds: Rounds,
    /// Something was sent after an idle time, and nothing of it delivered yet.
    restarts: bool,
    bandwidth: Bandwidth,
    aggregation: Aggregation,
    pipe: Pipe,
    short: ShortTerm,
    long: LongTerm,
    cycle: Cycle,
    rtt: MinRtt,
    undo: Undo,
}

impl CongestionControl for Bbr3 {
    fn needs(&self) -> Needs {
        Needs { control: Control::FullByRate, ..Needs::default() }
    }

    fn on_seeded(&mut self, stream: Stream) {
        self.cycle.stream = stream;
    }

    fn on_established(&mut self, w: &mut Window, c: &Connection) {
        w.ssthresh = SSTHRESH_INFINITE;
        self.mss = f64::from(c.mss);
        self.initial = w.cwnd;
        let srtt = Duration::from_us(u64::from(c.srtt8_us >> 3));
        self.rtt.start(srtt, c.now);
        self.aggregation.restart(c.now);
        self.rounds.restart(c.delivered);
        let per = if srtt > Duration::ZERO { srtt } else { Duration::from_ms(1) };
        self.pacing_rate = STARTUP_GAIN * w.cwnd / per.as_secs_f64();
    }

    fn on_acked(&mut self, _w: &mut Window, _c: &Connection, _acked: u32) {}

    fn on_segment_lost(&mut self, w: &mut Window, c: &Connection, s: &LostSegment) {
        self.note_loss(w, c, s);
        self.check_lost_probe(w, c, s);
    }

    fn on_rate_sampled(&mut self, w: &mut Window, c: &Connection, s: &RateSample) {
        let s = &Sample::new(s);
        self.update_latest(c, s);
        self.update_congestion(w, c, s);
        self.update_aggregation(w, c, s);
        self.check_full_pipe(s);
        if matches!(self.state, State::Startup | State::Drain) {
            self.check_startup_done(w, c, s);
            self.check_drain_done(c);
        }
        self.update_cycle(w, c, s);
        self.update_min_rtt(c, s);
        self.check_probe_rtt(w, c, s);
        self.advance_latest(s);
        self.bw = smaller(self.bandwidth.largest(), self.short.bw);
        self.pace(self.state.pacing_gain());
        self.set_cwnd(w, c, s);
    }

    fn holds_back(&self) -> bool {
        self.rtt.held_back
    }

    /// A recovery begins. The rest of what an undo gives back was saved at the round's first loss, before it changed anything.
    fn ssthresh(&mut self, w: &mut Window, c: &Connection) -> f64 {
        self.save_cwnd(w, c);
        w.ssthresh
    }

    fn on_state_changed(&mut self, w: &mut Window, c: &Connection, to: CaState) {
        if c.ca_state >= CaState::Recovery && to < CaState::Recovery {
            w.cwnd = self.restored_cwnd(w);
            self.undo.state = None;
        }
    }

    fn on_event(&mut self, w: &mut Window, c: &Connection, e: CaEvent) {
        if e == CaEvent::TxStarted && c.app_limited_until > 0 {
            self.restart_from_idle(w, c);
        }
    }

    fn undo(&mut self, w: &mut Window, c: &Connection) -> f64 {
        w.cwnd = self.restored_cwnd(w);
        self.handle_spurious_loss(c);
        w.cwnd
    }

    fn pacing_rate(&self, _w: &Window, _c: &Connection) -> Option<ByteRate> {
        // Signed, for the conversion is then shorter.
        Some(ByteRate(((self.pacing_rate * self.mss) as i64).max(1) as u64))
    }

    fn variable_names(&self) -> &'static [&'static str] {
        variables::NAMES
    }

    fn variables(&self, out: &mut [f64]) {
        self.describe(out);
    }
}
