//! What a link counts: sums as of its latest event, and readings of them at the ends of the measurement window.
//!
//! Sums grow by additions alone, and some are ahead of time: a packet's departure counts when it is known. A reading subtracts what is
//! still to come. So nothing is divided or multiplied per packet, and both kinds of links count in the same way.

use std::ops::Range;

use units::Time;

/// Queue content at one moment.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Occupancy {
    /// Packets queued or in service.
    pub packets: u32,
    /// Bytes of those.
    pub bytes: u64,
    /// Bytes that left so far.
    pub delivered_bytes: u64,
    /// Packets dropped by the queue so far.
    pub dropped: u64,
    /// Packets marked so far.
    pub marked: u64,
}

/// Totals of a link up to the end of its window; those of the window alone carry its name.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct LinkTotals {
    /// Packets accepted, and not dropped later.
    pub accepted: u64,
    /// Packets dropped by the queue.
    pub dropped: u64,
    /// Packets lost at random.
    pub lost: u64,
    /// Packets accepted and marked.
    pub marked: u64,
    /// Bytes that left.
    pub delivered_bytes: u64,
    /// Time spent transmitting within the window, nanoseconds.
    pub window_busy_ns: u64,
    /// Sum of the accepted packets' time in the link within the window, packet-nanoseconds.
    pub window_sojourn_ns: u64,
    /// Bytes that left within the window.
    pub window_delivered_bytes: u64,
    /// Packets dropped by the queue within the window.
    pub window_dropped: u64,
    /// Packets marked within the window.
    pub window_marked: u64,
    /// Most packets queued or in service within the window.
    pub window_max_packets: u32,
}

/// Running sums.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Sums {
    /// Bytes accepted, and not dropped later.
    pub(crate) accepted_bytes: u64,
    pub(crate) dropped: u64,
    pub(crate) lost: u64,
    pub(crate) marked: u64,
    /// Time without a transmission before the one that began last.
    pub(crate) idle_ns: u64,
    /// Time that packets are in the link. May wrap while it is ahead of time; a reading does not.
    pub(crate) sojourn_ns: u64,
    pub(crate) max_packets: usize,
}

/// The sums, exact at one moment.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Reading {
    pub(crate) dropped: u64,
    pub(crate) lost: u64,
    pub(crate) marked: u64,
    pub(crate) max_packets: usize,
    pub(crate) accepted: u64,
    pub(crate) delivered_bytes: u64,
    pub(crate) busy_ns: u64,
    pub(crate) sojourn_ns: u64,
}

/// The measurement window, and what was read at its ends.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Window {
    ends: [Time; 2],
    readings: [Option<Reading>; 2],
    /// When something is due: the end that is to be read next, or what [`Window::wake_at`] was told.
    pub(crate) read_at: Time,
}

impl Window {
    pub(crate) fn new(span: Range<Time>) -> Window {
        Window { ends: [span.start, span.end], readings: [None; 2], read_at: span.start }
    }

    /// The ends.
    pub(crate) fn ends(&self) -> Range<Time> {
        self.ends[0]..self.ends[1]
    }

    /// Which end falls due at `now`, if one does, and when it was.
    pub(crate) fn due(&self, now: Time) -> Option<(usize, Time)> {
        let next = self.readings.iter().position(Option::is_none)?;
        (now >= self.ends[next]).then_some((next, self.ends[next]))
    }

    /// Something is due at `at`, if no end is to be read before.
    pub(crate) fn wake_at(&mut self, at: Time) {
        let next = self.readings.iter().position(Option::is_none);
        self.read_at = next.map_or(Time::NEVER, |end| self.ends[end]).min(at);
    }

    /// What was read at the end of this number.
    pub(crate) fn keep(&mut self, end: usize, reading: Reading) {
        self.readings[end] = Some(reading);
        self.read_at = self.ends.get(end + 1).copied().unwrap_or(Time::NEVER);
    }

    /// A packet leaves at `now`: if that is an end which was read already, the packet is counted as one that had left by then.
    #[inline]
    pub(crate) fn amend(&mut self, now: Time, bytes: u32, marks: u64) -> bool {
        let Some(end) = self.ends.iter().rposition(|&end| end == now) else { return false };
        let Some(reading) = &mut self.readings[end] else { return false };
        reading.delivered_bytes += u64::from(bytes);
        reading.marked += marks;
        end == 0
    }

    /// The totals, once both ends are read; zero before.
    pub(crate) fn totals(&self) -> LinkTotals {
        let [Some(from), Some(to)] = self.readings else { return LinkTotals::default() };
        LinkTotals {
            accepted: to.accepted,
            dropped: to.dropped,
            lost: to.lost,
            marked: to.marked,
            delivered_bytes: to.delivered_bytes,
            window_busy_ns: to.busy_ns - from.busy_ns,
            window_sojourn_ns: to.sojourn_ns - from.sojourn_ns,
            window_delivered_bytes: to.delivered_bytes - from.delivered_bytes,
            window_dropped: to.dropped - from.dropped,
            window_marked: to.marked - from.marked,
            window_max_packets: to.max_packets as u32,
        }
    }
}
