//! A queue's size that steps, as `tc qdisc change` sets it on Linux.
//!
//! A step takes nothing out of the queue: what stands in it stays (Linux's `fifo_change_tail_drop` in `net/sched/sch_fifo.c` sets the limit and touches
//! no packet). From then on a packet that arrives meets the new size.

use units::Time;

use crate::spec::Limit;

/// Sizes that follow a queue's first one, each from its time on.
#[derive(Clone, Debug, PartialEq)]
pub struct LimitSteps {
    /// When, and the size from then on; ascending.
    steps: Vec<(Time, Limit)>,
    /// Steps that are past.
    past: usize,
}

impl LimitSteps {
    /// `steps` are (when, the size from then on), ascending in time.
    pub fn new(steps: Vec<(Time, Limit)>) -> LimitSteps {
        LimitSteps { steps, past: 0 }
    }

    /// All sizes there will be.
    pub fn limits(&self) -> impl Iterator<Item = Limit> + '_ {
        self.steps.iter().map(|&(_, limit)| limit)
    }

    /// When the next step comes; never after the last.
    pub(crate) fn next_at(&self) -> Time {
        self.steps.get(self.past).map_or(Time::NEVER, |&(at, _)| at)
    }

    /// The size that holds from a step up to `now` on; none if no step came since the last call.
    pub(crate) fn passed(&mut self, now: Time) -> Option<Limit> {
        let before = self.past;
        while self.next_at() <= now {
            self.past += 1;
        }
        (self.past > before).then(|| self.steps[self.past - 1].1)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn of_several_steps_that_have_passed_the_last_holds_and_each_is_told_once() {
        let ms = Time::from_ms;
        let mut steps = LimitSteps::new(vec![(ms(10), Limit::Packets(5)), (ms(20), Limit::Bytes(3000)), (ms(30), Limit::Packets(9))]);
        let told = [9, 10, 11, 30, 31].map(|now| (steps.passed(ms(now)), steps.next_at()));
        let (five, nine) = (Some(Limit::Packets(5)), Some(Limit::Packets(9)));
        assert_eq!(told, [(None, ms(10)), (five, ms(20)), (None, ms(20)), (nine, Time::NEVER), (None, Time::NEVER)]);
    }
}
