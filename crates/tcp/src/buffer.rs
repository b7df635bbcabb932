//! A receiver's buffer: how much of it is free, which window that makes, and how it grows.
//!
//! The facts are those of Linux 6.1. Of the buffer (`SO_RCVBUF`, `tcp_rmem`) a half is window (`tcp_adv_win_scale` 1), the other half is for what
//! segments take beside their payload. The window that is offered is the free part (`__tcp_select_window`), never more than it has been
//! opened to (`rcv_ssthresh`: by two segments for each that arrives, `tcp_grow_window`); its right edge never moves back (`tcp_select_window`).
//! Below a sixteenth of the buffer, or a segment, none is offered. A buffer without a size of its own grows once per round trip, if the
//! application read more than in any before: to twice that and 16 segments, and ahead of further growth by twice the ratio by which it
//! grew (`tcp_rcv_space_adjust`; Fisk and Feng 2001).
//!
//! Segments that wait in the buffer are merged, up to 17 (`MAX_SKB_FRAGS`), and then share what one takes beside the payload (`tcp_try_coalesce`); the
//! memory of those merged is free when the last of them is read (`tcp_eat_recv_skb`).
//!
//! Units: bytes of payload and of memory; times of the receiver's clock. Departures: segments out of order merge as if they were in order; the round
//! trip that timestamps tell is the data's own time under way and an empty way back; memory is never short, so that nothing is
//! dropped or squeezed together.

use units::{Duration, Time};

use crate::reads::Reader;
use crate::Reads;

/// What a segment takes in memory beside its payload (`SKB_TRUESIZE` of an empty one with TCP's headers).
const OVERHEAD: u64 = 768;
/// So many segments are merged at most.
const MERGED_MOST: u64 = 17;
/// The options that timestamps take.
const TIMESTAMPS: u64 = 12;
/// The largest window without a scale, and the largest scale.
const UNSCALED: u64 = 65_535;
const SCALE_MAX: u32 = 14;
/// Segments of the first measure of what a round trip brings (`TCP_INIT_CWND`).
const FIRST_SPACE: u64 = 10;
const HEADROOM: u64 = 16;
/// An answer to what lies outside the window leaves at most so often (`tcp_invalid_ratelimit`).
const ANSWERS_EVERY: Duration = Duration::from_ms(500);

/// A window that is offered, or could be.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Offer {
    /// Bytes.
    pub(crate) window: u64,
    /// So little is free that ACKs are not hurried any more.
    pub(crate) is_low: bool,
}

/// What an ACK for two segments would do to the window.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Advance {
    /// Its right edge moves on; if not the ACK waits for the application.
    pub(crate) moves_on: bool,
    /// Little is free.
    pub(crate) is_low: bool,
}

/// What a segment of data is to the receiver.
#[derive(Clone, Copy, Debug)]
pub(crate) struct News {
    /// It was not there before.
    pub(crate) is_new: bool,
    /// If it is in order: the segment that is next then.
    pub(crate) in_order: Option<u64>,
}

/// A buffer as it is asked for.
#[derive(Clone, Copy, Debug)]
pub struct BufferSpec {
    /// Bytes of memory at first.
    pub bytes: u64,
    /// Bytes to which it may grow; none if its size is given.
    pub most: Option<u64>,
    /// Payload bytes of a segment.
    pub mss: u32,
    /// Segments carry timestamps.
    pub timestamps: bool,
    /// How long an ACK travels on an empty path.
    pub back: Duration,
    /// How the application reads.
    pub reads: Reads,
    /// From when on it does.
    pub start: Time,
}

/// The receiver's measure of the round trip (`rcv_rtt_est`).
#[derive(Clone, Copy, Debug, Default)]
struct RoundTrip {
    /// Eighths of microseconds; 0 for none yet.
    eighths_us: u64,
    /// One window after `at` this byte is next.
    until: u64,
    at: Option<Time>,
    /// The echo that was last measured, milliseconds.
    echo_ms: Option<u64>,
}

impl RoundTrip {
    fn sample(&mut self, us: u64, is_of_window: bool) {
        let eighths = us << 3;
        if self.eighths_us == 0 || eighths < self.eighths_us {
            self.eighths_us = eighths;
        } else if !is_of_window {
            self.eighths_us = self.eighths_us - (self.eighths_us >> 3) + us;
        }
    }
}

/// State of a buffer.
#[derive(Clone, Debug)]
pub struct Buffer {
    mss: u64,
    /// What the receiver says that it takes: a segment with room for timestamps.
    advertised_mss: u64,
    most: Option<u64>,
    timestamps: bool,
    back: Duration,
    reader: Reader,
    /// Memory (`sk_rcvbuf`).
    bytes: u64,
    /// The largest window (`window_clamp`).
    clamp: u64,
    /// How far the window has been opened (`rcv_ssthresh`).
    opened: u64,
    scale: u32,
    /// The window last offered, from which byte on, and the largest of all.
    offered: u64,
    offered_at: u64,
    largest: u64,
    /// Bytes read.
    read: u64,
    /// The first segment that arrived when nothing waited to be read: from there on segments are merged.
    merged_from: u64,
    /// Segments that have arrived, each counted once.
    arrived: u64,
    /// Most bytes read in a round trip; what was read when the one under way began, and when that was.
    space: u64,
    space_from: u64,
    space_since: Time,
    round_trip: RoundTrip,
    reads_at: Time,
    answered_at: Option<Time>,
}

/// Half of the memory is window.
fn window_of(memory: i64) -> i64 {
    memory - (memory >> 1)
}

impl Buffer {
    /// An empty buffer.
    pub fn new(spec: BufferSpec) -> Buffer {
        let mss = u64::from(spec.mss);
        let advertised_mss = mss + if spec.timestamps { TIMESTAMPS } else { 0 };
        let full = window_of(spec.bytes as i64) as u64;
        let first = if full > mss { full - full % mss } else { full }.min(UNSCALED);
        let scaled = spec.most.unwrap_or(full).max(1);
        let scale = scaled.ilog2().saturating_sub(15).min(SCALE_MAX);
        let clamp = if spec.most.is_some() { UNSCALED << scale } else { full.min(UNSCALED << scale) }.min(full);
        let is_tight = clamp > 2 * advertised_mss && clamp + advertised_mss > full;
        let clamp = if is_tight { (2 * advertised_mss).max(full.saturating_sub(advertised_mss)) } else { clamp };
        let opened = first.min(clamp);
        Buffer {
            mss,
            advertised_mss,
            most: spec.most,
            timestamps: spec.timestamps,
            back: spec.back,
            reader: Reader { reads: spec.reads, start: spec.start },
            bytes: spec.bytes,
            clamp,
            opened,
            scale,
            offered: first,
            offered_at: 0,
            largest: first,
            read: 0,
            merged_from: 0,
            arrived: 0,
            space: opened.min(FIRST_SPACE * advertised_mss),
            space_from: 0,
            space_since: spec.start,
            round_trip: RoundTrip::default(),
            reads_at: Time::NEVER,
            answered_at: None,
        }
    }

    /// The window last offered, whole segments.
    pub fn window(&self) -> u64 {
        self.offered / self.mss
    }

    /// The largest window offered so far, bytes.
    pub fn largest_window(&self) -> u64 {
        self.largest
    }

    /// When the application reads next; [`Time::NEVER`] if there is nothing to read.
    pub(crate) fn reads_at(&self) -> Time {
        self.reads_at
    }

    fn full(&self) -> i64 {
        window_of(self.bytes as i64)
    }

    fn free(&self) -> i64 {
        // Of segments that were merged the first that are read are held on to.
        let read = self.read / self.mss - self.merged_from;
        let held = self.arrived - self.merged_from - (read - read % MERGED_MOST);
        window_of(self.bytes as i64 - (held * self.mss + held.div_ceil(MERGED_MOST) * OVERHEAD) as i64)
    }

    /// What remains of the window, where segment `next` is next.
    fn remaining(&self, next: u64) -> u64 {
        (self.offered_at + self.offered).saturating_sub(next * self.mss)
    }

    /// The window that could be offered.
    fn select(&self) -> Offer {
        let (allowed, mut free) = (self.full(), self.free());
        let full = allowed.min(self.clamp as i64);
        let mss = (self.mss as i64).min(full);
        if mss <= 0 {
            return Offer { window: 0, is_low: false };
        }
        let unit = 1_i64 << self.scale;
        let is_low = free < full >> 1;
        if is_low {
            free &= -unit;
            if free < allowed >> 4 || free < mss {
                return Offer { window: 0, is_low };
            }
        }
        let free = free.min(self.opened as i64);
        let window = if self.scale > 0 {
            (free + unit - 1) & -unit
        } else {
            let window = self.offered as i64;
            if window <= free - mss || window > free {
                free - free % mss
            } else if mss == full && free > window + (full >> 1) {
                free
            } else {
                window
            }
        };
        Offer { window: window as u64, is_low }
    }

    /// What an ACK for two segments would do now.
    pub(crate) fn advances(&self) -> Advance {
        let Offer { window, is_low } = self.select();
        Advance { moves_on: window >= self.offered, is_low }
    }

    /// An ACK leaves, where segment `next` is next: the window that it offers.
    pub(crate) fn offer(&mut self, next: u64) -> Offer {
        let Offer { window, is_low } = self.select();
        let (remaining, unit) = (self.remaining(next), 1 << self.scale);
        self.offered = if window < remaining { remaining.next_multiple_of(unit) } else { window };
        self.offered_at = next * self.mss;
        let told = self.offered.min(UNSCALED << self.scale) & !(unit - 1);
        self.largest = self.largest.max(told);
        Offer { window: told, is_low }
    }

    /// A segment of data, sent at `sent`, is there now. Returns whether the window opened.
    pub(crate) fn on_arrived(&mut self, now: Time, sent: Time, News { is_new, in_order }: News) -> bool {
        if self.timestamps {
            self.measure_by_echo(now, sent);
        }
        if !is_new {
            return false;
        }
        self.arrived += 1;
        if let Some(next) = in_order {
            self.measure_by_window(now, next);
        }
        let room = (self.clamp as i64).min(self.free()) - self.opened as i64;
        if room <= 0 {
            return false;
        }
        self.opened += (room as u64).min(2 * self.advertised_mss);
        true
    }

    /// The timestamp that the segment echoes left the receiver when the ACK did that released it.
    fn measure_by_echo(&mut self, now: Time, sent: Time) {
        let echo_ms = sent.saturating_sub(self.back).as_ms();
        if self.round_trip.echo_ms != Some(echo_ms) {
            self.round_trip.echo_ms = Some(echo_ms);
            self.round_trip.sample((now.as_ms() - echo_ms).max(1) * 1000, false);
        }
    }

    /// A window takes at least a round trip.
    fn measure_by_window(&mut self, now: Time, next: u64) {
        let next = next * self.mss;
        if let Some(at) = self.round_trip.at {
            if next < self.round_trip.until {
                return;
            }
            self.round_trip.sample((now - at).as_us().max(1), true);
        }
        self.round_trip.until = next + self.offered;
        self.round_trip.at = Some(now);
    }

    /// All below segment `next` may be read.
    pub(crate) fn await_reader(&mut self, now: Time, next: u64) {
        if self.read >= next * self.mss {
            self.merged_from = next;
            self.reads_at = Time::NEVER;
        } else if self.reads_at == Time::NEVER {
            self.reads_at = self.reader.next(now);
        }
    }

    /// The application reads of what is below segment `next`. Returns whether the window could be twice as wide for that.
    pub(crate) fn on_read(&mut self, next: u64) -> bool {
        let now = std::mem::replace(&mut self.reads_at, Time::NEVER);
        let there = next * self.mss - self.read;
        let taken = there.min(self.reader.budget(now));
        if taken > 0 {
            // The first piece ends a round trip, if it is over.
            let piece = (self.mss - self.read % self.mss).min(taken);
            self.read += piece;
            self.adjust(now);
            self.read += taken - piece;
        }
        self.await_reader(now, next);
        let remaining = self.remaining(next);
        if taken == 0 || 2 * remaining > self.clamp {
            return false;
        }
        let Offer { window, .. } = self.select();
        window > 0 && window >= 2 * remaining
    }

    /// Once per round trip: whether more was read than in any before.
    fn adjust(&mut self, now: Time) {
        let round_trip_us = self.round_trip.eighths_us >> 3;
        if self.round_trip.eighths_us == 0 || (now - self.space_since).as_us() < round_trip_us {
            return;
        }
        let read = self.read - self.space_from;
        if read > self.space {
            if let Some(most) = self.most {
                self.grow(read, most);
            }
            self.space = read;
        }
        (self.space_from, self.space_since) = (self.read, now);
    }

    fn grow(&mut self, read: u64, most: u64) {
        let window = 2 * read + HEADROOM * self.advertised_mss;
        let ahead = window * (read - self.space) / self.space;
        let mut memory = self.advertised_mss + OVERHEAD;
        while (window_of(memory as i64) as u64) < self.advertised_mss {
            memory += 128;
        }
        let bytes = ((window + 2 * ahead) / self.advertised_mss * memory).min(most);
        if bytes > self.bytes {
            self.bytes = bytes;
            self.clamp = window_of(bytes as i64) as u64;
        }
    }

    /// The sender asks whether there is room; whether it is answered, for not every question is.
    pub(crate) fn on_asked(&mut self, now: Time) -> bool {
        let is_answered = self.answered_at.is_none_or(|at| now - at >= ANSWERS_EVERY);
        if is_answered {
            self.answered_at = Some(now);
        }
        is_answered
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const MSS: u64 = 1448;

    fn buffer(bytes: u64, most: Option<u64>, reads: Reads) -> Buffer {
        let back = Duration::from_ms(75);
        Buffer::new(BufferSpec { bytes, most, mss: 1448, timestamps: true, back, reads, start: Time::ZERO })
    }

    /// Segments from `from` to below `to` arrive in order, sent 25 ms before, and are read if the application reads.
    fn arrive(buffer: &mut Buffer, ms: u64, from: u64, to: u64) {
        let now = Time::from_ms(ms);
        for seq in from..to {
            buffer.on_arrived(now, Time::from_ms(ms - 25), News { is_new: true, in_order: Some(seq + 1) });
            buffer.await_reader(now, seq + 1);
            if buffer.reads_at() <= now {
                buffer.on_read(seq + 1);
            }
        }
    }

    /// Half of 128 KiB in whole segments is the 65,160 bytes that every Linux SYN shows; 8 KiB are two segments, and no scale is needed.
    #[test]
    fn the_first_window_is_half_in_whole_segments() {
        let first = |bytes, most| {
            let buffer = buffer(bytes, most, Reads::AtOnce);
            (buffer.largest_window(), buffer.window(), buffer.scale, buffer.clamp)
        };
        assert_eq!(first(131_072, None), (65_160, 45, 1, 65_536 - 1460));
        assert_eq!(first(131_072, Some(6_291_456)), (65_160, 45, 7, 65_536 - 1460));
        assert_eq!(first(8192, None), (2896, 2, 0, 2920));
    }

    /// The application does not read. n segments take 1448 bytes each and 768 for every 17 of them: of 131,072 bytes 82 leave 8496, of which half is window, and 83
    /// leave 3524, less than the sixteenth of the window, 4096 bytes, that must be free. The edge last offered was that of 82: 118,736 + 4248.
    #[test]
    fn what_is_not_read_shuts_the_window_and_the_edge_stays() {
        let mut buffer = buffer(131_072, None, Reads::OnOff { on: Duration::NANOSECOND, off: Duration::from_ms(1_000_000) });
        let mut edges = Vec::new();
        for seq in 0..83 {
            arrive(&mut buffer, 100, seq, seq + 1);
            let Offer { window, .. } = buffer.offer(seq + 1);
            edges.push((seq + 1) * MSS + window);
            assert_eq!(buffer.offered, buffer.remaining(seq + 1), "what is offered is what remains");
        }
        assert!(edges.windows(2).all(|pair| pair[0] <= pair[1]), "{edges:?}");
        assert_eq!(buffer.select(), Offer { window: 0, is_low: true });
        // 122,984 bytes: 84 segments.
        assert_eq!(edges.last().map(|edge| edge / MSS), Some(84));
    }

    /// 10 segments in the first round trip are no more than the first measure. 20 in the next: 2 x 28,960 + 16 x 1460 = 81,280 bytes, and
    /// ahead of it twice 81,280 (28,960 - 14,600) / 14,600 = 79,944, so 165 segments of 2996 bytes of memory.
    #[test]
    fn a_buffer_grows_with_what_a_round_trip_reads() {
        let mut buffer = buffer(131_072, Some(6_291_456), Reads::AtOnce);
        arrive(&mut buffer, 100, 0, 10);
        arrive(&mut buffer, 200, 10, 30);
        assert_eq!(buffer.bytes, 131_072);
        arrive(&mut buffer, 300, 30, 31);
        assert_eq!((buffer.bytes, buffer.clamp), (165 * 2996, 165 * 2996 / 2));
    }

    /// The whole of a read is 57 segments: the window that it opens is more than twice the one that was left.
    #[test]
    fn a_read_that_doubles_the_window_says_so() {
        let reads = Reads::Rate { bps: 1_000_000_000, every: Duration::from_ms(500) };
        let mut buffer = buffer(131_072, None, reads);
        arrive(&mut buffer, 100, 0, 50);
        buffer.offer(50);
        assert_eq!(buffer.reads_at(), Time::from_ms(500));
        assert!(buffer.on_read(50));
        assert_eq!((buffer.read, buffer.reads_at()), (50 * MSS, Time::NEVER));
        buffer.offer(50);
        arrive(&mut buffer, 600, 50, 51);
        assert!(!buffer.on_read(51), "of one segment nobody is told");
    }

    #[test]
    fn who_asks_twice_within_half_a_second_is_answered_once() {
        let mut buffer = buffer(131_072, None, Reads::AtOnce);
        assert_eq!([100, 500, 600, 1100].map(|ms| buffer.on_asked(Time::from_ms(ms))), [true, false, true, true]);
    }
}
