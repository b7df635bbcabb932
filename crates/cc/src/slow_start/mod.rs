//! Slow start as a part of its own: what an ACK is worth below the threshold, and when the threshold is set before a loss sets it.
//!
//! A part stands in front of the law. In slow start it says how many segments an ACK counts for, and the law grows by those as it
//! always does; on RTT samples it may set the threshold. A law with a slow start of its own takes none of them.

mod hystart;
mod hystart_plus_plus;
mod limited;

use units::Duration;

use crate::{CaState, Connection, RttSamples, Window};
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

/// An RTT sample beside the smallest RTT known.
#[derive(Clone, Copy, Debug)]
pub(crate) struct RttOnPath {
    pub(crate) rtt: Duration,
    pub(crate) path: Duration,
}

/// The state of the part that a connection has, and what of it matters to an ACK.
#[derive(Clone, Debug)]
pub(crate) struct SlowStart {
    /// In slow start an ACK may count for less than it acknowledges.
    pub(crate) shapes: bool,
    /// In slow start an RTT sample may end it.
    pub(crate) watches: bool,
    part: Part,
}

/// What only some flows have, and only for their first seconds, lies elsewhere: it would make every flow larger.
#[derive(Clone, Debug)]
enum Part {
    Standard,
    None,
    Limited(Limited),
    HyStart(Box<HyStart>),
    HyStartPlusPlus(Box<HyStartPlusPlus>),
}

impl SlowStart {
    pub(crate) fn new(kind: Kind) -> SlowStart {
        let part = match kind {
            Kind::Standard => Part::Standard,
            Kind::Limited => Part::Limited(Limited::default()),
            Kind::HyStart => Part::HyStart(Box::new(HyStart::new())),
            Kind::HyStartPlusPlus => Part::HyStartPlusPlus(Box::new(HyStartPlusPlus::new())),
            Kind::None => Part::None,
        };
        SlowStart {
            shapes: matches!(part, Part::Limited(_) | Part::HyStartPlusPlus(_)),
            watches: matches!(part, Part::HyStart(_) | Part::HyStartPlusPlus(_)),
            part,
        }
    }

    /// It looks at the transport's pacing rate.
    pub(crate) fn needs_rate(&self) -> bool {
        matches!(self.part, Part::HyStart(_))
    }

    /// The RTT samples of a law that asks for these, behind this part.
    pub(crate) fn rtt_samples(&self, of_law: RttSamples) -> RttSamples {
        let watches = matches!(self.part, Part::HyStart(_) | Part::HyStartPlusPlus(_));
        if watches && of_law == RttSamples::Unused {
            RttSamples::ByStack
        } else {
            of_law
        }
    }

    pub(crate) fn on_established(&mut self, w: &mut Window, c: &Connection) {
        match &mut self.part {
            Part::None => w.ssthresh = w.cwnd.max(2.0),
            Part::HyStart(part) => part.start_round(c),
            _ => {}
        }
    }

    /// An RTT sample in slow start.
    pub(crate) fn on_rtt_sampled(&mut self, w: &mut Window, c: &Connection, sample: RttOnPath) {
        match &mut self.part {
            // After an exit it rests until a timeout.
            Part::HyStart(part) => self.watches = !part.ends(w, c, sample),
            Part::HyStartPlusPlus(part) => part.on_rtt_sampled(w, c, sample.rtt),
            _ => {}
        }
    }

    /// How many segments the law may grow by for `acked` delivered in slow start.
    pub(crate) fn worth(&mut self, w: &Window, c: &Connection, acked: u32) -> u32 {
        match &mut self.part {
            Part::Limited(part) => part.worth(w, acked),
            Part::HyStartPlusPlus(part) => part.worth(w, c, acked),
            _ => acked,
        }
    }

    pub(crate) fn on_state_changed(&mut self, c: &Connection, to: CaState) {
        if let (Part::HyStart(part), CaState::Loss) = (&mut self.part, to) {
            self.watches = true;
            part.start_round(c);
        }
    }
}
