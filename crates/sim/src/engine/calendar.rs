//! Who is next. Few parties stand in a line, the earliest first. More hold a tournament: a binary tree in which every node keeps the
//! earliest event below it, the winner.
//!
//! Any party's time may change: on the way from its leaf to the root it is compared again at each node, with the winner of the other
//! branch. Mostly it is the time of the first party, which is the winner at every node above its leaf, and stands at the head of the line.

/// A party's next event: the time in the upper bits, the party in the lower, so that numbers compare as (time, party).
type Entry = u64;

/// Of a party that has no event.
const NEVER: Entry = Entry::MAX;

/// Among eight parties one party often has several events in a row.
const FEW_BITS: u32 = 3;

/// So many parties stand in a line.
const FEW: usize = 1 << FEW_BITS;

/// `$call` with the constant `$top`: so many nodes as a tournament of many has, with this many bits of an entry for the party, if there are not
/// more than that.
macro_rules! by_size {
    ($bits:expr, $top:ident => $call:expr) => {
        by_size!($bits, $top => $call; 4 5 6 7 8 9 10 11 12 13 14 15)
    };
    ($bits:expr, $top:ident => $call:expr; $($known:literal)+) => {
        match $bits {
            $($known => {
                const $top: usize = 2 << $known;
                $call
            })+
            _ => {
                const $top: usize = 2 << 16;
                $call
            }
        }
    };
}

/// The times of parties; ties go to the lower number.
#[derive(Clone, Debug)]
pub(crate) struct Calendar {
    /// The entries of few parties that have an event, in order, and no event behind the last; of many the earliest entry at its head, and
    /// nothing else.
    line: [Entry; FEW + 1],
    /// Of many: node 1 is the root; the earlier of nodes `2 n` and `2 n + 1` is node `n`; the second half are the parties. Node 0 is not
    /// used. There are as many as a power of two: a number cut to its lower bits needs no other check.
    winners: Vec<Entry>,
    /// Bits of an entry that hold the party.
    party_bits: u32,
    /// What is too late to have a time of its own (hours) is at this time, and comes last.
    end: u64,
    /// The party that was first when last asked.
    latest: usize,
}

impl Calendar {
    /// No party has an event.
    pub(crate) fn new(parties: usize) -> Calendar {
        let places = parties.next_power_of_two().max(FEW);
        let party_bits = places.trailing_zeros();
        let winners = vec![NEVER; if places > FEW { 2 * places } else { 0 }];
        Calendar { line: [NEVER; FEW + 1], winners, party_bits, end: (NEVER >> party_bits) - 1, latest: usize::MAX }
    }

    #[inline]
    fn is_line(&self) -> bool {
        self.party_bits <= FEW_BITS
    }

    /// The party of an entry.
    #[inline]
    fn party(&self, entry: Entry) -> usize {
        entry as usize & ((1 << self.party_bits) - 1)
    }

    #[inline]
    fn entry(&self, index: usize, key: u64) -> Entry {
        if key > self.end {
            return self.late(index, key);
        }
        key << self.party_bits | index as Entry
    }

    /// The same of one that comes last, or never.
    #[cold]
    fn late(&self, index: usize, key: u64) -> Entry {
        if key == u64::MAX {
            NEVER
        } else {
            self.end << self.party_bits | index as Entry
        }
    }

    /// Party `index`, known or new, is next at `key`; `u64::MAX` for never.
    #[inline]
    pub(crate) fn set(&mut self, index: usize, key: u64) {
        if index >> self.party_bits > 0 {
            self.grow(index + 1);
        }
        let mut best = self.entry(index, key);
        if self.is_line() {
            return self.move_in_line(index, best);
        }
        let mut node = (1 << self.party_bits) + index;
        while self.winners[node] != best {
            self.winners[node] = best;
            if node == 1 {
                self.line[0] = best;
                return;
            }
            best = best.min(self.winners[node ^ 1]);
            node /= 2;
        }
    }

    /// Of few: party `index` has this entry.
    fn move_in_line(&mut self, index: usize, entry: Entry) {
        let mut at = 0;
        while at < FEW && self.line[at] != NEVER && self.party(self.line[at]) != index {
            at += 1;
        }
        while at < FEW && self.line[at + 1] < entry {
            self.line[at] = self.line[at + 1];
            at += 1;
        }
        while at > 0 && self.line[at - 1] > entry {
            self.line[at] = self.line[at - 1];
            at -= 1;
        }
        self.line[at] = entry;
    }

    /// When the first party has its event.
    pub(crate) fn now(&self) -> u64 {
        self.line[0] >> self.party_bits
    }

    /// The first party, which is `index`, is next at `key`.
    #[inline]
    pub(crate) fn put_back(&mut self, index: usize, key: u64) {
        let entry = self.entry(index, key);
        if !self.is_line() {
            return self.climb(index, entry);
        }
        for at in 0..FEW {
            if self.line[at + 1] >= entry {
                self.line[at] = entry;
                return;
            }
            self.line[at] = self.line[at + 1];
        }
        self.line[FEW] = entry;
    }

    /// Of many: the first party, which is `index`, has this entry.
    #[inline(never)]
    fn climb(&mut self, index: usize, entry: Entry) {
        let node = self.winners.len() / 2 + index;
        by_size!(self.party_bits, TOP => self.climb_from::<TOP>(node, entry))
    }

    /// The leaf `node`, on the way of the first party, has this entry: the nodes above it are compared again. There are `TOP` nodes, a power
    /// of two, or more. That there are so many is known when this is compiled: the way through them has no loop and no check, and takes half
    /// of the instructions.
    #[inline(always)]
    fn climb_from<const TOP: usize>(&mut self, mut node: usize, entry: Entry) {
        let winners = &mut self.winners[..];
        let cut = winners.len() - 1;
        let mut best = entry;
        while node >= TOP {
            winners[node & cut] = best;
            best = best.min(winners[(node ^ 1) & cut]);
            node /= 2;
        }
        let Some(top) = winners.first_chunk_mut::<TOP>() else { return };
        for _ in 1..TOP.ilog2() {
            node &= TOP - 1;
            top[node] = best;
            best = best.min(top[node ^ 1]);
            node /= 2;
        }
        top[1] = best;
        self.line[0] = best;
    }

    #[cold]
    #[inline(never)]
    fn grow(&mut self, parties: usize) {
        let mut grown = Calendar::new(parties);
        let entries = if self.is_line() { &self.line[..] } else { &self.winners[1 << self.party_bits..] };
        for &entry in entries.iter().filter(|&&entry| entry != NEVER) {
            grown.set(self.party(entry), entry >> self.party_bits);
        }
        *self = grown;
    }

    /// The first party and a bound up to which it may run alone: its events at times below the bound precede those of all others. None if
    /// no party has an event.
    #[inline]
    pub(crate) fn first(&mut self) -> Option<(usize, u64)> {
        let entry = self.line[0];
        if entry == NEVER {
            return None;
        }
        let party = self.party(entry);
        if self.is_line() {
            return Some((party, self.bound(party, self.line[1])));
        }
        // Of many parties hardly one has two events in a row: the runner-up is asked for when one had.
        let is_asked = std::mem::replace(&mut self.latest, party) == party;
        let bound = if is_asked { self.bound(party, self.runner_up(party)) } else { (entry >> self.party_bits) + 1 };
        Some((party, bound))
    }

    /// Of many: the earliest entry but that of the first party.
    #[inline(never)]
    fn runner_up(&self, first: usize) -> Entry {
        let node = self.winners.len() / 2 + first;
        by_size!(self.party_bits, TOP => self.runner_up_from::<TOP>(node))
    }

    /// As [`Calendar::climb_from`].
    #[inline(always)]
    fn runner_up_from<const TOP: usize>(&self, mut node: usize) -> Entry {
        let winners = &self.winners[..];
        let cut = winners.len() - 1;
        let mut runner_up = NEVER;
        while node >= TOP {
            runner_up = runner_up.min(winners[(node ^ 1) & cut]);
            node /= 2;
        }
        let Some(top) = winners.first_chunk::<TOP>() else { return runner_up };
        for _ in 1..TOP.ilog2() {
            node &= TOP - 1;
            runner_up = runner_up.min(top[node ^ 1]);
            node /= 2;
        }
        runner_up
    }

    /// The smallest time at which the first party comes after the runner-up.
    #[inline]
    fn bound(&self, first: usize, runner_up: Entry) -> u64 {
        // Rounded up: the runner-up's entry is greater than the first party's at time zero.
        ((runner_up - first as Entry - 1) >> self.party_bits) + 1
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

    /// Half of the changes are the first party's own.
    #[test]
    fn the_calendar_names_the_same_party_as_a_scan() {
        let mut stream = units::Stream::named(5, "calendar");
        let mut keys = vec![u64::MAX; 40];
        let mut calendar = Calendar::new(3);
        for round in 0..20_000 {
            let winner = first(&mut calendar).filter(|_| round % 2 == 0);
            let index = winner.unwrap_or(stream.up_to(39) as usize);
            keys[index] = if stream.up_to(9) == 0 { u64::MAX } else { round / 10 + stream.up_to(20) };
            match winner {
                Some(winner) => calendar.put_back(winner, keys[index]),
                None => calendar.set(index, keys[index]),
            }
            let least = (0..40).min_by_key(|&party| keys[party]).filter(|&party| keys[party] < u64::MAX);
            assert_eq!(first(&mut calendar), least);
        }
    }
}
