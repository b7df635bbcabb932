//! What expressions come to.

use std::fmt;

use super::parse::Expression;

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
    fn unknown(&self) -> Option<&String> {
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

type Known<'a> = &'a dyn Fn(&str) -> Option<Value>;

impl Expression {
    pub(super) fn value(&self, known: Known<'_>) -> Result<Value, String> {
        Ok(match self {
            Expression::Constant(value) => value.clone(),
            Expression::Name(name) => known(name).unwrap_or_else(|| Value::Unknown(name.clone())),
            Expression::Tuple(parts) => Value::Tuple(parts.iter().map(|part| part.value(known)).collect::<Result<_, _>>()?),
            Expression::Not(inner) => match inner.value(known)? {
                unknown @ Value::Unknown(_) => unknown,
                value => Value::Int((!value.is_true()).into()),
            },
            Expression::Negative(inner) => match inner.value(known)? {
                Value::Int(value) => Value::Int(value.wrapping_neg()),
                unknown @ Value::Unknown(_) => unknown,
                value => return Err(format!("-{value}")),
            },
            // What is known decides alone where it can.
            Expression::Both(left, right) => match (left.value(known)?, right.value(known)?) {
                (Value::Unknown(_), right) if right.unknown().is_none() && !right.is_true() => right,
                (left, right) if left.unknown().is_none() && left.is_true() => right,
                (left, _) => left,
            },
            Expression::Either(left, right) => match (left.value(known)?, right.value(known)?) {
                (Value::Unknown(_), right) if right.unknown().is_none() && right.is_true() => right,
                (left, right) if left.unknown().is_none() && !left.is_true() => right,
                (left, _) => left,
            },
            Expression::Binary(sign, left, right) => arithmetic(sign, left.value(known)?, right.value(known)?)?,
            Expression::Chain(first, rest) => chain(first.value(known)?, rest, known)?,
        })
    }

    /// The names in it, each once.
    pub(super) fn names(&self) -> Vec<&str> {
        let mut names: Vec<&str> = match self {
            Expression::Constant(_) => vec![],
            Expression::Name(name) => vec![name],
            Expression::Tuple(parts) => parts.iter().flat_map(Expression::names).collect(),
            Expression::Not(inner) | Expression::Negative(inner) => inner.names(),
            Expression::Both(left, right) | Expression::Either(left, right) | Expression::Binary(_, left, right) => {
                [left.names(), right.names()].concat()
            }
            Expression::Chain(first, rest) => first.names().into_iter().chain(rest.iter().flat_map(|(_, next)| next.names())).collect(),
        };
        names.sort_unstable();
        names.dedup();
        names
    }
}

fn arithmetic(sign: &str, left: Value, right: Value) -> Result<Value, String> {
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

/// `a < b < c` holds if each does. One that does not hold decides, whatever is unknown.
fn chain(mut left: Value, rest: &[(&'static str, Expression)], known: Known<'_>) -> Result<Value, String> {
    let mut unknown = None;
    for (sign, next) in rest {
        let right = next.value(known)?;
        match left.unknown().or(right.unknown()) {
            Some(name) => unknown = unknown.or_else(|| Some(name.clone())),
            None if !compare(sign, &left, &right)? => return Ok(Value::Int(0)),
            None => {}
        }
        left = right;
    }
    Ok(unknown.map_or(Value::Int(1), Value::Unknown))
}

fn compare(sign: &str, left: &Value, right: &Value) -> Result<bool, String> {
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
