//! What Linux's receiver measures of its peer: how large whole segments are, and how long a round trip takes.
//!
//! Source: Linux 6.1 `tcp_measure_rcv_mss`, `tcp_initialize_rcv_mss`, `tcp_rcv_rtt_measure_ts`, `tcp_rcv_rtt_update`. Units: bytes, milliseconds of
//! timestamps, microseconds. Departures: a window of less than two segments, which makes the first measure smaller, is not known here; nor is the
//! round trip that a receiver measures by its window, so that without timestamps there is none.

/// What Linux takes for a whole segment at first (`TCP_MSS_DEFAULT`), and the least that it takes for one (`TCP_MIN_MSS`).
const FIRST: u64 = 536;
const LEAST: u64 = 88;
/// A header of TCP without options.
const HEADER: u64 = 20;
/// With timestamps, padded, an option's bytes.
const STAMP: u64 = 12;

/// A segment of the peer's as it is measured.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Heard {
    /// Payload bytes.
    pub bytes: u64,
    /// Bytes of options.
    pub options: u64,
    /// It is the next in order, with payload.
    pub is_next: bool,
    /// It says that there is no more for now (PSH, FIN).
    pub is_pushed: bool,
    /// The timestamp that it echoes, and what the own clock says: milliseconds.
    pub stamp: Option<(u64, u64)>,
}

/// What is measured.
#[derive(Clone, Copy, Debug)]
pub(super) struct Measured {
    advmss: u64,
    rcv_mss: u64,
    /// Of the segment before, if it was shorter than a whole one and may have been whole.
    short: u64,
    echoed: u64,
    rtt8_us: u64,
    has_stamps: bool,
}

impl Measured {
    /// Nothing was heard: `advmss` is what the own side allows a segment, `mss` what the peer does.
    pub(super) fn new(advmss: u32, mss: u32, has_stamps: bool) -> Measured {
        let first = u64::from(advmss.min(mss)).clamp(LEAST, FIRST);
        Measured { advmss: advmss.into(), rcv_mss: first, short: 0, echoed: 0, rtt8_us: 0, has_stamps }
    }

    /// A segment of the open connection is heard.
    pub(super) fn on_heard(&mut self, heard: Heard) {
        self.on_echo(heard);
        if heard.is_next {
            self.on_size(heard);
        }
    }

    /// One sample of each echo, by a whole segment.
    fn on_echo(&mut self, Heard { bytes, stamp, .. }: Heard) {
        let Some((echoed, now)) = stamp.filter(|&(echoed, _)| echoed != self.echoed) else { return };
        self.echoed = echoed;
        let Some(took) = now.checked_sub(echoed).filter(|_| bytes >= self.rcv_mss) else { return };
        let sample = 1000 * took.max(1);
        let is_least = self.rtt8_us == 0 || 8 * sample < self.rtt8_us;
        self.rtt8_us = if is_least { 8 * sample } else { self.rtt8_us - (self.rtt8_us >> 3) + sample };
    }

    /// The largest segment is taken for a whole one, or two shorter ones of the same size in a row that may be whole.
    fn on_size(&mut self, Heard { bytes, options, is_pushed, .. }: Heard) {
        let before = std::mem::take(&mut self.short);
        if bytes >= self.rcv_mss {
            self.rcv_mss = bytes.min(self.advmss);
            return;
        }
        let whole = bytes + HEADER + options;
        if whole >= FIRST + HEADER || (whole >= LEAST + HEADER && !is_pushed) {
            self.short = whole - HEADER - if self.has_stamps { STAMP } else { 0 };
            if self.short == before {
                self.rcv_mss = before;
            }
        }
    }

    /// The largest payload of a segment that the own side has told the peer to send, less what timestamps take of it.
    pub(super) fn advmss(&self) -> u64 {
        self.advmss
    }

    /// What is taken for a whole segment.
    pub(super) fn rcv_mss(&self) -> u64 {
        self.rcv_mss
    }

    /// The round trip, microseconds; 0 until it is measured, none if it never is.
    pub(super) fn rtt_us(&self) -> Option<u64> {
        self.has_stamps.then_some(self.rtt8_us >> 3)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn sizes(advmss: u32, mss: u32, segments: &[(u64, bool)]) -> Vec<u64> {
        let mut measured = Measured::new(advmss, mss, false);
        let first = measured.rcv_mss();
        let after = segments.iter().map(|&(bytes, is_pushed)| {
            measured.on_heard(Heard { bytes, is_pushed, is_next: true, ..Heard::default() });
            measured.rcv_mss()
        });
        std::iter::once(first).chain(after.collect::<Vec<_>>()).collect()
    }

    /// 536 bytes at first, or less; then the largest, and not more than was allowed. A shorter one counts when it comes twice in a row, and is not pushed or
    /// has at least 536 bytes.
    #[test]
    fn a_whole_segment_is_the_largest_or_a_shorter_one_twice() {
        assert_eq!(sizes(1460, 1000, &[(1000, false), (400, true), (1200, false), (1400, true)]), [536, 1000, 1000, 1200, 1400]);
        assert_eq!(sizes(400, 1000, &[(1000, false)]), [400, 400]);
        assert_eq!(sizes(50, 1000, &[]), [88]);
        assert_eq!(sizes(1460, 1460, &[(1460, false), (700, true), (700, true)]), [536, 1460, 1460, 700]);
        assert_eq!(sizes(1460, 1460, &[(1460, false), (700, true), (701, true), (700, true)]), [536, 1460, 1460, 1460, 1460]);
        assert_eq!(
            sizes(1460, 1460, &[(1460, false), (400, true), (400, true), (400, false), (400, false)]),
            [536, 1460, 1460, 1460, 1460, 400]
        );
        assert_eq!(sizes(1460, 1460, &[(1460, false), (80, false), (80, false)]), [536, 1460, 1460, 1460]);
    }

    /// 100 ms; then an eighth of 180 ms and seven of 100: 110. Less is taken at once. Of one echo there is one sample, none by a short segment, and
    /// none below a tick of the clock.
    #[test]
    fn a_round_trip_is_what_an_echo_took_to_a_whole_segment() {
        let mut measured = Measured::new(1448, 1448, true);
        assert_eq!(measured.rtt_us(), Some(0));
        let mut after = |bytes, echoed, now| {
            measured.on_heard(Heard { bytes, options: 12, is_next: true, stamp: Some((echoed, now)), ..Heard::default() });
            measured.rtt_us()
        };
        assert_eq!(after(1000, 5100, 5200), Some(100_000));
        assert_eq!(after(1000, 5100, 5300), Some(100_000));
        assert_eq!(after(900, 5140, 5400), Some(100_000));
        assert_eq!(after(1000, 5140, 5400), Some(100_000));
        assert_eq!(after(1000, 5220, 5400), Some(110_000));
        assert_eq!(after(1000, 5400, 5440), Some(40_000));
        assert_eq!(after(1000, 5440, 5440), Some(1000));
        assert_eq!(Measured::new(1460, 1460, false).rtt_us(), None);
    }
}
