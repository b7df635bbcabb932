//! A growing ring buffer with a power-of-two capacity: the queue in every loop that has to be fast.

/// Slots that the first entry brings: with very many flows most have no more ACKs under way.
const FEW: usize = 4;
/// The same in bytes: where entries are small, there are more of them, and they soon become many.
const FEW_BYTES: usize = 64;

/// First in, first out. Grows by doubling, from few small entries by four times, and shrinks only when asked to; allocates nothing before its first entry.
#[derive(Debug)]
pub struct Ring<T> {
    /// Entries ever popped and pushed: entry number `n` is in slot `n` modulo the capacity.
    popped: usize,
    pushed: usize,
    slots: Box<[T]>,
}

impl<T> Default for Ring<T> {
    fn default() -> Ring<T> {
        Ring { popped: 0, pushed: 0, slots: Box::default() }
    }
}

impl<T: Copy> Clone for Ring<T> {
    fn clone(&self) -> Ring<T> {
        let Ring { popped, pushed, ref slots } = *self;
        Ring { popped, pushed, slots: slots.clone() }
    }

    /// An empty ring takes no slots: those that were grown stay.
    #[inline]
    fn clone_from(&mut self, from: &Ring<T>) {
        if from.popped == from.pushed {
            (self.popped, self.pushed) = (from.popped, from.pushed);
        } else {
            *self = from.clone();
        }
    }
}

impl<T: Copy + Default> Ring<T> {
    /// Whether nothing is queued.
    #[inline]
    pub fn is_empty(&self) -> bool {
        self.popped == self.pushed
    }

    /// Number of entries.
    #[inline]
    pub fn len(&self) -> usize {
        self.pushed - self.popped
    }

    /// Number of entries ever pushed.
    #[inline]
    pub fn pushed(&self) -> usize {
        self.pushed
    }

    /// Entry `number`, which is queued.
    #[inline]
    fn entry(&self, number: usize) -> &T {
        &self.slots[number & self.slots.len().wrapping_sub(1)]
    }

    /// The oldest entry.
    #[inline]
    pub fn front(&self) -> Option<&T> {
        if self.is_empty() {
            None
        } else {
            Some(self.entry(self.popped))
        }
    }

    /// The entry behind the oldest.
    #[inline]
    pub fn second(&self) -> Option<&T> {
        let number = self.popped + 1;
        if number >= self.pushed {
            None
        } else {
            Some(self.entry(number))
        }
    }

    /// Takes the oldest entry.
    #[inline]
    pub fn pop(&mut self) -> Option<T> {
        self.pop_if(|_| true)
    }

    /// Takes the two oldest entries, if there are two.
    #[inline(always)]
    pub fn pop_pair(&mut self) -> Option<[T; 2]> {
        let second = *self.second()?;
        let first = *self.entry(self.popped);
        self.popped += 2;
        Some([first, second])
    }

    /// Takes the oldest entry if it is as wanted.
    #[inline(always)]
    pub fn pop_if(&mut self, is_wanted: impl FnOnce(&T) -> bool) -> Option<T> {
        let entry = *self.front().filter(|&entry| is_wanted(entry))?;
        self.popped += 1;
        Some(entry)
    }

    /// Takes all of the oldest entries that are as wanted, where none that is follows one that is not: looked for in steps that double, and
    /// then halve.
    #[inline]
    pub fn pop_while(&mut self, is_wanted: impl Fn(&T) -> bool) {
        let are_wanted = |ring: &Self, to: usize| to <= ring.pushed && is_wanted(ring.entry(to - 1));
        let mut step = 1;
        while are_wanted(self, self.popped + step) {
            self.popped += step;
            step *= 2;
        }
        while step > 1 {
            step /= 2;
            if are_wanted(self, self.popped + step) {
                self.popped += step;
            }
        }
    }

    /// Appends an entry.
    #[inline(always)]
    pub fn push(&mut self, entry: T) {
        if self.len() == self.slots.len() {
            self.grow();
        }
        let last = self.slots.len().wrapping_sub(1);
        self.slots[self.pushed & last] = entry;
        self.pushed += 1;
    }

    /// Appends two entries.
    #[inline(always)]
    pub fn push_pair(&mut self, [first, second]: [T; 2]) {
        if self.len() + 2 > self.slots.len() {
            self.push(first);
            return self.push(second);
        }
        let last = self.slots.len().wrapping_sub(1);
        self.slots[self.pushed & last] = first;
        self.slots[(self.pushed + 1) & last] = second;
        self.pushed += 2;
    }

    /// The entries, oldest first.
    pub fn iter(&self) -> impl Iterator<Item = &T> {
        (self.popped..self.pushed).map(|number| self.entry(number))
    }

    /// Gives back the slots of an empty ring that has grown much. Whether it did.
    #[inline]
    pub fn shrink(&mut self) -> bool {
        self.shrink_beyond(2 * FEW)
    }

    /// The same of one that has grown beyond so many slots. Whether it did.
    #[inline]
    pub fn shrink_beyond(&mut self, slots: usize) -> bool {
        let is_idle = self.is_empty() && self.slots.len() > slots;
        if is_idle {
            self.slots = Box::default();
        }
        is_idle
    }

    #[cold]
    #[inline(never)]
    fn grow(&mut self) {
        let times = if self.slots.len() * size_of::<T>() <= FEW_BYTES { 4 } else { 2 };
        let room = (self.len() * times).next_power_of_two().max(FEW).max(FEW_BYTES / size_of::<T>());
        let mut slots = vec![T::default(); room].into_boxed_slice();
        // It is full: its entries are two parts, and each lies together again.
        let turn = (self.popped & self.slots.len().wrapping_sub(1)).min(self.slots.len());
        let (after, before) = self.slots.split_at(turn);
        for (number, part) in [(self.popped, before), (self.popped + before.len(), after)] {
            slots[number & (room - 1)..][..part.len()].copy_from_slice(part);
        }
        self.slots = slots;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn order_survives_growth_across_the_wrap() {
        let mut ring: Ring<u32> = Ring::default();
        let mut next = 0;
        for round in 0..40u32 {
            for i in 0..5 {
                ring.push(round * 5 + i);
            }
            for _ in 0..3 {
                assert_eq!((ring.front(), ring.second()), (Some(&next), Some(&(next + 1))));
                assert_eq!(ring.pop(), Some(next));
                next += 1;
            }
        }
        assert_eq!(ring.len(), 80);
        ring.shrink();
        assert_eq!((ring.len(), ring.front()), (80, Some(&next)));
        while ring.pop().is_some() {}
        ring.shrink();
        assert_eq!((ring.len(), ring.slots.len()), (0, 0));
        ring.push(7);
        assert_eq!((ring.len(), ring.pop()), (1, Some(7)));
    }

    #[test]
    fn all_that_are_wanted_go_and_no_other() {
        for wanted in 0..=70 {
            let mut ring: Ring<u32> = Ring::default();
            (0..70).for_each(|entry| ring.push(entry));
            ring.pop_while(|&entry: &u32| entry < wanted);
            assert!(ring.iter().copied().eq(wanted..70), "{wanted}");
        }
    }
}
