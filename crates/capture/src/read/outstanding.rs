//! What a sender has under way, as its segments and the ACKs of its receiver show it.
//!
//! Segments are kept from their sending until they are acknowledged. Which of them give an RTT sample follows Linux 6.1
//! (`tcp_clean_rtx_queue`, `tcp_ack_update_rtt`): the newest that an ACK newly covers, none when one of those was sent twice.

use std::collections::VecDeque;

/// How many segments behind its ACK a copy is known.
const COPIES_MAX: usize = 256;

/// A segment under way.
#[derive(Clone, Copy, Debug)]
struct Sent {
    from: u64,
    to: u64,
    at_ns: i64,
    /// Its timestamp and the packet's identification, to know a copy by.
    stamp: (Option<u32>, u16),
    is_repeated: bool,
    is_sacked: bool,
}

/// What a segment with data is, in view of those before it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Kind {
    /// New data.
    New,
    /// Data that was sent before and is not acknowledged.
    Repeated,
    /// Data that was sent before and acknowledged since.
    RepeatedInVain,
    /// Data that is older than what came before it: its order changed on the way to where it was captured.
    Late,
    /// The same packet once more: it was copied on the way.
    Copy,
    /// A byte that was acknowledged, in front of what comes next: it asks whether the other end is there (RFC 9293 3.8.4).
    KeepAlive,
}

/// What an ACK brought.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Brought {
    /// When the newest segment that it newly covers was sent, if none of those it acknowledges was sent twice.
    pub(super) newest_ns: Option<i64>,
    /// The same of the oldest: what smoothed RTTs are made of.
    pub(super) oldest_ns: Option<i64>,
    /// It acknowledges what was sent twice.
    pub(super) is_ambiguous: bool,
    /// Bytes newly acknowledged in order.
    pub(super) acked: u64,
}

/// The segments under way.
#[derive(Debug, Default)]
pub(super) struct Outstanding {
    sent: VecDeque<Sent>,
    /// Behind the highest byte sent, and the lowest that is not acknowledged.
    pub(super) next: u64,
    pub(super) una: u64,
    sacked: u64,
    /// Ranges of what is SACKed, in order.
    ranges: Vec<(u64, u64)>,
    /// The latest that were acknowledged: first bytes and stamps.
    acknowledged: VecDeque<(u64, (Option<u32>, u16))>,
    /// The newest timestamp so far.
    newest: Option<u32>,
    /// Bytes between what was seen: sent, and not seen.
    pub(super) unseen: u64,
}

impl Outstanding {
    /// Bytes sent and neither acknowledged nor SACKed.
    pub(super) fn bytes(&self) -> u64 {
        self.next.saturating_sub(self.una).saturating_sub(self.sacked)
    }

    /// Bytes that have arrived as far as ACKs told: in order, and behind holes.
    pub(super) fn delivered(&self) -> u64 {
        self.una + self.sacked
    }

    /// Whether the first byte that is not acknowledged is `at`.
    pub(super) fn begins_at(&self, at: u64) -> bool {
        self.una == at
    }

    /// Data is seen, from byte `from` up to `to`, at `at_ns`.
    pub(super) fn on_data(&mut self, (from, to): (u64, u64), at_ns: i64, (stamp, id): (Option<u32>, u16)) -> Kind {
        let is_older = stamp.zip(self.newest).is_some_and(|(stamp, newest)| (stamp.wrapping_sub(newest) as i32) < 0);
        if !is_older {
            self.newest = stamp.or(self.newest);
        }
        let sent = Sent { from, to, at_ns, stamp: (stamp, id), is_repeated: false, is_sacked: false };
        if from >= self.next {
            self.unseen += from - self.next;
            self.next = to;
            self.sent.push_back(sent);
            return Kind::New;
        }
        if to <= self.una && to == self.next && to - from == 1 {
            return Kind::KeepAlive;
        }
        if to <= self.una {
            let is_copy = is_one_packet(sent.stamp) && self.acknowledged.contains(&(from, sent.stamp));
            return if is_copy { Kind::Copy } else { Kind::RepeatedInVain };
        }
        self.next = self.next.max(to);
        let first = self.sent.partition_point(|known| known.to <= from);
        let known = self.sent.range(first..).take_while(|known| known.from < to).count();
        if known == 0 {
            self.unseen = self.unseen.saturating_sub(to - from);
            self.sent.insert(first, Sent { is_repeated: !is_older, ..sent });
            return if is_older { Kind::Late } else { Kind::Repeated };
        }
        if self.sent[first].stamp == sent.stamp && is_one_packet(sent.stamp) {
            return Kind::Copy;
        }
        for segment in self.sent.range_mut(first..first + known) {
            (segment.is_repeated, segment.at_ns, segment.stamp) = (true, at_ns, sent.stamp);
        }
        Kind::Repeated
    }

    /// An ACK of everything below `ack`, with these blocks of SACK.
    pub(super) fn on_ack(&mut self, ack: u64, blocks: &[(u64, u64)]) -> Brought {
        let mut brought = Brought::default();
        let mut sacked = [None, None];
        for &(from, to) in blocks {
            if from >= ack && to > from && to <= self.next {
                self.on_block((from, to), &mut sacked);
            }
        }
        let mut acked = [None, None];
        if ack > self.una && ack <= self.next {
            brought.acked = ack - self.una;
            self.una = ack;
            while self.sent.front().is_some_and(|first| first.to <= ack) {
                let Some(first) = self.sent.pop_front() else { break };
                self.acknowledged.push_back((first.from, first.stamp));
                if first.is_sacked {
                    self.sacked -= first.to - first.from;
                } else if first.is_repeated {
                    brought.is_ambiguous = true;
                } else {
                    widen(&mut acked, first.at_ns);
                }
            }
            self.acknowledged.drain(..self.acknowledged.len().saturating_sub(COPIES_MAX));
            self.ranges.retain(|&(_, to)| to > ack);
        }
        let own = if brought.is_ambiguous { [None, None] } else { acked };
        brought.oldest_ns = own[0].or(sacked[0]);
        brought.newest_ns = sacked[1].or(own[1]);
        brought
    }

    /// Marks what a block says that is news.
    fn on_block(&mut self, (from, to): (u64, u64), seen: &mut [Option<i64>; 2]) {
        let mut at = from;
        for (known_from, known_to) in self.ranges.clone() {
            if known_to <= at || known_from >= to {
                continue;
            }
            self.mark((at, known_from.max(at)), seen);
            at = known_to;
        }
        if at < to {
            self.mark((at, to), seen);
        }
        // Together with what it touches it is one range.
        let mut joined = (from, to);
        self.ranges.retain(|&(known_from, known_to)| {
            let touches = known_from <= joined.1 && known_to >= joined.0;
            if touches {
                joined = (joined.0.min(known_from), joined.1.max(known_to));
            }
            !touches
        });
        let place = self.ranges.partition_point(|&(known_from, _)| known_from < joined.0);
        self.ranges.insert(place, joined);
    }

    fn mark(&mut self, (from, to): (u64, u64), seen: &mut [Option<i64>; 2]) {
        let first = self.sent.partition_point(|known| known.from < from);
        for segment in self.sent.range_mut(first..).take_while(|known| known.to <= to) {
            if !std::mem::replace(&mut segment.is_sacked, true) {
                self.sacked += segment.to - segment.from;
                if !segment.is_repeated {
                    widen(seen, segment.at_ns);
                }
            }
        }
    }
}

/// Two packets of one stamp are one that was copied: its timestamp and identification are known.
fn is_one_packet((stamp, id): (Option<u32>, u16)) -> bool {
    stamp.is_some() && id > 0
}

/// The earliest and the latest of times.
fn widen([first, last]: &mut [Option<i64>; 2], at_ns: i64) {
    *first = Some(first.map_or(at_ns, |known| known.min(at_ns)));
    *last = Some(last.map_or(at_ns, |known| known.max(at_ns)));
}

#[cfg(test)]
mod tests {
    use super::*;

    fn sent(count: u64) -> Outstanding {
        let mut outstanding = Outstanding::default();
        for seq in 0..count {
            assert_eq!(outstanding.on_data((seq * 10, seq * 10 + 10), seq as i64, (Some(1 + seq as u32), 1 + seq as u16)), Kind::New);
        }
        outstanding
    }

    /// Ten segments of ten bytes; the third to fifth are SACKed, twice, then all but the last acknowledged.
    #[test]
    fn what_is_sacked_is_not_under_way_and_counts_once() {
        let mut outstanding = sent(10);
        let brought = outstanding.on_ack(0, &[(20, 50)]);
        assert_eq!((outstanding.bytes(), brought.oldest_ns, brought.newest_ns), (70, Some(2), Some(4)));
        let brought = outstanding.on_ack(0, &[(20, 60)]);
        assert_eq!((outstanding.bytes(), brought.oldest_ns, brought.newest_ns), (60, Some(5), Some(5)));
        let brought = outstanding.on_ack(90, &[]);
        assert_eq!((outstanding.bytes(), brought.acked, brought.oldest_ns, brought.newest_ns), (10, 90, Some(0), Some(8)));
    }

    /// Karn's rule: an ACK of what was sent twice gives no sample.
    #[test]
    fn what_was_sent_twice_gives_no_sample() {
        let mut outstanding = sent(3);
        assert_eq!(outstanding.on_data((0, 10), 50, (Some(60), 60)), Kind::Repeated);
        let brought = outstanding.on_ack(20, &[]);
        assert_eq!((brought.is_ambiguous, brought.newest_ns), (true, None));
        assert_eq!(outstanding.on_data((0, 10), 80, (Some(90), 61)), Kind::RepeatedInVain);
    }

    /// RFC 9293 3.8.4: one byte with the number before the next, once all is acknowledged. While it is not, it was sent again.
    #[test]
    fn a_byte_before_the_next_is_a_keep_alive_once_it_is_acknowledged() {
        let mut outstanding = sent(2);
        assert_eq!(outstanding.on_data((19, 20), 50, (Some(60), 60)), Kind::Repeated);
        outstanding.on_ack(20, &[]);
        assert_eq!(outstanding.on_data((19, 20), 70, (Some(70), 61)), Kind::KeepAlive);
        assert_eq!(outstanding.on_data((18, 20), 80, (Some(80), 62)), Kind::RepeatedInVain);
    }

    /// Bytes 20 to 50 are not seen, of which 30 to 40 come late.
    #[test]
    fn what_a_capture_lacks_is_counted() {
        let mut outstanding = sent(2);
        outstanding.on_data((50, 60), 9, (Some(9), 9));
        assert_eq!(outstanding.unseen, 30);
        outstanding.on_data((30, 40), 10, (Some(3), 3));
        outstanding.on_ack(60, &[]);
        assert_eq!((outstanding.unseen, outstanding.delivered()), (20, 60));
    }

    /// Behind a hole: data with an older timestamp was overtaken, with a newer one it was sent again. The same packet is a copy.
    #[test]
    fn timestamps_tell_what_was_overtaken_from_what_was_sent_again() {
        let mut outstanding = sent(2);
        assert_eq!(outstanding.on_data((40, 50), 9, (Some(9), 9)), Kind::New);
        assert_eq!(outstanding.on_data((20, 30), 10, (Some(3), 3)), Kind::Late);
        assert_eq!(outstanding.on_data((30, 40), 99, (Some(99), 4)), Kind::Repeated);
        assert_eq!(outstanding.on_data((40, 50), 100, (Some(9), 9)), Kind::Copy);
    }
}
