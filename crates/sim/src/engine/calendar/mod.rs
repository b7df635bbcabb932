//! Who is next. A few parties stand in a line, the earliest first. Of more, those that are due soon stand in the slots of a ring.
//!
//! Any party's time may change. Mostly it is the time of the first party, which is at hand in both.

mod line;
mod wheel;

use line::Line;
use wheel::Wheel;

/// The times of parties; ties go to the lower number.
#[derive(Clone, Debug)]
pub(crate) struct Calendar {
    line: Line,
    /// Of more parties than the line has places for; none else.
    wheel: Option<Wheel>,
}

impl Calendar {
    /// No party has an event.
    pub(crate) fn new(parties: usize) -> Calendar {
        Calendar { line: Line::new(), wheel: (parties > Line::PLACES).then(|| Wheel::new(parties)) }
    }

    /// So many parties have a place.
    #[inline]
    fn places(&self) -> usize {
        self.wheel.as_ref().map_or(Line::PLACES, Wheel::places)
    }

    /// Party `index`, known or new, is next at `key`; `u64::MAX` for never.
    #[inline]
    pub(crate) fn set(&mut self, index: usize, key: u64) {
        if index >= self.places() {
            self.grow(index + 1);
        }
        match &mut self.wheel {
            None => self.line.set(index, key),
            Some(wheel) => wheel.set(index, key),
        }
    }

    /// The first party, which is `index`, is next at `key`.
    #[inline]
    pub(crate) fn put_back(&mut self, index: usize, key: u64) {
        match &mut self.wheel {
            None => self.line.put_back(index, key),
            Some(wheel) => wheel.put_back(index, key),
        }
    }

    /// The first party and a bound up to which it may run alone: its events at times below the bound precede those of all others. None if
    /// no party has an event.
    #[inline]
    pub(crate) fn first(&mut self) -> Option<(usize, u64)> {
        match &mut self.wheel {
            None => self.line.first(),
            Some(wheel) => wheel.first(),
        }
    }

    /// When the first party, which was just asked for, has its event.
    #[inline]
    pub(crate) fn now(&self) -> u64 {
        self.wheel.as_ref().map_or_else(|| self.line.now(), Wheel::now)
    }

    #[cold]
    #[inline(never)]
    fn grow(&mut self, parties: usize) {
        let mut grown = Calendar::new(parties);
        let (line, wheel) = (self.line.iter(), self.wheel.iter().flat_map(Wheel::iter));
        line.chain(wheel).for_each(|(party, at)| grown.set(party, at));
        *self = grown;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn first(calendar: &mut Calendar) -> Option<usize> {
        calendar.first().map(|(party, _)| party)
    }

    #[test]
    fn the_earliest_is_first_and_of_equals_the_lowest() {
        let mut calendar = Calendar::new(5);
        assert_eq!(first(&mut calendar), None);
        for (index, key) in [(4, 30), (2, 20), (3, 20), (0, 40)] {
            calendar.set(index, key);
        }
        assert_eq!(first(&mut calendar), Some(2));
        calendar.set(4, 10);
        assert_eq!(first(&mut calendar), Some(4));
        calendar.set(4, u64::MAX);
        calendar.set(2, 50);
        assert_eq!(first(&mut calendar), Some(3));
    }

    /// The bound is never beyond the next party's time: at an equal time the lower number comes first.
    #[test]
    fn new_parties_take_part_and_the_bound_is_not_beyond_the_next_ones_time() {
        let mut calendar = Calendar::new(1);
        calendar.set(0, 10);
        calendar.set(6, 12);
        assert_eq!(calendar.first(), Some((0, 13)));
        calendar.set(0, 14);
        assert_eq!(calendar.first(), Some((6, 14)));
        calendar.set(1000, 13);
        assert_eq!(first(&mut calendar), Some(6));
        calendar.set(6, 13);
        assert_eq!(calendar.first(), Some((6, 14)));
        calendar.set(6, 15);
        assert_eq!(calendar.first(), Some((1000, 14)));
    }

    /// What the calendar says of `parties` is compared with what a scan says, `rounds` times. Half of the changes are the first party's own.
    /// `later` says how long after the present the next event of one is, in round so and so.
    fn compare(parties: usize, rounds: u64, later: impl Fn(u64, &mut units::Stream) -> u64) {
        let mut stream = units::Stream::named(5, "calendar");
        let mut keys = vec![u64::MAX; parties];
        let mut calendar = Calendar::new(3);
        let mut now = 0;
        for round in 0..rounds {
            let winner = first(&mut calendar).filter(|_| round % 2 == 0);
            now = winner.map_or(now, |winner| keys[winner]);
            let index = winner.unwrap_or(stream.up_to(parties as u64 - 1) as usize);
            keys[index] = if stream.up_to(9) == 0 { u64::MAX } else { now + later(round, &mut stream) };
            match winner {
                Some(winner) => calendar.put_back(winner, keys[index]),
                None => calendar.set(index, keys[index]),
            }
            let (next, bound) = calendar.first().unzip();
            let least = (0..parties).min_by_key(|&party| keys[party]).filter(|&party| keys[party] < u64::MAX);
            assert_eq!(next, least);
            let others = (0..parties).filter(|&party| Some(party) != least).map(|party| (keys[party], party)).min();
            if let (Some(least), Some((second_at, second)), Some(bound)) = (least, others, bound) {
                assert!(bound > keys[least] && bound <= second_at.saturating_add(u64::from(least < second)), "{bound} of {second_at}");
            }
        }
    }

    #[test]
    fn the_calendar_names_the_same_party_as_a_scan() {
        compare(40, 20_000, |_, stream| stream.up_to(20));
    }

    /// Slots that are far too long or too short, time that hardly passes and time that leaps: the order is the same.
    #[test]
    fn the_order_does_not_depend_on_how_dense_events_are() {
        compare(40, 40_000, |round, stream| stream.up_to([3, 1_000_000_000, 50, 40_000_000_000_000][(round / 5000) as usize % 4]));
        compare(300, 20_000, |round, stream| {
            let scale = stream.up_to(50);
            if round % 3 == 0 {
                0
            } else {
                stream.up_to(1 << scale)
            }
        });
    }

    /// All of very many at one time, as where all flows start together: by their numbers, without a step along their chain for each.
    #[test]
    fn many_at_one_time_come_by_their_numbers() {
        let many = 200_000;
        let mut calendar = Calendar::new(many);
        (0..many).for_each(|party| calendar.set(party, 7));
        for party in 0..many {
            assert_eq!(first(&mut calendar), Some(party));
            calendar.put_back(party, 1000);
        }
        (0..many).for_each(|party| {
            assert_eq!(first(&mut calendar), Some(party));
            calendar.put_back(party, u64::MAX);
        });
        assert_eq!(first(&mut calendar), None);
    }
}
