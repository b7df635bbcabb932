//! A growing ring buffer with a power-of-two capacity: the queue in every loop that has to be fast.

/// First in, first out. Grows by doubling and never shrinks. A ring with `OWN` slots of its own (a power of two) keeps so many
/// entries and the oldest in itself: of many thousand rings every allocation would be a page of its own to look up.
#[derive(Debug)]
#[repr(C)]
pub struct Ring<T, const OWN: usize = 0> {
    /// Entries ever popped and pushed: entry number `n` is in slot `n` modulo the capacity.
    popped: usize,
    pushed: usize,
    /// The oldest entry if the ring has slots of its own: not in its slot, so that who asks need not wait for that.
    head: T,
    /// In use instead of `own` once that was too small.
    grown: Box<[T]>,
    own: [T; OWN],
}

impl<T: Copy + Default, const OWN: usize> Default for Ring<T, OWN> {
    fn default() -> Ring<T, OWN> {
        Ring { popped: 0, pushed: 0, head: T::default(), grown: Box::default(), own: [T::default(); OWN] }
    }
}

impl<T: Copy, const OWN: usize> Clone for Ring<T, OWN> {
    fn clone(&self) -> Ring<T, OWN> {
        let Ring { popped, pushed, head, ref grown, own } = *self;
        Ring { popped, pushed, head, grown: grown.clone(), own }
    }

    /// An empty ring takes no slots: those that were grown stay.
    #[inline]
    fn clone_from(&mut self, from: &Ring<T, OWN>) {
        if from.popped == from.pushed {
            (self.popped, self.pushed) = (from.popped, from.pushed);
        } else {
            *self = from.clone();
        }
    }
}

impl<T: Copy + Default, const OWN: usize> Ring<T, OWN> {
    /// Entries in `head`.
    const HEAD: usize = if OWN > 0 { 1 } else { 0 };

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
    fn slots(&self) -> &[T] {
        if OWN > 0 && self.grown.is_empty() {
            &self.own
        } else {
            &self.grown
        }
    }

    #[inline]
    fn slot(&self, number: usize) -> &T {
        let slots = self.slots();
        &slots[number & slots.len().wrapping_sub(1)]
    }

    /// The oldest entry.
    #[inline]
    pub fn front(&self) -> Option<&T> {
        if self.is_empty() {
            None
        } else if OWN > 0 {
            Some(&self.head)
        } else {
            Some(self.slot(self.popped))
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
        if OWN > 0 && !self.is_empty() {
            self.head = *self.slot(self.popped);
        }
        Some(entry)
    }

    /// Appends an entry.
    #[inline]
    pub fn push(&mut self, entry: T) {
        if OWN > 0 && self.is_empty() {
            self.head = entry;
        } else {
            self.append(entry);
        }
        self.pushed += 1;
    }

    #[inline]
    fn append(&mut self, entry: T) {
        if self.len() - Self::HEAD == self.slots().len() {
            self.grow();
        }
        let slots = if OWN > 0 && self.grown.is_empty() { &mut self.own[..] } else { &mut self.grown };
        slots[self.pushed & slots.len().wrapping_sub(1)] = entry;
    }

    /// The entries, oldest first.
    pub fn iter(&self) -> impl Iterator<Item = &T> {
        self.front().into_iter().chain((self.popped + 1..self.pushed).map(|number| self.slot(number)))
    }

    #[cold]
    #[inline(never)]
    fn grow(&mut self) {
        let mut slots = vec![T::default(); (self.slots().len() * 2).max(8)].into_boxed_slice();
        for number in self.popped + Self::HEAD..self.pushed {
            slots[number & (slots.len() - 1)] = *self.slot(number);
        }
        self.grown = slots;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn order_survives_growth_across_the_wrap() {
        check(Ring::<_, 0>::default());
        check(Ring::<_, 4>::default());
    }

    fn check<const OWN: usize>(mut ring: Ring<u32, OWN>) {
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
