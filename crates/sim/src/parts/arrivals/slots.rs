//! Which slots are free: a bit for each, and the lowest is found a word at a time.

/// Free slots.
#[derive(Clone, Debug, Default)]
pub(super) struct FreeSlots {
    /// Bit `n` modulo 64 of word `n / 64` is set while slot `n` is free.
    words: Vec<u64>,
    /// No word below this one has a bit.
    lowest: usize,
}

impl FreeSlots {
    /// Slot `slot` is free from now on.
    #[inline]
    pub(super) fn put(&mut self, slot: usize) {
        let word = slot / 64;
        if word >= self.words.len() {
            self.words.resize(word + 1, 0);
        }
        self.words[word] |= 1 << (slot % 64);
        self.lowest = self.lowest.min(word);
    }

    /// Takes the lowest free slot, if any is.
    pub(super) fn take(&mut self) -> Option<usize> {
        while let Some(word) = self.words.get_mut(self.lowest) {
            if *word != 0 {
                let bit = word.trailing_zeros() as usize;
                *word &= *word - 1;
                return Some(self.lowest * 64 + bit);
            }
            self.lowest += 1;
        }
        None
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use units::Stream;

    use super::*;

    /// Whatever is freed and taken, the lowest is taken first.
    #[test]
    fn the_lowest_free_slot_is_taken() {
        let mut draws = Stream::named(3, "slots");
        let (mut slots, mut free) = (FreeSlots::default(), BTreeSet::new());
        for _ in 0..50_000 {
            if draws.up_to(2) == 0 {
                assert_eq!(slots.take(), free.pop_first());
            } else {
                let slot = draws.up_to(999) as usize;
                free.insert(slot);
                slots.put(slot);
            }
            if draws.up_to(4000) == 0 {
                while let Some(slot) = free.pop_first() {
                    assert_eq!(slots.take(), Some(slot));
                }
                assert_eq!(slots.take(), None);
            }
        }
    }
}
