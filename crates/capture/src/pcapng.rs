//! The blocks of a pcapng file (draft-ietf-opsawg-pcapng): a section, its interfaces, its packets.

use std::io::{self, Write};

const SECTION: u32 = 0x0a0d_0d0a;
const INTERFACE: u32 = 1;
const PACKET: u32 = 6;
/// LINKTYPE_RAW: the packet begins with its IP header.
pub(crate) const RAW_IP: u16 = 101;

/// Option codes: of all blocks, of a section, of an interface.
const COMMENT: u16 = 1;
const USER_APPLICATION: u16 = 4;
const INTERFACE_NAME: u16 = 2;
const TIME_RESOLUTION: u16 = 9;

/// 10^-9 s (the option's value is the exponent).
const NANOSECONDS: u8 = 9;

/// A block under construction: little-endian, padded to words, its length at both ends.
struct Block(Vec<u8>);

impl Block {
    fn new(kind: u32) -> Block {
        Block([kind.to_le_bytes(), [0; 4]].concat())
    }

    fn put(mut self, bytes: &[u8]) -> Block {
        self.0.extend_from_slice(bytes);
        self
    }

    fn pad(mut self) -> Block {
        self.0.resize(self.0.len().next_multiple_of(4), 0);
        self
    }

    fn option(self, code: u16, value: &[u8]) -> Block {
        self.put(&code.to_le_bytes()).put(&(value.len() as u16).to_le_bytes()).put(value).pad()
    }

    fn end_options(self) -> Block {
        self.put(&[0; 4])
    }

    fn write(mut self, to: &mut impl Write) -> io::Result<()> {
        let length = (self.0.len() as u32 + 4).to_le_bytes();
        self.0[4..8].copy_from_slice(&length);
        to.write_all(&self.put(&length).0)
    }
}

/// A section begins, written by `application`, of which `comment` says what it is.
pub(crate) fn section(to: &mut impl Write, application: &str, comment: &str) -> io::Result<()> {
    Block::new(SECTION)
        .put(&0x1a2b_3c4d_u32.to_le_bytes())
        .put(&[1, 0, 0, 0])
        .put(&u64::MAX.to_le_bytes())
        .option(COMMENT, comment.as_bytes())
        .option(USER_APPLICATION, application.as_bytes())
        .end_options()
        .write(to)
}

/// An interface of the section, whose packets are cut to `snap_length` bytes.
pub(crate) fn interface(to: &mut impl Write, name: &str, snap_length: u32) -> io::Result<()> {
    Block::new(INTERFACE)
        .put(&RAW_IP.to_le_bytes())
        .put(&[0, 0])
        .put(&snap_length.to_le_bytes())
        .option(INTERFACE_NAME, name.as_bytes())
        .option(TIME_RESOLUTION, &[NANOSECONDS])
        .end_options()
        .write(to)
}

/// A packet as it is written.
pub(crate) struct Written<'a> {
    pub(crate) interface: u32,
    /// Nanoseconds since 1970.
    pub(crate) time_ns: u64,
    /// What is kept of it, headers and payload.
    pub(crate) bytes: [&'a [u8]; 2],
    /// Its length on the wire.
    pub(crate) length: u32,
    pub(crate) comment: Option<&'a str>,
}

/// A packet of one of the interfaces.
pub(crate) fn packet(to: &mut impl Write, packet: &Written<'_>) -> io::Result<()> {
    let [headers, payload] = packet.bytes;
    let block = Block::new(PACKET)
        .put(&packet.interface.to_le_bytes())
        .put(&((packet.time_ns >> 32) as u32).to_le_bytes())
        .put(&(packet.time_ns as u32).to_le_bytes())
        .put(&((headers.len() + payload.len()) as u32).to_le_bytes())
        .put(&packet.length.to_le_bytes())
        .put(headers)
        .put(payload)
        .pad();
    let block = packet
        .comment
        .map_or(Block(Vec::new()), |comment| Block(Vec::new()).option(COMMENT, comment.as_bytes()).end_options())
        .after(block);
    block.write(to)
}

impl Block {
    /// These options behind what `block` holds.
    fn after(self, block: Block) -> Block {
        block.put(&self.0)
    }
}
