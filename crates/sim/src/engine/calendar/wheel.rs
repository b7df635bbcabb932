//! The times of many parties: a calendar queue (Brown 1988).
//!
//! Time is cut into slots of one length, and a ring holds the next of them: a party whose event falls into one of these stands in the chain
//! of its slot. One whose event is later stands in none. The chain of the current slot is in order; another is put in order when its time
//! comes. When the ring is used up, it is filled again with the slots that follow, of a length that puts an event into every second. Whatever the
//! length, the order of events is the same.

/// No party.
const NONE: u32 = u32::MAX;

/// Slots, at least: few parties use up a ring of few slots too soon.
const SLOTS_MIN: usize = 2048;

/// A longer chain is put in order by sorting.
const SHORT: usize = 8;

/// The longest slot, as a power of two in nanoseconds: 18 minutes.
const LENGTH_BITS_MAX: u32 = 40;

/// A party's next event, and its neighbours in the chain.
#[derive(Clone, Copy, Debug)]
struct Node {
    at: u64,
    next: u32,
    previous: u32,
}

/// The times of parties; ties go to the lower number.
#[derive(Clone, Debug)]
pub(super) struct Wheel {
    /// Of each party.
    nodes: Vec<Node>,
    /// The first of the current slot's chain. What was before it is not looked at any more.
    first: u32,
    /// Number of the current slot, from time zero on. It holds whatever is earlier, too.
    current: u64,
    /// The first of each later slot's chain. There are as many as a power of two.
    slots: Vec<u32>,
    /// A slot is as long as two to the power of this, nanoseconds.
    length_bits: u32,
    /// Number of the slot behind the ring's last.
    behind: u64,
    /// The time at which that begins.
    horizon: u64,
    /// The party that was first when last asked.
    latest: u32,
    /// Events since the ring was filled.
    taken: usize,
    /// Steps along the current slot's chain since the ring was filled.
    steps: usize,
}

impl Wheel {
    /// So many parties, at least, of which none has an event.
    pub(super) fn new(parties: usize) -> Wheel {
        let places = parties.next_power_of_two();
        let node = Node { at: u64::MAX, next: NONE, previous: NONE };
        let slots = vec![NONE; (2 * places).max(SLOTS_MIN)];
        let nodes = vec![node; places];
        Wheel { nodes, first: NONE, current: 0, slots, length_bits: 0, behind: 0, horizon: 0, latest: NONE, taken: 0, steps: 0 }
    }

    /// So many parties have a place.
    #[inline]
    pub(super) fn places(&self) -> usize {
        self.nodes.len()
    }

    #[inline]
    fn head(&mut self, slot: u64) -> &mut u32 {
        let cut = self.slots.len() - 1;
        &mut self.slots[slot as usize & cut]
    }

    /// Party `index` is next at `key`; `u64::MAX` for never.
    pub(super) fn set(&mut self, index: usize, key: u64) {
        let Node { at, next, previous } = self.nodes[index];
        if self.first == index as u32 {
            self.first = next;
        } else if at < self.horizon {
            if next != NONE {
                self.nodes[next as usize].previous = previous;
            }
            if previous != NONE {
                self.nodes[previous as usize].next = next;
            } else {
                *self.head(at >> self.length_bits) = next;
            }
        }
        self.insert(index, key);
    }

    /// The first party, which is `index`, is next at `key`.
    #[inline]
    pub(super) fn put_back(&mut self, index: usize, key: u64) {
        self.taken += 1;
        self.first = self.nodes[index].next;
        self.insert(index, key);
    }

    /// The party, which is in no chain, is next at `key`.
    #[inline]
    fn insert(&mut self, index: usize, key: u64) {
        if key >= self.horizon {
            self.nodes[index].at = key;
            return;
        }
        let slot = key >> self.length_bits;
        if slot <= self.current {
            return self.insert_in_order(index, key);
        }
        self.push(slot, index, key);
    }

    /// The party becomes the first of the slot's chain.
    #[inline]
    fn push(&mut self, slot: u64, index: usize, key: u64) {
        let next = std::mem::replace(self.head(slot), index as u32);
        self.nodes[index] = Node { at: key, next, previous: NONE };
        if next != NONE {
            self.nodes[next as usize].previous = index as u32;
        }
    }

    /// The same in the current slot.
    #[inline(never)]
    fn insert_in_order(&mut self, index: usize, key: u64) {
        self.steps += self.link_in_order(index, key);
        if self.steps > 4 * self.nodes.len() {
            self.shorten();
        }
    }

    /// Returns how many of the current slot's chain come before it.
    fn link_in_order(&mut self, index: usize, key: u64) -> usize {
        let (mut previous, mut next, mut steps) = (NONE, self.first, 0);
        while next != NONE && (self.nodes[next as usize].at, next) < (key, index as u32) {
            (previous, next) = (next, self.nodes[next as usize].next);
            steps += 1;
        }
        self.nodes[index] = Node { at: key, next, previous };
        if next != NONE {
            self.nodes[next as usize].previous = index as u32;
        }
        if previous != NONE {
            self.nodes[previous as usize].next = index as u32;
        } else {
            self.first = index as u32;
        }
        steps
    }

    /// When the first party has its event: known once that was asked for.
    pub(super) fn now(&self) -> u64 {
        match self.first {
            NONE => u64::MAX,
            first => self.nodes[first as usize].at,
        }
    }

    /// The first party, and a time up to which its events precede those of all others.
    #[inline]
    pub(super) fn first(&mut self) -> Option<(usize, u64)> {
        if self.first == NONE && !self.turn() {
            return None;
        }
        let first = self.first;
        // Of many parties hardly one has two events in a row: the next one's time is asked for when one had.
        let bound = if std::mem::replace(&mut self.latest, first) == first { self.bound() } else { self.nodes[first as usize].at + 1 };
        Some((first as usize, bound))
    }

    /// A time up to which the first party's events precede those of all others.
    #[inline(never)]
    fn bound(&self) -> u64 {
        let second = self.nodes[self.first as usize].next;
        if second != NONE {
            // At an equal time the lower number comes first.
            return self.nodes[second as usize].at + u64::from(self.first < second);
        }
        let cut = self.slots.len() - 1;
        let mut slot = self.current + 1;
        while slot < self.behind && self.slots[slot as usize & cut] == NONE {
            slot += 1;
        }
        slot << self.length_bits
    }

    /// The current slot is empty: goes to the next that is not. Whether there is one.
    #[inline]
    fn turn(&mut self) -> bool {
        let cut = self.slots.len() - 1;
        let mut slot = self.current;
        loop {
            slot += 1;
            if slot >= self.behind {
                return self.fill_again();
            }
            let first = std::mem::replace(&mut self.slots[slot as usize & cut], NONE);
            if first != NONE {
                self.begin_slot(slot, first);
                let second = self.nodes[first as usize].next;
                if second != NONE {
                    self.put_two_in_order(first, second);
                }
                return true;
            }
        }
    }

    /// The current slot is this one, with this chain.
    #[inline]
    fn begin_slot(&mut self, slot: u64, first: u32) {
        (self.current, self.first) = (slot, first);
    }

    /// The chain of the current slot, which begins with these two, is put in order: mostly they are all.
    #[inline]
    fn put_two_in_order(&mut self, first: u32, second: u32) {
        let [one, other] = [first, second].map(|party| self.nodes[party as usize]);
        if other.next != NONE {
            self.put_in_order();
        } else if (other.at, second) < (one.at, first) {
            self.nodes[first as usize] = Node { next: NONE, previous: second, ..one };
            self.nodes[second as usize] = Node { next: first, previous: NONE, ..other };
            self.first = second;
        }
    }

    /// The same of a chain of any length.
    #[inline(never)]
    fn put_in_order(&mut self) {
        let mut next = std::mem::replace(&mut self.first, NONE);
        let mut left = SHORT;
        while next != NONE && left > 0 {
            let Node { at, next: following, .. } = self.nodes[next as usize];
            self.link_in_order(next as usize, at);
            (next, left) = (following, left - 1);
        }
        if next != NONE {
            self.sort_with(next);
        }
    }

    /// The same of a long chain, of which these are left.
    #[cold]
    fn sort_with(&mut self, rest: u32) {
        let mut chain = Vec::with_capacity(4 * SHORT);
        for mut next in [std::mem::replace(&mut self.first, NONE), rest] {
            while next != NONE {
                chain.push((self.nodes[next as usize].at, next));
                next = self.nodes[next as usize].next;
            }
        }
        chain.sort_unstable();
        // The last first: each goes to the head.
        for (at, party) in chain.into_iter().rev() {
            self.link_in_order(party as usize, at);
        }
    }

    /// The ring is used up, and each slot was emptied when its time came: fills it from the next event on. Slots become longer or shorter, if few or
    /// many events were in each. Whether there is any event.
    #[cold]
    #[inline(never)]
    fn fill_again(&mut self) -> bool {
        let slots = self.slots.len();
        let known = self.nodes.iter().map(|node| node.at).filter(|&at| at < u64::MAX);
        let Some(earliest) = known.clone().min() else {
            // What is set from now on is beyond the ring, until this is asked for again.
            (self.current, self.behind, self.horizon) = (0, 0, 0);
            return false;
        };
        if self.behind == 0 {
            let (count, latest) = known.fold((0, earliest), |(count, latest), at| (count + 1, latest.max(at)));
            self.length_bits = bits_of((latest - earliest) / count);
        } else if self.taken > slots {
            self.length_bits = self.length_bits.saturating_sub((self.taken / slots).ilog2().max(1));
        } else if self.taken < slots / 2 {
            self.length_bits += (slots / 2 / self.taken.max(1)).ilog2().min(8);
        }
        self.fill_from(earliest);
        true
    }

    /// The current slot's chain is long: slots become so short that it makes one each, unless all of it is at one time.
    #[cold]
    #[inline(never)]
    fn shorten(&mut self) {
        let first = self.first;
        let (mut last, mut count) = (first, 1);
        while self.nodes[last as usize].next != NONE {
            (last, count) = (self.nodes[last as usize].next, count + 1);
        }
        let earliest = self.nodes[first as usize].at;
        self.steps = 0;
        let bits = bits_of((self.nodes[last as usize].at - earliest) / count);
        if count > 1 && bits < self.length_bits && bits > 0 {
            self.length_bits = bits;
            self.slots.fill(NONE);
            self.fill_from(earliest);
        }
    }

    /// Fills the ring, whose slots are empty, the slot of `earliest` being the current one.
    fn fill_from(&mut self, earliest: u64) {
        self.length_bits = self.length_bits.min(LENGTH_BITS_MAX);
        let current = earliest >> self.length_bits;
        self.behind = current + self.slots.len() as u64;
        self.horizon = u64::try_from(u128::from(self.behind) << self.length_bits).unwrap_or(u64::MAX);
        (self.taken, self.steps) = (0, 0);
        for index in (0..self.nodes.len()).rev() {
            let at = self.nodes[index].at;
            if at < self.horizon {
                self.push(at >> self.length_bits, index, at);
            }
        }
        let first = std::mem::replace(self.head(current), NONE);
        self.begin_slot(current, first);
        self.put_in_order();
    }

    /// Every party that has an event, and when.
    pub(super) fn iter(&self) -> impl Iterator<Item = (usize, u64)> + '_ {
        self.nodes.iter().enumerate().filter(|(_, node)| node.at < u64::MAX).map(|(index, node)| (index, node.at))
    }
}

/// A length of about this, nanoseconds, as a power of two.
fn bits_of(length: u64) -> u32 {
    length.max(1).ilog2()
}
