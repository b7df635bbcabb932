//! The receiver: in-order delivery, SACK blocks, delayed acknowledgements (transport rules of Linux; RFC 5681 4.2).

use units::{Duration, Time};

use crate::buffer::Buffer;
use crate::compression::Compression;
use crate::ecn::{Echo, Haste};
use crate::ranges::Ranges;
use crate::ticks::Seen;
use crate::{Ack, Arrival, EcnBits, Opening, Range, ReceiverSpec, Sack};

/// State of a receiver. Segments reach it in the order of their arrival times. In memory what only trouble looks at comes first.
#[derive(Debug)]
#[repr(C)]
pub struct Receiver {
    quickack: u32,
    pub(crate) ack_every: u32,
    has_sack: bool,
    /// ACKs wait for what is said next.
    is_conversing: bool,
    /// A SYN has arrived.
    pub(crate) is_open: bool,
    /// How often the SYN-ACK left again by its timer, while the handshake has no end.
    pub(crate) answered_again: u8,
    /// The SYN-ACK has a timer.
    pub(crate) answers_by_timer: bool,
    recent: [u64; 3],
    pub(crate) compression: Compression,
    /// The clock of its timers, if that ticks.
    pub(crate) seen: Option<Box<Seen>>,
    /// What the latest ACK with SACK information said.
    pub(crate) sack: Sack,
    pub(crate) out_of_order: Ranges,
    pub(crate) next: u64,
    /// The segment that ends the connection (FIN): it is acknowledged at once.
    pub(crate) last: u64,
    pub(crate) pending: u32,
    /// An ACK is due when this many segments are pending: one while quick ACKs last.
    ack_at: u32,
    pub(crate) quick: u32,
    echo_marks: Echo,
    /// Send time of the segment to be echoed: the first of those pending (RFC 7323 4.3).
    pub(crate) echo: Time,
    /// How long that segment was under way.
    pub(crate) delay: Duration,
    pub(crate) deadline: Time,
    pub(crate) ato: Duration,
    ato_step: Duration,
    pub(crate) last_arrival: Time,
    rto: Duration,
    pub(crate) delay_max: Duration,
    pub(crate) buffer: Option<Box<Buffer>>,
}

units::clone_by_field! {
    Receiver: quickack ack_every has_sack is_conversing is_open answered_again answers_by_timer recent compression seen sack next last pending ack_at quick echo_marks echo delay deadline
    ato ato_step last_arrival rto delay_max buffer, mostly empty: out_of_order
}

impl Receiver {
    /// A receiver that expects segment 0.
    pub fn new(spec: ReceiverSpec) -> Receiver {
        let mut receiver = Receiver {
            next: 0,
            last: u64::MAX,
            is_open: false,
            is_conversing: false,
            answered_again: 0,
            answers_by_timer: false,
            pending: 0,
            ack_at: 0,
            quick: 0,
            echo_marks: Echo::new(spec.ecn),
            echo: Time::ZERO,
            delay: Duration::ZERO,
            deadline: Time::NEVER,
            ato: spec.delayed_ack,
            ato_step: spec.delayed_ack / 2,
            last_arrival: Time::ZERO,
            rto: spec.rto(),
            delay_max: spec.delay_max(),
            out_of_order: Ranges::default(),
            recent: [u64::MAX; 3],
            compression: Compression::new(spec.compression),
            seen: Seen::by(spec.ticks),
            sack: Sack::default(),
            quickack: spec.quickack,
            ack_every: spec.ack_every,
            has_sack: spec.sack,
            buffer: None,
        };
        receiver.acknowledge_quickly(spec.opening + spec.quickack);
        receiver
    }

    /// The connection ends with the last of so many segments.
    pub fn ends_after(&mut self, segments: u64) {
        self.last = segments - 1;
    }

    /// The next `segments` in order are acknowledged one by one.
    pub(crate) fn acknowledge_quickly(&mut self, segments: u32) {
        self.quick = segments;
        self.ack_at = if segments > 0 { 1 } else { self.ack_every };
    }

    /// When a delayed ACK falls due; [`Time::NEVER`] if none is pending.
    #[inline]
    pub fn deadline(&self) -> Time {
        self.deadline
    }

    /// The SACK information of the ACK just sent, if it has any.
    #[inline]
    pub fn sack(&self) -> &Sack {
        &self.sack
    }

    /// The next segment of an ECN-capable connection arrives, with these bits. Returns the ACK, if any, that leaves before what
    /// [`Receiver::on_segment`] answers to that segment.
    pub fn on_ecn_bits(&mut self, bits: EcnBits) -> Option<Ack> {
        let (haste, said) = self.echo_marks.on_arrived(bits);
        let flushed = (haste == Haste::Flush && self.pending > 0).then(|| self.acknowledge());
        self.echo_marks.said = said;
        let quickly = match haste {
            Haste::None => 0,
            Haste::Quick(segments) => segments,
            Haste::Flush => 1,
        };
        if quickly > self.quick {
            self.is_conversing = false;
            self.acknowledge_quickly(quickly);
        }
        flushed
    }

    /// A segment arrives. Returns the ACK if one is sent at once.
    #[inline(always)]
    pub fn on_segment(&mut self, segment: Arrival) -> Option<Ack> {
        if self.expects(segment.seq) {
            self.on_expected(segment)
        } else {
            self.on_disordered(segment)
        }
    }

    /// Segment `seq` is the plain next one: nothing waits for it.
    #[inline]
    pub fn expects(&self, seq: u64) -> bool {
        seq == self.next && self.out_of_order.is_empty()
    }

    /// [`Receiver::on_segment`] for the segment that the receiver expects: its ACK has no SACK information.
    #[inline(always)]
    pub fn on_expected(&mut self, segment: Arrival) -> Option<Ack> {
        self.adapt(segment.at);
        self.next += 1;
        self.pending += 1;
        if self.pending == 1 {
            self.echo = segment.sent;
            self.delay = segment.delay();
        }
        if self.pending >= self.ack_at {
            self.spend_quick();
            return Some(self.acknowledge());
        }
        if segment.seq == self.last {
            return Some(self.acknowledge());
        }
        self.deadline = segment.at + self.ato.min(self.delay_max);
        None
    }

    /// Two segments from `seq` on, both sent at `sent`, arrive at these times: [`Receiver::on_expected`] twice, if the receiver expects
    /// them and answers every second segment, and neither a timer expires nor one follows an idle time. Returns the one ACK that they
    /// cause, and when it is sent.
    #[inline(always)]
    pub fn on_pair(&mut self, [first, second]: [Time; 2], seq: u64, sent: Time) -> Option<(Time, Ack)> {
        let is_dense = first - self.last_arrival <= self.ato_step && second - first <= self.ato_step;
        if !is_dense || self.ack_at != 2 || !self.expects(seq) || self.deadline < first {
            return None;
        }
        self.last_arrival = second;
        self.ato = self.ato / 2 + self.ato_step;
        self.ato = self.ato / 2 + self.ato_step;
        self.next += 2;
        let ecn = self.echo_marks.said;
        if self.pending == 0 {
            (self.echo, self.delay) = (sent, first - sent);
            return Some((second, Ack { cumulative: self.next, echo: sent, delay: self.delay, ecn, has_sack: false }));
        }
        // The first one completes a pair, the second begins another.
        let ack = Ack { cumulative: self.next - 1, echo: self.echo, delay: self.delay, ecn, has_sack: false };
        (self.echo, self.delay) = (sent, second - sent);
        let wait = if seq + 1 == self.last { Duration::ZERO } else { self.ato.min(self.delay_max) };
        self.deadline = second + wait;
        Some((first, ack))
    }

    /// The timer of the ACK that waits, or of the SYN-ACK, expires.
    pub fn on_deadline(&mut self) -> Ack {
        if self.is_half_open() {
            return self.answer_again();
        }
        if self.compression.is_holding() {
            return self.acknowledge_disorder();
        }
        self.acknowledge()
    }

    /// The next segment that is expected.
    #[inline]
    pub fn next(&self) -> u64 {
        self.next
    }

    /// When a segment of data arrived last; time zero if none has.
    pub fn last_arrival(&self) -> Time {
        self.last_arrival
    }

    /// What an ACK that left now would say of marks: [`Ack::ecn`].
    pub fn says_of_marks(&self) -> u16 {
        self.echo_marks.said
    }

    /// So many packets of data leave on the receiver's own behalf, and carry this ACK: none waits any more.
    pub fn carried(&mut self, packets: u32) -> Ack {
        (0..packets).for_each(|_| self.spend_quick());
        self.acknowledge()
    }

    /// A FIN without data arrives, segment `seq`. `at_once`: it is acknowledged at once. Otherwise that waits for what is said next (Linux `tcp_fin`), unless data
    /// waits already: it tells nothing of the spacing of data.
    pub fn on_end(&mut self, segment: Arrival, at_once: bool) -> Option<Ack> {
        if !self.expects(segment.seq) {
            return self.on_disordered(segment);
        }
        self.next += 1;
        self.pending += 1;
        if self.pending == 1 {
            self.echo = segment.sent;
            self.delay = segment.delay();
        }
        if at_once || self.pending > 1 {
            self.spend_quick();
            return Some(self.acknowledge());
        }
        self.converse();
        self.deadline = segment.at + self.ato.min(self.delay_max);
        None
    }

    /// Data leaves on the receiver's own behalf: if some arrived a short while ago the two sides converse (Linux `tcp_event_data_sent`).
    pub fn on_replied(&mut self, now: Time) {
        if self.next > 0 && now - self.last_arrival < self.ato {
            self.converse();
        }
    }

    /// ACKs wait for what is said next, until something asks for quick ones (Linux `inet_csk_enter_pingpong_mode`).
    pub fn converse(&mut self) {
        self.is_conversing = true;
        self.acknowledge_quickly(0);
    }

    /// An ACK leaves: one of those that are not delayed is used up.
    #[inline]
    pub(crate) fn spend_quick(&mut self) {
        if self.quick > 0 {
            self.acknowledge_quickly(self.quick - 1);
        }
    }

    #[inline]
    pub(crate) fn acknowledge(&mut self) -> Ack {
        self.pending = 0;
        self.deadline = Time::NEVER;
        Ack { cumulative: self.next, echo: self.echo, delay: self.delay, ecn: self.echo_marks.said, has_sack: false }
    }

    /// Adapts the delayed-ACK timer to the spacing of segments.
    #[inline]
    pub(crate) fn adapt(&mut self, now: Time) {
        let gap = now - self.last_arrival;
        self.last_arrival = now;
        if gap <= self.ato_step {
            self.ato = self.ato / 2 + self.ato_step;
        } else if gap < self.ato {
            self.ato = (self.ato / 2 + gap).min(self.rto);
        } else if gap > self.rto && !self.is_conversing {
            self.acknowledge_quickly(self.quickack.max(self.quick));
        }
    }

    /// [`Receiver::on_unexpected`], out of line: most segments are expected.
    #[inline(never)]
    fn on_disordered(&mut self, segment: Arrival) -> Option<Ack> {
        self.on_unexpected(segment)
    }

    /// Anything but the plain next segment is acknowledged at once (RFC 5681 4.2), unless its ACK is compressed.
    #[inline(always)]
    pub fn on_unexpected(&mut self, segment: Arrival) -> Option<Ack> {
        if let Some(part) = Opening::of(segment.seq) {
            return self.on_opening(part, segment);
        }
        if self.is_half_open() {
            self.deadline = Time::NEVER;
        }
        self.adapt(segment.at);
        if self.compression.is_on() {
            return self.compress(segment);
        }
        if !self.prolongs_first_block(segment.seq) {
            self.place(segment);
        }
        Some(self.acknowledge_disorder())
    }

    /// Segments that fill a hole, repeat another or find quick ACKs left are acknowledged at once; of the others the first.
    fn compress(&mut self, segment: Arrival) -> Option<Ack> {
        let seq = segment.seq;
        let is_new = || seq > self.next && self.out_of_order.containing(seq).is_none();
        if self.compression.is_holding() && is_new() && self.yields_to(seq) {
            // What this segment brings waits for the next ACK.
            let ack = self.acknowledge_disorder();
            self.insert(seq);
            return Some(ack);
        }
        let next = self.next;
        if !self.prolongs_first_block(seq) {
            self.place(segment);
        }
        let fills_much = self.next > next + 1 || (self.next > next && self.out_of_order.is_empty());
        let at_once = fills_much || self.quick > 0 || self.sack.duplicate.is_some();
        if at_once || !self.compression.holds(self.next) {
            return Some(self.acknowledge_disorder());
        }
        if let Some(deadline) = self.compression.deadline(segment.at) {
            self.deadline = deadline;
        }
        None
    }

    /// Whether the ACK held back must leave before `seq` is placed, or a block might never be reported.
    fn yields_to(&self, seq: u64) -> bool {
        let blocks = &self.sack.blocks;
        let place = blocks.iter().position(|block| block.to > 0 && (block.to == seq || block.from == seq + 1));
        self.compression.yields_to(place, blocks.iter().filter(|block| block.to > 0).count())
    }

    /// An ACK that tells what has arrived behind holes.
    pub(crate) fn acknowledge_disorder(&mut self) -> Ack {
        if self.compression.is_on() {
            self.spend_quick();
            self.compression.on_acknowledged();
        }
        let mut ack = self.acknowledge();
        ack.has_sack = self.has_sack && (self.sack.duplicate.is_some() || self.sack.blocks[0].to > 0);
        ack
    }

    /// `seq`, which is new, lies behind a hole.
    fn insert(&mut self, seq: u64) {
        self.out_of_order.insert(Range::of(seq));
        self.remember(seq);
    }

    /// Behind a hole most segments just prolong the block that the ACK before reported first: the other blocks stand.
    #[inline]
    fn prolongs_first_block(&mut self, seq: u64) -> bool {
        let sack = &mut self.sack;
        let prolongs = seq > self.next && sack.blocks[0].to == seq && sack.duplicate.is_none() && self.recent[0] == seq - 1;
        if !prolongs || self.out_of_order.end() != seq {
            return false;
        }
        self.out_of_order.insert(Range::of(seq));
        self.recent[0] = seq;
        sack.blocks[0].to = seq + 1;
        true
    }

    /// Most others begin a block above all that has arrived: it is reported first, and in front of those that the ACK before reported, where these
    /// are still what arrived latest.
    #[inline]
    fn begins_block_on_top(&mut self, seq: u64) -> bool {
        let [first, second, _] = self.sack.blocks;
        let is_above = !self.out_of_order.is_empty() && seq > self.out_of_order.end();
        if !is_above || first.to == 0 || !stands(first, self.recent[0]) || !stands(second, self.recent[1]) {
            return false;
        }
        self.out_of_order.insert(Range::of(seq));
        self.recent = [seq, self.recent[0], self.recent[1]];
        self.sack = Sack { blocks: [Range::of(seq), first, second], ..Sack::default() };
        true
    }

    fn place(&mut self, segment: Arrival) {
        let seq = segment.seq;
        if self.begins_block_on_top(seq) {
            return;
        }
        let before = std::mem::take(&mut self.sack);
        if seq == self.next {
            if self.pending == 0 {
                self.echo = segment.sent;
                self.delay = segment.delay();
            }
            self.next = self.out_of_order.take_from(seq + 1);
            if before.duplicate.is_none() && stands(before.blocks[0], self.recent[0]) {
                self.sack.blocks = before.blocks_above(self.next);
                return;
            }
        } else if seq < self.next || self.out_of_order.containing(seq).is_some() {
            self.sack.duplicate = Some(seq);
            if seq < self.next && self.compression.is_on() {
                self.hurry_after_old_data();
            }
        } else if self.out_of_order.is_empty() {
            return self.begin_disorder(seq);
        } else {
            self.insert(seq);
        }
        if self.has_sack && !self.out_of_order.is_empty() {
            self.report();
        }
    }

    /// `seq` is the first behind a hole: nothing else is to be reported.
    fn begin_disorder(&mut self, seq: u64) {
        self.out_of_order.insert(Range::of(seq));
        self.recent = [seq, u64::MAX, u64::MAX];
        if self.has_sack {
            self.sack.blocks[0] = Range::of(seq);
        }
    }

    /// What was acknowledged comes again: the sender may not have heard of it, and hears of the next segments at once (Linux
    /// `tcp_data_queue`, `tcp_enter_quickack_mode(TCP_MAX_QUICKACKS)`). A copy of what waits behind a hole says nothing of the kind.
    fn hurry_after_old_data(&mut self) {
        self.is_conversing = false;
        self.acknowledge_quickly(self.quickack.max(self.quick));
        self.ato = self.ato_step * 2;
    }

    /// `seq` was the latest to arrive: its range is reported first.
    fn remember(&mut self, seq: u64) {
        let range = self.out_of_order.containing(seq);
        if range.is_some_and(|range| range.from <= self.recent[0] && self.recent[0] < seq && range.to == seq + 1) {
            // It prolongs the range reported first, and joins it to no other.
            self.recent[0] = seq;
            return;
        }
        let old = self.recent;
        let others = old.iter().filter(|&&other| other != u64::MAX && self.out_of_order.containing(other) != range);
        let mut recent = [seq, u64::MAX, u64::MAX];
        for (slot, &other) in recent[1..].iter_mut().zip(others) {
            *slot = other;
        }
        self.recent = recent;
    }

    fn report(&mut self) {
        let sack = &mut self.sack;
        let room = if sack.duplicate.is_some() { 2 } else { 3 };
        let mut count = 0;
        for range in self.recent.iter().filter_map(|&seq| self.out_of_order.containing(seq)) {
            if count < room && !sack.blocks[..count].contains(&range) {
                sack.blocks[count] = range;
                count += 1;
            }
        }
    }
}

/// The block that was reported is still that of the segment `latest`: no segment joined it that no ACK told of.
#[inline]
fn stands(block: Range, latest: u64) -> bool {
    if latest == u64::MAX {
        block.to == 0
    } else {
        block.from <= latest && latest < block.to
    }
}

#[cfg(test)]
mod tests;
