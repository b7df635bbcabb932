//! What a SACK reports that those before it did not.

use cc::Connection;
use units::Time;

use super::Scoreboard;
use crate::ranges::Ranges;
use crate::{Range, Sack};

impl Scoreboard {
    /// The segments that `sack` is the first to report, if it differs from the one before in its first block alone, and that lies above all
    /// others: nearly every SACK.
    #[inline]
    pub(crate) fn newly_sacked_on_top(&mut self, c: &Connection, sack: &Sack) -> Option<Range> {
        let [first, others @ ..] = &sack.blocks;
        let [reported, others_reported @ ..] = &mut self.reported;
        if others != others_reported {
            return None;
        }
        if first == reported {
            return Some(Range::default());
        }
        let highest = self.sacked.highest();
        if first.from < highest.from {
            return None;
        }
        *reported = *first;
        let new = Range { from: first.from.max(highest.to).max(c.una), to: first.to };
        if !new.is_empty() {
            assert!(new.to <= c.nxt, "SACK {new:?} above snd_nxt {}", c.nxt);
            self.sacked.insert(new);
        }
        Some(new)
    }

    /// The one segment that `sack` is the first to report, if it lies above all that is SACKed, and was sent once: it is SACKed now. Also when it
    /// was sent.
    #[inline]
    pub(crate) fn take_next_sacked(&mut self, c: &Connection, sack: &Sack) -> Option<(u64, Time)> {
        let [first, others @ ..] = &sack.blocks;
        let (highest, seq) = (self.sacked.highest(), first.to.wrapping_sub(1));
        let prolongs = seq == highest.to && first.from == highest.from;
        let is_above = first.from == seq && seq > highest.to.max(c.una);
        if !prolongs && !is_above {
            return None;
        }
        if !self.has_reported(others) || self.segment(seq).flags() != 0 {
            return None;
        }
        assert!(seq < c.nxt, "SACK of {seq}, not below snd_nxt {}", c.nxt);
        self.reported = sack.blocks;
        self.sacked.insert(Range::of(seq));
        if self.classified_until == seq {
            self.classified_until = seq + 1;
        }
        Some((seq, self.mark_sacked(seq).sent))
    }

    /// Whether `sack` has no block that the one before did not have: then it is the one before from now on.
    pub(crate) fn takes_known(&mut self, sack: &Sack) -> bool {
        let are_known = self.has_reported(&sack.blocks);
        if are_known {
            self.reported = sack.blocks;
        }
        are_known
    }

    /// Whether the SACK before had `blocks`, the last ones of a SACK.
    #[inline]
    fn has_reported<const N: usize>(&self, blocks: &[Range; N]) -> bool {
        self.reported.last_chunk() == Some(blocks) || blocks.iter().all(|block| block.is_empty() || self.reported.contains(block))
    }

    /// The blocks of `sack` that the one before did not have, the lowest first; empty ones in the place of the others. From now on they are known.
    pub(crate) fn take_unreported(&mut self, c: &Connection, sack: &Sack) -> [Range; 3] {
        let known = std::mem::replace(&mut self.reported, sack.blocks);
        let mut unreported = sack.blocks.map(|block| {
            let Range { from, to } = if known.contains(&block) { Range::default() } else { block };
            assert!(to <= c.nxt, "SACK {from}..{to} above snd_nxt {}", c.nxt);
            Range { from: from.max(c.una), to }
        });
        unreported.sort_unstable();
        unreported
    }

    /// The segments that are SACKed, to add to them; to be given back with [`Scoreboard::take_back`].
    pub(crate) fn lend_sacked(&mut self) -> Ranges {
        std::mem::take(&mut self.sacked)
    }

    /// The segments that are SACKed, after some were added.
    pub(crate) fn take_back(&mut self, sacked: Ranges) {
        self.sacked = sacked;
    }
}
