//! The words of a statement.

/// A word, with where it begins and ends in the text.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Token {
    pub(super) kind: Kind,
    pub(super) from: usize,
    pub(super) to: usize,
}

#[derive(Clone, Debug, PartialEq)]
pub(super) enum Kind {
    Int(i64),
    Text(String),
    Name(String),
    Sign(&'static str),
    /// The end of a statement.
    End,
}

/// Longer signs first.
const SIGNS: [&str; 31] = [
    "**", "//", "==", "!=", "<=", ">=", "<<", ">>", "+=", "-=", "<", ">", "=", "+", "-", "*", "/", "%", "&", "|", "^", "~", "(", ")", "[",
    "]", ",", ":", ".", "{", "}",
];

pub(super) fn tokens(code: &str) -> Result<Vec<Token>, String> {
    let mut found = Vec::new();
    let (mut at, mut depth) = (0, 0_i32);
    while let Some(sign) = code[at..].chars().next() {
        let rest = &code[at..];
        let from = at;
        let kind = match sign {
            '\n' | ';' => {
                at += 1;
                if depth > 0 && sign == '\n' {
                    continue;
                }
                Kind::End
            }
            '\\' if rest[1..].trim_start_matches([' ', '\t', '\r']).starts_with('\n') => {
                at += rest.find('\n').expect("seen") + 1;
                continue;
            }
            '#' => {
                at += rest.find('\n').unwrap_or(rest.len());
                continue;
            }
            _ if sign.is_whitespace() => {
                at += sign.len_utf8();
                continue;
            }
            '\'' | '"' => {
                let length = rest[1..].find(sign).ok_or("a string without an end")?;
                at += length + 2;
                Kind::Text(rest[1..=length].to_owned())
            }
            _ if sign.is_ascii_digit() => {
                at += rest.find(|sign: char| !sign.is_ascii_alphanumeric()).unwrap_or(rest.len());
                Kind::Int(number(&code[from..at])?)
            }
            _ if sign.is_alphabetic() || sign == '_' => {
                at += rest.find(|sign: char| !sign.is_alphanumeric() && sign != '_').unwrap_or(rest.len());
                Kind::Name(code[from..at].to_owned())
            }
            _ => {
                let sign = SIGNS.into_iter().find(|sign| rest.starts_with(sign)).ok_or_else(|| format!("sign {sign:?}"))?;
                at += sign.len();
                depth += i32::from("([{".contains(sign)) - i32::from(")]}".contains(sign));
                Kind::Sign(sign)
            }
        };
        found.push(Token { kind, from, to: at });
    }
    found.push(Token { kind: Kind::End, from: at, to: at });
    Ok(found)
}

fn number(text: &str) -> Result<i64, String> {
    let value = match text.strip_prefix("0x").or_else(|| text.strip_prefix("0X")) {
        Some(digits) => i64::from_str_radix(digits, 16),
        None => text.parse(),
    };
    value.map_err(|_| format!("number {text}"))
}
