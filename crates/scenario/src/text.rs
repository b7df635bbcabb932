//! Numbers and words as Python writes them: scenarios have been named, and notes worded, by its rules.

/// The shortest text that reads back as the same double: `0.0001`, `1e-05`, `100.0`, `1e+16` (Python's `repr`).
pub(crate) fn repr(value: f64) -> String {
    let (sign, digits, exponent) = parts(&format!("{value:e}"));
    if (-4..16).contains(&exponent) {
        let fixed = fixed(&digits, exponent);
        let point = if fixed.contains('.') { "" } else { ".0" };
        return format!("{sign}{fixed}{point}");
    }
    format!("{sign}{}", scientific(&digits, exponent))
}

/// So many significant digits, without zeros at the end: `0.02`, `1.5e-07`, `1e+07` (Python's `g`).
pub(crate) fn general(value: f64, digits: usize) -> String {
    let (sign, shown, exponent) = parts(&format!("{value:.*e}", digits - 1));
    let shown = match shown.trim_end_matches('0') {
        "" => "0",
        rest => rest,
    };
    if (-4..digits as i32).contains(&exponent) {
        return format!("{sign}{}", fixed(shown, exponent));
    }
    format!("{sign}{}", scientific(shown, exponent))
}

/// A number as an error shows it: whole ones without a point.
pub(crate) fn shown(value: f64) -> String {
    if value.fract() == 0.0 && value.abs() < 1e15 {
        return format!("{value:.0}");
    }
    repr(value)
}

/// A word in quotes, with what cannot be printed escaped.
pub(crate) fn quoted(word: &str) -> String {
    let quote = if word.contains('\'') && !word.contains('"') { '"' } else { '\'' };
    let mut text = String::from(quote);
    for letter in word.chars() {
        match letter {
            '\\' => text.push_str("\\\\"),
            '\n' => text.push_str("\\n"),
            '\r' => text.push_str("\\r"),
            '\t' => text.push_str("\\t"),
            letter if letter == quote => text.extend(['\\', letter]),
            letter if u32::from(letter) < 0x100 && (letter.is_control() || matches!(letter, '\u{a0}' | '\u{ad}')) => {
                text.push_str(&format!("\\x{:02x}", u32::from(letter)));
            }
            letter if letter != ' ' && letter.is_whitespace() => text.push_str(&format!("\\u{:04x}", u32::from(letter))),
            letter => text.push(letter),
        }
    }
    text.push(quote);
    text
}

/// Sign, digits and exponent of `-1.25e-7`.
fn parts(scientific: &str) -> (&'static str, String, i32) {
    let (mantissa, exponent) = scientific.split_once('e').expect("an exponent");
    let sign = if mantissa.starts_with('-') { "-" } else { "" };
    (sign, mantissa.chars().filter(char::is_ascii_digit).collect(), exponent.parse().expect("an exponent"))
}

fn fixed(digits: &str, exponent: i32) -> String {
    if exponent < 0 {
        return format!("0.{}{digits}", "0".repeat((-exponent - 1) as usize));
    }
    let whole = exponent as usize + 1;
    if digits.len() <= whole {
        return format!("{digits}{}", "0".repeat(whole - digits.len()));
    }
    format!("{}.{}", &digits[..whole], &digits[whole..])
}

fn scientific(digits: &str, exponent: i32) -> String {
    let (first, rest) = digits.split_at(1);
    let point = if rest.is_empty() { "" } else { "." };
    let sign = if exponent < 0 { '-' } else { '+' };
    format!("{first}{point}{rest}e{sign}{:02}", exponent.abs())
}

#[cfg(test)]
mod tests {
    use super::{general, quoted, repr};

    #[test]
    fn doubles_are_written_as_python_writes_them() {
        for (value, expected) in [
            (0.0, "0.0"),
            (-0.0, "-0.0"),
            (100.0, "100.0"),
            (0.042, "0.042"),
            (0.0001, "0.0001"),
            (0.00001, "1e-05"),
            (1.5e-7, "1.5e-07"),
            (1e15, "1000000000000000.0"),
            (1e16, "1e+16"),
            (123_456_789_012_345_680.0, "1.2345678901234568e+17"),
            (0.1 + 0.2, "0.30000000000000004"),
            (1e-300, "1e-300"),
            (250e6, "250000000.0"),
        ] {
            assert_eq!(repr(value), expected);
        }
    }

    #[test]
    fn a_few_digits_are_written_as_python_writes_them() {
        for (value, digits, expected) in [
            (0.012, 6, "0.012"),
            (1e-7, 6, "1e-07"),
            (1_234_567.0, 6, "1.23457e+06"),
            (0.83333, 3, "0.833"),
            (999.9, 3, "1e+03"),
            (12.0, 3, "12"),
            (0.0, 6, "0"),
            (2.5e9, 3, "2.5e+09"),
        ] {
            assert_eq!(general(value, digits), expected);
        }
    }

    #[test]
    fn words_are_quoted_with_what_cannot_be_printed_escaped() {
        assert_eq!(
            [quoted("m"), quoted("it's"), quoted("a\tb\\"), quoted("\u{1b}\u{2028}")],
            ["'m'", "\"it's\"", "'a\\tb\\\\'", "'\\x1b\\u2028'"]
        );
    }
}
