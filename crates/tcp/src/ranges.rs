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

/// Disjoint, non-adjacent ranges in ascending order.
#[derive(Debug, Default)]
pub struct Ranges(VecDeque<Range>);

impl Clone for Ranges {
    fn clone(&self) -> Ranges {
        Ranges(self.0.clone())
    }

    fn clone_from(&mut self, from: &Ranges) {
        self.0.clone_from(&from.0);
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
    pub fn containing(&self, seq: u64) -> Option<Range> {
        // Most questions are about the highest range.
        match self.0.back() {
            Some(&highest) if seq < highest.from => self.containing_below(seq),
            Some(&highest) if seq < highest.to => Some(highest),
            _ => None,
        }
    }

    fn containing_below(&self, seq: u64) -> Option<Range> {
        let index = self.0.partition_point(|range| range.to <= seq);
        self.0.get(index).copied().filter(|range| range.from <= seq)
    }

    /// One past the highest segment; 0 if the set is empty.
    #[inline]
    pub fn end(&self) -> u64 {
        self.0.back().map_or(0, |highest| highest.to)
    }

    /// The highest range; an empty one if the set is.
    #[inline]
    pub fn highest(&self) -> Range {
        self.0.back().copied().unwrap_or_default()
    }

    /// The ranges from the highest down.
    pub fn descending(&self) -> impl Iterator<Item = Range> + '_ {
        self.0.iter().rev().copied()
    }

    /// Adds `range`, which must not overlap the set, joining its neighbours.
    #[inline]
    pub fn insert(&mut self, range: Range) {
        match self.0.back_mut() {
            Some(highest) if range.from < highest.to => self.insert_below(range),
            Some(highest) if range.from == highest.to => highest.to = range.to,
            _ => {
                if self.0.capacity() == 0 {
                    self.make_room();
                }
                self.0.push_back(range);
            }
        }
    }

    /// For one: of very many flows with small windows most have no more, and four, as is usual, would be felt.
    #[cold]
    fn make_room(&mut self) {
        self.0.reserve_exact(1);
    }

    /// [`Ranges::insert`] somewhere before the highest range.
    fn insert_below(&mut self, range: Range) {
        let index = self.0.partition_point(|before| before.to < range.from);
        let joins_left = self.0.get(index).is_some_and(|before| before.to == range.from);
        let right = index + usize::from(joins_left);
        let joins_right = self.0.get(right).is_some_and(|after| after.from == range.to);
        match (joins_left, joins_right) {
            (true, true) => {
                self.0[index].to = self.0[right].to;
                self.0.remove(right);
            }
            (true, false) => self.0[index].to = range.to,
            (false, true) => self.0[right].from = range.from,
            (false, false) => self.0.insert(index, range),
        }
    }

    /// Removes everything below `seq`.
    pub fn remove_below(&mut self, seq: u64) {
        while self.0.front().is_some_and(|range| range.to <= seq) {
            self.0.pop_front();
        }
        if let Some(range) = self.0.front_mut() {
            range.from = range.from.max(seq);
        }
    }

    /// Takes out the lowest range if it begins with `next`, below which there is none. Returns the first segment from `next` on that was not in it.
    pub fn take_from(&mut self, next: u64) -> u64 {
        match self.0.front() {
            Some(&Range { from, to }) if from == next => {
                self.0.pop_front();
                to
            }
            _ => next,
        }
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
            let index = self.0.partition_point(|before| before.to <= at);
            let next = self.0.get(index).copied().unwrap_or(Range { from: u64::MAX, to: u64::MAX });
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
