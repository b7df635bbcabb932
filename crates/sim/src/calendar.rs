//! Who is next when anybody's time may change, not only the winner's.

/// The times of a fixed number of parties; ties go to the lower number.
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

    /// Party `index` is next at `key`.
    pub(crate) fn set(&mut self, index: usize, key: u64) {
        let mut node = self.parties + index;
        self.nodes[node] = (key, index as u32);
        while node > 1 {
            node /= 2;
            self.nodes[node] = self.nodes[2 * node].min(self.nodes[2 * node + 1]);
        }
    }

    /// The first party and its time, if any party has one.
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
}
