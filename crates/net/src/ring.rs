//! A growing ring buffer with a power-of-two capacity: the FIFO of every hot loop.

/// First in, first out. Grows by doubling and never shrinks; allocates nothing until the first push.
#[derive(Clone, Debug, Default)]
pub struct Ring<T> {
    slots: Box<[T]>,
    head: usize,
    tail: usize,
}

impl<T: Copy + Default> Ring<T> {
    /// Whether nothing is queued.
    #[inline]
    pub fn is_empty(&self) -> bool {
        self.head == self.tail
    }

    /// Number of entries.
    #[inline]
    pub fn len(&self) -> usize {
        self.tail - self.head
    }

    /// The oldest entry.
    #[inline]
    pub fn front(&self) -> Option<&T> {
        if self.is_empty() {
            None
        } else {
            Some(&self.slots[self.head & (self.slots.len() - 1)])
        }
    }

    /// Takes the oldest entry.
    #[inline]
    pub fn pop(&mut self) -> Option<T> {
        let entry = *self.front()?;
        self.head += 1;
        Some(entry)
    }

    /// Appends an entry.
    #[inline]
    pub fn push(&mut self, entry: T) {
        if self.len() == self.slots.len() {
            self.grow();
        }
        let mask = self.slots.len() - 1;
        self.slots[self.tail & mask] = entry;
        self.tail += 1;
    }

    /// The entries, oldest first.
    pub fn iter(&self) -> impl Iterator<Item = &T> {
        (self.head..self.tail).map(|index| &self.slots[index & (self.slots.len() - 1)])
    }

    #[cold]
    fn grow(&mut self) {
        let mut slots = vec![T::default(); (self.slots.len() * 2).max(8)].into_boxed_slice();
        for (index, slot) in slots.iter_mut().take(self.len()).enumerate() {
            *slot = self.slots[(self.head + index) & (self.slots.len() - 1)];
        }
        (self.tail, self.head) = (self.len(), 0);
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
