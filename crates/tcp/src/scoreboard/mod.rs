//! What is known of each outstanding segment. Costs O(lost): in-order traffic touches only the ring of send times.

mod losses;
mod reported;

use std::cmp::Reverse;
use std::collections::{BinaryHeap, VecDeque};

use cc::Connection;
use units::Time;

use crate::ranges::Ranges;
use crate::Range;

/// Selectively acknowledged.
pub(crate) const SACKED: u8 = 1;
/// Held to be lost.
pub(crate) const LOST: u8 = 2;
/// Its latest transmission was a retransmission that is still held to be in flight.
pub(crate) const RETRANSMITTED: u8 = 4;
/// Was retransmitted at least once.
pub(crate) const EVER_RETRANSMITTED: u8 = 8;
/// Was found late, and was not sent since: it is not looked for again, even if the loss is undone (Linux takes it off RACK's list).
const FOUND_LATE: u8 = 16;

/// A segment: when it was last sent, and its flags in the lowest five bits.
#[derive(Clone, Copy, Debug, Default)]
struct Segment(u64);

impl Segment {
    const FLAG_BITS: u32 = 5;
    const FLAGS: u64 = (1 << Segment::FLAG_BITS) - 1;

    #[inline]
    fn sent(at: Time) -> Segment {
        Segment(at.0 << Segment::FLAG_BITS)
    }

    #[inline]
    fn sent_at(self) -> Time {
        Time(self.0 >> Segment::FLAG_BITS)
    }

    #[inline]
    fn flags(self) -> u8 {
        (self.0 & Segment::FLAGS) as u8
    }
}

/// What is known of a segment.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Sending {
    /// When it was last sent.
    pub(crate) sent: Time,
    pub(crate) flags: u8,
}

/// Segments marked lost since an algorithm was last told.
#[derive(Clone, Debug, Default)]
struct NewlyLost(Vec<u64>);

/// Slots that a sender begins with.
const FEW: usize = 16;

/// Room for more repairs than these is given back when there are none: after a timeout all that is outstanding is one, and of very many
/// flows that would be much of the memory.
const REPAIRS_KEPT: usize = 8;

/// The outstanding window, from `una` (exclusive of what was acknowledged) to `nxt`, both kept by the caller. In memory what
/// only trouble looks at comes last.
#[derive(Debug)]
#[repr(C)]
pub(crate) struct Scoreboard {
    /// One past the highest segment that ever had a flag.
    flagged_until: u64,
    sacked_out: u32,
    lost_out: u32,
    /// The segments, each in its slot: its number modulo the capacity. No flags outside the outstanding window.
    slots: Box<[Segment]>,
    retrans_out: u32,
    /// Retransmissions ever marked lost.
    lost_again: u32,
    /// One past the highest SACKed segment.
    highest_sacked: u64,
    /// Original transmissions below are SACKed or marked lost.
    classified_until: u64,
    sacked: Ranges,
    /// Retransmissions in the order they were sent.
    retransmissions: VecDeque<(u64, Time)>,
    to_retransmit: BinaryHeap<Reverse<u64>>,
    /// Segments ever marked lost.
    lost: u64,
    /// Blocks of the latest SACK: an ACK repeats most of those before it.
    reported: [Range; 3],
    /// Losses that an algorithm is yet to be told of, if it is told of any.
    newly_lost: Option<Box<NewlyLost>>,
}

units::clone_by_field! {
    Scoreboard: flagged_until sacked_out lost_out slots retrans_out highest_sacked classified_until lost lost_again reported newly_lost,
    mostly empty: sacked retransmissions to_retransmit
}

impl Scoreboard {
    pub(crate) fn new(tells_losses: bool) -> Scoreboard {
        Scoreboard {
            newly_lost: tells_losses.then(Box::default),
            flagged_until: 0,
            sacked_out: 0,
            lost_out: 0,
            slots: Box::new([Segment::default(); FEW]),
            retrans_out: 0,
            highest_sacked: 0,
            classified_until: 0,
            sacked: Ranges::default(),
            retransmissions: VecDeque::new(),
            to_retransmit: BinaryHeap::new(),
            lost: 0,
            lost_again: 0,
            reported: [Range::default(); 3],
        }
    }

    /// No segment at or above `una` was ever SACKed, lost or retransmitted.
    #[inline]
    pub(crate) fn is_clean(&self, una: u64) -> bool {
        una >= self.flagged_until && self.sacked_out == 0
    }

    /// From where on [`Scoreboard::is_clean`] holds; never if not.
    pub(crate) fn clean_from(&self) -> u64 {
        if self.sacked_out == 0 {
            self.flagged_until
        } else {
            u64::MAX
        }
    }

    /// Segments SACKed and not cumulatively acknowledged.
    #[inline]
    pub(crate) fn sacked_out(&self) -> u32 {
        self.sacked_out
    }

    /// Outstanding segments held to be lost, those retransmitted included.
    pub(crate) fn lost_out(&self) -> u32 {
        self.lost_out
    }

    /// Retransmissions held to be in flight.
    pub(crate) fn retrans_out(&self) -> u32 {
        self.retrans_out
    }

    /// One past the highest SACKed segment.
    pub(crate) fn highest_sacked(&self) -> u64 {
        self.highest_sacked
    }

    /// Segments ever marked lost.
    pub(crate) fn lost(&self) -> u64 {
        self.lost
    }

    /// Retransmissions ever marked lost.
    pub(crate) fn lost_again(&self) -> u32 {
        self.lost_again
    }

    /// Something outstanding is SACKed, lost or was retransmitted.
    pub(crate) fn is_troubled(&self, una: u64) -> bool {
        self.sacked_out + self.lost_out > 0 || self.was_repaired(una)
    }

    /// Segments sent and not cumulatively acknowledged, less those SACKed or lost, plus those retransmitted.
    #[inline]
    pub(crate) fn pipe(&self, c: &Connection) -> u32 {
        let out = (c.nxt - c.una) as u32 + self.retrans_out;
        let left = self.sacked_out + self.lost_out;
        assert!(out >= left, "pipe is negative: {out} < {left} at {:?}", c.now);
        out - left
    }

    /// When the head was last sent, if more than once, is not SACKed, and all else below `una` is.
    #[inline]
    pub(crate) fn repaired_head(&self, c: &Connection, una: u64) -> Option<Time> {
        let Sending { sent, flags } = self.outstanding(c.una);
        let is_repaired = flags & (SACKED | EVER_RETRANSMITTED) == EVER_RETRANSMITTED;
        let lowest = self.sacked.lowest();
        let ends_with_it = c.una + 1 == una || (lowest.from == c.una + 1 && lowest.to >= una);
        (is_repaired && ends_with_it).then_some(sent)
    }

    /// These segments, from the head on, leave the window.
    pub(crate) fn remove_head(&mut self, segments: Range) {
        let Range { from: mut seq, to } = segments;
        while seq < to {
            self.remove(seq);
            seq = self.remove_sacked(Range { from: seq + 1, to });
        }
        self.on_advanced(to);
    }

    /// Of these segments the first that are SACKed, and nothing else, leave the window; returns which is the next.
    #[inline]
    pub(crate) fn remove_sacked(&mut self, segments: Range) -> u64 {
        let Range { from, to } = segments;
        let mut seq = from;
        while seq < to && self.segment(seq).flags() == SACKED {
            self.segment_mut(seq).0 &= !Segment::FLAGS;
            seq += 1;
        }
        self.sacked_out -= (seq - from) as u32;
        seq
    }

    /// Segments marked lost that the algorithm was not told of; none unless it is told of any.
    #[inline]
    pub(crate) fn newly_lost(&self) -> &[u64] {
        self.newly_lost.as_ref().map_or(&[], |newly_lost| &newly_lost.0)
    }

    /// The algorithm was told of them.
    pub(crate) fn on_losses_told(&mut self) {
        if let Some(newly_lost) = &mut self.newly_lost {
            newly_lost.0.clear();
        }
    }

    #[inline]
    fn segment(&self, seq: u64) -> Segment {
        self.slots[seq as usize & (self.slots.len() - 1)]
    }

    #[inline]
    fn segment_mut(&mut self, seq: u64) -> &mut Segment {
        let last = self.slots.len() - 1;
        &mut self.slots[seq as usize & last]
    }

    /// When the first and the last of these segments, which are outstanding, were last sent.
    #[inline(always)]
    pub(crate) fn sent_between(&self, first: u64, last: u64) -> (Time, Time) {
        (self.sent_at(first), self.sent_at(last))
    }

    /// When `seq` was last sent.
    #[inline]
    pub(crate) fn sent_at(&self, seq: u64) -> Time {
        self.segment(seq).sent_at()
    }

    /// When `seq`, which is outstanding, was last sent, and its flags.
    #[inline]
    pub(crate) fn outstanding(&self, seq: u64) -> Sending {
        let segment = self.segment(seq);
        Sending { sent: segment.sent_at(), flags: segment.flags() }
    }

    /// Flags of `seq`.
    #[inline]
    pub(crate) fn flags(&self, seq: u64) -> u8 {
        if seq >= self.flagged_until {
            0
        } else {
            self.segment(seq).flags()
        }
    }

    /// The next `count` segments, one at least, are sent for the first time.
    #[inline]
    pub(crate) fn on_sent(&mut self, c: &Connection, count: u64) {
        let &Connection { una, nxt, now, .. } = c;
        let end = nxt + count;
        if (end - una) as usize > self.slots.len() {
            self.grow(c, end);
        }
        note_sent(&mut self.slots, Range { from: nxt, to: end }, now);
    }

    /// [`Scoreboard::on_sent`] of one segment, where all that is outstanding is in flight.
    #[inline(always)]
    pub(crate) fn on_next_sent(&mut self, c: &Connection) {
        if c.in_flight as usize >= self.slots.len() {
            return self.on_sent(c, 1);
        }
        *self.segment_mut(c.nxt) = Segment::sent(c.now);
    }

    /// `seq` is sent again, as a repair.
    pub(crate) fn on_retransmitted(&mut self, seq: u64, now: Time) {
        self.on_probed(seq, now);
        self.set(seq, RETRANSMITTED);
        self.retrans_out += 1;
    }

    /// `seq` is sent again, as a probe: it is in flight as before.
    pub(crate) fn on_probed(&mut self, seq: u64, now: Time) {
        *self.segment_mut(seq) = Segment(Segment::sent(now).0 | u64::from(self.flags(seq) & !FOUND_LATE));
        self.set(seq, EVER_RETRANSMITTED);
        self.retransmissions.push_back((seq, now));
    }

    /// Marks `seq` SACKed: when it was last sent, and the flags it had. It must be outstanding and not SACKed. A retransmission that is not of
    /// a lost segment stays in flight.
    pub(crate) fn mark_sacked(&mut self, seq: u64) -> Sending {
        let segment = self.segment_mut(seq);
        let (sent, flags) = (segment.sent_at(), segment.flags());
        let gone = if flags & LOST != 0 { LOST | RETRANSMITTED } else { 0 };
        segment.0 = segment.0 & !u64::from(gone) | u64::from(SACKED);
        if gone != 0 {
            self.lost_out -= 1;
            self.retrans_out -= u32::from(flags & RETRANSMITTED != 0);
        }
        self.sacked_out += 1;
        self.highest_sacked = self.highest_sacked.max(seq + 1);
        self.flagged_until = self.flagged_until.max(seq + 1);
        Sending { sent, flags }
    }

    /// `seq`, which is outstanding, arrived twice: its retransmission is not in flight any more.
    pub(crate) fn on_duplicate(&mut self, seq: u64) {
        if self.flags(seq) & RETRANSMITTED != 0 {
            self.clear(seq, RETRANSMITTED);
            self.retrans_out -= 1;
        }
    }

    /// Marks `seq` lost, or its retransmission lost again. It must be outstanding.
    pub(crate) fn mark_lost(&mut self, seq: u64) {
        let flags = self.flags(seq);
        if flags & SACKED != 0 || (flags & LOST != 0 && flags & RETRANSMITTED == 0) {
            return;
        }
        if flags & LOST == 0 {
            self.set(seq, LOST);
            self.lost_out += 1;
        } else {
            self.clear(seq, RETRANSMITTED);
            self.retrans_out -= 1;
            self.lost_again += 1;
        }
        self.lost += 1;
        if let Some(newly_lost) = &mut self.newly_lost {
            newly_lost.0.push(seq);
        }
        self.to_retransmit.push(Reverse(seq));
    }

    /// Nothing is lost (undo). What is under way again stays so, and what is late is looked for anew.
    pub(crate) fn unmark_lost(&mut self, una: u64) {
        (una..self.flagged_until).for_each(|seq| self.clear(seq, LOST));
        self.lost_out = 0;
        self.to_retransmit.clear();
        self.classified_until = una;
    }

    /// Something outstanding was sent again (Linux `tcp_any_retrans_done`): the head tells of retransmissions that came to nothing.
    pub(crate) fn was_repaired(&self, una: u64) -> bool {
        self.retrans_out > 0 || self.flags(una) & EVER_RETRANSMITTED != 0
    }

    /// One past the highest segment that is SACKed; the window's begin if none is, as without SACK.
    pub(crate) fn highest(&self, una: u64) -> u64 {
        if self.sacked_out > 0 {
            self.highest_sacked.max(una)
        } else {
            una
        }
    }

    /// The lowest lost segment that is not being retransmitted.
    pub(crate) fn next_lost(&mut self, una: u64) -> Option<u64> {
        while let Some(&Reverse(seq)) = self.to_retransmit.peek() {
            if seq >= una && self.flags(seq) & (LOST | RETRANSMITTED) == LOST {
                return Some(seq);
            }
            self.to_retransmit.pop();
        }
        if self.to_retransmit.capacity() > REPAIRS_KEPT {
            self.to_retransmit = BinaryHeap::new();
        }
        None
    }

    /// `seq` leaves the window; returns when it was last sent, and the flags it had.
    #[inline]
    pub(crate) fn remove(&mut self, seq: u64) -> Sending {
        let segment = self.segment_mut(seq);
        let (sent, flags) = (segment.sent_at(), segment.flags());
        if flags != 0 {
            *segment = Segment::sent(sent);
            self.sacked_out -= u32::from(flags & SACKED != 0);
            self.lost_out -= u32::from(flags & LOST != 0);
            self.retrans_out -= u32::from(flags & RETRANSMITTED != 0);
        }
        Sending { sent, flags }
    }

    /// The window now begins at `una`.
    pub(crate) fn on_advanced(&mut self, una: u64) {
        self.sacked.remove_below(una);
        self.classified_until = self.classified_until.max(una);
        while self.retransmissions.front().is_some_and(|&(seq, _)| seq < una) {
            self.retransmissions.pop_front();
        }
        if self.retransmissions.is_empty() && self.retransmissions.capacity() > REPAIRS_KEPT {
            self.retransmissions = VecDeque::new();
        }
    }

    fn set(&mut self, seq: u64, flags: u8) {
        self.segment_mut(seq).0 |= u64::from(flags);
        self.flagged_until = self.flagged_until.max(seq + 1);
    }

    fn clear(&mut self, seq: u64, flags: u8) {
        self.segment_mut(seq).0 &= !u64::from(flags);
    }

    #[cold]
    #[inline(never)]
    fn grow(&mut self, c: &Connection, end: u64) {
        let capacity = ((end - c.una) as usize).next_power_of_two();
        let mut slots = vec![Segment::default(); capacity].into_boxed_slice();
        for seq in c.una..c.nxt {
            slots[seq as usize & (capacity - 1)] = self.segment(seq);
        }
        self.slots = slots;
    }
}

/// These segments, one at least, are sent now, each in its slot.
#[inline(always)]
fn note_sent(slots: &mut [Segment], segments: Range, now: Time) {
    let Range { from, to } = segments;
    let last = slots.len() - 1;
    // What an ACK releases is one or two segments, mostly.
    slots[from as usize & last] = Segment::sent(now);
    slots[(to - 1) as usize & last] = Segment::sent(now);
    if to - from > 2 {
        (from + 1..to - 1).for_each(|seq| slots[seq as usize & last] = Segment::sent(now));
    }
}
