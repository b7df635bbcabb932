//! Who is next when anybody's time may change, not only the winner's.

/// A party's next event: the time in the upper bits, the party in the lower, so that numbers compare as (time, party).
type Entry = u64;

/// Of a party that wants nothing.
const NEVER: Entry = Entry::MAX;

/// Among eight parties trains of one party's events are common.
const FEW_BITS: u32 = 3;

/// Four parties, or the winners of four groups: they lie in one cache line, half of it.
type Group = [Entry; 4];

/// The earliest of those in a group who play against `place`. Who it is there does not matter: all groups of a climb are asked at once.
#[inline]
fn rival(group: &Group, place: usize) -> Entry {
    group[(place % 4) ^ 1].min(group[(place % 4) ^ 2]).min(group[(place % 4) ^ 3])
}

/// The times of parties; ties go to the lower number.
#[derive(Clone, Debug)]
pub(crate) struct Calendar {
    /// A tournament of fours: place `p` belongs to group `p / 4`. The first group is the final; the winner of group `g` plays at place
    /// `g - 1`. Parties play first in the last groups.
    groups: Vec<Group>,
    /// The first of the places of parties.
    parties_at: usize,
    winner: Entry,
    /// Bits of an entry that hold the party.
    party_bits: u32,
    /// The party that was first when last asked.
    latest: usize,
}

impl Calendar {
    /// Nobody wants anything.
    pub(crate) fn new(parties: usize) -> Calendar {
        let places = parties.next_power_of_two();
        let (mut parties_at, mut last) = (0, 1);
        while 4 * last < places {
            parties_at += last;
            last *= 4;
        }
        Calendar {
            groups: vec![[NEVER; 4]; parties_at + last],
            parties_at: 4 * parties_at,
            winner: NEVER,
            party_bits: places.trailing_zeros(),
            latest: usize::MAX,
        }
    }

    /// Party `index`, known or new, is next at `key`; `u64::MAX` for never. What is too late to be told apart (hours) comes last.
    #[inline]
    pub(crate) fn set(&mut self, index: usize, key: u64) {
        if index >> self.party_bits > 0 {
            self.grow(index + 1);
        }
        let latest = (NEVER >> self.party_bits) - 1;
        let mut best = if key == u64::MAX { NEVER } else { key.min(latest) << self.party_bits | index as Entry };
        let mut place = self.parties_at + index;
        loop {
            let group = &mut self.groups[place / 4];
            if group[place % 4] == best {
                return;
            }
            group[place % 4] = best;
            best = best.min(rival(group, place));
            if place < 4 {
                self.winner = best;
                return;
            }
            place = place / 4 - 1;
        }
    }

    #[cold]
    #[inline(never)]
    fn grow(&mut self, parties: usize) {
        let mut grown = Calendar::new(parties);
        for (index, &entry) in self.groups[self.parties_at / 4..].iter().flatten().enumerate().filter(|(_, &entry)| entry != NEVER) {
            grown.set(index, entry >> self.party_bits);
        }
        *self = grown;
    }

    /// The first party and a bound up to which it may run alone: its events at times below the bound precede those of all others. None if
    /// nobody wants anything.
    #[inline]
    pub(crate) fn first(&mut self) -> Option<(usize, u64)> {
        let entry = self.winner;
        if entry == NEVER {
            return None;
        }
        let party = entry as usize & ((1 << self.party_bits) - 1);
        let is_repeated = std::mem::replace(&mut self.latest, party) == party;
        // Of many parties hardly one has two events in a row: the runner-up is asked for when one had.
        let bound = if is_repeated || self.party_bits <= FEW_BITS { self.bound(party) } else { (entry >> self.party_bits) + 1 };
        Some((party, bound))
    }

    /// The smallest time at which the first party comes after the runner-up.
    fn bound(&self, first: usize) -> u64 {
        let mut runner_up = NEVER;
        let mut place = self.parties_at + first;
        loop {
            runner_up = runner_up.min(rival(&self.groups[place / 4], place));
            if place < 4 {
                break;
            }
            place = place / 4 - 1;
        }
        let beyond = (runner_up - first as Entry).saturating_add((1 << self.party_bits) - 1);
        beyond >> self.party_bits
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

    /// The bound is careful among many, and never beyond the runner-up's time: at an equal time the lower number comes first.
    #[test]
    fn new_parties_take_part_and_the_bound_is_the_runner_ups_time() {
        let mut calendar = Calendar::new(1);
        calendar.set(0, 10);
        calendar.set(6, 12);
        assert_eq!(calendar.first(), Some((0, 13)));
        calendar.set(0, 14);
        assert_eq!(calendar.first(), Some((6, 14)));
        calendar.set(1000, 13);
        assert_eq!(calendar.first(), Some((6, 13)));
        calendar.set(6, 13);
        assert_eq!(calendar.first(), Some((6, 14)));
        calendar.set(6, 15);
        assert_eq!(calendar.first(), Some((1000, 14)));
    }

    #[test]
    fn the_calendar_names_the_same_party_as_a_scan() {
        let mut stream = units::Stream::named(5, "calendar");
        let mut keys = vec![u64::MAX; 40];
        let mut calendar = Calendar::new(3);
        for round in 0..20_000 {
            let index = stream.up_to(39) as usize;
            keys[index] = if stream.up_to(9) == 0 { u64::MAX } else { round / 10 + stream.up_to(20) };
            calendar.set(index, keys[index]);
            let least = (0..40).min_by_key(|&party| keys[party]).filter(|&party| keys[party] < u64::MAX);
            assert_eq!(first(&mut calendar), least);
        }
    }
}
