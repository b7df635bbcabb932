//! When the application at the receiver reads what has arrived.

use units::{Duration, Time};

/// How an application reads.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Reads {
    /// What arrives, as it arrives.
    AtOnce,
    /// Every so often as much as this rate makes of the time; what is not there then is not read later.
    Rate {
        /// Payload bits per second.
        bps: u64,
        /// From one read to the next.
        every: Duration,
    },
    /// As it arrives for a while, then nothing for a while, in turns, from the start on.
    OnOff {
        /// How long it reads.
        on: Duration,
        /// How long it pauses.
        off: Duration,
    },
}

/// A reader, and since when it reads.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Reader {
    pub(crate) reads: Reads,
    pub(crate) start: Time,
}

impl Reader {
    /// When it reads next, if something has arrived at `now`; not before.
    pub(crate) fn next(self, now: Time) -> Time {
        let since = now.since(self.start);
        match self.reads {
            Reads::AtOnce => now,
            Reads::Rate { every, .. } => self.start + every * (since / every + 1),
            Reads::OnOff { on, off } => {
                let turn = on + off;
                if Duration(since.0 % turn.0) < on {
                    now
                } else {
                    self.start + turn * (since / turn + 1)
                }
            }
        }
    }

    /// How many bytes it reads at most, at `now`, a time that [`Reader::next`] gave.
    pub(crate) fn budget(self, now: Time) -> u64 {
        let Reads::Rate { bps, every } = self.reads else { return u64::MAX };
        let made = |turns: u64| (u128::from(bps) * u128::from(every.0) * u128::from(turns) / 8_000_000_000) as u64;
        let turn = now.since(self.start) / every;
        made(turn) - made(turn.saturating_sub(1))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const MS: Duration = Duration::from_ms(1);

    /// 1 Mbit/s in reads 10 ms apart is 1250 bytes each, at whole multiples after the start.
    #[test]
    fn a_rate_is_read_in_pieces() {
        let reader = Reader { reads: Reads::Rate { bps: 1_000_000, every: MS * 10 }, start: Time::from_ms(3) };
        assert_eq!(reader.next(Time::from_ms(4)), Time::from_ms(13));
        assert_eq!(reader.next(Time::from_ms(13)), Time::from_ms(23));
        assert_eq!(reader.budget(Time::from_ms(13)), 1250);
    }

    /// A third of a byte per read is a byte in every third.
    #[test]
    fn what_a_rate_makes_does_not_drift() {
        let reader = Reader { reads: Reads::Rate { bps: 8000, every: Duration(333_333_334) }, start: Time::ZERO };
        let read: u64 = (1..=300).map(|turn| reader.budget(Time::ZERO + Duration(333_333_334) * turn)).sum();
        assert_eq!(read, 100_000);
    }

    #[test]
    fn a_pause_ends_with_its_turn() {
        let reader = Reader { reads: Reads::OnOff { on: MS * 10, off: MS * 30 }, start: Time::ZERO };
        assert_eq!([9, 10, 39, 40].map(|ms| reader.next(Time::from_ms(ms)).as_ms()), [9, 40, 40, 40]);
    }
}
