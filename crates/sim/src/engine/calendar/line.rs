//! The times of a few parties, in order.

/// A party's next event: the time in the upper bits, the party in the lower, so that numbers compare as (time, party).
type Entry = u64;

/// Of a party that has no event.
const NEVER: Entry = Entry::MAX;

/// Bits of an entry that hold the party. Among eight parties one often has several events in a row.
const PARTY_BITS: u32 = 5;

/// What is too late to have a time of its own (years) is at this time, and comes last.
const END: u64 = (NEVER >> PARTY_BITS) - 1;

/// The entries of those that have an event, the earliest first.
#[derive(Clone, Debug)]
pub(super) struct Line {
    /// Behind the last entry there is none.
    entries: [Entry; Line::PLACES + 1],
}

impl Line {
    /// So many parties have a place.
    pub(super) const PLACES: usize = 1 << PARTY_BITS;

    /// No party has an event.
    pub(super) fn new() -> Line {
        Line { entries: [NEVER; Line::PLACES + 1] }
    }

    /// The party of an entry.
    #[inline]
    fn party(entry: Entry) -> usize {
        entry as usize & (Line::PLACES - 1)
    }

    #[inline]
    fn entry(index: usize, key: u64) -> Entry {
        if key > END {
            return Line::late(index, key);
        }
        key << PARTY_BITS | index as Entry
    }

    /// The same of one that comes last, or never.
    #[cold]
    fn late(index: usize, key: u64) -> Entry {
        if key == u64::MAX {
            NEVER
        } else {
            END << PARTY_BITS | index as Entry
        }
    }

    /// Party `index` is next at `key`.
    pub(super) fn set(&mut self, index: usize, key: u64) {
        let entry = Line::entry(index, key);
        let mut at = 0;
        while at < Line::PLACES && self.entries[at] != NEVER && Line::party(self.entries[at]) != index {
            at += 1;
        }
        while at < Line::PLACES && self.entries[at + 1] < entry {
            self.entries[at] = self.entries[at + 1];
            at += 1;
        }
        while at > 0 && self.entries[at - 1] > entry {
            self.entries[at] = self.entries[at - 1];
            at -= 1;
        }
        self.entries[at] = entry;
    }

    /// The first party, which is `index`, is next at `key`.
    #[inline]
    pub(super) fn put_back(&mut self, index: usize, key: u64) {
        let entry = Line::entry(index, key);
        for at in 0..Line::PLACES {
            if self.entries[at + 1] >= entry {
                self.entries[at] = entry;
                return;
            }
            self.entries[at] = self.entries[at + 1];
        }
        self.entries[Line::PLACES] = entry;
    }

    /// When the first party has its event.
    #[inline]
    pub(super) fn now(&self) -> u64 {
        self.entries[0] >> PARTY_BITS
    }

    /// The first party, and the smallest time at which it comes after the second.
    #[inline]
    pub(super) fn first(&self) -> Option<(usize, u64)> {
        let entry = self.entries[0];
        if entry == NEVER {
            return None;
        }
        let first = Line::party(entry);
        // Rounded up: the second entry is greater than the first party's at time zero.
        Some((first, ((self.entries[1] - first as Entry - 1) >> PARTY_BITS) + 1))
    }

    /// Every party that has an event, and when.
    pub(super) fn iter(&self) -> impl Iterator<Item = (usize, u64)> + '_ {
        self.entries.iter().filter(|&&entry| entry != NEVER).map(|&entry| (Line::party(entry), entry >> PARTY_BITS))
    }
}
