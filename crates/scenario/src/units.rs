//! Quantities with units, as people write them: `42ms`, `250Mbit`, `256kB`, `20%bdp`.
//!
//! What comes back is in SI: seconds, bits per second, bytes, hertz; and packets. A number without a unit is taken to be so already.

use thiserror::Error;

use crate::decimal::Decimal;
use crate::text::quoted;

const CHARACTERS_MAX: usize = 64;

/// What a quantity is of.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Unit {
    /// Seconds.
    Time,
    /// Bits per second.
    Rate,
    /// Bytes.
    Size,
    /// Packets.
    Packets,
    /// Hertz.
    Clock,
    /// A plain number.
    Plain,
}

/// A written unit: so many times ten to this power of the SI unit.
type Row = (&'static str, u32, i32);

const TIME: &[Row] = &[
    ("s", 1, 0),
    ("sec", 1, 0),
    ("ms", 1, -3),
    ("us", 1, -6),
    ("\u{b5}s", 1, -6),
    ("\u{3bc}s", 1, -6),
    ("ns", 1, -9),
    ("min", 60, 0),
    ("h", 3600, 0),
];
const SIZE: &[Row] = &[
    ("B", 1, 0),
    ("kB", 1, 3),
    ("KB", 1, 3),
    ("MB", 1, 6),
    ("GB", 1, 9),
    ("TB", 1, 12),
    ("KiB", 1 << 10, 0),
    ("MiB", 1 << 20, 0),
    ("GiB", 1 << 30, 0),
];
const CLOCK: &[Row] = &[("Hz", 1, 0), ("kHz", 1, 3), ("MHz", 1, 6), ("GHz", 1, 9)];
const PACKETS: &[Row] = &[("packets", 1, 0), ("packet", 1, 0), ("pkts", 1, 0), ("p", 1, 0)];

/// Of a rate: what stands before `bit` and its other spellings.
const PREFIXES: [(&str, i32); 9] = [("", 0), ("k", 3), ("K", 3), ("m", 6), ("M", 6), ("g", 9), ("G", 9), ("t", 12), ("T", 12)];
const BITS: [&str; 4] = ["bit", "bps", "bit/s", "b/s"];

impl Unit {
    /// The unit of that name: `s`, `bit/s`, `bytes`, `packets` or `Hz`; anything else means a plain number.
    pub fn of_name(name: &str) -> Unit {
        match name {
            "s" => Unit::Time,
            "bit/s" => Unit::Rate,
            "bytes" => Unit::Size,
            "packets" => Unit::Packets,
            "Hz" => Unit::Clock,
            _ => Unit::Plain,
        }
    }

    fn rows(self) -> &'static [Row] {
        match self {
            Unit::Time => TIME,
            Unit::Size => SIZE,
            Unit::Clock => CLOCK,
            Unit::Packets => PACKETS,
            Unit::Rate | Unit::Plain => &[],
        }
    }

    fn factor(self, written: &str) -> Option<(u32, i32)> {
        if self == Unit::Rate {
            let spelled = |&(prefix, _): &(&str, i32)| written.strip_prefix(prefix).is_some_and(|rest| BITS.contains(&rest));
            return PREFIXES.iter().find(|row| spelled(row)).map(|&(_, power)| (1, power));
        }
        self.rows().iter().find(|row| row.0 == written).map(|&(_, factor, power)| (factor, power))
    }

    fn known(self) -> String {
        let names: Vec<String> = match self {
            Unit::Plain => vec!["no unit".into()],
            Unit::Rate => PREFIXES.iter().flat_map(|(prefix, _)| BITS.map(|bits| format!("{prefix}{bits}"))).collect(),
            other => other.rows().iter().map(|row| row.0.into()).collect(),
        };
        names.join(", ")
    }
}

/// Why a text is no quantity.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum QuantityError {
    /// It does not begin with a number.
    #[error("not a number with a unit")]
    NotANumber,
    /// The unit is none of those.
    #[error("unit {unit} is unknown here; known: {known}")]
    UnknownUnit {
        /// As written, in quotes.
        unit: String,
        /// Those there are.
        known: String,
    },
    /// The unit is none that a size of a queue has.
    #[error("unit {0} is unknown here")]
    NoSize(String),
    /// No double is that large.
    #[error("too large")]
    TooLarge,
}

/// A queue's size as written.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Size {
    /// 1500-byte packets.
    Packets(f64),
    /// Bytes.
    Bytes(f64),
    /// Seconds at the link's rate.
    Seconds(f64),
    /// Fraction of the bandwidth-delay product.
    Bdp(f64),
}

impl Size {
    /// The field of a link that holds it.
    pub fn field(&self) -> &'static str {
        match self {
            Size::Packets(_) => "queue_packets",
            Size::Bytes(_) => "queue_bytes",
            Size::Seconds(_) => "queue_s",
            Size::Bdp(_) => "queue_bdp",
        }
    }

    /// Its value there.
    pub fn value(&self) -> f64 {
        match *self {
            Size::Packets(value) | Size::Bytes(value) | Size::Seconds(value) | Size::Bdp(value) => value,
        }
    }
}

/// The value of `text` in SI.
///
/// # Errors
/// When the number or its unit cannot be read, or no double is that large.
pub fn quantity(text: &str, unit: Unit) -> Result<f64, QuantityError> {
    let (number, written) = split(text)?;
    let factor = if written.is_empty() { Some((1, 0)) } else { unit.factor(written) };
    let (factor, power) = factor.ok_or_else(|| QuantityError::UnknownUnit { unit: quoted(written), known: unit.known() })?;
    let value = Decimal::read(number).scaled(factor, power).nearest();
    if value.is_infinite() {
        return Err(QuantityError::TooLarge);
    }
    Ok(value)
}

/// Reads `175` (packets), `20%bdp` or `0.2bdp`, `50ms`, `256kB`.
///
/// # Errors
/// When it is none of these.
pub fn queue_size(text: &str) -> Result<Size, QuantityError> {
    let (number, unit) = split(text)?;
    let lowered = unit.replace(' ', "").to_lowercase();
    if lowered == "%bdp" {
        return Ok(Size::Bdp(Decimal::read(number).scaled(1, -2).nearest()));
    }
    if lowered == "bdp" {
        return Ok(Size::Bdp(Decimal::read(number).nearest()));
    }
    if Unit::Time.factor(unit).is_some() {
        return quantity(text, Unit::Time).map(Size::Seconds);
    }
    if Unit::Size.factor(unit).is_some() {
        return quantity(text, Unit::Size).map(Size::Bytes);
    }
    if unit.is_empty() || Unit::Packets.factor(unit).is_some() {
        return quantity(text, Unit::Packets).map(Size::Packets);
    }
    Err(QuantityError::NoSize(quoted(unit)))
}

fn is_space(letter: char) -> bool {
    matches!(letter, ' ' | '\t' | '\n' | '\r' | '\x0b' | '\x0c')
}

/// A text's number and its unit, which is empty when there is none.
fn split(text: &str) -> Result<(&str, &str), QuantityError> {
    let trimmed = text.trim_matches(is_space);
    let (number, rest) = trimmed.split_at(number_length(trimmed.as_bytes()));
    let unit = rest.trim_start_matches(is_space);
    let is_unit = !unit.starts_with(|letter: char| letter.is_ascii_digit()) && !unit.contains('\n');
    if number.is_empty() || !is_unit || text.chars().count() > CHARACTERS_MAX {
        return Err(QuantityError::NotANumber);
    }
    Ok((number, unit))
}

/// How many bytes at the beginning are a number: `[+-]digits[.digits][e[+-]digits]`, with at most four digits of exponent.
fn number_length(text: &[u8]) -> usize {
    let digits = |from: usize| text[from..].iter().take_while(|byte| byte.is_ascii_digit()).count();
    let is_sign = |at: usize| matches!(text.get(at), Some(b'+' | b'-'));
    let begin = usize::from(is_sign(0));
    let whole = digits(begin);
    let mut end = begin + whole;
    if text.get(end) == Some(&b'.') {
        let fraction = digits(end + 1);
        if whole + fraction == 0 {
            return 0;
        }
        end += 1 + fraction;
    } else if whole == 0 {
        return 0;
    }
    if matches!(text.get(end), Some(b'e' | b'E')) {
        let first = end + 1 + usize::from(is_sign(end + 1));
        // An exponent of more digits is none: its letter begins a unit that is unknown.
        if first <= text.len() && (1..=4).contains(&digits(first)) {
            end = first + digits(first);
        }
    }
    end
}

#[cfg(test)]
mod tests {
    use super::{quantity, queue_size, Size, Unit};

    fn refused(text: &str, unit: Unit) -> String {
        quantity(text, unit).expect_err(text).to_string()
    }

    #[test]
    fn quantities_are_the_doubles_that_their_literals_are() {
        for (text, unit, expected) in [
            ("42ms", Unit::Time, 0.042),
            (" 1.5 min ", Unit::Time, 90.0),
            ("3\u{b5}s", Unit::Time, 3e-6),
            ("250Mbit", Unit::Rate, 250e6),
            ("1e3kbit/s", Unit::Rate, 1e6),
            ("256kB", Unit::Size, 256e3),
            ("1MiB", Unit::Size, 1_048_576.0),
            ("3.06GHz", Unit::Clock, 3.06e9),
            ("-7", Unit::Plain, -7.0),
            (".5", Unit::Plain, 0.5),
        ] {
            assert_eq!(quantity(text, unit), Ok(expected), "{text}");
        }
    }

    #[test]
    fn what_is_no_quantity_is_refused_with_the_reason() {
        for text in ["", "ms", "1 2", ". 5", "1m\ns", &"1".repeat(65)] {
            assert_eq!(refused(text, Unit::Time), "not a number with a unit", "{text}");
        }
        assert_eq!(refused("5 m", Unit::Clock), "unit 'm' is unknown here; known: Hz, kHz, MHz, GHz");
        assert_eq!(refused("1e12345", Unit::Plain), "unit 'e12345' is unknown here; known: no unit");
        assert_eq!(refused("1e999", Unit::Plain), "too large");
    }

    #[test]
    fn a_queue_is_read_in_the_unit_it_is_written_in() {
        assert_eq!(queue_size("20%bdp"), Ok(Size::Bdp(0.2)));
        assert_eq!(queue_size("0.3 BDP"), Ok(Size::Bdp(0.3)));
        assert_eq!(queue_size("50ms"), Ok(Size::Seconds(0.05)));
        assert_eq!(queue_size("256kB"), Ok(Size::Bytes(256e3)));
        assert_eq!(queue_size("175"), Ok(Size::Packets(175.0)));
        assert_eq!(queue_size("3 lines").expect_err("no unit of a queue").to_string(), "unit 'lines' is unknown here");
    }
}
