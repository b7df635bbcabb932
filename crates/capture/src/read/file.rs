//! The packets of a capture file: pcap (libpcap's format, microseconds or nanoseconds) and pcapng, of either byte order.

use std::io::{self, Read};

use super::ReadError;

/// Longest block that is accepted, bytes: a snap length is at most 256 kB.
const BLOCK_MAX: usize = 1 << 24;
const SECTION: u32 = 0x0a0d_0d0a;

/// One packet as the file has it.
#[derive(Debug)]
pub(super) struct Raw {
    pub(super) interface: u32,
    pub(super) link_type: u16,
    /// Nanoseconds since 1970.
    pub(super) time_ns: i64,
    /// Its length on the wire.
    pub(super) length: u32,
    pub(super) bytes: Vec<u8>,
}

/// An interface of a section.
#[derive(Clone, Debug)]
pub(super) struct Interface {
    pub(super) name: String,
    link_type: u16,
    /// Time units per second.
    per_second: u64,
    offset_s: i64,
}

/// A file that is being read.
pub(super) struct File<R> {
    from: R,
    is_big: bool,
    is_ng: bool,
    /// Of pcapng: of the section. Of pcap: one.
    pub(super) interfaces: Vec<Interface>,
    /// What wrote the section says who it is.
    pub(super) application: String,
    pub(super) packets: u64,
}

impl<R: Read> File<R> {
    /// Reads how the file begins.
    pub(super) fn open(mut from: R) -> Result<File<R>, ReadError> {
        let mut magic = [0; 4];
        let found = fill(&mut from, &mut magic)?;
        let mut file = File { from, is_big: false, is_ng: false, interfaces: Vec::new(), application: String::new(), packets: 0 };
        match (found, u32::from_le_bytes(magic)) {
            (4, SECTION) => {
                file.is_ng = true;
                file.section()?;
            }
            (4, 0xa1b2_c3d4) => file.header(1_000_000)?,
            (4, 0xa1b2_3c4d) => file.header(1_000_000_000)?,
            (4, word) if [0xa1b2_c3d4, 0xa1b2_3c4d].contains(&word.swap_bytes()) => {
                file.is_big = true;
                file.header(if word.swap_bytes() == 0xa1b2_c3d4 { 1_000_000 } else { 1_000_000_000 })?;
            }
            (0, _) => return Err(ReadError::bad("is empty".into())),
            _ => return Err(ReadError::bad("is no capture: it begins neither as pcap nor as pcapng does".into())),
        }
        Ok(file)
    }

    fn header(&mut self, per_second: u64) -> Result<(), ReadError> {
        let rest: [u8; 20] = self.exactly()?;
        let link_type = self.word(&rest[16..]) as u16;
        self.interfaces.push(Interface { name: String::new(), link_type, per_second, offset_s: 0 });
        Ok(())
    }

    /// The next packet, if there is one.
    pub(super) fn next(&mut self) -> Result<Option<Raw>, ReadError> {
        if self.is_ng {
            self.next_block()
        } else {
            self.next_record()
        }
    }

    fn next_record(&mut self) -> Result<Option<Raw>, ReadError> {
        let mut header = [0; 16];
        match fill(&mut self.from, &mut header)? {
            0 => return Ok(None),
            16 => {}
            _ => return Err(self.cut()),
        }
        let [seconds, parts, kept, length] = [0, 4, 8, 12].map(|at| self.word(&header[at..]));
        let bytes = self.bytes(kept as usize)?;
        let Interface { link_type, per_second, .. } = self.interfaces[0];
        let time_ns = i64::from(seconds) * 1_000_000_000 + i64::from(parts) * (1_000_000_000 / per_second as i64);
        self.packets += 1;
        Ok(Some(Raw { interface: 0, link_type, time_ns, length, bytes }))
    }

    fn next_block(&mut self) -> Result<Option<Raw>, ReadError> {
        loop {
            let mut kind = [0; 4];
            match fill(&mut self.from, &mut kind)? {
                0 => return Ok(None),
                4 => {}
                _ => return Err(self.cut()),
            }
            if u32::from_le_bytes(kind) == SECTION {
                self.section()?;
                continue;
            }
            let kind = self.word(&kind);
            let length = self.exactly::<4>()?;
            let length = self.word(&length) as usize;
            if length < 12 || length % 4 > 0 {
                return Err(ReadError::bad(format!("is damaged behind packet {}: a block of {length} bytes", self.packets)));
            }
            let mut body = self.bytes(length - 8)?;
            body.truncate(length - 12);
            match kind {
                1 => self.interface(&body)?,
                2 | 3 | 6 => return self.packet(kind, &body).map(Some),
                _ => {}
            }
        }
    }

    fn section(&mut self) -> Result<(), ReadError> {
        let start: [u8; 8] = self.exactly()?;
        self.is_big = match u32::from_le_bytes([start[4], start[5], start[6], start[7]]) {
            0x1a2b_3c4d => false,
            0x4d3c_2b1a => true,
            _ => return Err(ReadError::bad("is damaged: a section of no byte order".into())),
        };
        let length = self.word(&start) as usize;
        if length < 28 {
            return Err(ReadError::bad(format!("is damaged: a section header of {length} bytes")));
        }
        let body = self.bytes(length - 12)?;
        self.interfaces.clear();
        for (code, value) in self.options(&body[12..body.len() - 4]) {
            if code == 4 {
                self.application = String::from_utf8_lossy(&value).into_owned();
            }
        }
        Ok(())
    }

    fn interface(&mut self, body: &[u8]) -> Result<(), ReadError> {
        if body.len() < 8 {
            return Err(self.damaged());
        }
        let mut interface = Interface { name: String::new(), link_type: self.half(body), per_second: 1_000_000, offset_s: 0 };
        for (code, value) in self.options(&body[8..]) {
            match (code, &value[..]) {
                (2, name) => interface.name = String::from_utf8_lossy(name).into_owned(),
                (9, [exponent]) if exponent & 0x80 == 0 && *exponent <= 18 => interface.per_second = 10u64.pow((*exponent).into()),
                (9, [exponent]) if exponent & 0x80 > 0 && exponent & 0x7f < 63 => interface.per_second = 1 << (exponent & 0x7f),
                (9, _) => return Err(self.damaged()),
                (14, seconds) if seconds.len() == 8 => {
                    let [low, high] = [0, 4].map(|at| u64::from(self.word(&seconds[at..])));
                    interface.offset_s = (if self.is_big { low << 32 | high } else { high << 32 | low }) as i64;
                }
                _ => {}
            }
        }
        self.interfaces.push(interface);
        Ok(())
    }

    /// An enhanced packet, an obsolete one, or a simple one, which has no time.
    fn packet(&mut self, kind: u32, body: &[u8]) -> Result<Raw, ReadError> {
        if body.len() < if kind == 3 { 4 } else { 20 } {
            return Err(self.damaged());
        }
        if kind == 3 {
            return Err(ReadError::bad("has packets without times (simple packet blocks)".into()));
        }
        let number = if kind == 6 { self.word(body) } else { self.half(body).into() };
        let Some(interface) = self.interfaces.get(number as usize).cloned() else { return Err(self.damaged()) };
        let [high, low, kept, length] = [4, 8, 12, 16].map(|at| self.word(&body[at..]));
        let Some(bytes) = body.get(20..20 + kept as usize) else { return Err(self.damaged()) };
        let units = u128::from(high) << 32 | u128::from(low);
        let time_ns = (units * 1_000_000_000 / u128::from(interface.per_second)) as i64 + interface.offset_s.saturating_mul(1_000_000_000);
        self.packets += 1;
        Ok(Raw { interface: number, link_type: interface.link_type, time_ns, length, bytes: bytes.to_vec() })
    }

    fn options(&self, mut bytes: &[u8]) -> Vec<(u16, Vec<u8>)> {
        let mut found = Vec::new();
        while bytes.len() >= 4 {
            let (code, length) = (self.half(bytes), usize::from(self.half(&bytes[2..])));
            let Some(value) = bytes.get(4..4 + length).filter(|_| code > 0) else { break };
            found.push((code, value.to_vec()));
            bytes = bytes.get(4 + length.next_multiple_of(4)..).unwrap_or_default();
        }
        found
    }

    fn word(&self, bytes: &[u8]) -> u32 {
        let word = [bytes[0], bytes[1], bytes[2], bytes[3]];
        if self.is_big {
            u32::from_be_bytes(word)
        } else {
            u32::from_le_bytes(word)
        }
    }

    fn half(&self, bytes: &[u8]) -> u16 {
        if self.is_big {
            u16::from_be_bytes([bytes[0], bytes[1]])
        } else {
            u16::from_le_bytes([bytes[0], bytes[1]])
        }
    }

    fn exactly<const N: usize>(&mut self) -> Result<[u8; N], ReadError> {
        let mut bytes = [0; N];
        if fill(&mut self.from, &mut bytes)? < N {
            return Err(self.cut());
        }
        Ok(bytes)
    }

    fn bytes(&mut self, length: usize) -> Result<Vec<u8>, ReadError> {
        if length > BLOCK_MAX {
            return Err(self.damaged());
        }
        let mut bytes = vec![0; length];
        if fill(&mut self.from, &mut bytes)? < length {
            return Err(self.cut());
        }
        Ok(bytes)
    }

    fn cut(&self) -> ReadError {
        ReadError::bad(format!("is cut off behind packet {}", self.packets))
    }

    fn damaged(&self) -> ReadError {
        ReadError::bad(format!("is damaged behind packet {}", self.packets))
    }
}

/// Reads as much as there is, up to all of `bytes`.
fn fill(from: &mut impl Read, bytes: &mut [u8]) -> Result<usize, ReadError> {
    let mut found = 0;
    while found < bytes.len() {
        match from.read(&mut bytes[found..]) {
            Ok(0) => break,
            Ok(count) => found += count,
            Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
            Err(error) => return Err(ReadError::bad(format!("cannot be read: {error}"))),
        }
    }
    Ok(found)
}
