//! Whether time passes: laws from outside may ask for anything, and events without end at one instant would never let a run end.

use cc::GuestFault;
use units::Time;

/// Events at one instant that no run has: a thousand times as many as there may be flows that all begin together.
const EVENTS_MAX: u64 = 1 << 26;

/// When time last passed.
#[derive(Debug, Default)]
pub(super) struct Standstill {
    at: u64,
    since: u64,
}

impl Standstill {
    /// So many `events` were handled, and the next is at `now`: whether too many of them were at that instant.
    pub(super) fn is_at(&mut self, now: u64, events: u64) -> bool {
        if now != self.at {
            *self = Standstill { at: now, since: events };
        }
        events - self.since > EVENTS_MAX
    }

    /// What is said of the flow whose events they are.
    pub(super) fn fault(&self, file: &str, flow: usize) -> GuestFault {
        let what = format!("more than {EVENTS_MAX} of them at one instant; allowed: windows and rates with which time passes");
        GuestFault { file: file.to_owned(), hook: "the events", flow, now: Time(self.at), what }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn events_without_end_at_one_instant_are_found_and_those_at_different_times_are_not() {
        let mut standstill = Standstill::default();
        for turn in 1..=100 {
            assert!(!standstill.is_at(turn, turn * (EVENTS_MAX - 1)));
        }
        let (at, events) = (200, 200 * EVENTS_MAX);
        assert!(!standstill.is_at(at, events) && !standstill.is_at(at, events + EVENTS_MAX));
        assert!(standstill.is_at(at, events + EVENTS_MAX + 1));
        let said = standstill.fault("mine.c", 3).to_string();
        assert_eq!(
            said,
            "mine.c: the events of flow 4 at 0.000000 s: more than 67108864 of them at one instant; \
             allowed: windows and rates with which time passes"
        );
    }
}
