//! A growing ring buffer with a power-of-two capacity: the queue in every loop that has to be fast.

/// First in, first out. Grows by doubling and never shrinks. A ring with `OWN` slots of its own (a power of two) keeps so many
/// entries and the oldest in itself until that is too little: of many thousand rings every allocation would be a page of its own to look up.
#[derive(Debug)]
#[repr(C)]
pub struct Ring<T, const OWN: usize = 0> {
    /// Entries ever popped and pushed: entry number `n` is in slot `n` modulo the capacity.
    popped: usize,
    pushed: usize,
    /// The oldest entry while it is not in `grown`: not in its slot, so that who asks need not wait for that.
    head: T,
    /// In use instead of `head` and `own` once those were too small.
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

    /// The slots of its own are in use.
    #[inline]
    fn is_small(&self) -> bool {
        OWN > 0 && self.grown.is_empty()
    }

    /// Entry `number`, where slots have been allocated.
    #[inline]
    fn grown(&self, number: usize) -> &T {
        &self.grown[number & self.grown.len().wrapping_sub(1)]
    }

    /// Entry `number`, which is not the oldest, where none have.
    #[inline]
    fn own(&self, number: usize) -> &T {
        &self.own[number & OWN.wrapping_sub(1)]
    }

    /// The oldest entry.
    #[inline]
    pub fn front(&self) -> Option<&T> {
        if self.is_empty() {
            None
        } else if self.is_small() {
            Some(&self.head)
        } else {
            Some(self.grown(self.popped))
        }
    }

    /// The entry behind the oldest.
    #[inline]
    pub fn second(&self) -> Option<&T> {
        let number = self.popped + 1;
        if number >= self.pushed {
            None
        } else if self.is_small() {
            Some(self.own(number))
        } else {
            Some(self.grown(number))
        }
    }

    /// Takes the oldest entry.
    #[inline]
    pub fn pop(&mut self) -> Option<T> {
        self.pop_if(|_| true)
    }

    /// Takes the oldest entry if it is as wanted.
    #[inline(always)]
    pub fn pop_if(&mut self, is_wanted: impl FnOnce(&T) -> bool) -> Option<T> {
        let entry = *self.front().filter(|&entry| is_wanted(entry))?;
        self.popped += 1;
        if self.is_small() {
            self.lead();
        }
        Some(entry)
    }

    /// Takes all of the oldest entries that are as wanted, where none that is follows one that is not: looked for in steps that double, and
    /// then halve.
    #[inline]
    pub fn pop_while(&mut self, is_wanted: impl Fn(&T) -> bool) {
        if self.is_small() {
            while self.pop_if(&is_wanted).is_some() {}
            return;
        }
        let are_wanted = |ring: &Self, to: usize| to <= ring.pushed && is_wanted(ring.grown(to - 1));
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

    /// The next entry of a ring that has allocated nothing yet becomes the oldest.
    #[inline(never)]
    fn lead(&mut self) {
        if !self.is_empty() {
            self.head = *self.own(self.popped);
        }
    }

    /// Appends an entry.
    #[inline(always)]
    pub fn push(&mut self, entry: T) {
        if self.is_small() {
            return self.push_small(entry);
        }
        if self.len() == self.grown.len() {
            self.grow();
        }
        let last = self.grown.len().wrapping_sub(1);
        self.grown[self.pushed & last] = entry;
        self.pushed += 1;
    }

    /// Appends two entries.
    #[inline(always)]
    pub fn push_pair(&mut self, [first, second]: [T; 2]) {
        if self.len() + 2 > self.grown.len() {
            self.push(first);
            return self.push(second);
        }
        let last = self.grown.len().wrapping_sub(1);
        self.grown[self.pushed & last] = first;
        self.grown[(self.pushed + 1) & last] = second;
        self.pushed += 2;
    }

    /// Appends an entry to a ring that has allocated nothing yet.
    #[inline(never)]
    fn push_small(&mut self, entry: T) {
        if self.is_empty() {
            self.head = entry;
        } else if self.len() > OWN {
            self.grow();
            return self.push(entry);
        } else {
            self.own[self.pushed & OWN.wrapping_sub(1)] = entry;
        }
        self.pushed += 1;
    }

    /// The entries, oldest first.
    pub fn iter(&self) -> impl Iterator<Item = &T> {
        let slot = |number| if self.is_small() { self.own(number) } else { self.grown(number) };
        self.front().into_iter().chain((self.popped + 1..self.pushed).map(slot))
    }

    #[cold]
    #[inline(never)]
    fn grow(&mut self) {
        let mut slots = vec![T::default(); (self.len() * 2).next_power_of_two().max(8)].into_boxed_slice();
        for (number, &entry) in (self.popped..).zip(self.iter()) {
            slots[number & (slots.len() - 1)] = entry;
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
                assert_eq!((ring.front(), ring.second()), (Some(&next), Some(&(next + 1))));
                assert_eq!(ring.pop(), Some(next));
                next += 1;
            }
        }
        assert_eq!(ring.len(), 80);
    }

    #[test]
    fn all_that_are_wanted_go_and_no_other() {
        for wanted in 0..=70 {
            let (mut small, mut large) = (Ring::<u32, 128>::default(), Ring::<u32, 0>::default());
            for entry in 0..70 {
                small.push(entry);
                large.push(entry);
            }
            small.pop_while(|&entry| entry < wanted);
            large.pop_while(|&entry| entry < wanted);
            let rest: Vec<u32> = (wanted..70).collect();
            assert!(small.iter().eq(&rest) && large.iter().eq(&rest), "{wanted}");
        }
    }
}
