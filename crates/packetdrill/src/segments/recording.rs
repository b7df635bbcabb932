//! A recording as text becomes rows. `data/kernel-segments/recorded/README.md` says what stands in a line.

use std::collections::BTreeMap;

use units::Duration;

/// The letters of what the kernel says of its connection, and the names in `tcp_info` of those that the stack may know too.
pub const COLUMNS: [(char, Option<&str>); 21] = [
    ('c', Some("snd_cwnd")),
    ('h', Some("snd_ssthresh")),
    ('s', Some("ca_state")),
    ('k', Some("sacked")),
    ('l', Some("lost")),
    ('x', Some("retrans")),
    ('u', Some("unacked")),
    ('y', Some("total_retrans")),
    ('d', Some("delivered")),
    ('o', Some("rto")),
    ('r', Some("rtt")),
    ('m', Some("min_rtt")),
    ('q', Some("reordering")),
    ('n', Some("reord_seen")),
    ('z', None),
    ('f', Some("delivered_ce")),
    ('j', None),
    ('i', None),
    ('p', None),
    ('b', None),
    ('g', None),
];

/// What stands for a segment without data that asks for the receiver's window.
pub const ASKING: u64 = u64::MAX;

/// What happened to the kernel.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Event {
    /// The handshake was over.
    Opened,
    /// The application wrote so many segments.
    Written(u64),
    /// An ACK arrived.
    Acked(Acked),
    /// Nothing: a timer of the kernel's own expired.
    Expired,
}

/// An ACK, its counts in segments.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Acked {
    /// Next segment expected.
    pub cumulative: u64,
    /// Half-open SACK blocks, the latest first.
    pub blocks: Vec<(u64, u64)>,
    /// A segment that arrived twice.
    pub duplicate: Option<u64>,
    /// ECN-Echo.
    pub marked: bool,
    /// Which transmission's timestamp is echoed, counted from 0.
    pub echoed: usize,
    /// How long that had travelled when the ACK left.
    pub delay: Duration,
    /// The receiver's room, where it changes.
    pub window: Option<u64>,
}

/// An event and the answer.
#[derive(Clone, Debug)]
pub struct Row {
    /// From the end of the handshake.
    pub at: Duration,
    /// What happened.
    pub event: Event,
    /// The segments that the kernel sent, in their order, and [`ASKING`].
    pub sent: Vec<u64>,
    /// What `tcp_info` said then, by `COLUMNS`; none where it was not asked for.
    pub state: Option<[u64; COLUMNS.len()]>,
}

/// One script and what the kernel answered.
#[derive(Clone, Debug)]
pub struct Recording {
    /// The script's name.
    pub name: String,
    /// The kernel's version, as the file's first line has it; empty where it has none.
    pub kernel: String,
    /// What it asks for.
    pub keys: BTreeMap<String, String>,
    /// Event by event.
    pub rows: Vec<Row>,
}

impl Recording {
    /// The profile that stands for the kernel's stack: that of 6.1 for what is older than 6.12.
    pub fn profile(&self) -> &'static str {
        let mut numbers = self.kernel.split(['.', '-']).map_while(|number| number.parse::<u32>().ok());
        let version = (numbers.next().unwrap_or(0), numbers.next().unwrap_or(0));
        if version >= (6, 12) {
            "linux-6.12"
        } else {
            "linux-6.1"
        }
    }

    /// The number of a key, or what it is when the script does not say.
    ///
    /// # Errors
    /// What is not a number.
    pub fn number(&self, key: &str, usual: u64) -> Result<u64, String> {
        let Some(text) = self.keys.get(key) else { return Ok(usual) };
        text.parse().map_err(|_| format!("{}: {key}={text} is not a number", self.name))
    }

    /// When each transmission left.
    pub fn transmissions(&self) -> Vec<Duration> {
        self.rows.iter().flat_map(|row| row.sent.iter().map(|_| row.at)).collect()
    }
}

/// The recordings of a file.
///
/// # Errors
/// The number of the line that cannot be read, and why.
pub fn read(text: &str) -> Result<Vec<Recording>, String> {
    let mut made: Vec<Recording> = Vec::new();
    let mut reader = Reader::default();
    let mut kernel = String::new();
    for (index, line) in text.lines().enumerate() {
        let wrong = |what: String| format!("line {}: {what}", index + 1);
        if let Some(script) = line.strip_prefix("script ") {
            made.push(begin(script, &kernel).map_err(wrong)?);
            reader = Reader::default();
        } else if let Some((version, _)) = line.strip_prefix("# Linux ").and_then(|rest| rest.split_once(',')) {
            version.clone_into(&mut kernel);
        } else if !line.is_empty() && !line.starts_with('#') && !line.starts_with("end ") {
            let recording = made.last_mut().ok_or_else(|| wrong("a row before the first script".into()))?;
            recording.rows.push(reader.row(line).map_err(wrong)?);
        }
    }
    Ok(made)
}

fn begin(script: &str, kernel: &str) -> Result<Recording, String> {
    let mut words = script.split(' ');
    let name = words.next().unwrap_or_default().to_owned();
    let keys = words.map(|word| word.split_once('=').map(|(key, value)| (key.to_owned(), value.to_owned())));
    let keys = keys.collect::<Option<_>>().ok_or("a key without a value")?;
    Ok(Recording { name, kernel: kernel.to_owned(), keys, rows: Vec::new() })
}

/// What a row leaves out because it stands in an earlier one.
#[derive(Debug, Default)]
struct Reader {
    at: Duration,
    state: [u64; COLUMNS.len()],
    /// Which transmission was the first of each segment.
    first: BTreeMap<u64, usize>,
    transmissions: usize,
    expected: u64,
}

impl Reader {
    fn row(&mut self, line: &str) -> Result<Row, String> {
        let mut words = line.split(' ');
        self.at += Duration::from_us(number(words.next().unwrap_or_default())?);
        let event = self.event(words.next().ok_or("no event")?)?;
        let mut row = Row { at: self.at, event, sent: Vec::new(), state: None };
        let mut is_known = true;
        for word in words {
            match word.chars().next() {
                Some('>') => row.sent = ranges(&word[1..])?,
                Some('?') => is_known = false,
                Some(letter) => {
                    let column = COLUMNS.iter().position(|column| column.0 == letter).ok_or_else(|| format!("no column {letter}"))?;
                    self.state[column] = number(&word[1..])?;
                }
                None => return Err("two blanks".into()),
            }
        }
        row.state = is_known.then_some(self.state);
        for &seq in &row.sent {
            self.first.entry(seq).or_insert(self.transmissions);
            self.transmissions += 1;
        }
        Ok(row)
    }

    fn event(&mut self, word: &str) -> Result<Event, String> {
        let (kind, rest) = word.split_at(1);
        match kind {
            "o" => Ok(Event::Opened),
            "w" => Ok(Event::Written(number(rest)?)),
            "t" => Ok(Event::Expired),
            "a" => self.acked(rest).map(Event::Acked),
            _ => Err(format!("no event {word}")),
        }
    }

    fn acked(&mut self, text: &str) -> Result<Acked, String> {
        let mut parts = parts(text).into_iter();
        let cumulative = number(parts.next().unwrap_or_default())?;
        let echoed = self.first.get(&self.expected).copied().unwrap_or_default();
        let mut acked = Acked { cumulative, echoed, ..Acked::default() };
        for part in parts {
            let (mark, rest) = part.split_at(1);
            match mark {
                "/" => {
                    let (from, to) = rest.split_once('-').ok_or_else(|| format!("no block {part}"))?;
                    acked.blocks.push((number(from)?, number(to)?));
                }
                "!" => acked.duplicate = Some(number(rest)?),
                "@" => acked.echoed = number(rest)? as usize,
                "~" => acked.window = Some(number(rest)?),
                "+" => acked.delay = Duration::from_us(number(rest)?),
                _ => acked.marked = true,
            }
        }
        self.expected = cumulative;
        Ok(acked)
    }
}

/// Splits before each mark of a part.
fn parts(text: &str) -> Vec<&str> {
    let mut starts: Vec<usize> = text.char_indices().filter(|(_, c)| "/!@+~e".contains(*c)).map(|(at, _)| at).collect();
    starts.insert(0, 0);
    starts.push(text.len());
    starts.windows(2).map(|ends| &text[ends[0]..ends[1]]).collect()
}

fn number(text: &str) -> Result<u64, String> {
    text.parse().map_err(|_| format!("{text:?} is not a number"))
}

fn ranges(text: &str) -> Result<Vec<u64>, String> {
    let mut made = Vec::new();
    for part in text.split(',') {
        if part == "p" {
            made.push(ASKING);
            continue;
        }
        let (from, to) = part.split_once('-').unwrap_or((part, part));
        made.extend(number(from)?..=number(to)?);
    }
    Ok(made)
}

#[cfg(test)]
mod tests {
    use super::*;

    const TEXT: &str =
        "script tail-1 cc=reno ts=0\n0 o c10 r20000\n5 w2 >0-1 ?\n1 w1 >2 u3\n20000 a1/2-3!0e~9@2+7 s1 k1\n9 t >0,2 y1\n4 t >p\nend 1 0 0\n";

    #[test]
    fn a_row_repeats_what_has_not_changed() {
        let recordings = read(TEXT).expect("a recording");
        let recording = &recordings[0];
        assert_eq!((recordings.len(), recording.name.as_str(), recording.number("ts", 1)), (1, "tail-1", Ok(0)));
        let rows = &recording.rows;
        assert_eq!((rows[1].at, rows[1].sent.as_slice(), rows[1].state), (Duration::from_us(5), [0, 1].as_slice(), None));
        let state = rows[4].state.expect("a state");
        assert_eq!((state[0], state[2], state[6], state[7]), (10, 1, 3, 1));
        assert_eq!((rows[5].sent.as_slice(), recording.transmissions().len()), ([ASKING].as_slice(), 6));
    }

    #[test]
    fn an_ack_echoes_what_the_one_before_expected_unless_it_says_otherwise() {
        let recordings = read(TEXT).expect("a recording");
        let Event::Acked(ack) = &recordings[0].rows[3].event else { panic!("an ACK") };
        let delay = Duration::from_us(7);
        assert_eq!(
            *ack,
            Acked { cumulative: 1, blocks: vec![(2, 3)], duplicate: Some(0), marked: true, echoed: 2, delay, window: Some(9) }
        );
        let plain = read(&TEXT.replace("@2", "")).expect("a recording");
        let Event::Acked(ack) = &plain[0].rows[3].event else { panic!("an ACK") };
        assert_eq!(ack.echoed, 0);
    }

    #[test]
    fn a_recording_is_replayed_on_the_profile_of_its_kernel() {
        let of = |version: &str| read(&format!("# Linux {version}, reno: 1 scripts\n{TEXT}")).expect("a recording")[0].profile();
        assert_eq!(
            [of("6.1.192"), of("5.10.262"), of("6.12.117"), of("6.18.0-rc3"), of("7.0.1")].map(|name| &name[6..]),
            ["6.1", "6.1", "6.12", "6.12", "6.12"]
        );
        assert_eq!(read(TEXT).expect("a recording")[0].profile(), "linux-6.1");
    }

    #[test]
    fn a_damaged_line_is_named() {
        assert_eq!(read("0 o").err(), Some("line 1: a row before the first script".into()));
        assert_eq!(read(&TEXT.replace("c10", "?10 C1")).err(), Some("line 2: no column C".into()));
        assert_eq!(read(&TEXT.replace("9 t", "9 x")).err(), Some("line 6: no event x".into()));
    }
}
