//! A packet on its way through the router, and what is read in it.

use net::{Packet, Supersede};

const TCP: u8 = 6;
const UDP: u8 = 17;
const IP_HEADER: usize = 20;
const SYN: u8 = 0x02;
/// ECE, CWR, URG, SYN, FIN, RST: an ACK with one of them says more than its number.
const SPECIAL: u8 = 0xe7;

/// A packet with its bytes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Passing {
    /// The IP packet.
    pub bytes: Vec<u8>,
    /// Number of its flow.
    pub flow: u32,
    /// It goes to the flow's sender.
    pub returns: bool,
    /// The next stage of its way.
    pub stage: usize,
    /// What queues see of it.
    pub packet: Packet,
}

impl Passing {
    /// The IPv4 packet in `bytes`, of this flow and direction; none if it is no whole one.
    pub fn read(bytes: Vec<u8>, flow: u32, returns: bool) -> Option<Passing> {
        if bytes.len() < IP_HEADER || bytes[0] >> 4 != 4 {
            return None;
        }
        let length = usize::from(u16::from_be_bytes([bytes[2], bytes[3]]));
        if length < header_bytes(&bytes) || length > bytes.len() {
            return None;
        }
        let (is_l4s, ecn_capable) = (bytes[1] & 1 != 0, bytes[1] & 3 != 0);
        let is_ack = tcp(&bytes).is_some_and(|(segment, payload)| payload == 0 && segment[13] & SYN == 0);
        let packet = Packet { bytes: length as u32, flow, ecn_capable, is_l4s, is_ack };
        Some(Passing { bytes, flow, returns, stage: 0, packet })
    }

    /// A datagram of a source in the router: a header without what follows, for it goes to no host.
    pub fn datagram(bytes: u32, flow: u32) -> Passing {
        let mut header = vec![0; IP_HEADER];
        header[0] = 0x45;
        header[9] = UDP;
        Passing { bytes: header, flow, returns: false, stage: 0, packet: Packet::data(bytes, flow) }
    }

    /// Whether it carries data to the flow's receiver.
    pub fn is_data(&self) -> bool {
        let payload = match tcp(&self.bytes) {
            Some((_, payload)) => payload,
            None => self.packet.bytes as usize - IP_HEADER,
        };
        !self.returns && payload > 0
    }

    /// Marks it "congestion experienced" (RFC 3168 5) and corrects the header's checksum (RFC 1624, equation 3).
    pub fn mark(&mut self) {
        let before = u16::from_be_bytes([self.bytes[0], self.bytes[1]]);
        self.bytes[1] |= 3;
        let after = u16::from_be_bytes([self.bytes[0], self.bytes[1]]);
        let sum = u16::from_be_bytes([self.bytes[10], self.bytes[11]]);
        let mut corrected = u32::from(!sum) + u32::from(!before) + u32::from(after);
        while corrected > 0xffff {
            corrected = (corrected & 0xffff) + (corrected >> 16);
        }
        self.bytes[10..12].copy_from_slice(&(!(corrected as u16)).to_be_bytes());
    }
}

impl Supersede for Box<Passing> {
    /// An ACK that acknowledges more, unless either says more than a number: SACK blocks, a window update with the same number, ECN feedback.
    fn supersedes(&self, waiting: &Self) -> bool {
        let plain = |passing: &Passing| {
            let (segment, payload) = tcp(&passing.bytes)?;
            let is_plain = payload == 0 && segment[13] & SPECIAL == 0 && tcp_header_bytes(segment) <= 32;
            is_plain.then(|| u32::from_be_bytes([segment[8], segment[9], segment[10], segment[11]]))
        };
        match (plain(self), plain(waiting)) {
            (Some(new), Some(old)) => new.wrapping_sub(old).wrapping_sub(1) < 1 << 31,
            _ => false,
        }
    }
}

/// Who sent an IPv4 packet, if these bytes reach so far.
pub fn source(bytes: &[u8]) -> Option<[u8; 4]> {
    bytes.get(12..16)?.try_into().ok()
}

fn header_bytes(bytes: &[u8]) -> usize {
    usize::from(bytes[0] & 15) * 4
}

fn tcp_header_bytes(segment: &[u8]) -> usize {
    usize::from(segment[12] >> 4) * 4
}

/// The TCP segment of an IP packet, and how many bytes of data it has.
fn tcp(bytes: &[u8]) -> Option<(&[u8], usize)> {
    let length = usize::from(u16::from_be_bytes([bytes[2], bytes[3]]));
    let segment = bytes.get(header_bytes(bytes)..length).filter(|segment| bytes[9] == TCP && segment.len() >= 20)?;
    Some((segment, segment.len().checked_sub(tcp_header_bytes(segment))?))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// RFC 1071: the one's complement of the one's complement sum.
    fn checksum(header: &[u8]) -> u16 {
        let words = header.chunks(2).map(|pair| u32::from(u16::from_be_bytes([pair[0], pair[1]])));
        let sum: u32 = words.sum();
        !((sum & 0xffff) + (sum >> 16)) as u16
    }

    fn segment(ecn: u8, flags: u8, number: u32, options: usize, payload: usize) -> Vec<u8> {
        let length = 40 + options + payload;
        let mut bytes = vec![0; length];
        bytes[0] = 0x45;
        bytes[1] = ecn;
        bytes[2..4].copy_from_slice(&(length as u16).to_be_bytes());
        bytes[8] = 64;
        bytes[9] = TCP;
        bytes[12..20].copy_from_slice(&[10, 0, 0, 1, 10, 0, 0, 2]);
        let sum = checksum(&bytes[..20]);
        bytes[10..12].copy_from_slice(&sum.to_be_bytes());
        bytes[28..32].copy_from_slice(&number.to_be_bytes());
        bytes[32] = (((20 + options) / 4) << 4) as u8;
        bytes[33] = flags;
        bytes
    }

    fn read(bytes: Vec<u8>, returns: bool) -> Box<Passing> {
        Box::new(Passing::read(bytes, 7, returns).unwrap())
    }

    #[test]
    fn data_acks_and_handshakes_are_told_apart() {
        let data = read(segment(2, 0x10, 1, 12, 1448), false);
        assert!(data.is_data());
        assert_eq!(data.packet, Packet { ecn_capable: true, ..Packet::data(1500, 7) });
        let ack = read(segment(0, 0x10, 1, 12, 0), true);
        assert!(!ack.is_data());
        assert_eq!(ack.packet, Packet::ack(52, 7));
        assert!(!read(segment(0, SYN, 0, 20, 0), false).packet.is_ack);
        assert!(read(segment(1, 0x10, 1, 12, 10), false).packet.is_l4s);
    }

    #[test]
    fn what_is_no_whole_ipv4_packet_is_nothing() {
        let mut bytes = segment(0, 0x10, 1, 12, 100);
        bytes.truncate(120);
        assert_eq!(Passing::read(bytes, 0, false), None);
        let mut six = segment(0, 0x10, 1, 12, 100);
        six[0] = 0x60;
        assert_eq!(Passing::read(six, 0, false), None);
        assert_eq!(Passing::read(vec![0x45; 19], 0, false), None);
        assert_eq!(source(&[0x45; 15]), None);
        assert_eq!(source(&segment(0, 0x10, 1, 12, 0)), Some([10, 0, 0, 1]));
    }

    #[test]
    fn a_marked_packet_has_a_header_that_sums_up() {
        for ecn in [1, 2] {
            let mut packet = read(segment(ecn, 0x10, 1, 12, 1000), false);
            packet.mark();
            assert_eq!(packet.bytes[1], 3);
            assert_eq!(checksum(&packet.bytes[..20]), 0, "from {ecn}");
        }
    }

    #[test]
    fn only_plain_acks_replace_each_other() {
        let ack = |flags, number, options| read(segment(0, flags, number, options, 0), true);
        assert!(ack(0x10, 2, 12).supersedes(&ack(0x10, 1, 12)));
        assert!(ack(0x10, 5, 12).supersedes(&ack(0x10, u32::MAX - 5, 12)));
        assert!(!ack(0x10, 1, 12).supersedes(&ack(0x10, 1, 12)));
        assert!(!ack(0x10, 1, 12).supersedes(&ack(0x10, 2, 12)));
        // With SACK blocks, with ECE, with data.
        assert!(!ack(0x10, 2, 12).supersedes(&ack(0x10, 1, 24)));
        assert!(!ack(0x50, 2, 12).supersedes(&ack(0x10, 1, 12)));
        assert!(!read(segment(0, 0x10, 2, 12, 4), true).supersedes(&ack(0x10, 1, 12)));
    }
}
