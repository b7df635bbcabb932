//! Which flow is next: a tournament in which every node remembers who lost there.
//!
//! Only the winner's time ever changes, and the winner has met a loser at every node above its leaf. So one climb from
//! its leaf plays the tournament again, and the runner-up is the earliest loser above the new winner.

/// A flow's next event: the time in the upper bits, the flow in the lower, so that numbers compare as (time, flow).
type Entry = u64;

/// A tournament over the flows' next event times. Ties go to the lower flow.
#[derive(Clone, Debug)]
pub(crate) struct Tree {
    winner: Entry,
    /// Who lost at each node; the root is node 1, the leaves would follow the last. Node 0 is not used.
    losers: Vec<Entry>,
    /// Bits of an entry that hold the flow.
    flow_bits: u32,
    /// The winner has won twice in a row.
    is_repeated: bool,
}

/// Of a flow that has no event left.
const NEVER: Entry = Entry::MAX;

/// Among so few flows trains of one flow's events are common.
const FEW: usize = 8;

impl Tree {
    /// The latest time that fits beside this many flows.
    pub(crate) fn time_max(flows: usize) -> u64 {
        (Entry::MAX >> flows.next_power_of_two().trailing_zeros()) - 1
    }

    /// A tournament of flows 0, 1, ..., at least one, with these times; `u64::MAX` for a flow without events.
    pub(crate) fn new(keys: impl ExactSizeIterator<Item = u64>) -> Tree {
        let leaves = keys.len().next_power_of_two();
        let mut tree = Tree { winner: NEVER, losers: vec![NEVER; leaves], flow_bits: leaves.trailing_zeros(), is_repeated: false };
        let mut winners = vec![NEVER; 2 * leaves];
        for (flow, key) in keys.enumerate() {
            winners[leaves + flow] = tree.entry(flow, key);
        }
        for node in (1..leaves).rev() {
            let (left, right) = (winners[2 * node], winners[2 * node + 1]);
            (winners[node], tree.losers[node]) = (left.min(right), left.max(right));
        }
        tree.winner = winners[1];
        tree
    }

    #[inline]
    fn entry(&self, flow: usize, key: u64) -> Entry {
        if key == u64::MAX {
            NEVER
        } else {
            key << self.flow_bits | flow as Entry
        }
    }

    #[inline]
    fn flow(&self) -> usize {
        self.winner as usize & (self.losers.len() - 1)
    }

    /// The flow whose event is next, and a bound up to which it may run alone: its events at times below the bound
    /// precede those of all other flows. None when no flow has an event left.
    #[inline]
    pub(crate) fn first(&self) -> Option<(usize, u64)> {
        if self.winner == NEVER {
            return None;
        }
        // Of many flows hardly one has two events in a row: the runner-up is asked for when one had.
        let bound = if self.is_repeated || self.losers.len() <= FEW { self.bound() } else { (self.winner >> self.flow_bits) + 1 };
        Some((self.flow(), bound))
    }

    /// The smallest time at which the first flow comes after the runner-up.
    #[inline]
    fn bound(&self) -> u64 {
        let mut runner_up = NEVER;
        let mut node = (self.losers.len() + self.flow()) / 2;
        while node > 0 {
            runner_up = runner_up.min(self.losers[node]);
            node /= 2;
        }
        let beyond = (runner_up - self.flow() as Entry).saturating_add(self.losers.len() as Entry - 1);
        beyond >> self.flow_bits
    }

    /// The first flow's next event is now at `key`.
    #[inline]
    pub(crate) fn put_back(&mut self, key: u64) {
        let flow = self.flow();
        let mut best = self.entry(flow, key);
        let mut node = (self.losers.len() + flow) / 2;
        while node > 0 {
            let rival = self.losers[node];
            self.losers[node] = best.max(rival);
            best = best.min(rival);
            node /= 2;
        }
        self.winner = best;
        self.is_repeated = self.flow() == flow;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// An event of `flow` at time `t` precedes one of `other` at `key` iff `t < key + (flow < other)`.
    fn scan(keys: &[u64]) -> Option<(usize, u64)> {
        let first = (0..keys.len()).min_by_key(|&flow| keys[flow])?;
        let others = (0..keys.len()).filter(|&flow| flow != first);
        let bound = others.map(|flow| keys[flow].saturating_add(u64::from(first < flow))).min();
        (keys[first] < u64::MAX).then_some((first, bound.unwrap_or(u64::MAX)))
    }

    #[test]
    fn the_tree_names_the_same_flow_and_bound_as_a_scan() {
        let mut stream = units::Stream::named(3, "tree");
        for flows in [1, 2, 8, 9, 13, 64] {
            let mut keys: Vec<u64> = (0..flows).map(|_| stream.up_to(20)).collect();
            let mut tree = Tree::new(keys.iter().copied());
            for round in 0..10_000 {
                let (first, scanned) = (tree.first(), scan(&keys));
                assert_eq!(first.map(|(flow, _)| flow), scanned.map(|(flow, _)| flow));
                if let (Some((flow, careful)), Some((_, bound))) = (first, scanned) {
                    // Where nobody is left to compete, any bound beyond all times will do.
                    assert_eq!(tree.bound().min(Tree::time_max(flows)), bound.min(Tree::time_max(flows)));
                    assert!(keys[flow] < careful && careful <= tree.bound());
                }
                let Some((flow, _)) = first else { break };
                let key = if stream.up_to(50) == 0 { u64::MAX } else { round / 20 + stream.up_to(20) };
                keys[flow] = key;
                tree.put_back(key);
            }
            assert_eq!(tree.first(), None);
        }
    }
}
