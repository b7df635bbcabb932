//! A packet of TCP in a frame: Ethernet, Linux's cooked captures, loopback or IP itself; IPv4 and IPv6.

use std::net::{IpAddr, Ipv4Addr, Ipv6Addr};

/// Link types (`www.tcpdump.org/linktypes.html`).
const LOOPBACK: [u16; 2] = [0, 108];
const ETHERNET: u16 = 1;
const RAW: [u16; 5] = [101, 12, 14, 228, 229];
const COOKED: u16 = 113;
const COOKED_2: u16 = 276;
const TCP: u8 = 6;

/// What a frame is, if no TCP.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Other {
    /// Of a link type that is not read.
    LinkType(u16),
    /// Neither IPv4 nor IPv6: the Ethernet type.
    Network(u16),
    /// Another protocol in IP.
    Protocol(u8),
    /// A piece of a packet, or cut before the end of its headers.
    Piece,
}

/// An address and a port.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct End {
    pub(super) address: IpAddr,
    pub(super) port: u16,
}

impl std::fmt::Display for End {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        std::net::SocketAddr::new(self.address, self.port).fmt(f)
    }
}

/// A packet of TCP.
#[derive(Clone, Debug)]
pub(super) struct Segment {
    pub(super) from: End,
    pub(super) to: End,
    /// The IP header's two bits of ECN, and its identification where it has one.
    pub(super) ecn: u8,
    pub(super) id: u16,
    /// IP bytes.
    pub(super) ip_bytes: u32,
    pub(super) payload: u32,
    pub(super) seq: u32,
    pub(super) ack: u32,
    pub(super) flags: u16,
    pub(super) window: u16,
    pub(super) mss: Option<u16>,
    pub(super) shift: Option<u8>,
    pub(super) sack_permitted: bool,
    pub(super) timestamps: Option<(u32, u32)>,
    pub(super) sack: Vec<(u32, u32)>,
}

impl Segment {
    pub(super) fn has(&self, flags: u16) -> bool {
        self.flags & flags == flags
    }
}

fn half(bytes: &[u8], at: usize) -> Result<u16, Other> {
    bytes.get(at..at + 2).map(|two| u16::from_be_bytes([two[0], two[1]])).ok_or(Other::Piece)
}

fn word(bytes: &[u8], at: usize) -> Result<u32, Other> {
    bytes.get(at..at + 4).map(|four| u32::from_be_bytes([four[0], four[1], four[2], four[3]])).ok_or(Other::Piece)
}

/// Takes the link's header off.
fn network(link_type: u16, bytes: &[u8]) -> Result<&[u8], Other> {
    let at = match link_type {
        raw if RAW.contains(&raw) => return Ok(bytes),
        loopback if LOOPBACK.contains(&loopback) => return bytes.get(4..).ok_or(Other::Piece),
        ETHERNET => 12,
        COOKED => 14,
        COOKED_2 => 0,
        other => return Err(Other::LinkType(other)),
    };
    let mut kind = half(bytes, at)?;
    let mut begins = if link_type == COOKED_2 { 20 } else { at + 2 };
    // Tags of virtual networks.
    while [0x8100, 0x88a8].contains(&kind) {
        kind = half(bytes, begins + 2)?;
        begins += 4;
    }
    if [0x0800, 0x86dd].contains(&kind) {
        bytes.get(begins..).ok_or(Other::Piece)
    } else {
        Err(Other::Network(kind))
    }
}

/// What IP says, and what it carries.
struct Carried<'a> {
    from: IpAddr,
    to: IpAddr,
    ecn: u8,
    id: u16,
    ip_bytes: u32,
    header_bytes: u32,
    inside: &'a [u8],
}

fn of_v4(bytes: &[u8], on_wire: u32) -> Result<Carried<'_>, Other> {
    let header = usize::from(bytes[0] & 0xf) * 4;
    let (length, fragment) = (half(bytes, 2)?, half(bytes, 6)?);
    let [from, to] = [word(bytes, 12)?, word(bytes, 16)?].map(|word| IpAddr::V4(Ipv4Addr::from(word)));
    if bytes[9] != TCP {
        return Err(Other::Protocol(bytes[9]));
    }
    if fragment & 0x3fff > 0 || header < 20 {
        return Err(Other::Piece);
    }
    // Offloaded packets may say 0.
    let ip_bytes = if length == 0 { on_wire } else { length.into() };
    let inside = bytes.get(header..).ok_or(Other::Piece)?;
    Ok(Carried { from, to, ecn: bytes[1] & 3, id: half(bytes, 4)?, ip_bytes, header_bytes: header as u32, inside })
}

fn of_v6(bytes: &[u8], on_wire: u32) -> Result<Carried<'_>, Other> {
    let address = |at: usize| -> Result<IpAddr, Other> {
        let sixteen: [u8; 16] = bytes.get(at..at + 16).and_then(|slice| slice.try_into().ok()).ok_or(Other::Piece)?;
        Ok(IpAddr::V6(Ipv6Addr::from(sixteen)))
    };
    let (length, from, to) = (half(bytes, 4)?, address(8)?, address(24)?);
    let (mut next, mut at) = (bytes[6], 40);
    // Hop-by-hop, routing and destination options.
    while [0, 43, 60].contains(&next) {
        let further = usize::from(*bytes.get(at + 1).ok_or(Other::Piece)?);
        next = bytes[at];
        at += 8 * (further + 1);
    }
    if next != TCP {
        return Err(if next == 44 { Other::Piece } else { Other::Protocol(next) });
    }
    let ip_bytes = if length == 0 { on_wire } else { 40 + u32::from(length) };
    let inside = bytes.get(at..).ok_or(Other::Piece)?;
    Ok(Carried { from, to, ecn: bytes[1] >> 4 & 3, id: 0, ip_bytes, header_bytes: at as u32, inside })
}

/// The packet of TCP in a frame whose length on the wire was `length`.
pub(super) fn parse(link_type: u16, bytes: &[u8], length: u32) -> Result<Segment, Other> {
    let ip = network(link_type, bytes)?;
    let on_wire = length.saturating_sub((bytes.len() - ip.len()) as u32);
    let carried = match ip.first().map(|first| first >> 4) {
        Some(4) => of_v4(ip, on_wire)?,
        Some(6) => of_v6(ip, on_wire)?,
        Some(other) => return Err(Other::Network(other.into())),
        None => return Err(Other::Piece),
    };
    let Carried { from, to, ecn, id, ip_bytes, header_bytes, inside: tcp } = carried;
    let offset_flags = half(tcp, 12)?;
    let header = usize::from(offset_flags >> 12) * 4;
    let payload = ip_bytes.checked_sub(header_bytes + header as u32).ok_or(Other::Piece)?;
    let mut segment = Segment {
        from: End { address: from, port: half(tcp, 0)? },
        to: End { address: to, port: half(tcp, 2)? },
        ecn,
        id,
        ip_bytes,
        payload,
        seq: word(tcp, 4)?,
        ack: word(tcp, 8)?,
        flags: offset_flags & 0x1ff,
        window: half(tcp, 14)?,
        mss: None,
        shift: None,
        sack_permitted: false,
        timestamps: None,
        sack: Vec::new(),
    };
    read_options(tcp.get(20..header).ok_or(Other::Piece)?, &mut segment)?;
    Ok(segment)
}

fn read_options(mut options: &[u8], segment: &mut Segment) -> Result<(), Other> {
    while let [kind, rest @ ..] = options {
        match kind {
            0 => break,
            1 => {
                options = rest;
                continue;
            }
            _ => {}
        }
        let length = usize::from(*rest.first().ok_or(Other::Piece)?);
        let option = options.get(..length).filter(|_| length >= 2).ok_or(Other::Piece)?;
        match (kind, length) {
            (2, 4) => segment.mss = Some(half(option, 2)?),
            (3, 3) => segment.shift = Some(option[2].min(14)),
            (4, 2) => segment.sack_permitted = true,
            (5, _) => {
                for at in (2..length.saturating_sub(7)).step_by(8) {
                    segment.sack.push((word(option, at)?, word(option, at + 4)?));
                }
            }
            (8, 10) => segment.timestamps = Some((word(option, 2)?, word(option, 6)?)),
            _ => {}
        }
        options = &options[length..];
    }
    Ok(())
}
