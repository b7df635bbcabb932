//! The statements of `%{ ... }%`: the part of Python that scripts use to assert and to print.
//!
//! `assert`, `print`, assignment; whole numbers, strings, tuples; arithmetic, comparisons in chains, `and`, `or`, `not`. A name that is not
//! given a value, such as a field that the stack does not know, is [`Value::Unknown`], and so is whatever depends on it: an assertion
//! of that is neither held nor broken.

mod evaluate;
mod parse;
mod token;
mod value;

use std::collections::BTreeMap;

use self::parse::{parse, Statement};
pub use self::value::Value;

/// What statements did.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Said {
    /// Assertions that held.
    pub held: usize,
    /// The first that did not: its text, and what the names in it were.
    pub broken: Option<String>,
    /// Those that depend on what is not known, by its name.
    pub unknown: Vec<String>,
    /// What was printed, each time.
    pub printed: Vec<Vec<Value>>,
}

/// The variables of a script.
#[derive(Clone, Debug, Default)]
pub struct Python {
    variables: BTreeMap<String, Value>,
}

impl Python {
    /// Runs statements. A name is a variable of the script's own, or what `lookup` knows.
    ///
    /// # Errors
    /// What is not understood.
    pub fn run(&mut self, code: &str, lookup: &dyn Fn(&str) -> Option<i64>) -> Result<Said, String> {
        let mut said = Said::default();
        for statement in parse(code)? {
            self.step(statement, lookup, &mut said)?;
            if said.broken.is_some() {
                break;
            }
        }
        Ok(said)
    }

    fn step(&mut self, statement: Statement, lookup: &dyn Fn(&str) -> Option<i64>, said: &mut Said) -> Result<(), String> {
        let variables = &self.variables;
        let known = |name: &str| variables.get(name).cloned().or_else(|| lookup(name).map(Value::Int));
        match statement {
            Statement::Pass => {}
            Statement::Assert(expression, text) => match expression.value(&known)? {
                Value::Unknown(name) => said.unknown.push(name),
                value if value.is_true() => said.held += 1,
                _ => {
                    let named: Vec<String> =
                        expression.names().iter().filter_map(|name| Some(format!("{name}={}", known(name)?))).collect();
                    said.broken = Some(format!("assert {text} but {}", named.join(", ")));
                }
            },
            Statement::Print(expressions) => {
                said.printed.push(expressions.iter().map(|expression| expression.value(&known)).collect::<Result<_, _>>()?);
            }
            Statement::Assign(name, expression) => {
                let value = expression.value(&known)?;
                self.variables.insert(name, value);
            }
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn run(code: &str) -> Said {
        let lookup = |name: &str| match name {
            "tcpi_snd_cwnd" => Some(10),
            "tcpi_rtt" => Some(20_500),
            _ => None,
        };
        Python::default().run(code, &lookup).expect(code)
    }

    #[test]
    fn assertions_hold_or_break_with_what_the_names_were() {
        assert_eq!(run("assert tcpi_snd_cwnd == 10, tcpi_snd_cwnd").held, 1);
        assert_eq!(run("assert 20000 <= tcpi_rtt <= 21000 and not tcpi_snd_cwnd > 10").held, 1);
        let said = run("assert tcpi_snd_cwnd == 10; assert tcpi_snd_cwnd == 0xb, 'cwnd=%d' % tcpi_snd_cwnd\nassert False");
        assert_eq!((said.held, said.broken.as_deref()), (1, Some("assert tcpi_snd_cwnd == 0xb but tcpi_snd_cwnd=10")));
        assert_eq!(run("assert (tcpi_snd_cwnd, 1) == (10, 1), \\\n  tcpi_snd_cwnd # why").held, 1);
        assert_eq!(run("assert -3 // 2 == -2 and 7 % 4 == 3 and 2 * (3 + 4) - 1 == 13").held, 1);
    }

    #[test]
    fn what_depends_on_the_unknown_is_not_judged() {
        let said = run("assert tcpi_reordering == 6, tcpi_reordering; assert tcpi_snd_cwnd > 99 or tcpi_state == 1");
        assert_eq!((said.held, said.broken, said.unknown), (0, None, vec!["tcpi_reordering".into(), "tcpi_state".into()]));
        assert_eq!(run("assert tcpi_snd_cwnd == 10 or tcpi_state == 1").held, 1);
        assert!(run("assert tcpi_state == 1 and tcpi_snd_cwnd == 11").broken.is_some(), "whatever the state is");
        assert_eq!(run("assert (tcpi_options & 4) != 0").unknown, ["tcpi_options"]);
    }

    #[test]
    fn variables_are_kept_between_statements() {
        let mut python = Python::default();
        let lookup = |_: &str| Some(12);
        python.run("cwnd = 11; X = 0x7fffffff", &lookup).expect("assignments");
        assert_eq!(python.run("cwnd += 1; assert tcpi_snd_cwnd == cwnd", &lookup).expect("an assertion").held, 1);
        let said = python.run("print(\"@\", cwnd, X)\nprint cwnd", &lookup).expect("prints");
        assert_eq!(said.printed, [vec![Value::Text("@".into()), Value::Int(12), Value::Int(0x7fff_ffff)], vec![Value::Int(12)]]);
    }

    #[test]
    fn what_is_not_understood_is_said() {
        let refused = |code: &str| Python::default().run(code, &|_| None).err();
        assert!(refused("if x:\n  assert x").is_some());
        assert!(refused("assert x ==").is_some());
        assert!(refused("assert 1 / 0 == 1").is_some());
        assert!(refused("f(3)").is_some());
        assert!(refused(&format!("assert {}1", "(".repeat(100_000))).is_some());
        assert!(refused(&format!("assert {}1", "not ".repeat(100_000))).is_some());
    }
}
