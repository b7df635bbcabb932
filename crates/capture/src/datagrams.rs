//! The datagrams of a whole stack, as packets of UDP; segments of TCP where they are a kernel's.

use sim::{SeenDatagram, TappedStack};

use crate::connection::{ends, RECEIVER_PORT};
use crate::headers::{of_segment, of_udp, Datagram, End, Headers};

/// Port of the servers: that of QUIC (RFC 9000 says none, HTTP/3 uses it).
const SERVER_PORT: u16 = 443;

/// What records call the stack that is a kernel.
const KERNEL: &str = "linux";

/// A whole stack's connection.
#[derive(Debug)]
pub(crate) struct Datagrams {
    client: End,
    server: End,
    is_tcp: bool,
    quarter_ns: u64,
}

impl Datagrams {
    /// That of the flow with this number.
    pub(crate) fn new(number: u32, tapped: &TappedStack<'_>) -> Datagrams {
        let is_tcp = tapped.known_as.starts_with(KERNEL);
        let (client, server) = ends(number, if is_tcp { RECEIVER_PORT } else { SERVER_PORT });
        Datagrams { client, server, is_tcp, quarter_ns: tapped.rtt.0 / 4 }
    }

    /// Nanoseconds from the sender to its first link.
    pub(crate) fn quarter_ns(&self) -> u64 {
        self.quarter_ns
    }

    /// Headers, and what follows them in the file.
    pub(crate) fn packet(&self, seen: &SeenDatagram<'_>) -> (Headers, Box<[u8]>) {
        let (from, to) = if seen.is_data { (self.client, self.server) } else { (self.server, self.client) };
        let datagram = Datagram { from, to, ecn: seen.ecn, bytes: seen.bytes };
        let segment = if self.is_tcp { of_segment(&datagram) } else { None };
        segment.map_or_else(|| (of_udp(&datagram), seen.bytes.into()), |headers| (headers, Box::default()))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use sim::Place;
    use units::{Duration, Time};

    fn packet(known_as: &str, bytes: &[u8]) -> (Headers, Box<[u8]>) {
        let tapped = TappedStack { rtt: Duration(40_000_000), known_as };
        Datagrams::new(0, &tapped).packet(&SeenDatagram { at: Time::ZERO, flow: 0, place: Place::Sender, is_data: true, ecn: 2, bytes })
    }

    /// Worked by hand: pseudo-header 0a00 0001 ac10 0001 0011 000c, header c000 01bb 000c, payload 0102 0304. Their sum is 1 7bfc: 7bfd, of which the
    /// complement is 8402.
    #[test]
    fn a_datagram_is_a_packet_of_udp() {
        let (headers, payload) = packet("quinn-0.11.19", &[1, 2, 3, 4]);
        assert_eq!((headers.on_wire, &payload[..]), (32, &[1, 2, 3, 4][..]));
        let bytes = headers.bytes();
        assert_eq!((bytes.len(), bytes[1], bytes[9]), (28, 2, 17));
        assert_eq!(bytes[20..], [0xc0, 0, 1, 0xbb, 0, 12, 0x84, 0x02]);
    }

    /// As `stacks/linux` writes one: 12 bytes of the header, options, zeros. A full segment is 1500 bytes of IP.
    #[test]
    fn a_segment_of_a_kernel_is_a_packet_of_tcp() {
        let mut bytes = vec![0, 0, 0, 7, 0, 0, 0, 9, 0x80, 0x18, 1, 0xf4, 1, 1, 8, 10, 0, 0, 1, 2, 0, 0, 3, 4];
        bytes.resize(24 + 1448, 0);
        let (headers, payload) = packet("linux-6.1.192", &bytes);
        assert_eq!((headers.on_wire, payload.len()), (1500, 0));
        let tcp = &headers.bytes()[20..];
        assert_eq!(tcp[..16], [0xc0, 0, 0x13, 0x89, 0, 0, 0, 7, 0, 0, 0, 9, 0x80, 0x18, 1, 0xf4]);
        assert_eq!((tcp[20..].to_vec(), headers.bytes()[9]), (bytes[12..24].to_vec(), 6));
        assert_eq!(packet("linux-6.1.192", &[0; 9]).0.bytes()[9], 17);
    }
}
