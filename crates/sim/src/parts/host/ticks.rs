//! ACKs that are handled at ticks only: interrupt coalescing, or a host that looks at its device now and then.

use units::{Duration, Time};

/// Ticks of one host, in a flow's clock.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Ticks {
    interval: Duration,
    offset: Duration,
}

impl Ticks {
    /// Ticks every `interval` of a clock that runs `offset` behind the flow's; zero for none.
    pub(crate) fn new(interval: Duration, offset: Duration) -> Ticks {
        Ticks { interval, offset }
    }

    /// The first tick at `at` or after.
    pub(crate) fn not_before(&self, at: Time) -> Time {
        if self.interval == Duration::ZERO {
            return at;
        }
        at.saturating_sub(self.offset).next_multiple_of(self.interval) + self.offset
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_ack_waits_for_the_next_tick() {
        let ticks = Ticks::new(Duration::from_ms(10), Duration::from_ms(3));
        let at = |ms| ticks.not_before(Time::from_ms(ms)).as_ms();
        assert_eq!([at(13), at(14), at(22), at(23), at(24)], [13, 23, 23, 23, 33]);
        assert_eq!(Ticks::default().not_before(Time(7)), Time(7));
    }
}
