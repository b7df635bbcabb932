//! The states, and the gains of each over the bandwidth and the bandwidth-delay product.
//!
//! Source: draft-ietf-ccwg-bbr-06.

/// 4 ln 2, as the draft rounds it: doubles the rate each round trip.
pub(super) const STARTUP_GAIN: f64 = 2.77;
pub(super) const DRAIN_GAIN: f64 = 0.5;
const DOWN_GAIN: f64 = 0.9;
const UP_GAIN: f64 = 1.25;
pub(super) const CWND_GAIN: f64 = 2.0;
const UP_CWND_GAIN: f64 = 2.25;
pub(super) const PROBE_RTT_CWND_GAIN: f64 = 0.5;

/// What BBR is doing.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) enum State {
    #[default]
    Startup,
    Drain,
    Down,
    Cruise,
    Refill,
    Up,
    ProbeRtt,
}

impl State {
    pub(super) fn pacing_gain(self) -> f64 {
        match self {
            State::Startup => STARTUP_GAIN,
            State::Drain => DRAIN_GAIN,
            State::Down => DOWN_GAIN,
            State::Up => UP_GAIN,
            State::Cruise | State::Refill | State::ProbeRtt => 1.0,
        }
    }

    pub(super) fn cwnd_gain(self) -> f64 {
        match self {
            State::Up => UP_CWND_GAIN,
            State::ProbeRtt => PROBE_RTT_CWND_GAIN,
            _ => CWND_GAIN,
        }
    }

    pub(super) fn is_probe_bw(self) -> bool {
        matches!(self, State::Down | State::Cruise | State::Refill | State::Up)
    }

    pub(super) fn accelerates(self) -> bool {
        matches!(self, State::Startup | State::Refill | State::Up)
    }
}
