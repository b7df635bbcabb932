//! When something happens.

use super::cursor::Cursor;

/// A time of the script, nanoseconds.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct When {
    /// Counted from the event before, not from the beginning.
    pub is_relative: bool,
    /// The time, or the earliest.
    pub from: u64,
    /// The latest; the same if there is one time.
    pub to: u64,
    /// A call that begins at `from` returns then, counted as `from` is.
    pub returns: Option<u64>,
    /// At any time.
    pub is_any: bool,
}

impl When {
    /// With the event before.
    pub(super) fn at_once() -> When {
        When { is_relative: true, from: 0, to: 0, returns: None, is_any: false }
    }
}

/// `+.1`, `0.25`, `*`, `+.1~+.105`, `+0...0.2`.
pub(super) fn take(cursor: &mut Cursor<'_>) -> Result<When, String> {
    if cursor.rest().starts_with('*') {
        cursor.advance(1);
        return Ok(When { is_any: true, ..When::at_once() });
    }
    let is_relative = cursor.rest().starts_with('+');
    let from = take_seconds(cursor)?;
    let mut when = When { is_relative, from, to: from, returns: None, is_any: false };
    let blanks = |cursor: &Cursor<'_>| cursor.rest().len() - cursor.rest().trim_start_matches([' ', '\t']).len();
    if cursor.rest()[blanks(cursor)..].starts_with("...") {
        cursor.advance(blanks(cursor) + 3);
        cursor.advance(blanks(cursor));
        when.returns = Some(take_seconds(cursor)?);
    } else if cursor.rest()[blanks(cursor)..].starts_with('~') {
        cursor.advance(blanks(cursor) + 1);
        cursor.advance(blanks(cursor));
        when.to = take_seconds(cursor)?;
    }
    Ok(when)
}

/// A number of seconds, exactly, with or without a plus sign.
fn take_seconds(cursor: &mut Cursor<'_>) -> Result<u64, String> {
    if cursor.rest().starts_with('+') {
        cursor.advance(1);
    }
    let text = cursor.rest();
    let mut end = text.find(|sign: char| !sign.is_ascii_digit() && sign != '.').unwrap_or(text.len());
    // The points of a range are none of the number's.
    end = text.find("...").map_or(end, |dots| end.min(dots));
    let number = cursor.advance(end);
    let (whole, fraction) = number.split_once('.').unwrap_or((number, ""));
    // Eleven days are enough for a script.
    if whole.len() + fraction.len() == 0 || whole.len() > 6 || fraction.len() > 9 || fraction.contains('.') {
        return Err(format!("no time: {}", text.lines().next().unwrap_or("").chars().take(40).collect::<String>()));
    }
    let digits = |text: &str| if text.is_empty() { Ok(0) } else { text.parse::<u64>().map_err(|e| format!("no time: {e}")) };
    Ok(digits(whole)? * 1_000_000_000 + digits(fraction)? * 10_u64.pow(9 - fraction.len() as u32))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(text: &str) -> (bool, u64, u64, Option<u64>) {
        let when = take(&mut Cursor::new(text)).expect("a time");
        (when.is_relative, when.from / 1000, when.to / 1000, when.returns.map(|ns| ns / 1000))
    }

    #[test]
    fn times_are_read_to_the_nanosecond() {
        assert_eq!(read("+.1 <"), (true, 100_000, 100_000, None));
        assert_eq!(read("0.25 <"), (false, 250_000, 250_000, None));
        assert_eq!(read("+.1~+.105 >"), (true, 100_000, 105_000, None));
        assert_eq!(read("+.1 ~ +.105 >"), (true, 100_000, 105_000, None));
        assert_eq!(read("+.01...0.011 connect"), (true, 10_000, 10_000, Some(11_000)));
        assert_eq!(read("+.002 ... 0.004 connect"), (true, 2_000, 2_000, Some(4_000)));
        assert_eq!(read("0...5 read"), (false, 0, 0, Some(5_000_000)));
        assert!(take(&mut Cursor::new("* > .")).expect("any").is_any);
        assert!(take(&mut Cursor::new("soon")).is_err());
    }
}
