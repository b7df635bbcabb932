//! Compressed ACKs: behind a hole only the first duplicates leave one by one, then one ACK stands for many (Linux `tcp_comp_sack_*`).
//!
//! Source: Linux 6.1 `__tcp_ack_snd_check` and `tcp_sack_new_ofo_skb`, observed on the kernel.

use units::{Duration, Time};

/// Duplicates of one cumulative ACK that leave at once.
const PLAIN_DUPLICATES: u32 = 3;
/// Held back at most, before the next one leaves at once.
const HELD_MAX: u32 = 44;
/// A hole in front of a third block does not wait: an ACK says three, and one may be lost.
const BLOCKS_EXPECTED: usize = 2;

/// What a receiver remembers of the duplicates it sent and held back.
#[derive(Clone, Debug)]
pub(crate) struct Compression {
    /// How long an ACK is held; [`Duration::ZERO`] for not at all.
    wait: Duration,
    /// The cumulative ACK whose duplicates are counted.
    counted_at: u64,
    plain: u32,
    held: u32,
}

impl Compression {
    /// Nothing is held yet.
    pub(crate) fn new(wait: Duration) -> Compression {
        Compression { wait, counted_at: 0, plain: 0, held: 0 }
    }

    /// ACKs are held back at all.
    pub(crate) fn is_on(&self) -> bool {
        self.wait > Duration::ZERO
    }

    /// An ACK waits for its timer.
    pub(crate) fn is_holding(&self) -> bool {
        self.held > 0
    }

    /// Whether the ACK of a segment above a hole at `next` is held.
    pub(crate) fn holds(&mut self, next: u64) -> bool {
        if self.held >= HELD_MAX {
            return false;
        }
        if self.counted_at != next {
            (self.counted_at, self.plain) = (next, 0);
        }
        if self.plain < PLAIN_DUPLICATES {
            self.plain += 1;
            return false;
        }
        self.held += 1;
        true
    }

    /// When the timer expires, if the ACK now held is the first.
    pub(crate) fn deadline(&self, now: Time) -> Option<Time> {
        (self.held == 1).then(|| now + self.wait)
    }

    /// Whether what is held leaves before a segment that belongs to the block reported at `place`, or to none of `blocks`.
    pub(crate) fn yields_to(&self, place: Option<usize>, blocks: usize) -> bool {
        self.held > 0 && place.unwrap_or(blocks) >= BLOCKS_EXPECTED
    }

    /// An ACK left, and says everything.
    pub(crate) fn on_acknowledged(&mut self) {
        self.held = 0;
    }
}

#[cfg(test)]
mod tests {
    use units::{Duration, Time};

    use crate::{Arrival, Options, Range, Receiver, ReceiverSpec};

    /// Segment `seq` after so many microseconds.
    fn at(us: u64, seq: u64) -> Arrival {
        Arrival { at: Time::from_us(us), seq, sent: Time::ZERO }
    }

    /// A receiver without quick ACKs that has everything below segment 10, on a path of this RTT.
    fn receiver(rtt_ms: u64) -> Receiver {
        let options = Options { quickack: 0, ..Options::of_profile("linux-6.1").expect("a profile") };
        let mut receiver = Receiver::new(ReceiverSpec::new(&options, Duration::from_ms(rtt_ms)));
        for seq in 0..10 {
            receiver.on_segment(at(0, seq));
        }
        receiver
    }

    /// Segments from 11 on arrive at this spacing, 10 is missing. When ACKs leave, microseconds after segment 11, and how far they SACK.
    fn acks_behind_a_hole(receiver: &mut Receiver, spacing_us: u64, segments: u64) -> Vec<(u64, u64)> {
        let start_us = 1000;
        let mut acks = Vec::new();
        for n in 0..segments {
            let now = Time::from_us(start_us + n * spacing_us);
            if receiver.deadline() < now {
                let at = receiver.deadline();
                assert!(receiver.on_deadline().has_sack);
                acks.push((at.as_us() - start_us, receiver.sack().blocks[0].to));
            }
            if receiver.on_segment(Arrival { at: now, seq: 11 + n, sent: Time::ZERO }).is_some() {
                acks.push((n * spacing_us, receiver.sack().blocks[0].to));
            }
        }
        acks
    }

    /// Recorded on Linux 6.1, 250 Mbit/s and 42 ms: three ACKs 48 us apart, the next 1.1 ms after the fourth segment, for 23,
    /// and so on.
    #[test]
    fn three_duplicates_leave_at_once_and_then_one_in_1100_us() {
        let acks = acks_behind_a_hole(&mut receiver(42), 48, 50);
        assert_eq!(acks, [(0, 12), (48, 13), (96, 14), (144 + 1100, 37), (26 * 48 + 1100, 60)]);
    }

    /// 5 % of 10 ms, and the timer's slack of 0.1 ms; 44 segments of 12 us come before either.
    #[test]
    fn short_paths_and_fast_links_wait_less() {
        assert_eq!(acks_behind_a_hole(&mut receiver(10), 48, 20)[3], (144 + 600, 27));
        assert_eq!(acks_behind_a_hole(&mut receiver(42), 12, 60)[3], (36 + 44 * 12, 59));
    }

    #[test]
    fn what_fills_a_hole_or_opens_a_third_one_does_not_wait() {
        let mut receiver = receiver(42);
        acks_behind_a_hole(&mut receiver, 48, 5);
        let mut arrive = |seq| receiver.on_segment(at(1300, seq)).map(|ack| (ack.cumulative, *receiver.sack()));
        assert_eq!(arrive(20), None);
        // Two blocks wait to be told; the third finds no room to wait in, and is told by the next ACK.
        assert_eq!(arrive(30).map(|(_, sack)| sack.blocks), Some([Range::of(20), Range { from: 11, to: 16 }, Range::default()]));
        assert_eq!(arrive(31), None);
        assert_eq!(
            arrive(10).map(|(cumulative, sack)| (cumulative, sack.blocks)),
            Some((16, [Range { from: 30, to: 32 }, Range::of(20), Range::default()]))
        );
    }

    /// Recorded on Linux 6.1: a window that opens to 6,081,600 bytes has 2078 segments of 1448 bytes acknowledged one by one, and
    /// then the sixteen of every connection. Those behind holes count.
    #[test]
    fn a_window_that_opens_has_every_segment_acknowledged() {
        let options = Options::of_profile("linux-6.1").expect("a profile");
        let spec = ReceiverSpec::new(&options, Duration::from_ms(42)).with_window(&options, 6_081_600, 1448);
        let mut receiver = Receiver::new(spec);
        let is_acked = |receiver: &mut Receiver, seq| receiver.on_segment(at(0, seq)).is_some();
        assert!((0..1000).chain(1001..2095).all(|seq| is_acked(&mut receiver, seq)));
        let acked = [2095, 2096, 2097, 2098].map(|seq| is_acked(&mut receiver, seq));
        assert_eq!(acked, [true, true, true, false]);
    }
}
