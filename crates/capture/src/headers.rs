//! IPv4 and TCP headers with checksums, of a packet whose payload is zeros that are not kept (RFC 791, 9293, 2018, 7323).

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
    made.on_wire = 20 + tcp + packet.payload;
    let [high, low] = (made.on_wire as u16).to_be_bytes();
    let [id_high, id_low] = packet.id.to_be_bytes();
    // Version 4, five words; not fragmented; 64 hops; TCP.
    made.bytes[..12].copy_from_slice(&[0x45, packet.ecn, high, low, id_high, id_low, 0x40, 0, 64, 6, 0, 0]);
    made.bytes[12..16].copy_from_slice(&packet.from.address);
    made.bytes[16..20].copy_from_slice(&packet.to.address);
    let of_ip = checksum(sum(&made.bytes[..20]));
    made.bytes[10..12].copy_from_slice(&of_ip);
    // The pseudo-header: addresses, protocol, length. Zeros of payload add nothing.
    let pseudo = sum(&made.bytes[12..20]) + 6 + tcp + packet.payload;
    let of_tcp = checksum(pseudo + sum(&made.bytes[20..usize::from(made.length)]));
    made.bytes[36..38].copy_from_slice(&of_tcp);
    made
}
