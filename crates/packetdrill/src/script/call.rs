//! System calls.

use super::cursor::Cursor;

/// A system call.
#[derive(Clone, Debug)]
pub struct Call {
    /// Its name.
    pub name: String,
    /// Its arguments, as they are written.
    pub args: Vec<String>,
    /// What it returns, as it is written, without the name of an error.
    pub result: String,
}

pub(super) fn take(cursor: &mut Cursor<'_>) -> Result<Call, String> {
    let text = cursor.rest();
    let end = text.find(|sign: char| !sign.is_ascii_alphanumeric() && sign != '_').unwrap_or(text.len());
    let name = cursor.advance(end).to_owned();
    if name.is_empty() || !cursor.rest().starts_with('(') {
        return Err(format!("neither a packet nor a call: {}", text.lines().next().unwrap_or("").chars().take(40).collect::<String>()));
    }
    let inside = cursor.take_brackets().ok_or_else(|| format!("{name}: a bracket is not closed"))?;
    cursor.skip_blank();
    if !cursor.rest().starts_with('=') {
        return Err(format!("{name}: no result"));
    }
    cursor.advance(1);
    let result = cursor.take_line().split("//").next().unwrap_or("").split_whitespace().next().unwrap_or("").to_owned();
    Ok(Call { name, args: arguments(&inside), result })
}

/// Splits at the commas that stand in no bracket.
fn arguments(inside: &str) -> Vec<String> {
    let mut args = vec![String::new()];
    let mut depth = 0;
    for sign in inside.chars() {
        match sign {
            '(' | '[' | '{' => depth += 1,
            ')' | ']' | '}' => depth -= 1,
            ',' if depth == 0 => {
                args.push(String::new());
                continue;
            }
            _ => {}
        }
        args.last_mut().expect("one").push(sign);
    }
    args.into_iter().map(|arg| arg.trim().to_owned()).collect()
}
