//! SACK information on its way, in little memory: with very many flows that of their ACKs is much of what a run takes. Most of it is one block.

use net::Ring;
use tcp::{Range, Sack};

/// Room for more words is given back when none is in use: what losses in large windows took would be much of many flows' memory.
const WORDS_KEPT: usize = 32;

/// The first block's length if a word of its own says where it begins.
const LONG: u64 = u32::MAX as u64;

// What follows the two words of the first block, beside the number of further blocks.
const HAS_DUPLICATE: u32 = 4;
const HAS_WINDOW: u32 = 8;

/// SACK information in order. Of each: the first block's end, its length and what follows; a word for each further block, which ends less than 2^31
/// segments away; a segment that arrived twice; a window.
#[derive(Clone, Debug, Default)]
pub(super) struct PackedSacks(Ring<u64>);

impl PackedSacks {
    /// Nothing is on its way.
    #[inline]
    pub(super) fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// One more is.
    #[inline]
    pub(super) fn push(&mut self, sack: &Sack) {
        let &Sack { blocks: [first, second, third], duplicate, window } = sack;
        let length = first.to.wrapping_sub(first.from).min(LONG);
        let further = if third.to > 0 { 2 } else { u32::from(second.to > 0) };
        let follows = further | if duplicate.is_some() { HAS_DUPLICATE } else { 0 } | if window.is_some() { HAS_WINDOW } else { 0 };
        self.0.push_pair([first.to, length | u64::from(follows) << 32]);
        if follows > 0 || length == LONG {
            self.push_rest(sack, further as usize, length == LONG);
        }
    }

    /// What follows the first block.
    #[inline(never)]
    fn push_rest(&mut self, sack: &Sack, further: usize, is_long: bool) {
        let [first, others @ ..] = sack.blocks;
        if is_long {
            self.0.push(first.from);
        }
        for block in &others[..further] {
            self.0.push(u64::from(distance(first.to, block.to)) << 32 | (block.to - block.from));
        }
        sack.duplicate.into_iter().for_each(|seq| self.0.push(seq));
        sack.window.into_iter().for_each(|window| self.0.push(window.into()));
    }

    /// The first.
    pub(super) fn front(&self) -> Option<Sack> {
        let mut words = self.0.iter().copied();
        let first = [words.next()?, words.next()?];
        alone(first).or_else(|| unpack(first, || words.next()))
    }

    /// Takes the first.
    #[inline]
    pub(super) fn pop(&mut self) -> Option<Sack> {
        let first = self.0.pop_pair()?;
        alone(first).or_else(|| self.pop_rest(first))
    }

    /// What follows the first block.
    #[inline(never)]
    fn pop_rest(&mut self, first: [u64; 2]) -> Option<Sack> {
        unpack(first, || self.0.pop())
    }

    /// Gives back much room of which none is in use. Whether it did.
    #[inline]
    pub(super) fn shrink(&mut self) -> bool {
        self.0.shrink_beyond(WORDS_KEPT)
    }
}

/// Of one block and nothing else, as of most: these two words are all.
#[inline(always)]
fn alone([to, word]: [u64; 2]) -> Option<Sack> {
    let block = Range { from: to.wrapping_sub(word), to };
    (word < LONG).then(|| Sack { blocks: [block, Range::default(), Range::default()], ..Sack::default() })
}

#[inline(always)]
fn unpack([to, word]: [u64; 2], mut next: impl FnMut() -> Option<u64>) -> Option<Sack> {
    let (length, follows) = (word & LONG, (word >> 32) as u32);
    let mut sack = Sack { blocks: [Range { from: to.wrapping_sub(length), to }, Range::default(), Range::default()], ..Sack::default() };
    if length == LONG {
        sack.blocks[0].from = next()?;
    }
    for block in &mut sack.blocks[1..=(follows & 3) as usize] {
        let word = next()?;
        let (end, length) = (to.wrapping_add_signed(i64::from((word >> 32) as i32)), word & LONG);
        *block = if length == 0 { Range::default() } else { Range { from: end - length, to: end } };
    }
    if follows & HAS_DUPLICATE != 0 {
        sack.duplicate = Some(next()?);
    }
    if follows & HAS_WINDOW != 0 {
        sack.window = Some(next()? as u32);
    }
    Some(sack)
}

/// From segment `from` on to segment `to`: both were in flight not long before.
#[inline]
fn distance(from: u64, to: u64) -> u32 {
    let distance = to.wrapping_sub(from) as i64;
    debug_assert!(i32::try_from(distance).is_ok(), "segments {from} and {to} in one SACK");
    distance as i32 as u32
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_was_packed_comes_out_in_order() {
        let mut stream = units::Stream::named(3, "packed");
        let mut packed = PackedSacks::default();
        let mut under_way = std::collections::VecDeque::new();
        for round in 0..10_000_u64 {
            let base = if round % 2 == 0 { 5000 } else { 1 << 45 };
            let mut block = |is_there: bool| {
                let from = base + stream.up_to(4000);
                if is_there {
                    Range { from, to: from + 1 + stream.up_to(300) }
                } else {
                    Range::default()
                }
            };
            let blocks = [block(round % 5 > 0), block(round % 5 > 1), block(round % 5 > 2)];
            let duplicate = (round % 3 == 0).then(|| base - 4000 + stream.up_to(8000));
            let window = (round % 7 == 0).then(|| stream.up_to(1 << 30) as u32);
            under_way.push_back(Sack { blocks, duplicate, window });
            packed.push(&under_way[under_way.len() - 1]);
            while under_way.len() as u64 > round % 13 {
                assert_eq!(packed.front(), under_way.front().copied());
                assert_eq!(packed.pop(), under_way.pop_front());
            }
            assert_eq!(packed.is_empty(), under_way.is_empty());
        }
        // What a packet of a request carries.
        let sack = Sack { blocks: [Range { from: 77, to: 1 << 50 }, Range::default(), Range::default()], ..Sack::default() };
        while packed.pop().is_some() {}
        packed.push(&sack);
        assert_eq!((packed.pop(), packed.pop()), (Some(sack), None));
    }

    /// One block is all that most say: two words.
    #[test]
    fn a_block_takes_sixteen_bytes() {
        let mut packed = PackedSacks::default();
        packed.push(&Sack { blocks: [Range { from: 9, to: 12 }, Range::default(), Range::default()], ..Sack::default() });
        assert_eq!(packed.0.len(), 2);
    }
}
