//! Segments of TCP.

/// Which way a segment goes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Direction {
    /// Injected: the peer sent it.
    Inbound,
    /// Expected.
    Outbound,
}

/// A timestamp option.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Stamp {
    /// The sender's.
    pub val: u64,
    /// The echoed one.
    pub ecr: u64,
}

/// A segment. Numbers are the script's: the SYN has number 0.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Packet {
    /// Which way it goes.
    pub direction: Direction,
    /// The ECN codepoint between brackets, if there is one: `ect0`, `ce` and so on.
    pub ip_ecn: Option<String>,
    /// Its flags, a letter each, `.` for ACK.
    pub flags: String,
    /// Its first byte.
    pub seq: u64,
    /// How many bytes.
    pub length: u64,
    /// The ACK number.
    pub ack: Option<u64>,
    /// The window as it is in the header.
    pub win: Option<u64>,
    /// Options are as they come: `<...>`.
    pub any_options: bool,
    /// The largest segment.
    pub mss: Option<u32>,
    /// The window's scale.
    pub wscale: Option<u32>,
    /// SACK is permitted.
    pub sack_ok: bool,
    /// SACK blocks, the first first.
    pub sack: Vec<(u64, u64)>,
    /// The timestamp.
    pub stamp: Option<Stamp>,
    /// Other options, by their first word.
    pub others: Vec<String>,
}

impl Packet {
    /// Whether it has this flag.
    pub fn has(&self, flag: char) -> bool {
        self.flags.contains(flag)
    }

    /// The three bits of RFC 9768's counter, AE, CWR and ECE: as a digit, or as the letters `A`, `W` and `E`.
    pub fn ace(&self) -> u64 {
        let bits = |(flag, value)| if self.has(flag) { value } else { 0 };
        let letters = [('A', 4), ('W', 2), ('E', 1)].into_iter().map(bits).sum();
        self.flags.chars().find_map(|flag| flag.to_digit(8)).map_or(letters, u64::from)
    }
}

/// `< P. 1:1001(1000) ack 1 win 320 <sack 1:2,nop,nop>`.
pub(super) fn parse(text: &str) -> Result<Packet, String> {
    let direction = if text.starts_with('<') { Direction::Inbound } else { Direction::Outbound };
    let rest = &text[1..];
    let (head, options) = match rest.find('<') {
        Some(at) => (&rest[..at], Some(rest[at + 1..].trim_end().strip_suffix('>').ok_or("options without an end")?)),
        None => (rest, None),
    };
    let mut words = head.split_whitespace().peekable();
    let ip_ecn = words.next_if(|word| word.starts_with('[')).map(|word| word.trim_matches(['[', ']']).to_owned());
    let flags = words.next().ok_or("a packet without flags")?;
    if !flags.chars().all(|flag| "SFRP.EWUA-0123456789".contains(flag)) {
        return Err(format!("packet {flags}"));
    }
    let (seq, length) = range(words.next().ok_or("a packet without a number")?)?;
    let mut packet = Packet {
        direction,
        ip_ecn,
        flags: flags.to_owned(),
        seq,
        length,
        ack: None,
        win: None,
        any_options: false,
        mss: None,
        wscale: None,
        sack_ok: false,
        sack: Vec::new(),
        stamp: None,
        others: Vec::new(),
    };
    while let Some(word) = words.next() {
        let slot = match word {
            "ack" => &mut packet.ack,
            "win" => &mut packet.win,
            _ => return Err(format!("packet with {word}")),
        };
        let value = words.next().ok_or_else(|| format!("{word} without a number"))?;
        *slot = Some(value.parse().map_err(|_| format!("{word} {value}"))?);
    }
    if packet.win.is_some_and(|win| win > u16::MAX.into()) {
        return Err(format!("win {}", packet.win.unwrap_or(0)));
    }
    for option in options.into_iter().flat_map(|options| options.split(',')) {
        read_option(&mut packet, option.trim())?;
    }
    Ok(packet)
}

/// `1:1001(1000)`.
fn range(word: &str) -> Result<(u64, u64), String> {
    let fail = || format!("packet {word}");
    let (span, length) = word.strip_suffix(')').and_then(|word| word.split_once('(')).ok_or_else(fail)?;
    let (from, to) = span.split_once(':').ok_or_else(fail)?;
    let [from, to, length] = [from, to, length].map(str::parse::<u64>);
    match (from, to, length) {
        (Ok(from), Ok(to), Ok(length)) if to >= from && to - from == length => Ok((from, length)),
        _ => Err(fail()),
    }
}

fn read_option(packet: &mut Packet, option: &str) -> Result<(), String> {
    let fail = || format!("option {option}");
    let words: Vec<&str> = option.split_whitespace().collect();
    match words[..] {
        [] | ["nop"] | ["eol"] => {}
        ["..." | "nocheck"] => packet.any_options = true,
        ["sackOK"] => packet.sack_ok = true,
        ["mss", value] => packet.mss = Some(value.parse().map_err(|_| fail())?),
        ["wscale", value] => packet.wscale = Some(value.parse().map_err(|_| fail())?),
        ["TS", "val", val, "ecr", ecr] => {
            let [val, ecr] = [val, ecr].map(str::parse);
            packet.stamp = val.ok().zip(ecr.ok()).map(|(val, ecr)| Stamp { val, ecr });
            if packet.stamp.is_none() {
                packet.others.push("TS".into());
            }
        }
        ["sack", ref blocks @ ..] => {
            for block in blocks {
                let (from, to) = block.split_once(':').ok_or_else(fail)?;
                packet.sack.push((from.parse().map_err(|_| fail())?, to.parse().map_err(|_| fail())?));
            }
        }
        [name, ..] => packet.others.push(name.to_owned()),
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_segment_is_read_with_its_options() {
        let packet = parse("< [ce] PE. 1:1001(1000) ack 7 win 320 <sack 16061:17521 20441:26281,nop,TS val 9 ecr 100>").expect("a packet");
        assert_eq!((packet.direction, packet.ip_ecn.as_deref(), packet.seq, packet.length), (Direction::Inbound, Some("ce"), 1, 1000));
        assert_eq!((packet.has('E'), packet.has('S'), packet.ack, packet.win), (true, false, Some(7), Some(320)));
        assert_eq!(packet.sack, [(16061, 17521), (20441, 26281)]);
        assert_eq!(packet.stamp, Some(Stamp { val: 9, ecr: 100 }));
        let syn = parse("> S. 0:0(0) ack 1 <mss 1460,nop,nop,sackOK,nop,wscale 8,FO abcd,nop,nop>").expect("a packet");
        assert_eq!((syn.mss, syn.wscale, syn.sack_ok, syn.others), (Some(1460), Some(8), true, vec!["FO".to_owned()]));
        assert!(parse("> . 1:1(0) ack 1 <...>").expect("a packet").any_options);
        let ace = |flags: &str| parse(&format!("> {flags} 1:1(0) ack 1")).expect("a packet").ace();
        assert_eq!(["EAP.", "P.5", "WA.", ".6", "EWA.", "."].map(ace), [5, 5, 6, 6, 7, 0]);
    }

    #[test]
    fn what_is_no_segment_is_named() {
        assert_eq!(parse("< icmp unreachable [1:1001(1000)]"), Err("packet icmp".into()));
        assert_eq!(parse("> . 1:1001(999) ack 1"), Err("packet 1:1001(999)".into()));
        assert_eq!(parse("> . 1:1(0) ack 1 urg 3"), Err("packet with urg".into()));
    }
}
