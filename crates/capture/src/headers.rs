//! IPv4, TCP and UDP headers with checksums (RFC 768, 791, 9293, 2018, 7323). The payload of a packet of TCP is zeros that are not kept.

/// Protocols in IP.
const TCP: u8 = 6;
const UDP: u8 = 17;

/// The longest: 20 of IP, 60 of TCP.
pub(crate) const HEADERS_MAX: usize = 80;

/// FIN, SYN, ACK, and ECN's ECE, CWR and (RFC 9768) AE, as they lie in the header's flags.
pub(crate) const FIN: u16 = 1;
pub(crate) const SYN: u16 = 2;
pub(crate) const ACK: u16 = 0x10;
pub(crate) const ECE: u16 = 0x40;
pub(crate) const CWR: u16 = 0x80;
pub(crate) const AE: u16 = 0x100;

/// An address and a port.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct End {
    pub(crate) address: [u8; 4],
    pub(crate) port: u16,
}

/// TCP options in the order in which Linux writes them.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct TcpOptions<'a> {
    /// On a SYN: the largest segment.
    pub(crate) mss: Option<u16>,
    /// On a SYN: SACK is permitted.
    pub(crate) sack_permitted: bool,
    /// The sender's clock, and the echo.
    pub(crate) timestamps: Option<(u32, u32)>,
    /// On a SYN: the shift of its windows.
    pub(crate) window_scale: Option<u8>,
    /// SACK blocks: sequence numbers from, to.
    pub(crate) sack: &'a [(u32, u32)],
}

/// A packet.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Packet<'a> {
    pub(crate) from: End,
    pub(crate) to: End,
    /// The two bits of ECN in the IP header.
    pub(crate) ecn: u8,
    pub(crate) id: u16,
    pub(crate) seq: u32,
    pub(crate) ack: u32,
    pub(crate) flags: u16,
    pub(crate) window: u16,
    pub(crate) options: TcpOptions<'a>,
    /// Bytes of payload.
    pub(crate) payload: u32,
}

/// The headers of a packet.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Headers {
    bytes: [u8; HEADERS_MAX],
    length: u8,
    /// The packet's length on the wire: headers and payload.
    pub(crate) on_wire: u32,
}

impl Headers {
    pub(crate) fn bytes(&self) -> &[u8] {
        &self.bytes[..usize::from(self.length)]
    }

    fn put(&mut self, bytes: &[u8]) {
        let from = usize::from(self.length);
        self.bytes[from..from + bytes.len()].copy_from_slice(bytes);
        self.length += bytes.len() as u8;
    }

    fn options(&mut self, options: &TcpOptions<'_>) {
        if let Some(mss) = options.mss {
            self.put(&[2, 4]);
            self.put(&mss.to_be_bytes());
        }
        match (options.sack_permitted, options.timestamps.is_some()) {
            (true, true) => self.put(&[4, 2]),
            (true, false) => self.put(&[1, 1, 4, 2]),
            (false, true) => self.put(&[1, 1]),
            (false, false) => {}
        }
        if let Some((value, echo)) = options.timestamps {
            self.put(&[8, 10]);
            self.put(&value.to_be_bytes());
            self.put(&echo.to_be_bytes());
        }
        if let Some(shift) = options.window_scale {
            self.put(&[1, 3, 3, shift]);
        }
        if !options.sack.is_empty() {
            self.put(&[1, 1, 5, 2 + 8 * options.sack.len() as u8]);
            for (from, to) in options.sack {
                self.put(&from.to_be_bytes());
                self.put(&to.to_be_bytes());
            }
        }
    }
}

/// The sum of RFC 1071 of so many words, before it is complemented.
fn sum(words: &[u8]) -> u32 {
    words.chunks(2).map(|pair| u32::from(pair[0]) << 8 | u32::from(pair.get(1).copied().unwrap_or(0))).sum()
}

fn checksum(mut sum: u32) -> [u8; 2] {
    while sum > 0xffff {
        sum = (sum & 0xffff) + (sum >> 16);
    }
    (!(sum as u16)).to_be_bytes()
}

/// The packet's headers.
pub(crate) fn headers(packet: &Packet<'_>) -> Headers {
    let mut made = Headers { bytes: [0; HEADERS_MAX], length: 20, on_wire: 0 };
    made.put(&packet.from.port.to_be_bytes());
    made.put(&packet.to.port.to_be_bytes());
    made.put(&packet.seq.to_be_bytes());
    made.put(&packet.ack.to_be_bytes());
    made.put(&[0; 2]);
    made.put(&packet.window.to_be_bytes());
    made.put(&[0; 4]);
    made.options(&packet.options);
    let tcp = u32::from(made.length) - 20;
    made.bytes[32..34].copy_from_slice(&(((tcp / 4) as u16) << 12 | packet.flags).to_be_bytes());
    let Packet { from, to, ecn, id, payload, .. } = *packet;
    // Zeros of payload add nothing to the sum.
    made.over_ip(&Carried { from, to, ecn, id, protocol: TCP, checksum_at: 36, payload, payload_sum: 0 });
    made
}

/// What IP carries: whose it is, and what is needed for its checksum.
struct Carried {
    from: End,
    to: End,
    ecn: u8,
    id: u16,
    protocol: u8,
    checksum_at: usize,
    payload: u32,
    payload_sum: u32,
}

impl Headers {
    /// Fills in the header of IP, and the checksum of what stands behind it.
    fn over_ip(&mut self, carried: &Carried) {
        let inside = u32::from(self.length) - 20 + carried.payload;
        self.on_wire = 20 + inside;
        let [high, low] = (self.on_wire as u16).to_be_bytes();
        let [id_high, id_low] = carried.id.to_be_bytes();
        // Version 4, five words; not fragmented; 64 hops.
        self.bytes[..12].copy_from_slice(&[0x45, carried.ecn, high, low, id_high, id_low, 0x40, 0, 64, carried.protocol, 0, 0]);
        self.bytes[12..16].copy_from_slice(&carried.from.address);
        self.bytes[16..20].copy_from_slice(&carried.to.address);
        let of_ip = checksum(sum(&self.bytes[..20]));
        self.bytes[10..12].copy_from_slice(&of_ip);
        // The pseudo-header: addresses, protocol, length.
        let pseudo = sum(&self.bytes[12..20]) + u32::from(carried.protocol) + inside;
        let of_all = checksum(pseudo + sum(&self.bytes[20..usize::from(self.length)]) + carried.payload_sum);
        self.bytes[carried.checksum_at..carried.checksum_at + 2].copy_from_slice(&of_all);
    }
}

/// A datagram between two ends, or what travels as one.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Datagram<'a> {
    pub(crate) from: End,
    pub(crate) to: End,
    pub(crate) ecn: u8,
    pub(crate) bytes: &'a [u8],
}

impl Datagram<'_> {
    /// An identification that it has wherever it is seen.
    fn id(&self) -> u16 {
        let [high, low] = checksum(sum(self.bytes));
        u16::from(high) << 8 | u16::from(low)
    }
}

/// The headers of a datagram of UDP, whose payload follows.
pub(crate) fn of_udp(datagram: &Datagram<'_>) -> Headers {
    let Datagram { from, to, ecn, bytes } = *datagram;
    let payload = bytes.len() as u32;
    let mut made = Headers { bytes: [0; HEADERS_MAX], length: 20, on_wire: 0 };
    made.put(&from.port.to_be_bytes());
    made.put(&to.port.to_be_bytes());
    made.put(&(8 + payload as u16).to_be_bytes());
    made.put(&[0; 2]);
    made.over_ip(&Carried { from, to, ecn, id: datagram.id(), protocol: UDP, checksum_at: 26, payload, payload_sum: sum(bytes) });
    if made.bytes[26..28] == [0, 0] {
        // Zero would say that there is none.
        made.bytes[26..28].copy_from_slice(&[0xff; 2]);
    }
    made
}

/// Of the 20 bytes of TCP's header those that a stack of a kernel sends, in two pieces: numbers, offset and flags, window (`stacks/linux`).
const KEPT: usize = 12;

/// The headers of a segment that travels as a datagram: numbers, offset and flags, window, options and zeros of payload; none where it is none.
pub(crate) fn of_segment(datagram: &Datagram<'_>) -> Option<Headers> {
    let Datagram { from, to, ecn, bytes } = *datagram;
    let options = (usize::from(bytes.get(8)? >> 4) * 4).checked_sub(20)?;
    let (kept, options) = (&bytes[..KEPT.min(bytes.len())], bytes.get(KEPT..KEPT + options)?);
    let mut made = Headers { bytes: [0; HEADERS_MAX], length: 20, on_wire: 0 };
    made.put(&from.port.to_be_bytes());
    made.put(&to.port.to_be_bytes());
    made.put(kept);
    made.put(&[0; 4]);
    made.put(options);
    let payload = (bytes.len() - KEPT - options.len()) as u32;
    made.over_ip(&Carried { from, to, ecn, id: datagram.id(), protocol: TCP, checksum_at: 36, payload, payload_sum: 0 });
    Some(made)
}
