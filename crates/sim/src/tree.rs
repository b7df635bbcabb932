//! Which flow is next: a scan for few flows, a winner tree for many.

/// A tournament over the flows' next event times. Ties go to the lower flow.
#[derive(Clone, Debug)]
pub(crate) struct Tree {
    keys: Vec<u64>,
    /// `winners[n]` is the flow that wins below node `n`; the root is node 1. Empty when scanning.
    winners: Vec<u32>,
    leaves: usize,
}

/// Up to this many flows a linear scan is faster than the tree.
const SCAN_MAX: usize = 8;

impl Tree {
    pub(crate) fn new(keys: Vec<u64>) -> Tree {
        let leaves = keys.len().next_power_of_two();
        let mut tree = Tree { winners: Vec::new(), leaves, keys };
        if tree.keys.len() > SCAN_MAX {
            tree.winners = vec![0; 2 * leaves];
            for leaf in 0..leaves {
                tree.winners[leaves + leaf] = leaf.min(tree.keys.len() - 1) as u32;
            }
            for node in (1..leaves).rev() {
                tree.winners[node] = tree.better(tree.winners[2 * node], tree.winners[2 * node + 1]);
            }
        }
        tree
    }

    /// The flow whose event is next, its time, and the bound up to which it may run alone: every other flow's next
    /// event comes at that time or later, strictly later if the flag says so.
    #[inline]
    pub(crate) fn next(&self) -> (usize, u64, u64) {
        if self.winners.is_empty() {
            self.scan()
        } else {
            self.climb()
        }
    }

    #[inline]
    pub(crate) fn update(&mut self, flow: usize, key: u64) {
        self.keys[flow] = key;
        if self.winners.is_empty() {
            return;
        }
        let mut node = (self.leaves + flow) / 2;
        while node >= 1 {
            self.winners[node] = self.better(self.winners[2 * node], self.winners[2 * node + 1]);
            node /= 2;
        }
    }

    #[inline]
    fn better(&self, left: u32, right: u32) -> u32 {
        if self.keys[right as usize] < self.keys[left as usize] {
            right
        } else {
            left
        }
    }

    /// An event of `flow` at time `t` precedes one of `other` at `key` iff `t < key + (flow < other)`.
    #[inline]
    fn scan(&self) -> (usize, u64, u64) {
        let (mut first, mut best) = (0, self.keys[0]);
        for (flow, &key) in self.keys.iter().enumerate().skip(1) {
            if key < best {
                (first, best) = (flow, key);
            }
        }
        let mut bound = u64::MAX;
        for (flow, &key) in self.keys.iter().enumerate() {
            if flow != first {
                bound = bound.min(key.saturating_add(u64::from(first < flow)));
            }
        }
        (first, best, bound)
    }

    #[inline]
    fn climb(&self) -> (usize, u64, u64) {
        let first = self.winners[1] as usize;
        let mut bound = u64::MAX;
        let mut node = self.leaves + first;
        while node > 1 {
            let rival = self.winners[node ^ 1] as usize;
            if rival != first {
                bound = bound.min(self.keys[rival].saturating_add(u64::from(first < rival)));
            }
            node /= 2;
        }
        (first, self.keys[first], bound)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn scan_and_tree_name_the_same_flow_and_bound() {
        let mut stream = units::Stream::named(3, "tree");
        for flows in [2usize, 8, 9, 13, 64] {
            let keys: Vec<u64> = (0..flows).map(|_| stream.up_to(20)).collect();
            let mut tree = Tree::new(keys);
            for _ in 0..500 {
                let flow = stream.up_to(flows as u64 - 1) as usize;
                tree.update(flow, stream.up_to(20));
                assert_eq!(tree.next(), tree.scan());
            }
        }
    }
}
