//! Links that change in time: their rate, by steps or by a trace, their propagation, the size of their queue.

mod delay;
mod limit;
mod rate;
mod trace;

pub use delay::DelaySteps;
pub use limit::LimitSteps;
pub use rate::RateSteps;
pub use trace::Trace;

use std::ops::Range;

use units::Time;

use crate::spec::Limit;

/// How a link serves that has no constant rate.
#[derive(Clone, Debug, PartialEq)]
pub enum Service {
    /// At a rate that holds until the next step.
    Steps(RateSteps),
    /// When a trace says so.
    Trace(Trace),
}

impl Service {
    /// When a packet of `bytes` leaves that follows one which left at `starts`, or after idle time arrives at `starts`.
    pub(crate) fn departure(&mut self, starts: Time, was_idle: bool, bytes: u32) -> Time {
        match self {
            Service::Steps(steps) => steps.departure(starts, was_idle, u64::from(bytes)),
            Service::Trace(trace) => trace.departure(starts, was_idle, bytes),
        }
    }

    /// Bytes that could have left after `from` up to `to`.
    pub(crate) fn capacity_bytes(&self, span: Range<Time>) -> f64 {
        match self {
            Service::Steps(steps) => steps.capacity_bytes(span),
            Service::Trace(trace) => trace.capacity_bytes(span),
        }
    }
}

/// What changes about a link.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Changes {
    /// Service other than at the link's constant rate.
    pub service: Option<Service>,
    /// Propagation besides that of the paths over it.
    pub delay: Option<DelaySteps>,
    /// Sizes of the queue that follow the first.
    pub limit: Option<LimitSteps>,
}

impl Changes {
    /// When the next step of the queue's size comes.
    pub(crate) fn limit_at(&self) -> Time {
        self.limit.as_ref().map_or(Time::NEVER, LimitSteps::next_at)
    }

    /// The queue's size since a step up to `now`; none if none came since the last call.
    pub(crate) fn new_limit(&mut self, now: Time) -> Option<Limit> {
        self.limit.as_mut().and_then(|steps| steps.passed(now))
    }

    /// Whether there is none.
    pub fn is_empty(&self) -> bool {
        self.service.is_none() && self.delay.is_none() && self.limit.is_none()
    }
}
