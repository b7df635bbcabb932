//! Propagation that steps: a route change, a satellite's hand-over.
//!
//! What leaves the link before a step travels at the old delay. The order is kept: after a step down packets arrive together until the last
//! of the longer way is there.

use units::{Duration, Time};

/// Additional propagation, from each time on.
#[derive(Clone, Debug, PartialEq)]
pub struct DelaySteps {
    /// When, and how much from then on; ascending.
    steps: Vec<(Time, Duration)>,
    /// Steps that are past.
    past: usize,
    latest: Time,
}

impl DelaySteps {
    /// None before the first step; `steps` are (when, how much from then on), ascending in time.
    pub fn new(steps: Vec<(Time, Duration)>) -> DelaySteps {
        DelaySteps { steps, past: 0, latest: Time::ZERO }
    }

    /// `departs` plus the additional propagation of a packet that leaves then, and not before an earlier packet's. Departures ascend.
    pub fn arrival(&mut self, departs: Time) -> Time {
        while self.steps.get(self.past).is_some_and(|&(at, _)| at <= departs) {
            self.past += 1;
        }
        let extra = self.past.checked_sub(1).map_or(Duration::ZERO, |step| self.steps[step].1);
        self.latest = self.latest.max(departs + extra);
        self.latest
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_step_down_keeps_the_order() {
        let (ms, after) = (Time::from_ms, Duration::from_ms);
        let mut steps = DelaySteps::new(vec![(ms(10), after(20)), (ms(30), after(5))]);
        let arrivals = [9, 10, 29, 30, 43, 45].map(|departs| steps.arrival(ms(departs)));
        assert_eq!(arrivals, [9, 30, 49, 49, 49, 50].map(ms));
    }
}
