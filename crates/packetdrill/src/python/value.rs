//! Values, and what can be done with them.

use std::fmt;

/// A value.
#[derive(Clone, Debug, PartialEq)]
pub enum Value {
    /// A whole number; truth is 1.
    Int(i64),
    /// A string.
    Text(String),
    /// A tuple.
    Tuple(Vec<Value>),
    /// Not known, for want of this name's value.
    Unknown(String),
}

impl Value {
    pub(super) fn is_true(&self) -> bool {
        match self {
            Value::Int(value) => *value != 0,
            Value::Text(text) => !text.is_empty(),
            Value::Tuple(parts) => !parts.is_empty(),
            Value::Unknown(_) => false,
        }
    }

    /// The name that a value is unknown for want of, in whatever part.
    pub(super) fn unknown(&self) -> Option<&String> {
        match self {
            Value::Unknown(name) => Some(name),
            Value::Tuple(parts) => parts.iter().find_map(Value::unknown),
            _ => None,
        }
    }
}

impl fmt::Display for Value {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Value::Int(value) => write!(f, "{value}"),
            Value::Text(text) => write!(f, "{text}"),
            Value::Tuple(parts) => {
                let parts: Vec<String> = parts.iter().map(Value::to_string).collect();
                write!(f, "({})", parts.join(", "))
            }
            Value::Unknown(name) => write!(f, "{name}?"),
        }
    }
}

/// Python's arithmetic on whole numbers.
pub(super) fn arithmetic(sign: &str, left: Value, right: Value) -> Result<Value, String> {
    if let Some(name) = left.unknown().or(right.unknown()) {
        return Ok(Value::Unknown(name.clone()));
    }
    let (Value::Int(a), Value::Int(b)) = (&left, &right) else { return Err(format!("{left} {sign} {right}")) };
    let value = match sign {
        "+" => a.checked_add(*b),
        "-" => a.checked_sub(*b),
        "*" => a.checked_mul(*b),
        "//" => a.checked_div_euclid(*b).filter(|_| *b > 0),
        "%" => a.checked_rem_euclid(*b).filter(|_| *b > 0),
        "&" => Some(a & b),
        "|" => Some(a | b),
        "^" => Some(a ^ b),
        "<<" => u32::try_from(*b).ok().and_then(|bits| a.checked_shl(bits)),
        ">>" => u32::try_from(*b).ok().and_then(|bits| a.checked_shr(bits)),
        // Real numbers are not needed.
        _ => None,
    };
    value.map(Value::Int).ok_or_else(|| format!("{left} {sign} {right}"))
}

/// Whether a comparison holds.
pub(super) fn compare(sign: &str, left: &Value, right: &Value) -> Result<bool, String> {
    match sign {
        "==" => return Ok(left == right),
        "!=" => return Ok(left != right),
        _ => {}
    }
    let order = match (left, right) {
        (Value::Int(a), Value::Int(b)) => a.cmp(b),
        (Value::Text(a), Value::Text(b)) => a.cmp(b),
        _ => return Err(format!("{left} {sign} {right}")),
    };
    Ok(match sign {
        "<" => order.is_lt(),
        "<=" => order.is_le(),
        ">" => order.is_gt(),
        _ => order.is_ge(),
    })
}
