//! A packet, as far as links and queues look at it.

/// What a queue looks at in a packet.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Packet {
    /// IP bytes.
    pub bytes: u32,
    /// A number that packets of one connection share.
    pub flow: u32,
    /// Its sender answers congestion marks (an ECT codepoint, RFC 3168).
    pub ecn_capable: bool,
    /// And answers each of them a little: ECT(1) (RFC 9331).
    pub is_l4s: bool,
    /// It carries no data.
    pub is_ack: bool,
}

impl Packet {
    /// A packet of data of connection `flow`, not ECN-capable.
    pub const fn data(bytes: u32, flow: u32) -> Packet {
        Packet { bytes, flow, ecn_capable: false, is_l4s: false, is_ack: false }
    }

    /// An acknowledgement of connection `flow`: not ECN-capable (RFC 3168 6.1.4).
    pub const fn ack(bytes: u32, flow: u32) -> Packet {
        Packet { is_ack: true, ..Packet::data(bytes, flow) }
    }
}
