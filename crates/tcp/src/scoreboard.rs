//! What is known of each outstanding segment. Costs O(lost): in-order traffic touches only the ring of send times.

use std::cmp::Reverse;
use std::collections::{BinaryHeap, VecDeque};

use units::Time;

use crate::ranges::Ranges;

/// Selectively acknowledged.
pub(crate) const SACKED: u8 = 1;
/// Held to be lost.
pub(crate) const LOST: u8 = 2;
/// Its latest transmission was a retransmission that is still held to be in flight.
pub(crate) const RETRANSMITTED: u8 = 4;
/// Was retransmitted at least once.
pub(crate) const EVER_RETRANSMITTED: u8 = 8;

/// The outstanding window, from `una` (exclusive of what was acknowledged) to `nxt`, both kept by the caller.
#[derive(Clone, Debug)]
pub(crate) struct Scoreboard {
    sent_at: Box<[Time]>,
    /// Empty until the first trouble; zero outside the outstanding window.
    flags: Vec<u8>,
    /// One past the highest segment that ever had a flag.
    flagged_until: u64,
    pub(crate) sacked_out: u32,
    pub(crate) lost_out: u32,
    pub(crate) retrans_out: u32,
    pub(crate) sacked: Ranges,
    /// Room for what one ACK's SACK blocks bring; empty between ACKs.
    pub(crate) newly_sacked: Vec<(u64, u64)>,
    /// One past the highest SACKed segment.
    pub(crate) highest_sacked: u64,
    /// Retransmissions in the order they were sent.
    pub(crate) retransmissions: VecDeque<(u64, Time)>,
    to_retransmit: BinaryHeap<Reverse<u64>>,
    /// Original transmissions below are SACKed or marked lost.
    pub(crate) classified_until: u64,
    /// Segments ever marked lost.
    pub(crate) lost: u64,
    /// Of those, lost retransmissions.
    pub(crate) lost_again: u64,
}

impl Scoreboard {
    pub(crate) fn new() -> Scoreboard {
        Scoreboard {
            sent_at: vec![Time::ZERO; 16].into_boxed_slice(),
            flags: Vec::new(),
            flagged_until: 0,
            sacked_out: 0,
            lost_out: 0,
            retrans_out: 0,
            sacked: Ranges::default(),
            newly_sacked: Vec::new(),
            highest_sacked: 0,
            retransmissions: VecDeque::new(),
            to_retransmit: BinaryHeap::new(),
            classified_until: 0,
            lost: 0,
            lost_again: 0,
        }
    }

    /// No segment at or above `una` was ever SACKed, lost or retransmitted.
    #[inline]
    pub(crate) fn is_clean(&self, una: u64) -> bool {
        una >= self.flagged_until && self.sacked_out == 0
    }

    #[inline]
    fn slot(&self, seq: u64) -> usize {
        seq as usize & (self.sent_at.len() - 1)
    }

    /// When `seq` was last sent.
    #[inline]
    pub(crate) fn sent_at(&self, seq: u64) -> Time {
        self.sent_at[self.slot(seq)]
    }

    /// Flags of `seq`.
    #[inline]
    pub(crate) fn flags(&self, seq: u64) -> u8 {
        if seq >= self.flagged_until {
            0
        } else {
            self.flags[self.slot(seq)]
        }
    }

    /// The segments from `nxt` to `end` are sent for the first time.
    #[inline]
    pub(crate) fn on_sent(&mut self, una: u64, nxt: u64, end: u64, now: Time) {
        while (end - una) as usize > self.sent_at.len() {
            self.grow(una, nxt);
        }
        let slots = &mut self.sent_at[..];
        for seq in nxt..end {
            slots[seq as usize & (slots.len() - 1)] = now;
        }
    }

    /// `seq` is sent again.
    pub(crate) fn on_retransmitted(&mut self, seq: u64, now: Time) {
        self.set(seq, RETRANSMITTED | EVER_RETRANSMITTED);
        let slot = self.slot(seq);
        self.sent_at[slot] = now;
        self.retrans_out += 1;
        self.retransmissions.push_back((seq, now));
    }

    /// Marks `seq` SACKed. It must be outstanding and not SACKed.
    pub(crate) fn mark_sacked(&mut self, seq: u64) {
        let flags = self.flags(seq);
        if flags & LOST != 0 {
            self.lost_out -= 1;
        }
        if flags & RETRANSMITTED != 0 {
            self.retrans_out -= 1;
        }
        self.set(seq, SACKED);
        self.clear(seq, LOST | RETRANSMITTED);
        self.sacked_out += 1;
        self.highest_sacked = self.highest_sacked.max(seq + 1);
    }

    /// Marks `seq` lost, or its retransmission lost again. It must be outstanding.
    pub(crate) fn mark_lost(&mut self, seq: u64) {
        let flags = self.flags(seq);
        if flags & SACKED != 0 || (flags & LOST != 0 && flags & RETRANSMITTED == 0) {
            return;
        }
        if flags & RETRANSMITTED != 0 {
            self.clear(seq, RETRANSMITTED);
            self.retrans_out -= 1;
            self.lost_again += 1;
        }
        if flags & LOST == 0 {
            self.set(seq, LOST);
            self.lost_out += 1;
        }
        self.lost += 1;
        self.to_retransmit.push(Reverse(seq));
    }

    /// Forgets that `seq` was lost (undo).
    pub(crate) fn unmark_lost(&mut self, una: u64) {
        while let Some(seq) = self.next_lost(una) {
            self.clear(seq, LOST);
            self.lost_out -= 1;
        }
        self.to_retransmit.clear();
    }

    /// The lowest lost segment that is not being retransmitted.
    pub(crate) fn next_lost(&mut self, una: u64) -> Option<u64> {
        while let Some(&Reverse(seq)) = self.to_retransmit.peek() {
            if seq >= una && self.flags(seq) & (LOST | RETRANSMITTED) == LOST {
                return Some(seq);
            }
            self.to_retransmit.pop();
        }
        None
    }

    /// `seq` leaves the window; returns the flags it had.
    pub(crate) fn remove(&mut self, seq: u64) -> u8 {
        let flags = self.flags(seq);
        if flags != 0 {
            let slot = self.slot(seq);
            self.flags[slot] = 0;
            self.sacked_out -= u32::from(flags & SACKED != 0);
            self.lost_out -= u32::from(flags & LOST != 0);
            self.retrans_out -= u32::from(flags & RETRANSMITTED != 0);
        }
        flags
    }

    /// The window now begins at `una`.
    pub(crate) fn on_advanced(&mut self, una: u64) {
        self.sacked.remove_below(una);
        self.classified_until = self.classified_until.max(una);
        while self.retransmissions.front().is_some_and(|&(seq, _)| seq < una) {
            self.retransmissions.pop_front();
        }
    }

    fn set(&mut self, seq: u64, flags: u8) {
        if self.flags.is_empty() {
            self.flags = vec![0; self.sent_at.len()];
        }
        let slot = self.slot(seq);
        self.flags[slot] |= flags;
        self.flagged_until = self.flagged_until.max(seq + 1);
    }

    fn clear(&mut self, seq: u64, flags: u8) {
        let slot = self.slot(seq);
        self.flags[slot] &= !flags;
    }

    #[cold]
    #[inline(never)]
    fn grow(&mut self, una: u64, nxt: u64) {
        let capacity = self.sent_at.len() * 2;
        let mut sent_at = vec![Time::ZERO; capacity].into_boxed_slice();
        let mut flags = if self.flags.is_empty() { Vec::new() } else { vec![0; capacity] };
        for seq in una..nxt {
            let to = seq as usize & (capacity - 1);
            sent_at[to] = self.sent_at(seq);
            if !flags.is_empty() {
                flags[to] = self.flags[self.slot(seq)];
            }
        }
        (self.sent_at, self.flags) = (sent_at, flags);
    }
}
