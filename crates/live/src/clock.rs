//! The network's clock: real time without the time in which the router could not run.
//!
//! A router that was not scheduled for a while would release at once what should have left one by one, and the lump would overflow a queue for no
//! reason of the network's. So when what is due is late by more than [`TOLERATED_NS`], the network's time stands still for as long, and the stall is
//! noted. The price: the rate by a real clock is lower by the part of time that was taken out, and the ends' own clocks see it.

use serde::Serialize;
use units::Time;

/// What may be late without a pause, nanoseconds: three trials of 15 s with 0, 300 and 1000 us moved 127, 139 and 160 MB; it is a choice between.
pub const TOLERATED_NS: u64 = 500_000;

/// A pause of the network's clock.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
pub struct Stall {
    /// Network time at which it stood, nanoseconds.
    pub at_ns: u64,
    /// For so long, nanoseconds.
    pub length_ns: u64,
}

/// The network's clock. The real one is monotonic, nanoseconds.
#[derive(Clone, Debug)]
pub struct Clock {
    begin_ns: u64,
    paused_ns: u64,
    stalls: Vec<Stall>,
}

impl Clock {
    /// A clock that begins at this real time.
    pub fn new(begin_ns: u64) -> Clock {
        Clock { begin_ns, paused_ns: 0, stalls: Vec::new() }
    }

    /// Network time at a real time; the beginning before it.
    pub fn network(&self, real_ns: u64) -> Time {
        Time(real_ns.saturating_sub(self.begin_ns + self.paused_ns))
    }

    /// The real time of a network time, if nothing pauses until then; none of one that never comes.
    pub fn real(&self, at: Time) -> Option<u64> {
        at.0.checked_add(self.begin_ns + self.paused_ns)
    }

    /// It is `now`, and something was due at `due`: stands still if that is too late. Returns the time it is then.
    pub fn absorb(&mut self, now: Time, due: Time) -> Time {
        let late = now.since(due).0;
        if late <= TOLERATED_NS {
            return now;
        }
        self.paused_ns += late;
        self.stalls.push(Stall { at_ns: due.0, length_ns: late });
        due
    }

    /// All time taken out so far, nanoseconds.
    pub fn paused_ns(&self) -> u64 {
        self.paused_ns
    }

    /// The pauses, in the order of their times.
    pub fn into_stalls(self) -> Vec<Stall> {
        self.stalls
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_late_by_half_a_millisecond_is_late_and_what_is_later_stops_the_clock() {
        let mut clock = Clock::new(1_000_000);
        assert_eq!(clock.network(999_999), Time(0));
        assert_eq!(clock.network(6_000_000), Time(5_000_000));
        assert_eq!(clock.absorb(Time(5_000_000), Time(4_500_000)), Time(5_000_000));
        assert_eq!(clock.absorb(Time(5_000_000), Time(4_499_999)), Time(4_499_999));
        assert_eq!(clock.paused_ns(), 500_001);
        // The same real time is earlier in the network from then on, by what was taken out.
        assert_eq!(clock.network(6_000_000), Time(4_499_999));
        assert_eq!(clock.real(Time(4_499_999)), Some(6_000_000));
        assert_eq!(clock.into_stalls(), [Stall { at_ns: 4_499_999, length_ns: 500_001 }]);
    }

    #[test]
    fn nothing_that_is_due_later_stops_the_clock() {
        let mut clock = Clock::new(0);
        assert_eq!(clock.absorb(Time(10), Time::NEVER), Time(10));
        assert_eq!(clock.real(Time::NEVER), Some(u64::MAX));
        assert_eq!(Clock::new(1).real(Time::NEVER), None);
    }
}
