//! An ordered set of segments kept as disjoint half-open ranges: O(holes), never O(window).

use std::collections::VecDeque;

/// Disjoint, non-adjacent ranges in ascending order.
#[derive(Debug, Default)]
pub struct Ranges(VecDeque<(u64, u64)>);

impl Clone for Ranges {
    fn clone(&self) -> Ranges {
        Ranges(self.0.clone())
    }

    #[inline]
    fn clone_from(&mut self, from: &Ranges) {
        if !self.is_empty() || !from.is_empty() {
            self.0.clone_from(&from.0);
        }
    }
}

impl Ranges {
    /// Whether the set holds nothing.
    #[inline]
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// The range that contains `seq`.
    #[inline]
    pub fn containing(&self, seq: u64) -> Option<(u64, u64)> {
        // Most questions are about the highest range.
        match self.0.back() {
            Some(&highest) if seq < highest.0 => self.containing_below(seq),
            Some(&highest) if seq < highest.1 => Some(highest),
            _ => None,
        }
    }

    fn containing_below(&self, seq: u64) -> Option<(u64, u64)> {
        let index = self.0.partition_point(|range| range.1 <= seq);
        self.0.get(index).copied().filter(|range| range.0 <= seq)
    }

    /// One past the highest segment; 0 if the set is empty.
    #[inline]
    pub fn end(&self) -> u64 {
        self.0.back().map_or(0, |highest| highest.1)
    }

    /// The ranges from the highest down.
    pub fn descending(&self) -> impl Iterator<Item = (u64, u64)> + '_ {
        self.0.iter().rev().copied()
    }

    /// Adds `[from, to)`, which must not overlap the set, joining its neighbours.
    #[inline]
    pub fn insert(&mut self, from: u64, to: u64) {
        match self.0.back_mut() {
            Some(highest) if from < highest.1 => self.insert_below(from, to),
            Some(highest) if from == highest.1 => highest.1 = to,
            _ => self.0.push_back((from, to)),
        }
    }

    /// [`Ranges::insert`] somewhere before the highest range.
    fn insert_below(&mut self, from: u64, to: u64) {
        let index = self.0.partition_point(|range| range.1 < from);
        let joins_left = self.0.get(index).is_some_and(|range| range.1 == from);
        let right = index + usize::from(joins_left);
        let joins_right = self.0.get(right).is_some_and(|range| range.0 == to);
        match (joins_left, joins_right) {
            (true, true) => {
                self.0[index].1 = self.0[right].1;
                self.0.remove(right);
            }
            (true, false) => self.0[index].1 = to,
            (false, true) => self.0[right].0 = from,
            (false, false) => self.0.insert(index, (from, to)),
        }
    }

    /// Removes everything below `seq`.
    pub fn remove_below(&mut self, seq: u64) {
        while self.0.front().is_some_and(|range| range.1 <= seq) {
            self.0.pop_front();
        }
        if let Some(range) = self.0.front_mut() {
            range.0 = range.0.max(seq);
        }
    }

    /// Calls `new` with each part of `[from, to)` that the set lacks, lowest first, and adds it.
    #[inline]
    pub fn fill(&mut self, from: u64, to: u64, mut new: impl FnMut(u64, u64)) {
        let highest = self.0.back().copied().unwrap_or_default();
        if from < highest.0 {
            return self.fill_below(from, to, new);
        }
        let from = from.max(highest.1);
        if from < to {
            new(from, to);
            self.insert(from, to);
        }
    }

    /// [`Ranges::fill`] from somewhere before the highest range.
    fn fill_below(&mut self, from: u64, to: u64, mut new: impl FnMut(u64, u64)) {
        let mut at = from;
        while at < to {
            let index = self.0.partition_point(|range| range.1 <= at);
            let next = self.0.get(index).copied().unwrap_or((u64::MAX, u64::MAX));
            if next.0 <= at {
                at = next.1;
                continue;
            }
            let until = next.0.min(to);
            new(at, until);
            self.insert(at, until);
            at = until;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn neighbours_join_and_gaps_fill_once() {
        let mut set = Ranges::default();
        set.insert(10, 12);
        set.insert(14, 16);
        let mut new = Vec::new();
        set.fill(9, 17, |from, to| new.push((from, to)));
        assert_eq!(new, [(9, 10), (12, 14), (16, 17)]);
        assert_eq!(set.descending().collect::<Vec<_>>(), [(9, 17)]);
        set.fill(9, 17, |_, _| panic!("nothing is new"));
        set.remove_below(12);
        assert_eq!(set.containing(12), Some((12, 17)));
        assert_eq!(set.containing(11), None);
    }
}
