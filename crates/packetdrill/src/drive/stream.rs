//! The bytes that an application writes, as the segments they leave in.

/// Where each segment of the stream ends, in bytes from 0.
#[derive(Clone, Debug)]
pub(super) struct Stream {
    mss: u64,
    ends: Vec<u64>,
}

impl Stream {
    pub(super) fn new(mss: u32) -> Stream {
        Stream { mss: mss.into(), ends: Vec::new() }
    }

    /// Segments written.
    pub(super) fn segments(&self) -> u64 {
        self.ends.len() as u64
    }

    /// `bytes` more are written. A short last segment that has not left (of those from `nxt` on) is filled first.
    pub(super) fn write(&mut self, bytes: u64, nxt: u64) {
        let end = self.end() + bytes;
        if self.segments() > nxt {
            self.ends.pop();
        }
        while self.end() < end {
            self.ends.push((self.end() + self.mss).min(end));
        }
    }

    fn end(&self) -> u64 {
        self.ends.last().copied().unwrap_or(0)
    }

    /// The segment that begins at this byte; the one after the last for the end of what was written.
    pub(super) fn segment_at(&self, byte: u64) -> Option<u64> {
        if byte == 0 {
            return Some(0);
        }
        self.ends.binary_search(&byte).ok().map(|index| index as u64 + 1)
    }

    /// The half-open range of bytes of segment `seq`, which was written.
    pub(super) fn bytes(&self, seq: u64) -> (u64, u64) {
        let index = seq as usize;
        (if index == 0 { 0 } else { self.ends[index - 1] }, self.ends[index])
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Of 2500 bytes two segments have left: the third grows to 1000, and the next write begins a segment of its own.
    #[test]
    fn a_short_segment_grows_until_it_leaves() {
        let mut stream = Stream::new(1000);
        stream.write(2500, 0);
        assert_eq!((stream.segments(), stream.bytes(2)), (3, (2000, 2500)));
        stream.write(1700, 2);
        assert_eq!((stream.segments(), stream.bytes(2), stream.bytes(4)), (5, (2000, 3000), (4000, 4200)));
        stream.write(300, 5);
        assert_eq!((stream.segments(), stream.bytes(5)), (6, (4200, 4500)));
        assert_eq!([0, 1000, 4200, 4500, 4300].map(|byte| stream.segment_at(byte)), [Some(0), Some(1), Some(5), Some(6), None]);
    }
}
