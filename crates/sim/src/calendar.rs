//! Who is next when anybody's time may change, not only the winner's.

/// The times of parties; ties go to the lower number.
#[derive(Clone, Debug)]
pub(crate) struct Calendar {
    /// A tournament: the root is node 1, the parties are the last nodes, `u64::MAX` for those that want nothing.
    nodes: Vec<(u64, u32)>,
    parties: usize,
}

impl Calendar {
    /// Nobody wants anything.
    pub(crate) fn new(parties: usize) -> Calendar {
        let leaves = parties.next_power_of_two();
        Calendar { nodes: vec![(u64::MAX, u32::MAX); 2 * leaves], parties: leaves }
    }

    /// Party `index`, known or new, is next at `key`.
    #[inline]
    pub(crate) fn set(&mut self, index: usize, key: u64) {
        if index >= self.parties {
            self.grow(index + 1);
        }
        let mut node = self.parties + index;
        self.nodes[node] = (key, index as u32);
        while node > 1 {
            node /= 2;
            self.nodes[node] = self.nodes[2 * node].min(self.nodes[2 * node + 1]);
        }
    }

    #[cold]
    #[inline(never)]
    fn grow(&mut self, parties: usize) {
        let mut grown = Calendar::new(parties);
        grown.nodes[grown.parties..][..self.parties].copy_from_slice(&self.nodes[self.parties..]);
        for node in (1..grown.parties).rev() {
            grown.nodes[node] = grown.nodes[2 * node].min(grown.nodes[2 * node + 1]);
        }
        *self = grown;
    }

    /// The smallest time at which the first party comes after the second: until then it may run alone.
    #[inline]
    pub(crate) fn bound(&self) -> u64 {
        let first = self.nodes[1].1;
        let mut second = (u64::MAX, u32::MAX);
        let mut node = self.parties + first as usize;
        while node > 1 {
            second = second.min(self.nodes[node ^ 1]);
            node /= 2;
        }
        second.0.saturating_add(u64::from(first < second.1))
    }

    /// The first party and its time, if any party has one.
    #[inline]
    pub(crate) fn first(&self) -> Option<(usize, u64)> {
        let (key, index) = self.nodes[1];
        (key < u64::MAX).then_some((index as usize, key))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_earliest_is_first_and_of_equals_the_lowest() {
        let mut calendar = Calendar::new(5);
        assert_eq!(calendar.first(), None);
        for (index, key) in [(4, 30), (2, 20), (3, 20), (0, 40)] {
            calendar.set(index, key);
        }
        assert_eq!(calendar.first(), Some((2, 20)));
        calendar.set(4, 10);
        assert_eq!(calendar.first(), Some((4, 10)));
        calendar.set(4, u64::MAX);
        calendar.set(2, 50);
        assert_eq!(calendar.first(), Some((3, 20)));
    }

    #[test]
    fn new_parties_take_part_and_the_bound_is_the_seconds_time() {
        let mut calendar = Calendar::new(1);
        calendar.set(0, 10);
        assert_eq!((calendar.first(), calendar.bound()), (Some((0, 10)), u64::MAX));
        calendar.set(6, 12);
        // Party 0 comes first at 12 too, party 6 after any other's event at that time.
        assert_eq!((calendar.first(), calendar.bound()), (Some((0, 10)), 13));
        calendar.set(0, 14);
        assert_eq!((calendar.first(), calendar.bound()), (Some((6, 12)), 14));
    }
}
