//! An ordered set of segments kept as disjoint half-open ranges: O(holes), never O(window).

use std::collections::VecDeque;

/// The segments from `from` on and below `to`.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub struct Range {
    /// The first.
    pub from: u64,
    /// One past the last.
    pub to: u64,
}

impl Range {
    /// `seq` alone.
    #[inline]
    pub fn of(seq: u64) -> Range {
        Range { from: seq, to: seq + 1 }
    }

    /// Whether it holds nothing.
    #[inline]
    pub fn is_empty(self) -> bool {
        self.to <= self.from
    }
}

/// Disjoint, non-adjacent ranges. The highest, which most questions are about, lies at hand; of very many flows with small windows most have no more.
#[derive(Debug, Default)]
pub struct Ranges {
    /// The highest; an empty one if the set is.
    highest: Range,
    /// The others, in ascending order.
    below: VecDeque<Range>,
}

impl Clone for Ranges {
    fn clone(&self) -> Ranges {
        Ranges { highest: self.highest, below: self.below.clone() }
    }

    fn clone_from(&mut self, from: &Ranges) {
        self.highest = from.highest;
        self.below.clone_from(&from.below);
    }
}

impl Ranges {
    /// Whether the set holds nothing.
    #[inline]
    pub fn is_empty(&self) -> bool {
        self.highest.is_empty()
    }

    /// The range that contains `seq`.
    #[inline]
    pub fn containing(&self, seq: u64) -> Option<Range> {
        if seq < self.highest.from {
            self.containing_below(seq)
        } else {
            Some(self.highest).filter(|highest| seq < highest.to)
        }
    }

    fn containing_below(&self, seq: u64) -> Option<Range> {
        let index = self.below.partition_point(|range| range.to <= seq);
        self.below.get(index).copied().filter(|range| range.from <= seq)
    }

    /// One past the highest segment; 0 if the set is empty.
    #[inline]
    pub fn end(&self) -> u64 {
        self.highest.to
    }

    /// The highest range; an empty one if the set is.
    #[inline]
    pub fn highest(&self) -> Range {
        self.highest
    }

    /// The lowest range; an empty one if the set is.
    #[inline]
    pub fn lowest(&self) -> Range {
        self.below.front().copied().unwrap_or(self.highest)
    }

    /// The ranges from the highest down.
    pub fn descending(&self) -> impl Iterator<Item = Range> + '_ {
        let highest = Some(self.highest).filter(|highest| !highest.is_empty());
        highest.into_iter().chain(self.below.iter().rev().copied())
    }

    /// Adds `range`, which must not overlap the set, joining its neighbours.
    #[inline]
    pub fn insert(&mut self, range: Range) {
        if range.from < self.highest.to {
            self.insert_below(range);
        } else if range.from == self.highest.to {
            self.highest.to = range.to;
        } else {
            if !self.is_empty() {
                self.below.push_back(self.highest);
            }
            self.highest = range;
        }
    }

    /// [`Ranges::insert`] somewhere before the highest range.
    fn insert_below(&mut self, range: Range) {
        let index = self.below.partition_point(|before| before.to < range.from);
        let left = self.below.get(index).copied().filter(|before| before.to == range.from);
        let after = self.below.get_mut(index + usize::from(left.is_some())).unwrap_or(&mut self.highest);
        match (left, after.from == range.to) {
            (Some(left), true) => {
                after.from = left.from;
                self.below.remove(index);
            }
            (Some(_), false) => self.below[index].to = range.to,
            (None, true) => after.from = range.from,
            (None, false) => self.below.insert(index, range),
        }
    }

    /// Removes everything below `seq`.
    pub fn remove_below(&mut self, seq: u64) {
        while self.below.front().is_some_and(|range| range.to <= seq) {
            self.below.pop_front();
        }
        if self.highest.to <= seq {
            self.highest = Range::default();
            return;
        }
        let lowest = self.below.front_mut().unwrap_or(&mut self.highest);
        lowest.from = lowest.from.max(seq);
    }

    /// Takes out the lowest range if it begins with `next`, below which there is none. Returns the first segment from `next` on that was not in it.
    pub fn take_from(&mut self, next: u64) -> u64 {
        let lowest = self.lowest();
        if lowest.from != next || lowest.is_empty() {
            return next;
        }
        if self.below.pop_front().is_none() {
            self.highest = Range::default();
        }
        lowest.to
    }

    /// Calls `new` with each part of `range` that the set lacks, lowest first, and adds it.
    #[inline]
    pub fn fill(&mut self, range: Range, mut new: impl FnMut(Range)) {
        let highest = self.highest();
        if range.from < highest.from {
            return self.fill_below(range, new);
        }
        let above = Range { from: range.from.max(highest.to), ..range };
        if !above.is_empty() {
            new(above);
            self.insert(above);
        }
    }

    /// [`Ranges::fill`] from somewhere before the highest range.
    fn fill_below(&mut self, range: Range, mut new: impl FnMut(Range)) {
        let mut at = range.from;
        while at < range.to {
            let index = self.below.partition_point(|before| before.to <= at);
            let next = self.below.get(index).copied().unwrap_or(self.highest);
            let next = if next.to <= at { Range { from: u64::MAX, to: u64::MAX } } else { next };
            if next.from <= at {
                at = next.to;
                continue;
            }
            let lacking = Range { from: at, to: next.from.min(range.to) };
            new(lacking);
            self.insert(lacking);
            at = lacking.to;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn neighbours_join_and_gaps_fill_once() {
        let mut set = Ranges::default();
        set.insert(Range { from: 10, to: 12 });
        set.insert(Range { from: 14, to: 16 });
        let mut new = Vec::new();
        set.fill(Range { from: 9, to: 17 }, |range| new.push((range.from, range.to)));
        assert_eq!(new, [(9, 10), (12, 14), (16, 17)]);
        assert_eq!(set.descending().collect::<Vec<_>>(), [Range { from: 9, to: 17 }]);
        set.fill(Range { from: 9, to: 17 }, |_| panic!("nothing is new"));
        set.remove_below(12);
        assert_eq!(set.containing(12), Some(Range { from: 12, to: 17 }));
        assert_eq!(set.containing(11), None);
    }
}
