//! Statements and expressions from words, by recursive descent; the rules are Python's, weakest first.

use super::token::{tokens, Kind, Token};
use super::value::Value;

/// A statement.
#[derive(Clone, Debug)]
pub(super) enum Statement {
    Pass,
    /// What is asserted, and its text.
    Assert(Expression, String),
    Print(Vec<Expression>),
    Assign(String, Expression),
}

/// An expression.
#[derive(Clone, Debug)]
pub(super) enum Expression {
    Constant(Value),
    Name(String),
    Tuple(Vec<Expression>),
    Not(Box<Expression>),
    Negative(Box<Expression>),
    Both(Box<Expression>, Box<Expression>),
    Either(Box<Expression>, Box<Expression>),
    Binary(&'static str, Box<Expression>, Box<Expression>),
    /// The first operand, and each sign with the next.
    Chain(Box<Expression>, Vec<(&'static str, Expression)>),
}

/// Signs that bind operands, weakest first.
const BINDING: [&[&str]; 6] = [&["|"], &["^"], &["&"], &["<<", ">>"], &["+", "-"], &["*", "/", "//", "%"]];
/// How deep operands may lie within operands.
const DEPTH_MAX: usize = 50;
const COMPARISONS: [&str; 6] = ["==", "!=", "<=", ">=", "<", ">"];

pub(super) fn parse(code: &str) -> Result<Vec<Statement>, String> {
    let mut parser = Parser { code, tokens: tokens(code)?, at: 0, depth: 0 };
    let mut statements = Vec::new();
    while parser.at < parser.tokens.len() {
        statements.push(parser.statement()?);
        if parser.tokens[parser.at].kind != Kind::End {
            return Err(format!("statement before {:?}", parser.here()));
        }
        parser.at += 1;
    }
    Ok(statements)
}

struct Parser<'a> {
    code: &'a str,
    tokens: Vec<Token>,
    at: usize,
    /// Operands within operands.
    depth: usize,
}

impl Parser<'_> {
    fn here(&self) -> &str {
        &self.code[self.tokens[self.at].from..self.tokens[self.at].to]
    }

    fn takes_sign(&mut self, among: &[&'static str]) -> Option<&'static str> {
        let Kind::Sign(sign) = self.tokens[self.at].kind else { return None };
        among.contains(&sign).then(|| {
            self.at += 1;
            sign
        })
    }

    fn takes_word(&mut self, word: &str) -> bool {
        let is_it = matches!(&self.tokens[self.at].kind, Kind::Name(name) if name == word);
        self.at += usize::from(is_it);
        is_it
    }

    fn statement(&mut self) -> Result<Statement, String> {
        if self.tokens[self.at].kind == Kind::End || self.takes_word("pass") {
            return Ok(Statement::Pass);
        }
        if self.takes_word("assert") {
            let from = self.tokens[self.at].from;
            let expression = self.either()?;
            let text = self.code[from..self.tokens[self.at - 1].to].to_owned();
            // What would be said if it broke may use all of Python.
            while self.tokens[self.at].kind != Kind::End {
                self.at += 1;
            }
            return Ok(Statement::Assert(expression, text));
        }
        if self.takes_word("print") {
            return Ok(Statement::Print(match self.expression()? {
                Expression::Tuple(parts) => parts,
                other => vec![other],
            }));
        }
        self.assignment()
    }

    fn assignment(&mut self) -> Result<Statement, String> {
        let Kind::Name(name) = self.tokens[self.at].kind.clone() else { return Err(format!("statement {:?}", self.here())) };
        self.at += 1;
        let sign = self.takes_sign(&["=", "+=", "-="]).ok_or_else(|| format!("statement {name}"))?;
        let value = self.expression()?;
        let value = match sign {
            "=" => value,
            "+=" => Expression::Binary("+", Box::new(Expression::Name(name.clone())), Box::new(value)),
            _ => Expression::Binary("-", Box::new(Expression::Name(name.clone())), Box::new(value)),
        };
        Ok(Statement::Assign(name, value))
    }

    /// With commas, a tuple.
    fn expression(&mut self) -> Result<Expression, String> {
        let first = self.either()?;
        if self.takes_sign(&[","]).is_none() {
            return Ok(first);
        }
        let mut parts = vec![first];
        while !matches!(self.tokens[self.at].kind, Kind::End | Kind::Sign(")")) {
            parts.push(self.either()?);
            if self.takes_sign(&[","]).is_none() {
                break;
            }
        }
        Ok(Expression::Tuple(parts))
    }

    fn either(&mut self) -> Result<Expression, String> {
        let mut left = self.both()?;
        while self.takes_word("or") {
            left = Expression::Either(Box::new(left), Box::new(self.both()?));
        }
        Ok(left)
    }

    fn both(&mut self) -> Result<Expression, String> {
        let mut left = self.negation()?;
        while self.takes_word("and") {
            left = Expression::Both(Box::new(left), Box::new(self.negation()?));
        }
        Ok(left)
    }

    fn negation(&mut self) -> Result<Expression, String> {
        if self.takes_word("not") {
            self.depth += 1;
            let inner = if self.depth > DEPTH_MAX { Err("not, too often".into()) } else { self.negation() };
            self.depth -= 1;
            return Ok(Expression::Not(Box::new(inner?)));
        }
        let first = self.binary(0)?;
        let mut rest = Vec::new();
        while let Some(sign) = self.takes_sign(&COMPARISONS) {
            rest.push((sign, self.binary(0)?));
        }
        Ok(if rest.is_empty() { first } else { Expression::Chain(Box::new(first), rest) })
    }

    fn binary(&mut self, level: usize) -> Result<Expression, String> {
        let Some(signs) = BINDING.get(level) else { return self.unary() };
        let mut left = self.binary(level + 1)?;
        while let Some(sign) = self.takes_sign(signs) {
            left = Expression::Binary(sign, Box::new(left), Box::new(self.binary(level + 1)?));
        }
        Ok(left)
    }

    fn unary(&mut self) -> Result<Expression, String> {
        self.depth += 1;
        if self.depth > DEPTH_MAX {
            return Err("brackets too deep".into());
        }
        let expression = self.operand();
        self.depth -= 1;
        expression
    }

    fn operand(&mut self) -> Result<Expression, String> {
        if self.takes_sign(&["-"]).is_some() {
            return Ok(Expression::Negative(Box::new(self.unary()?)));
        }
        if self.takes_sign(&["("]).is_some() {
            let inside = if self.takes_sign(&[")"]).is_some() { return Ok(Expression::Tuple(vec![])) } else { self.expression()? };
            self.takes_sign(&[")"]).ok_or_else(|| format!("no closing bracket before {:?}", self.here()))?;
            return Ok(inside);
        }
        let expression = match &self.tokens[self.at].kind {
            Kind::Int(value) => Expression::Constant(Value::Int(*value)),
            Kind::Text(text) => Expression::Constant(Value::Text(text.clone())),
            Kind::Name(name) if name == "True" || name == "False" => Expression::Constant(Value::Int((name == "True").into())),
            Kind::Name(name) => Expression::Name(name.clone()),
            _ => return Err(format!("expression {:?}", self.here())),
        };
        self.at += 1;
        Ok(expression)
    }
}
