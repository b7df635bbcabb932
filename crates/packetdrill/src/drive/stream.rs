//! The bytes that an application writes, as the segments they leave in.

/// Where each segment of the stream ends, in bytes from 0.
#[derive(Clone, Debug)]
pub(super) struct Stream {
    mss: u64,
    /// Bytes that are no part of it: the SYN brought them.
    before: u64,
    ends: Vec<u64>,
    /// The last segment so far ends a record: what is written next begins another.
    is_cut: bool,
}

impl Stream {
    pub(super) fn new(mss: u32, before: u64) -> Stream {
        Stream { mss: mss.into(), before, ends: Vec::new(), is_cut: false }
    }

    /// Segments written.
    pub(super) fn segments(&self) -> u64 {
        self.ends.len() as u64
    }

    /// `bytes` more are written. A short last segment that has not left (of those from `nxt` on) is filled first.
    pub(super) fn write(&mut self, bytes: u64, nxt: u64) {
        let end = self.end() + bytes;
        if self.segments() > nxt && !self.is_cut {
            self.ends.pop();
        }
        while self.end() < end {
            self.ends.push((self.end() + self.mss).min(end));
        }
        self.is_cut = false;
    }

    /// What was written so far is a record.
    pub(super) fn cut(&mut self) {
        self.is_cut = true;
    }

    /// Nothing more is written: the FIN, which takes a number as a byte does, leaves with the last segment if that has not left, else alone.
    pub(super) fn finish(&mut self, nxt: u64) {
        let end = self.end() + 1;
        if self.segments() > nxt {
            self.ends.pop();
        }
        self.ends.push(end);
    }

    fn end(&self) -> u64 {
        self.ends.last().copied().unwrap_or(self.before)
    }

    /// How many segments end at this byte or below, and whether one does there; none beyond what was written.
    pub(super) fn whole_below(&self, byte: u64) -> Option<(u64, bool)> {
        if byte < self.before || byte > self.end() {
            return None;
        }
        let whole = self.ends.partition_point(|&end| end <= byte);
        let begins = if whole == 0 { self.before } else { self.ends[whole - 1] };
        Some((whole as u64, begins == byte))
    }

    /// The half-open range of bytes of segment `seq`, which was written.
    pub(super) fn bytes(&self, seq: u64) -> (u64, u64) {
        let index = seq as usize;
        (if index == 0 { self.before } else { self.ends[index - 1] }, self.ends[index])
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Of 2500 bytes two segments have left: the third grows to 1000, and the next write begins a segment of its own.
    #[test]
    fn a_short_segment_grows_until_it_leaves() {
        let mut stream = Stream::new(1000, 0);
        stream.write(2500, 0);
        assert_eq!((stream.segments(), stream.bytes(2)), (3, (2000, 2500)));
        stream.write(1700, 2);
        assert_eq!((stream.segments(), stream.bytes(2), stream.bytes(4)), (5, (2000, 3000), (4000, 4200)));
        stream.write(300, 5);
        assert_eq!((stream.segments(), stream.bytes(5)), (6, (4200, 4500)));
        let at = [0, 1000, 4200, 4500, 4300].map(|byte| stream.whole_below(byte));
        assert_eq!(at, [Some((0, true)), Some((1, true)), Some((5, true)), Some((6, true)), Some((5, false))]);
    }

    /// The SYN brought 700 bytes; a record of 300 bytes keeps what comes behind it apart; the FIN leaves with what waits, and alone otherwise.
    #[test]
    fn a_record_and_the_end_cut_the_stream() {
        let mut stream = Stream::new(1000, 700);
        stream.write(300, 0);
        stream.cut();
        stream.write(1500, 0);
        assert_eq!([0, 1, 2].map(|seq| stream.bytes(seq)), [(700, 1000), (1000, 2000), (2000, 2500)]);
        let whole = [699, 700, 701, 1000, 2499, 2500, 2501].map(|byte| stream.whole_below(byte));
        assert_eq!(whole, [None, Some((0, true)), Some((0, false)), Some((1, true)), Some((2, false)), Some((3, true)), None]);
        let mut other = stream.clone();
        stream.finish(2);
        assert_eq!((stream.segments(), stream.bytes(2)), (3, (2000, 2501)));
        other.finish(3);
        assert_eq!((other.segments(), other.bytes(3)), (4, (2500, 2501)));
    }
}
