//! What crosses the socket of a guest: the structures of `endpoint.h`, and a segment as a datagram.
//!
//! A datagram's size on a link is its payload and 28 bytes of headers; IP and TCP have 40, so a segment is written as the 12 bytes of its header that say
//! something between two known ports (sequence and acknowledgement numbers, offset and flags, window), its options and its payload: 28 bytes less.

use endpoint::{Config, Role};

/// "Never", and "not said".
pub const NEVER: u64 = u64::MAX;

/// Segments that a message may have.
pub const SEGMENTS: usize = 1024;

const OPTION_BYTES: usize = 40;
const KEPT_BYTES: usize = 12;
const WHOLE_BYTES: usize = 20;

/// What a guest is to be.
#[repr(C)]
pub struct Open {
    is_server: u32,
    mtu: u32,
    window_bytes: u64,
    algorithm: [u8; 16],
}

impl Open {
    /// As configured, on a path whose datagrams have so many bytes of headers.
    pub fn of(given: &Config, header_bytes: u32) -> Open {
        let mut algorithm = [0; 16];
        let name = given.algorithm.as_bytes();
        algorithm[..name.len().min(15)].copy_from_slice(&name[..name.len().min(15)]);
        let mtu = u32::from(given.datagram_bytes) + header_bytes;
        Open { is_server: (given.role == Role::Server).into(), mtu, window_bytes: given.window_bytes, algorithm }
    }
}

/// What happens where a guest stops.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(u32)]
pub enum What {
    GoOn,
    Connect,
    Endless,
    Bytes,
    Last,
    Stop,
    Pause,
}

/// A segment.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(C)]
pub struct Segment {
    seq: u32,
    ack: u32,
    flags: u16,
    window: u16,
    payload: u16,
    /// The two bits.
    pub ecn: u8,
    option_bytes: u8,
    options: [u8; OPTION_BYTES],
}

impl Segment {
    /// The segment of a datagram; none where it is none.
    pub fn from_datagram(datagram: &[u8], ecn: u8) -> Option<Segment> {
        let word = |at: usize| datagram.get(at..at + 4).map(|bytes| u32::from_be_bytes([bytes[0], bytes[1], bytes[2], bytes[3]]));
        let half = |at: usize| datagram.get(at..at + 2).map(|bytes| u16::from_be_bytes([bytes[0], bytes[1]]));
        let (flags, mut options) = (half(8)?, [0; OPTION_BYTES]);
        let option_bytes = (usize::from(flags >> 12) * 4).checked_sub(WHOLE_BYTES)?;
        options[..option_bytes].copy_from_slice(datagram.get(KEPT_BYTES..KEPT_BYTES + option_bytes)?);
        let payload = (datagram.len() - KEPT_BYTES - option_bytes) as u16;
        let option_bytes = option_bytes as u8;
        Some(Segment { seq: word(0)?, ack: word(4)?, flags, window: half(10)?, payload, ecn, option_bytes, options })
    }

    /// The datagram of a segment, behind what `datagram` has.
    pub fn into_datagram(self, datagram: &mut Vec<u8>) {
        datagram.extend_from_slice(&self.seq.to_be_bytes());
        datagram.extend_from_slice(&self.ack.to_be_bytes());
        datagram.extend_from_slice(&self.flags.to_be_bytes());
        datagram.extend_from_slice(&self.window.to_be_bytes());
        datagram.extend_from_slice(&self.options[..usize::from(self.option_bytes).min(OPTION_BYTES)]);
        datagram.resize(datagram.len() + usize::from(self.payload), 0);
    }
}

/// The head of an order; a segment may follow.
#[repr(C)]
pub struct Order {
    pub at: u64,
    pub bytes: u64,
    pub what: u32,
    pub segments: u32,
}

/// The head of what a guest says; segments follow.
#[derive(Clone, Copy, Debug, Default)]
#[repr(C)]
pub struct Said {
    pub now: u64,
    /// Nothing more happens before.
    pub next: u64,
    pub segments: u32,
    /// Another message follows.
    pub has_more: u32,
    pub cwnd: u64,
    pub ssthresh: u64,
    pub in_flight: u64,
    pub retransmitted: u64,
    pub loss_episodes: u64,
    pub timeouts: u64,
    pub srtt_us: u64,
    pub min_rtt_us: u64,
    pub pacing: u64,
    pub mss: u64,
    pub received: u64,
    pub state: u32,
    pub is_connected: u32,
    pub is_finished: u32,
    pub error: u32,
}

#[cfg(test)]
mod tests {
    use super::{Order, Said, Segment};

    /// An acknowledgement with timestamps is 52 bytes of IP, a full segment 1500 (RFC 9293 3.1, RFC 7323 3.2): as datagrams 28 less.
    #[test]
    fn a_segment_has_the_size_of_its_packet() {
        let mut segment = Segment { seq: 1, ack: 2, flags: 0x8010, window: 3, payload: 0, ecn: 2, option_bytes: 12, options: [7; 40] };
        let mut datagram = Vec::new();
        segment.into_datagram(&mut datagram);
        assert_eq!(datagram.len(), 52 - 28);
        segment.payload = 1448;
        datagram.clear();
        segment.into_datagram(&mut datagram);
        assert_eq!(datagram.len(), 1500 - 28);
    }

    #[test]
    fn a_datagram_is_read_as_it_was_written() {
        let mut options = [0; 40];
        options[..12].copy_from_slice(&[1, 1, 8, 10, 0, 0, 1, 2, 0, 0, 3, 4]);
        let segment = Segment { seq: 0xdead_beef, ack: 9, flags: 0x8018, window: 500, payload: 77, ecn: 1, option_bytes: 12, options };
        let mut datagram = Vec::new();
        segment.into_datagram(&mut datagram);
        assert_eq!(Segment::from_datagram(&datagram, 1), Some(segment));
        assert_eq!(Segment::from_datagram(&datagram[..20], 1), None);
        assert_eq!(Segment::from_datagram(&[0; 12], 0), None);
    }

    /// As the C compiler lays them out.
    #[test]
    fn the_structures_have_the_sizes_of_the_header_file() {
        assert_eq!((size_of::<Segment>(), size_of::<Order>(), size_of::<Said>()), (56, 24, 128));
    }
}
