//! Three bits that count marks: how many an ACK tells of (RFC 9768 3.2.2).
//!
//! Each segment and ACK carries the number of marked segments that have arrived, plus five, modulo eight. An ACK of more than seven segments may stand for
//! eight marks more than it shows. The facts are those of Linux 7 (`__tcp_accecn_process`): such an ACK is taken as the bits say if the ACKs of this
//! connection use to be of more than four segments, which tells that they are thinned out on their way; otherwise as many marks are assumed as fit
//! what it brings. Where the option with bytes by codepoint arrives as well Linux corrects that by it, which is not done here.

/// What the counter begins with (RFC 9768 3.2.1).
pub const ACE_FIRST: u16 = 5;
/// Its bits.
const MASK: u64 = 7;
/// An average above so many segments an ACK tells of ACKs that are thinned out.
const THINNED: u32 = 4;
/// Bits of the average behind the point, and the weight of the past in it.
const POINT: u32 = 6;
const WEIGHT: u32 = 3;

/// What is remembered of the ACKs before.
#[derive(Clone, Copy, Debug, Default)]
pub struct AceCounter {
    /// How many segments an ACK brings on average.
    delivered: u32,
}

impl AceCounter {
    /// How many marks more than the `known` an ACK tells of that brings `delivered` segments and carries `field`.
    pub fn on_ack(&mut self, field: u16, delivered: u32, known: u64) -> u32 {
        if delivered > 0 {
            let now = delivered << POINT;
            let average = if self.delivered == 0 { now } else { ((self.delivered << WEIGHT) - self.delivered + now) >> WEIGHT };
            self.delivered = average.min(u16::MAX.into());
        }
        let shown = u64::from(field).wrapping_sub(ACE_FIRST.into()).wrapping_sub(known) & MASK;
        let brought = u64::from(delivered);
        if brought <= MASK || self.delivered > THINNED << POINT {
            return shown as u32;
        }
        (brought - ((brought - shown) & MASK)) as u32
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// RFC 9768 3.2.2: the counter wraps after seven, and begins with five.
    #[test]
    fn up_to_seven_marks_are_counted_across_a_wrap() {
        let mut counter = AceCounter::default();
        assert_eq!(counter.on_ack(5, 2, 0), 0);
        assert_eq!(counter.on_ack(0, 3, 0), 3);
        assert_eq!(counter.on_ack(4, 7, 0), 7);
        // 11 marks: 5 + 11 = 16, whose last three bits are 0.
        assert_eq!(counter.on_ack(0, 1, 10), 1);
    }

    /// RFC 9768 A.2.1: an ACK of nine segments whose bits stand still may tell of eight marks; of ten segments with one more, of nine.
    #[test]
    fn an_ack_of_many_segments_may_stand_for_eight_marks_more() {
        let after_one = |field, delivered| {
            let mut counter = AceCounter::default();
            counter.on_ack(5, 1, 0);
            counter.on_ack(field, delivered, 0)
        };
        assert_eq!([after_one(5, 7), after_one(5, 9), after_one(6, 10), after_one(5, 17)], [0, 8, 9, 16]);
        // Linux: where the average is above four segments the bits are taken as they are.
        let mut thinned = AceCounter::default();
        assert_eq!([thinned.on_ack(5, 10, 0), thinned.on_ack(6, 10, 0), thinned.on_ack(4, 10, 1)], [0, 1, 6]);
    }
}
