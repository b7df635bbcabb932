//! SACK information on its way, in little memory: with very many flows that of their ACKs is much of what a run takes.

use tcp::{Range, Sack};

/// No segment arrived twice.
const NO_DUPLICATE: i32 = i32::MIN;
/// One did, and there is no block: it stands in the place of the first.
const DUPLICATE_ALONE: i32 = i32::MIN + 1;
/// No window is told of: a larger number than any (RFC 7323 2.3).
const NO_WINDOW: u32 = u32::MAX;

/// A block as it lies from the end of the first: of no length if it is none.
#[derive(Clone, Copy, Debug)]
struct Block {
    end: i32,
    length: u32,
}

/// A [`Sack`] whose further blocks are less than 2^31 segments away from the first.
#[derive(Clone, Copy, Debug)]
pub(super) struct PackedSack {
    first: Range,
    others: [Block; 2],
    /// From the end of the first block.
    duplicate: i32,
    window: u32,
}

impl PackedSack {
    /// The same in little memory.
    #[inline]
    pub(super) fn of(sack: &Sack) -> PackedSack {
        let [first, others @ ..] = sack.blocks;
        let window = sack.window.unwrap_or(NO_WINDOW);
        let none = Block { end: 0, length: 0 };
        let pack = |block: Range| {
            if block.to == 0 {
                none
            } else {
                Block { end: distance(first.to, block.to), length: (block.to - block.from) as u32 }
            }
        };
        let others = others.map(pack);
        match sack.duplicate {
            None => PackedSack { first, others, duplicate: NO_DUPLICATE, window },
            Some(seq) if first.to == 0 => PackedSack { first: Range { from: seq, to: 0 }, others, duplicate: DUPLICATE_ALONE, window },
            Some(seq) => PackedSack { first, others, duplicate: distance(first.to, seq), window },
        }
    }

    /// What was packed.
    #[inline]
    pub(super) fn unpack(self) -> Sack {
        let PackedSack { first, others, duplicate, window } = self;
        let there = |distance: i32| first.to.wrapping_add_signed(distance.into());
        let block = |Block { end, length }| {
            if length == 0 {
                Range::default()
            } else {
                Range { from: there(end) - u64::from(length), to: there(end) }
            }
        };
        let window = (window != NO_WINDOW).then_some(window);
        let [second, third] = others.map(block);
        match duplicate {
            NO_DUPLICATE => Sack { blocks: [first, second, third], duplicate: None, window },
            DUPLICATE_ALONE => Sack { blocks: [Range::default(), second, third], duplicate: Some(first.from), window },
            away => Sack { blocks: [first, second, third], duplicate: Some(there(away)), window },
        }
    }
}

/// From segment `from` on to segment `to`: both were in flight not long before.
#[inline]
fn distance(from: u64, to: u64) -> i32 {
    let distance = to.wrapping_sub(from) as i64;
    debug_assert!(i32::try_from(distance).is_ok_and(|distance| distance > DUPLICATE_ALONE), "segments {from} and {to} in one SACK");
    distance as i32
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_was_packed_comes_out() {
        let mut stream = units::Stream::named(3, "packed");
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
            let sack = Sack { blocks, duplicate, window };
            assert_eq!(PackedSack::of(&sack).unpack(), sack);
        }
        // What a packet of a request carries.
        let sack = Sack { blocks: [Range { from: 77, to: 1 << 50 }, Range::default(), Range::default()], ..Sack::default() };
        assert_eq!(PackedSack::of(&sack).unpack(), sack);
        assert_eq!(size_of::<PackedSack>(), 40);
    }
}
