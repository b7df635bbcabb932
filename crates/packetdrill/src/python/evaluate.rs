//! What expressions come to.

use super::parse::Expression;
use super::value::{arithmetic, compare, Value};

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
