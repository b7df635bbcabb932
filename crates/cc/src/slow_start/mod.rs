//! Slow start as a part of its own: what an ACK is worth below the threshold, and when the threshold is set before a loss sets it.
//!
//! A part stands in front of the law. In slow start it says how many segments an ACK counts for, and the law grows by those as it
//! always does; on RTT samples it may set the threshold. A law with a slow start of its own takes none of them.

mod hystart;
mod hystart_plus_plus;
mod limited;

use units::Time;

use crate::{CaState, Connection, Window};
use hystart::HyStart;
use hystart_plus_plus::HyStartPlusPlus;
use limited::Limited;

/// The parts by name.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// A segment more per segment acknowledged, until loss (RFC 5681).
    Standard,
    /// At most 50 segments more per round trip above 100 (RFC 3742).
    Limited,
    /// Ends at a long ACK train or a risen RTT (Linux).
    HyStart,
    /// A risen RTT slows it to a quarter first, five rounds later it ends (RFC 9406).
    HyStartPlusPlus,
    /// Congestion avoidance from the start.
    None,
}

impl Kind {
    /// All of them, the usual one first.
    pub const ALL: [Kind; 5] = [Kind::Standard, Kind::Limited, Kind::HyStart, Kind::HyStartPlusPlus, Kind::None];

    /// The word for it in scenarios.
    pub fn name(self) -> &'static str {
        match self {
            Kind::Standard => "standard",
            Kind::Limited => "limited",
            Kind::HyStart => "hystart",
            Kind::HyStartPlusPlus => "hystart++",
            Kind::None => "none",
        }
    }

    /// The part of that name.
    pub fn of_name(name: &str) -> Option<Kind> {
        Kind::ALL.into_iter().find(|kind| kind.name() == name)
    }
}

/// The state of a part. What only some flows have, and only for their first seconds, lies elsewhere: it would make every flow larger.
#[derive(Clone, Debug)]
pub(crate) enum SlowStart {
    Standard,
    None,
    Limited(Limited),
    /// With whether it has ended a slow start: then it rests until a timeout.
    HyStart(Box<HyStart>, bool),
    HyStartPlusPlus(Box<HyStartPlusPlus>),
}

impl SlowStart {
    pub(crate) fn new(kind: Kind) -> SlowStart {
        match kind {
            Kind::Standard => SlowStart::Standard,
            Kind::Limited => SlowStart::Limited(Limited::default()),
            Kind::HyStart => SlowStart::HyStart(Box::new(HyStart::new()), false),
            Kind::HyStartPlusPlus => SlowStart::HyStartPlusPlus(Box::new(HyStartPlusPlus::new())),
            Kind::None => SlowStart::None,
        }
    }

    pub(crate) fn on_established(&mut self, w: &mut Window, c: &Connection) {
        match self {
            SlowStart::None => w.ssthresh = w.cwnd.max(2.0),
            SlowStart::HyStart(part, _) => part.restart(c),
            _ => {}
        }
    }

    /// Whether RTT samples can still end slow start.
    #[inline]
    pub(crate) fn is_watching(&self) -> bool {
        match self {
            SlowStart::HyStart(_, has_ended) => !has_ended,
            SlowStart::HyStartPlusPlus(_) => true,
            _ => false,
        }
    }

    /// An RTT sample that shows the path, in any state of the window.
    pub(crate) fn on_rtt_sampled(&mut self, w: &mut Window, c: &Connection, rtt: Time) {
        match self {
            SlowStart::HyStart(part, has_ended) => *has_ended = part.on_rtt_sampled(w, c, rtt),
            SlowStart::HyStartPlusPlus(part) => part.on_rtt_sampled(w, c, rtt),
            _ => {}
        }
    }

    /// How many segments the law may grow by for `acked` delivered.
    #[inline]
    pub(crate) fn worth(&mut self, w: &Window, c: &Connection, acked: u32) -> u32 {
        match self {
            SlowStart::Standard | SlowStart::None | SlowStart::HyStart(..) => acked,
            SlowStart::Limited(part) if w.in_slow_start() => part.worth(w, acked),
            SlowStart::HyStartPlusPlus(part) if w.in_slow_start() => part.worth(w, c, acked),
            _ => acked,
        }
    }

    pub(crate) fn on_state_changed(&mut self, c: &Connection, to: CaState) {
        if let (SlowStart::HyStart(part, has_ended), CaState::Loss) = (self, to) {
            *has_ended = false;
            part.restart(c);
        }
    }
}
