//! A growing ring buffer with a power-of-two capacity: the FIFO of every hot loop.

/// First in, first out. Grows by doubling and never shrinks; allocates nothing until the first push.
#[derive(Clone, Debug, Default)]
pub struct Ring<T> {
    slots: Box<[T]>,
    /// Entries ever popped and pushed: entry number `n` is in slot `n` modulo the capacity.
    popped: usize,
    pushed: usize,
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

    #[inline]
    fn slot(&self, number: usize) -> usize {
        number & self.slots.len().wrapping_sub(1)
    }

    /// The oldest entry.
    #[inline]
    pub fn front(&self) -> Option<&T> {
        if self.is_empty() {
            None
        } else {
            Some(&self.slots[self.slot(self.popped)])
        }
    }

    /// Takes the oldest entry.
    #[inline]
    pub fn pop(&mut self) -> Option<T> {
        self.pop_if(|_| true)
    }

    /// Takes the oldest entry if it is as wanted.
    #[inline]
    pub fn pop_if(&mut self, is_wanted: impl FnOnce(&T) -> bool) -> Option<T> {
        let entry = *self.front().filter(|&entry| is_wanted(entry))?;
        self.popped += 1;
        Some(entry)
    }

    /// Appends an entry.
    #[inline]
    pub fn push(&mut self, entry: T) {
        if self.len() == self.slots.len() {
            self.grow();
        }
        let slot = self.slot(self.pushed);
        self.slots[slot] = entry;
        self.pushed += 1;
    }

    /// The entries, oldest first.
    pub fn iter(&self) -> impl Iterator<Item = &T> {
        (self.popped..self.pushed).map(|number| &self.slots[self.slot(number)])
    }

    #[cold]
    #[inline(never)]
    fn grow(&mut self) {
        let mut slots = vec![T::default(); (self.slots.len() * 2).max(8)].into_boxed_slice();
        for number in self.popped..self.pushed {
            slots[number & (slots.len() - 1)] = self.slots[self.slot(number)];
        }
        self.slots = slots;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn order_survives_growth_across_the_wrap() {
        let mut ring = Ring::default();
        let mut next = 0;
        for round in 0..40u32 {
            for i in 0..5 {
                ring.push(round * 5 + i);
            }
            for _ in 0..3 {
                assert_eq!(ring.pop(), Some(next));
                next += 1;
            }
        }
        assert_eq!(ring.len(), 80);
    }
}
