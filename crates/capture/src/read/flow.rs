//! One direction of a connection: the data of one end and what the other answers.

use super::outstanding::{Kind, Outstanding};
use super::packet::{End, Segment};
use crate::headers::{ACK, CWR, ECE, FIN, SYN};

/// An idle time before the oldest segment leaves again that only a timeout explains: Linux's least (RFC 6298 has 1 s).
const SILENCE_NS: i64 = 200_000_000;
/// What stands for a segment where none was seen that says it.
const MSS: u32 = 1448;
/// How many timestamps that wait for their echo are remembered.
const STAMPS_MAX: usize = 4096;
/// Most rows of a flow in which nothing happens.
const ROWS_MAX: i64 = 1_000_000;

/// Times that were measured.
#[derive(Clone, Copy, Debug, Default)]
pub struct Times {
    /// How many.
    pub count: u64,
    /// Their sum, nanoseconds.
    pub sum_ns: u64,
    /// The least, nanoseconds; 0 without any.
    pub min_ns: u64,
    /// Smoothed: an eighth of each (RFC 6298 2.3), nanoseconds.
    pub smoothed_ns: f64,
}

impl Times {
    fn add(&mut self, ns: i64, smoothed: i64) {
        let ns = ns.max(0) as u64;
        self.min_ns = if self.count == 0 { ns } else { self.min_ns.min(ns) };
        self.count += 1;
        self.sum_ns += ns;
        let value = smoothed.max(0) as f64;
        self.smoothed_ns = if self.count == 1 { value } else { self.smoothed_ns + (value - self.smoothed_ns) / 8.0 };
    }

    /// Their mean, nanoseconds.
    pub fn mean_ns(&self) -> Option<f64> {
        (self.count > 0).then(|| self.sum_ns as f64 / self.count as f64)
    }
}

/// A row of samples: as of a time, of everything before it.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Sample {
    /// Nanoseconds since 1970.
    pub at_ns: i64,
    /// Bytes outstanding, and the most of them since the sample before.
    pub outstanding_bytes: u64,
    /// See there.
    pub most_outstanding_bytes: u64,
    /// Smoothed time from data to its ACK, nanoseconds; NaN before the first.
    pub to_ack_ns: f64,
    /// Its minimum so far.
    pub to_ack_min_ns: f64,
    /// Smoothed time from an ACK to the data that echoes it, nanoseconds; NaN before the first.
    pub to_data_ns: f64,
    /// Bytes that have arrived as far as ACKs told.
    pub delivered_bytes: u64,
    /// Retransmissions.
    pub retransmitted: u64,
}

/// What happened to a flow at a moment.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Happened {
    /// Something was sent again for the first time since everything sent before had been acknowledged.
    LossEpisode,
    /// The oldest segment was sent again after an idle time.
    Timeout,
}

/// Counts of a flow.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Counts {
    /// Packets with data, retransmissions included; packets of other sizes than one segment count as so many.
    pub sent: u64,
    /// Frames with data.
    pub data_frames: u64,
    /// Bytes of payload and of IP in them.
    pub payload_bytes: u64,
    /// See there.
    pub ip_bytes: u64,
    /// Retransmissions.
    pub retransmitted: u64,
    /// Of these, of what had been acknowledged.
    pub in_vain: u64,
    /// Segments whose order changed before they were captured.
    pub late: u64,
    /// Packets that were copied before they were captured.
    pub copies: u64,
    /// Bytes that only ask whether the other end is there.
    pub keep_alives: u64,
    /// ACKs without data of the other end.
    pub acks: u64,
    /// Of these with a block that reports a segment as arrived twice (RFC 2883).
    pub duplicate_reports: u64,
    /// Data that came with "congestion experienced".
    pub marked: u64,
    /// ACKs with ECN-Echo, data with CWR.
    pub echoes: u64,
    /// See there.
    pub reductions: u64,
    /// Episodes and timeouts.
    pub loss_episodes: u64,
    /// See there.
    pub timeouts: u64,
    /// Samples of the RTT from sequence numbers, and from timestamps.
    pub by_sequence: u64,
    /// See there.
    pub by_timestamp: u64,
}

/// One direction of a connection.
#[derive(Debug)]
pub struct Flow {
    pub(super) from: End,
    pub(super) to: End,
    /// Sequence number of the first byte, once known.
    first: Option<u32>,
    highest: u64,
    /// The sender's SYN was seen; the receiver's.
    pub has_syn: bool,
    /// See there.
    pub has_syn_ack: bool,
    /// The sender's FIN was seen.
    pub has_fin: bool,
    /// When the SYN was seen, if it has no answer; never if it was sent twice.
    syn_ns: Option<i64>,
    /// From the SYN to its answer.
    pub handshake_ns: Option<u64>,
    mss_said: Option<u32>,
    largest: u32,
    /// The receiver's shift.
    shift: Option<u8>,
    /// The receiver's largest window so far, in the header's units.
    window: u16,
    /// Every segment had timestamps.
    pub has_timestamps: bool,
    outstanding: Outstanding,
    /// The sender's timestamps that wait for their echo, with when each was seen first.
    stamps: std::collections::VecDeque<(u32, i64)>,
    /// The receiver's, likewise.
    answers: std::collections::VecDeque<(u32, i64)>,
    /// From data to its ACK.
    pub to_ack: Times,
    /// From an ACK to the first data that echoes it.
    pub to_data: Times,
    /// Counts.
    pub counts: Counts,
    /// When its first and latest packets were seen: of data, of anything.
    pub first_data_ns: Option<i64>,
    /// See there.
    pub last_ns: i64,
    busy_ns: i64,
    recovery_point: u64,
    most: u64,
    every_ns: i64,
    next_sample_ns: i64,
    /// Samples, and what happened when.
    pub samples: Vec<Sample>,
    /// See there.
    pub events: Vec<(i64, Happened, u64)>,
}

/// Whether timestamp `a` is later than `b`, or the same.
fn is_from(a: u32, b: u32) -> bool {
    (a.wrapping_sub(b) as i32) >= 0
}

impl Flow {
    pub(super) fn new((from, to): (End, End), zero_ns: i64, every_ns: i64) -> Flow {
        Flow {
            from,
            to,
            first: None,
            highest: 0,
            has_syn: false,
            has_syn_ack: false,
            has_fin: false,
            syn_ns: None,
            handshake_ns: None,
            mss_said: None,
            largest: 0,
            shift: None,
            window: 0,
            has_timestamps: true,
            outstanding: Outstanding::default(),
            stamps: std::collections::VecDeque::new(),
            answers: std::collections::VecDeque::new(),
            to_ack: Times::default(),
            to_data: Times::default(),
            counts: Counts::default(),
            first_data_ns: None,
            last_ns: zero_ns,
            busy_ns: zero_ns,
            recovery_point: 0,
            most: 0,
            every_ns,
            next_sample_ns: zero_ns,
            samples: Vec::new(),
            events: Vec::new(),
        }
    }

    /// Payload bytes of a full segment: the largest seen, but no larger than the SYNs allow.
    pub fn mss(&self) -> u32 {
        let stamps = if self.has_timestamps { 12 } else { 0 };
        let allowed = self.mss_said.map_or(u32::MAX, |said| said.saturating_sub(stamps).max(1));
        let largest = if self.largest > 0 { self.largest } else { MSS };
        largest.min(allowed)
    }

    /// The widest window that the receiver offered, bytes, where its shift is known.
    pub fn offered_bytes(&self) -> Option<u64> {
        self.shift.map(|shift| u64::from(self.window) << shift)
    }

    /// Bytes that have arrived, as far as ACKs told.
    pub fn delivered_bytes(&self) -> u64 {
        self.outstanding.delivered()
    }

    /// Bytes that were sent and not seen: the capture lacks their packets, or they were lost before it.
    pub fn unseen_bytes(&self) -> u64 {
        self.outstanding.unseen
    }

    /// This SYN is the one that opened it, perhaps once more.
    pub(super) fn is_opened_by(&self, syn: &Segment) -> bool {
        self.has_syn && self.from == syn.from && self.first == Some(syn.seq.wrapping_add(1))
    }

    /// Counted from the first byte of data; near what was seen last.
    fn unwrapped(&mut self, seq: u32) -> u64 {
        let first = *self.first.get_or_insert(seq);
        let here = self.highest;
        let away = seq.wrapping_sub(first).wrapping_sub(here as u32) as i32;
        here.saturating_add_signed(away.into())
    }

    /// The least time from anything to its ACK, the handshake's included, nanoseconds.
    pub fn least_to_ack_ns(&self) -> Option<f64> {
        let own = (self.to_ack.count > 0).then_some(self.to_ack.min_ns);
        own.into_iter().chain(self.handshake_ns).min().map(|ns| ns as f64)
    }

    /// Rows that are due before `at_ns`.
    pub(super) fn sample_until(&mut self, at_ns: i64) {
        // Of an idle time of days, or of a clock that was set, there are no rows.
        let due = (at_ns - self.next_sample_ns) / self.every_ns;
        if due > ROWS_MAX {
            self.next_sample_ns += due * self.every_ns;
        }
        while self.next_sample_ns <= at_ns {
            if self.first_data_ns.is_some() {
                let known = |times: &Times, value: f64| if times.count > 0 { value } else { f64::NAN };
                self.samples.push(Sample {
                    at_ns: self.next_sample_ns,
                    outstanding_bytes: self.outstanding.bytes(),
                    most_outstanding_bytes: std::mem::replace(&mut self.most, self.outstanding.bytes()),
                    to_ack_ns: known(&self.to_ack, self.to_ack.smoothed_ns),
                    to_ack_min_ns: self.least_to_ack_ns().unwrap_or(f64::NAN),
                    to_data_ns: known(&self.to_data, self.to_data.smoothed_ns),
                    delivered_bytes: self.outstanding.delivered(),
                    retransmitted: self.counts.retransmitted,
                });
            }
            self.next_sample_ns += self.every_ns;
        }
    }

    /// A packet of the sender.
    pub(super) fn on_sent(&mut self, at_ns: i64, segment: &Segment) {
        self.sample_until(at_ns);
        self.last_ns = at_ns;
        if segment.has(SYN) {
            self.has_syn = true;
            self.first = Some(segment.seq.wrapping_add(1));
            self.mss_said = lower(self.mss_said, segment.mss);
            // One that is sent twice times nothing.
            self.syn_ns = self.syn_ns.map_or(Some(at_ns), |_| Some(i64::MIN));
            return;
        }
        self.has_timestamps &= segment.timestamps.is_some();
        self.has_fin |= segment.has(FIN);
        if let Some((_, echo)) = segment.timestamps {
            self.on_echo_by_data(at_ns, echo);
        }
        if segment.payload > 0 {
            self.on_data(at_ns, segment);
        }
        self.busy_ns = at_ns;
    }

    fn on_data(&mut self, at_ns: i64, segment: &Segment) {
        let from = self.unwrapped(segment.seq);
        let to = from + u64::from(segment.payload);
        self.highest = self.highest.max(to);
        self.largest = self.largest.max(segment.payload);
        self.first_data_ns.get_or_insert(at_ns);
        let stamp = segment.timestamps.map(|(value, _)| value);
        let was_first = self.outstanding.begins_at(from);
        let is_all = from <= self.outstanding.una && to >= self.outstanding.next;
        let kind = self.outstanding.on_data((from, to), at_ns, (stamp, segment.id));
        let packets = u64::from(segment.payload.div_ceil(self.mss()));
        let counts = &mut self.counts;
        counts.data_frames += 1;
        counts.marked += u64::from(segment.ecn == 3);
        counts.reductions += u64::from(segment.has(CWR) && !segment.has(ECE));
        match kind {
            Kind::Copy => counts.copies += 1,
            Kind::KeepAlive => counts.keep_alives += 1,
            Kind::Late => counts.late += 1,
            _ => {}
        }
        if ![Kind::Copy, Kind::KeepAlive].contains(&kind) {
            counts.sent += packets;
            counts.payload_bytes += u64::from(segment.payload);
            counts.ip_bytes += u64::from(segment.ip_bytes);
        }
        if [Kind::Repeated, Kind::RepeatedInVain].contains(&kind) {
            counts.retransmitted += packets;
            counts.in_vain += if kind == Kind::RepeatedInVain { packets } else { 0 };
            self.on_repeated(at_ns, was_first && !is_all);
        }
        if let Some(value) = stamp.filter(|&value| self.stamps.back().is_none_or(|&(last, _)| value != last && is_from(value, last))) {
            self.stamps.push_back((value, at_ns));
            self.stamps.drain(..self.stamps.len().saturating_sub(STAMPS_MAX));
        }
        self.most = self.most.max(self.outstanding.bytes());
    }

    /// A retransmission left.
    fn on_repeated(&mut self, at_ns: i64, is_head: bool) {
        if self.outstanding.una >= self.recovery_point {
            self.counts.loss_episodes += 1;
            self.events.push((at_ns, Happened::LossEpisode, self.outstanding.bytes()));
            self.recovery_point = self.outstanding.next;
        }
        if is_head && at_ns - self.busy_ns >= SILENCE_NS {
            self.counts.timeouts += 1;
            self.events.push((at_ns, Happened::Timeout, self.outstanding.bytes()));
        }
    }

    /// A packet of the receiver.
    pub(super) fn on_answered(&mut self, at_ns: i64, segment: &Segment) {
        self.sample_until(at_ns);
        self.last_ns = at_ns;
        self.has_timestamps &= segment.timestamps.is_some() || segment.has(SYN);
        if segment.has(SYN) {
            self.has_syn_ack = true;
            if let Some(syn_ns) = self.syn_ns.take().filter(|&ns| ns > i64::MIN) {
                self.handshake_ns = Some((at_ns - syn_ns).max(0) as u64);
            }
            self.shift = segment.shift.or(Some(0));
            self.mss_said = lower(self.mss_said, segment.mss);
        } else {
            self.window = self.window.max(segment.window);
        }
        if let Some((value, _)) = segment.timestamps.filter(|_| !segment.has(SYN)) {
            if self.answers.back().is_none_or(|&(last, _)| value != last && is_from(value, last)) {
                self.answers.push_back((value, at_ns));
                self.answers.drain(..self.answers.len().saturating_sub(STAMPS_MAX));
            }
        }
        if segment.has(ACK) && !segment.has(SYN) && self.first.is_some() {
            self.on_ack(at_ns, segment);
        }
        self.busy_ns = at_ns;
    }

    fn on_ack(&mut self, at_ns: i64, segment: &Segment) {
        // Behind the FIN is one number more than there is data.
        let ack = self.unwrapped(segment.ack).min(self.outstanding.next);
        let blocks: Vec<(u64, u64)> = segment.sack.iter().map(|&(from, to)| (self.unwrapped(from), self.unwrapped(to))).collect();
        let is_inside = |first: &(u64, u64)| blocks[1..].iter().any(|other| first.0 >= other.0 && first.1 <= other.1);
        let is_duplicate = blocks.first().is_some_and(|first| first.0 < ack || is_inside(first));
        self.counts.acks += u64::from(segment.payload == 0);
        self.counts.duplicate_reports += u64::from(is_duplicate);
        self.counts.echoes += u64::from(segment.has(ECE));
        let brought = self.outstanding.on_ack(ack, &blocks[usize::from(is_duplicate)..]);
        if let (Some(oldest), Some(newest)) = (brought.oldest_ns, brought.newest_ns) {
            self.to_ack.add(at_ns - newest, at_ns - oldest);
            self.counts.by_sequence += 1;
        } else if brought.acked > 0 && brought.is_ambiguous {
            self.on_ambiguous(at_ns, segment);
        }
        if let Some((_, echo)) = segment.timestamps {
            while self.stamps.len() > 1 && self.stamps.front().is_some_and(|&(value, _)| value != echo && is_from(echo, value)) {
                self.stamps.pop_front();
            }
        }
    }

    /// What was sent twice is acknowledged: its echo tells which of the two arrived.
    fn on_ambiguous(&mut self, at_ns: i64, segment: &Segment) {
        let Some((_, echo)) = segment.timestamps else { return };
        if let Some(&(_, sent_ns)) = self.stamps.iter().find(|&&(value, _)| value == echo) {
            self.to_ack.add(at_ns - sent_ns, at_ns - sent_ns);
            self.counts.by_timestamp += 1;
        }
    }

    /// Data echoes an ACK, for the first time perhaps.
    fn on_echo_by_data(&mut self, at_ns: i64, echo: u32) {
        let mut seen = None;
        while self.answers.front().is_some_and(|&(value, _)| is_from(echo, value)) {
            seen = self.answers.pop_front().filter(|&(value, _)| value == echo).or(seen);
        }
        if let Some((_, answered_ns)) = seen {
            self.to_data.add(at_ns - answered_ns, at_ns - answered_ns);
        }
    }
}

fn lower(known: Option<u32>, said: Option<u16>) -> Option<u32> {
    let said = said.map(u32::from);
    known.map_or(said, |known| Some(said.map_or(known, |said| said.min(known))))
}
